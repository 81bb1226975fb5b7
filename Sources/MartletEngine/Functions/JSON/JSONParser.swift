// Text to JSONB in one pass, without recursion.
//
// The text ends with a NUL, behind which `JSONBuffer.slack` bytes may be read. Containers that are
// open stand on a stack; their headers are written in the form of two bytes and set right when they
// close, so that only the bytes of unusually short and long ones move.
//
// Where several things are wrong, which of them is reported as the error's offset shows in
// json_error_position(): the order in which things are looked at is SQLite's.

/// What was found where an element could stand, if none did.
private enum Stop {
  static let endOfText = 0
  static let error = -1
  static let endOfObject = -2
  static let endOfArray = -3
  static let comma = -4
  static let colon = -5
  static let openContainer = -6
}

struct JSONParser {
  private let text: UnsafePointer<UInt8>
  private let textCount: Int
  private let frames: UnsafeMutablePointer<Frame>
  private(set) var output: JSONBuffer
  /// Where the error is, if there is one.
  private(set) var errorOffset = 0
  /// The text has something that canonical JSON has not.
  private(set) var usesExtensions = false
  private var depth = 0
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
    try output.reserve(textCount + 16)
    var end = try parseElements()
    if end <= 0 { return false }
    while JSONCharacters.isSpace(text[end]) { end += 1 }
    if text[end] == 0 { return true }
    end += JSONCharacters.whitespaceCount(text + end)
    usesExtensions = true
    return text[end] == 0
  }

  // MARK: Containers

  /// Returns where the document's element ends, or a `Stop`.
  private mutating func parseElements() throws(SQLError) -> Int {
    var role = Role.document, offset = 0
    // Where the element begins in the output, and where the next one is looked for in the text.
    while true {
      let begin = output.count
      var end = try parseScalar(at: offset)
      if end == Stop.openContainer {
        guard try open(at: offset, role) else { return Stop.error }
        role = frames[depth - 1].isObject ? .label : .item
        offset = errorOffset + 1
        continue
      }
      if end <= 0 {
        let isClosed = role == .item && end == Stop.endOfArray
          || role == .label && end == Stop.endOfObject
        if isClosed {
          // A comma came before.
          if output.count != contentStart { usesExtensions = true }
          guard let next = try close(at: errorOffset, &role) else { return Stop.error }
          if role == .document { return next }
          end = next
        } else if role == .label {
          offset += JSONCharacters.whitespaceCount(text + offset)
          guard let name = try parseName(at: offset) else {
            if end != Stop.error { errorOffset = offset }
            return Stop.error
          }
          end = name
        } else {
          if role == .document { return end }
          if end != Stop.error { errorOffset = offset }
          return Stop.error
        }
      }
      if role == .document { return end }
      guard let next = try goOn(&role, from: offset, begin, end) else { return Stop.error }
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
      guard let (next, isEnd) = readSeparator(at: end, isObject: isObject) else { return nil }
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
    if stop == Stop.colon {
      role = .value
      return errorOffset + 1
    }
    if stop == Stop.openContainer {
      // An error inside is the one that is reported.
      role = .misplaced
      return offset
    }
    if stop != Stop.error { errorOffset = offset }
    return nil
  }

  /// A comma or the container's end.
  private mutating func readSeparator(
    at offset: Int, isObject: Bool
  ) -> (offset: Int, isEnd: Bool)? {
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
    errorOffset = offset
    return nil
  }

  /// Begins the container whose first character `parseScalar` has met.
  private mutating func open(at start: Int, _ role: Role) throws(SQLError) -> Bool {
    let isObject = text[errorOffset] == UInt8(ascii: "{")
    let type = isObject ? JSONType.object : JSONType.array, header = output.count
    if guessesSizes {
      try output.appendHeader(type, textCount - errorOffset)
    } else {
      // Room for a size of one byte, which says that the content is longer than 11 bytes.
      try output.reserve(2)
      output.append(type | 0xc0)
      output.append(0)
    }
    guard depth < JSONLimits.depth else { return false }
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

// MARK: - Scalars

extension JSONParser {
  /// Reads a number, text or word. Returns the offset behind it or, with `errorOffset` where it
  /// was, a `Stop`.
  private mutating func parseScalar(at start: Int) throws(SQLError) -> Int {
    var offset = start
    while true {
      let first = text[offset]
      switch first {
      case UInt8(ascii: "\""): return try parseText(at: offset, JSONType.text)
      case UInt8(ascii: "'"):
        usesExtensions = true
        return try parseText(at: offset, JSONType.text)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
        UInt8(ascii: "."):
        return try parseNumber(at: offset)
      case 0x20, 0x09, 0x0a, 0x0d:
        offset &+= 1
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): return stop(Stop.openContainer, at: offset)
      case UInt8(ascii: "t"): return try parseWord("true", JSONType.true, at: offset)
      case UInt8(ascii: "f"): return try parseWord("false", JSONType.false, at: offset)
      case UInt8(ascii: "n") where isWord("null", at: offset):
        return try parseWord("null", JSONType.null, at: offset)
      case UInt8(ascii: "}"): return stop(Stop.endOfObject, at: offset)
      case UInt8(ascii: "]"): return stop(Stop.endOfArray, at: offset)
      case UInt8(ascii: ","): return stop(Stop.comma, at: offset)
      case UInt8(ascii: ":"): return stop(Stop.colon, at: offset)
      case 0: return Stop.endOfText
      default: break
      }
      let spaces = JSONCharacters.whitespaceCount(text + offset)
      if spaces == 0 { return try parseSpecialNumber(at: offset) }
      usesExtensions = true
      offset &+= spaces
    }
  }

  private mutating func stop(_ stop: Int, at offset: Int) -> Int {
    errorOffset = offset
    return stop
  }

  /// Appends an element with a copy of the text, whose slack lets short ones be copied as words.
  @inline(__always)
  private mutating func append(
    _ type: UInt8, _ source: UnsafePointer<UInt8>, _ byteCount: Int
  ) throws(SQLError) {
    try output.reserve(byteCount &+ 9)
    guard let memory = output.memory else { return }
    let target = memory + output.count
    if byteCount <= 11 {
      target[0] = type | UInt8(truncatingIfNeeded: byteCount) << 4
      let raw = UnsafeMutableRawPointer(target) + 1, from = UnsafeRawPointer(source)
      raw.storeBytes(of: from.loadUnaligned(as: UInt64.self), as: UInt64.self)
      (raw + 8).storeBytes(of: (from + 8).loadUnaligned(as: UInt32.self), as: UInt32.self)
      output.count &+= 1 &+ byteCount
    } else {
      let size = JSONBuffer.writeHeader(type, byteCount, to: target)
      Memory.copy(from: source, to: target + size, byteCount)
      output.count &+= size &+ byteCount
    }
  }

  private mutating func appendWord(_ type: UInt8) throws(SQLError) {
    try output.reserve(1)
    output.append(type)
  }

  private func isWord(_ word: StaticString, at offset: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    for index in 0..<count where text[offset + index] != word.utf8Start[index] { return false }
    return !JSONCharacters.isAlphanumeric(text[offset + count])
  }

  private mutating func parseWord(
    _ word: StaticString, _ type: UInt8, at offset: Int
  ) throws(SQLError) -> Int {
    guard isWord(word, at: offset) else { return stop(Stop.error, at: offset) }
    try appendWord(type)
    return offset + word.utf8CodeUnitCount
  }

  // MARK: Texts

  private mutating func parseText(at start: Int, _ type: UInt8) throws(SQLError) -> Int {
    let quote = text[start]
    var offset = start &+ 1, type = type
    while true {
      offset &+= plainCount(at: offset)
      let byte = text[offset]
      if byte == quote { break }
      if byte == UInt8(ascii: "\\") {
        offset &+= 1
        guard let width = escapeWidth(at: offset, &type) else {
          return stop(Stop.error, at: offset)
        }
        offset &+= width
      } else if byte <= 0x1f {
        if byte == 0 { return stop(Stop.error, at: offset) }
        type = JSONType.text5
        usesExtensions = true
        offset &+= 1
      } else {
        // The other kind of quotes.
        if byte == UInt8(ascii: "\"") { type = JSONType.text5 }
        offset &+= 1
      }
    }
    try append(type, text + start + 1, offset &- start &- 1)
    return offset &+ 1
  }

  /// How many bytes from `offset` on may stand in any text: eight at a time.
  @inline(__always)
  private func plainCount(at offset: Int) -> Int {
    let start = UnsafeRawPointer(text + offset)
    var count = 0
    while true {
      let word = UInt64(littleEndian: (start + count).loadUnaligned(as: UInt64.self))
      let found = JSONParser.special(in: word)
      if found != 0 { return count &+ found.trailingZeroBitCount >> 3 }
      count &+= 8
    }
  }

  /// Has the high bit of the first byte that is a quote, a backslash or a control character. Bits
  /// above that one mean nothing.
  @inline(__always)
  static func special(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101, highs: UInt64 = 0x8080_8080_8080_8080
    let double = word ^ (ones &* 0x22), single = word ^ (ones &* 0x27)
    let backslash = word ^ (ones &* 0x5c)
    let isQuote = (double &- ones) & ~double | (single &- ones) & ~single
    let isBackslash = (backslash &- ones) & ~backslash
    let isControl = (word &- ones &* 0x20) & ~word
    return (isQuote | isBackslash | isControl) & highs
  }

  /// How many bytes of an escape stand behind its backslash that must not be looked at again.
  private mutating func escapeWidth(at offset: Int, _ type: inout UInt8) -> Int? {
    let byte = text[offset]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      if type == JSONType.text { type = JSONType.escapedText }
      return 1
    case UInt8(ascii: "u") where JSONCharacters.areHex(text + offset + 1, 4):
      if type == JSONType.text { type = JSONType.escapedText }
      return 1
    case UInt8(ascii: "'"), UInt8(ascii: "v"), 0x0a: break
    case UInt8(ascii: "0") where !ASCII.isDigit(text[offset + 1]): break
    case UInt8(ascii: "x") where JSONCharacters.areHex(text + offset + 1, 2): break
    case 0xe2 where JSONCharacters.isLineSeparator(text + offset): break
    case 0x0d:
      type = JSONType.text5
      usesExtensions = true
      return text[offset + 1] == 0x0a ? 2 : 1
    default: return nil
    }
    type = JSONType.text5
    usesExtensions = true
    return 1
  }

  // MARK: Numbers

  private mutating func parseNumber(at start: Int) throws(SQLError) -> Int {
    var number = JSONNumberText(text: text, start: start)
    guard number.read() else { return stop(Stop.error, at: number.end) }
    if number.usesExtensions { usesExtensions = true }
    if number.isInfinite {
      try number.isNegative ? appendInfinity("-9e999") : appendInfinity("9e999")
      return number.end
    }
    let first = text[start] == UInt8(ascii: "+") ? start + 1 : start
    try append(number.type, text + first, number.end - first)
    return number.end
  }

  private mutating func appendInfinity(_ digits: StaticString) throws(SQLError) {
    try output.append(
      JSONType.float,
      UnsafeBufferPointer(start: digits.utf8Start, count: digits.utf8CodeUnitCount))
  }

  /// The words for infinity and for what is no number (json1 §3.6).
  private mutating func parseSpecialNumber(at offset: Int) throws(SQLError) -> Int {
    func isWord(_ word: StaticString) -> Bool {
      JSONCharacters.begins(text + offset, with: word)
        && !JSONCharacters.isAlphanumeric(text[offset + word.utf8CodeUnitCount])
    }
    let count: Int
    switch ASCII.lower(text[offset]) {
    case UInt8(ascii: "i"): count = isWord("inf") ? 3 : isWord("infinity") ? 8 : 0
    case UInt8(ascii: "n"): count = isWord("nan") ? 3 : 0
    case UInt8(ascii: "q"): count = isWord("qnan") ? 4 : 0
    case UInt8(ascii: "s"): count = isWord("snan") ? 4 : 0
    default: count = 0
    }
    guard count > 0 else { return stop(Stop.error, at: offset) }
    usesExtensions = true
    if ASCII.lower(text[offset]) == UInt8(ascii: "i") {
      try appendInfinity("9e999")
    } else {
      try appendWord(JSONType.null)
    }
    return offset + count
  }
}
