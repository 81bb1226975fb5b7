// Text to JSONB in one pass, without recursion.
//
// The text ends with a NUL, behind which `JSONBuffer.slack` bytes may be read. Containers that are
// open stand on a stack; their headers are written in the form of two bytes and set right when they
// close, so that only the bytes of unusually short and long ones move.
//
// Where several things are wrong, which of them is reported as the error's offset shows in
// json_error_position(): the order in which things are looked at is SQLite's.

/// What was found where an element could stand, if none did.
enum JSONStop {
  static let endOfText = 0
  static let error = -1
  static let endOfObject = -2
  static let endOfArray = -3
  static let comma = -4
  static let colon = -5
  static let openContainer = -6
}

struct JSONParser {
  let text: UnsafePointer<UInt8>
  private let textCount: Int
  private let frames: UnsafeMutablePointer<Frame>
  var output: JSONBuffer
  /// Where the error is, if there is one.
  var errorOffset = 0
  /// The text has something that canonical JSON has not.
  var usesExtensions = false
  private var depth = 0
  /// Of the container that begins.
  var openOffset = 0
  /// Containers begin with the size of all the text that is left. That is what stays in the output
  /// of a text that ends too early, as C SQLite leaves it.
  var guessesSizes = false

  /// What an element is to the container that it is in.
  enum Role: UInt8 {
    case document, item, label, value
    /// Something where the colon should be.
    case misplaced
  }

  /// A container that is open.
  struct Frame {
    /// Of the container in the output.
    var header: Int
    /// Where its elements begin there.
    var content: Int
    /// Of its text, as the container around it knows it.
    var start: Int
    var role: Role
    var isObject: Bool
  }

  static let frameCount = JSONLimits.depth + 1

  init(
    _ text: UnsafePointer<UInt8>, _ textCount: Int, frames: UnsafeMutablePointer<Frame>,
    into output: consuming JSONBuffer
  ) {
    self.text = text
    self.textCount = textCount
    self.frames = frames
    self.output = output
  }

  /// Reads a document. Returns whether it is one.
  mutating func parseDocument() throws(SQLError) -> Bool {
    // Most texts grow by less than this; each element makes sure of its room.
    try output.reserve(textCount + JSONParser.plainRoom)
    var end = try parseElements()
    if end <= 0 { return false }
    while JSONCharacters.isSpace(text[end]) { end += 1 }
    if text[end] == 0 { return true }
    end += JSONCharacters.whitespaceCount(text + end)
    usesExtensions = true
    return text[end] == 0
  }

  // MARK: Containers

  /// Returns where the document's element ends, or a `JSONStop`.
  private mutating func parseElements() throws(SQLError) -> Int {
    var role = Role.document, offset = 0
    // Where the element begins in the output, and where the next one is looked for in the text.
    while true {
      if role == .label || role == .value || role == .item {
        let plain = readPlain(&role, from: offset)
        offset = plain.offset
        if plain.isBehindElement {
          guard let next = try goOn(&role, from: offset, output.count, offset) else {
            return JSONStop.error
          }
          if role == .document { return next }
          offset = next
          continue
        }
      }
      let begin = output.count
      var end = try parseScalar(at: offset)
      if end == JSONStop.openContainer {
        guard try open(at: offset, role) else { return JSONStop.error }
        role = frames[depth - 1].isObject ? .label : .item
        offset = openOffset + 1
        continue
      }
      if end <= 0 {
        let isClosed = role == .item && end == JSONStop.endOfArray
          || role == .label && end == JSONStop.endOfObject
        if isClosed {
          // A comma came before.
          if output.count != contentStart { usesExtensions = true }
          guard let next = try close(at: errorOffset, &role) else { return JSONStop.error }
          if role == .document { return next }
          end = next
        } else if role == .label {
          offset += JSONCharacters.whitespaceCount(text + offset)
          guard let name = try parseName(at: offset) else {
            if end != JSONStop.error { errorOffset = offset }
            return JSONStop.error
          }
          end = name
        } else {
          if role == .document { return end }
          if end != JSONStop.error { errorOffset = offset }
          return JSONStop.error
        }
      }
      if role == .document { return end }
      guard let next = try goOn(&role, from: offset, begin, end) else { return JSONStop.error }
      if role == .document { return next }
      offset = next
    }
  }

  /// What follows an element: a colon behind a label; commas and ends of containers behind others.
  /// Returns where the next element is looked for, or where the document ends.
  private mutating func goOn(
    _ role: inout Role, from start: Int, _ begin: Int, _ end: Int
  ) throws(SQLError) -> Int? {
    if role == .label {
      guard begin < output.count, let memory = output.memory,
        JSONType.isText(memory[begin] & 15)
      else {
        // A closed container has been reported by `close`.
        errorOffset = start
        return nil
      }
      return try readColon(at: end, &role)
    }
    if role == .misplaced {
      errorOffset = start
      return nil
    }
    var end = end
    while true {
      let isObject = frames[depth - 1].isObject
      guard let (next, isEnd) = try readSeparator(at: end, isObject: isObject) else {
        return nil
      }
      if !isEnd {
        role = isObject ? .label : .item
        return next
      }
      guard let outer = try close(at: next, &role) else { return nil }
      if role == .document { return outer }
      end = outer
    }
  }

  private mutating func readColon(
    at offset: Int, _ role: inout Role
  ) throws(SQLError) -> Int? {
    var offset = offset
    while JSONCharacters.isSpace(text[offset]) { offset += 1 }
    if text[offset] == UInt8(ascii: ":") {
      role = .value
      return offset + 1
    }
    let stop = try parseScalar(at: offset)
    if stop == JSONStop.colon {
      role = .value
      return errorOffset + 1
    }
    if stop == JSONStop.openContainer {
      // An error inside is the one that is reported.
      role = .misplaced
      return offset
    }
    if stop != JSONStop.error { errorOffset = offset }
    return nil
  }

  /// A comma or the container's end.
  private mutating func readSeparator(
    at offset: Int, isObject: Bool
  ) throws(SQLError) -> (offset: Int, isEnd: Bool)? {
    let closing = UInt8(ascii: isObject ? "}" : "]")
    var offset = offset
    if text[offset] == UInt8(ascii: ",") { return (offset + 1, false) }
    if text[offset] == closing { return (offset, true) }
    while JSONCharacters.isSpace(text[offset]) { offset += 1 }
    let isPlain = text[offset] == UInt8(ascii: ",") || text[offset] == closing
    var position = offset
    if !isPlain {
      position += JSONCharacters.whitespaceCount(text + offset)
      if position > offset { usesExtensions = true }
      errorOffset = position
    }
    if text[position] == UInt8(ascii: ",") { return (position + 1, false) }
    if text[position] == closing { return (position, true) }
    // What stands there instead is in the output of a text that ends too early.
    if guessesSizes { _ = try parseScalar(at: position) }
    errorOffset = offset
    return nil
  }

  /// Begins the container whose first character `parseScalar` has met.
  private mutating func open(at start: Int, _ role: Role) throws(SQLError) -> Bool {
    let isObject = text[openOffset] == UInt8(ascii: "{")
    let type = isObject ? JSONType.object : JSONType.array, header = output.count
    if guessesSizes {
      try output.appendHeader(type, textCount - openOffset)
    } else {
      // Room for a size of one byte, which says that the content is longer than 11 bytes.
      try output.reserve(2)
      output.append(type | 0xc0)
      output.append(0)
    }
    guard depth < JSONLimits.depth else {
      errorOffset = openOffset
      return false
    }
    frames[depth] = Frame(
      header: header, content: output.count, start: start, role: role, isObject: isObject)
    depth += 1
    return true
  }

  private var contentStart: Int { frames[depth - 1].content }

  /// Ends a container whose closing character is at `offset`. Returns the offset behind it.
  private mutating func close(
    at offset: Int, _ role: inout Role
  ) throws(SQLError) -> Int? {
    let frame = frames[depth - 1], size = output.count - contentStart
    if size <= 0xff && size > 11, !guessesSizes, let memory = output.memory {
      memory[frame.header + 1] = UInt8(truncatingIfNeeded: size)
    } else {
      try output.setPayloadSize(at: frame.header, size)
    }
    depth -= 1
    role = frame.role
    if role == .label || role == .misplaced {
      errorOffset = frame.start
      return nil
    }
    return offset + 1
  }

  // MARK: Names without quotes

  private mutating func parseName(at offset: Int) throws(SQLError) -> Int? {
    var end = offset, type = JSONType.text
    if JSONCharacters.beginsName(text[end]) {
      end += 1
    } else if isUnicodeEscape(at: end) {
      type = JSONType.escapedText
      end += 1
    } else {
      return nil
    }
    while true {
      if JSONCharacters.continuesName(text[end]) {
        if JSONCharacters.whitespaceCount(text + end) != 0 { break }
      } else if isUnicodeEscape(at: end) {
        type = JSONType.escapedText
      } else {
        break
      }
      end += 1
    }
    usesExtensions = true
    try append(type, text + offset, end - offset)
    return end
  }

  private func isUnicodeEscape(at offset: Int) -> Bool {
    text[offset] == UInt8(ascii: "\\") && text[offset + 1] == UInt8(ascii: "u")
      && JSONCharacters.areHex(text + offset + 2, 4)
  }
}
