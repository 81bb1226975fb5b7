/// JSONB as JSON text, which is always canonical.
struct JSONWriter {
  private let elements: JSONElements
  private let frames: UnsafeMutablePointer<Frame>
  private(set) var text: TextBuilder

  /// A container that is being written.
  struct Frame {
    var end: Int
    var isObject: Bool
    /// In an object, the next element is a value.
    var isBehindLabel: Bool
  }

  /// Pretty text and what it writes in one line have frames of their own.
  static let frameCount = 2 * JSONLimits.depth

  init(
    _ elements: JSONElements, frames: UnsafeMutablePointer<Frame>, to text: consuming TextBuilder
  ) {
    self.elements = elements
    self.frames = frames
    self.text = text
  }

  static let malformed = SQLError.sql("malformed JSON")
  private static let tooDeep = SQLError.sql("JSON nested too deep")

  /// Writes the element at `start`. Returns the offset behind it.
  @discardableResult
  mutating func write(at start: Int) throws(SQLError) -> Int {
    var offset = start, depth = 0
    while true {
      let header = elements.header(at: offset)
      guard header.isValid else { throw JSONWriter.malformed }
      let type = elements.bytes[offset] & 15
      if type < JSONType.array {
        offset = try writeScalar(type, at: offset, header)
      } else if type <= JSONType.object {
        guard depth < JSONLimits.depth else { throw JSONWriter.tooDeep }
        frames[depth] = Frame(
          end: offset + header.total, isObject: type == JSONType.object, isBehindLabel: false)
        depth += 1
        try text.append(UInt8(ascii: type == JSONType.object ? "{" : "["))
        offset += header.size
        if header.payload > 0 { continue }
        depth -= 1
        try text.append(UInt8(ascii: type == JSONType.object ? "}" : "]"))
      } else {
        throw JSONWriter.malformed
      }
      if depth == 0 { return offset }
      guard try goOn(from: offset, &depth) else { return offset }
    }
  }

  /// Writes what follows an element within its containers. Returns whether another element follows.
  @inline(__always)
  private mutating func goOn(from offset: Int, _ depth: inout Int) throws(SQLError) -> Bool {
    while depth > 0 {
      let frame = frames + (depth - 1)
      if offset < frame.pointee.end {
        let isLabel = frame.pointee.isObject && !frame.pointee.isBehindLabel
        try text.append(UInt8(ascii: isLabel ? ":" : ","))
        frame.pointee.isBehindLabel = isLabel
        return true
      }
      let isOdd = frame.pointee.isObject && !frame.pointee.isBehindLabel
      if offset > frame.pointee.end || isOdd { throw JSONWriter.malformed }
      try text.append(UInt8(ascii: frame.pointee.isObject ? "}" : "]"))
      depth -= 1
    }
    return false
  }

  private mutating func append(_ payload: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    let target = try text.reserve(payload.count)
    if let source = payload.baseAddress {
      Memory.copy(from: source, to: target, payload.count)
    }
    text.advance(payload.count)
  }

  private mutating func writeScalar(
    _ type: UInt8, at offset: Int, _ header: JSONElements.Header
  ) throws(SQLError) -> Int {
    let payload = elements.payload(at: offset, header)
    switch type {
    case JSONType.text, JSONType.escapedText:
      let target = try text.reserve(payload.count + 2)
      target[0] = UInt8(ascii: "\"")
      if let source = payload.baseAddress {
        Memory.copy(from: source, to: target + 1, payload.count)
      }
      target[payload.count + 1] = UInt8(ascii: "\"")
      text.advance(payload.count + 2)
    case JSONType.integer, JSONType.float:
      if payload.isEmpty { throw JSONWriter.malformed }
      try append(payload)
    case JSONType.null, JSONType.true, JSONType.false:
      try text.append(JSONType.name(type))
      // Whatever size the header says.
      return offset + 1
    case JSONType.integer5: try writeHexadecimal(payload)
    case JSONType.float5: try writeIrregularReal(payload)
    case JSONType.text5: try writeText5(payload)
    default: try text.appendJSONText(payload)
    }
    return offset + header.total
  }

  /// An integer that was written with hexadecimal digits.
  private mutating func writeHexadecimal(
    _ payload: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    if payload.isEmpty { throw JSONWriter.malformed }
    var index = 2, value: UInt64 = 0, overflows = false
    if payload[0] == UInt8(ascii: "-") {
      try text.append(payload[0])
      index = 3
    } else if payload[0] == UInt8(ascii: "+") {
      index = 3
    }
    while index < payload.count {
      guard let digit = ASCII.hexValue(payload[index]) else { throw JSONWriter.malformed }
      if value >> 60 != 0 { overflows = true } else { value = value << 4 | UInt64(digit) }
      index += 1
    }
    if overflows { return try text.append("9.0e999") }
    let target = try text.reserve(NumberText.bufferSize)
    text.advance(NumberText.write(value, to: target))
  }

  /// A real that lacks digits before or behind its point: zeros are put there.
  private mutating func writeIrregularReal(
    _ payload: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    if payload.isEmpty { throw JSONWriter.malformed }
    let zero = UInt8(ascii: "0"), point = UInt8(ascii: ".")
    var index = 0
    if payload[0] == UInt8(ascii: "-") {
      try text.append(payload[0])
      index = 1
      if payload.count == 1 { throw JSONWriter.malformed }
    }
    if index < payload.count, payload[index] == point { try text.append(zero) }
    while index < payload.count {
      try text.append(payload[index])
      let isLast = index + 1 == payload.count
      if payload[index] == point, isLast || !ASCII.isDigit(payload[index + 1]) {
        try text.append(zero)
      }
      index += 1
    }
  }

  /// A text with JSON5's escapes: those that JSON does not know are replaced.
  private mutating func writeText5(_ payload: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    try text.append(UInt8(ascii: "\""))
    var index = 0
    while index < payload.count {
      let byte = payload[index]
      if byte == UInt8(ascii: "\\") {
        index += try writeEscape(UnsafeBufferPointer(rebasing: payload[index...]))
        continue
      }
      if byte == UInt8(ascii: "\"") {
        try text.append("\\\"")
      } else if byte < 0x20 {
        try text.appendJSONControl(byte)
      } else {
        try text.append(byte)
      }
      index += 1
    }
    try text.append(UInt8(ascii: "\""))
  }

  /// Returns how many bytes the escape takes.
  private mutating func writeEscape(
    _ escape: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) -> Int {
    guard escape.count >= 2 else { throw JSONWriter.malformed }
    switch escape[1] {
    case UInt8(ascii: "'"): try text.append(escape[1])
    case UInt8(ascii: "v"): try text.append("\\u000b")
    case UInt8(ascii: "0"): try text.append("\\u0000")
    case UInt8(ascii: "x"):
      guard escape.count >= 4 else { throw JSONWriter.malformed }
      try text.append("\\u00")
      try append(UnsafeBufferPointer(rebasing: escape[2..<4]))
      return 4
    case 0x0d: return escape.count > 2 && escape[2] == 0x0a ? 3 : 2
    case 0x0a: break
    case 0xe2:
      guard escape.count >= 4, escape[2] == 0x80, escape[3] == 0xa8 || escape[3] == 0xa9 else {
        throw JSONWriter.malformed
      }
      return 4
    default: try append(UnsafeBufferPointer(rebasing: escape[..<2]))
    }
    return 2
  }
}

// MARK: - Pretty

extension JSONWriter {
  /// Writes the element with line breaks and indentation (json1 §4.17).
  mutating func writePretty(
    at start: Int, indent: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    var offset = start, depth = 0
    while true {
      let header = elements.header(at: offset)
      guard header.isValid else { throw JSONWriter.malformed }
      let type = elements.bytes[offset] & 15
      if type == JSONType.array || type == JSONType.object {
        let isObject = type == JSONType.object
        try text.append(UInt8(ascii: isObject ? "{" : "["))
        if header.payload > 0 {
          let end = offset + header.total
          offset += header.size
          guard depth + 1 < JSONLimits.depth else { throw JSONWriter.tooDeep }
          try text.append(0x0a)
          frames[depth] = Frame(end: end, isObject: isObject, isBehindLabel: false)
          depth += 1
          offset = try beginItem(at: offset, depth, indent)
          continue
        }
        try text.append(UInt8(ascii: isObject ? "}" : "]"))
        offset += header.total
      } else {
        offset = try writeInner(at: offset)
      }
      while depth > 0 && offset >= frames[depth - 1].end {
        let frame = frames[depth - 1]
        depth -= 1
        offset = frame.end
        try text.append(0x0a)
        try appendIndent(depth, indent)
        try text.append(UInt8(ascii: frame.isObject ? "}" : "]"))
      }
      if depth == 0 { return }
      try text.append(",\n")
      offset = try beginItem(at: offset, depth, indent)
    }
  }

  /// Writes the element at `offset` in one line, with the frames behind those in use.
  private mutating func writeInner(at offset: Int) throws(SQLError) -> Int {
    var inner = JSONWriter(elements, frames: frames + JSONLimits.depth, to: text)
    defer { text = inner.text }
    return try inner.write(at: offset)
  }

  private mutating func beginItem(
    at offset: Int, _ depth: Int, _ indent: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) -> Int {
    try appendIndent(depth, indent)
    guard frames[depth - 1].isObject else { return offset }
    let end = try writeInner(at: offset)
    if end > frames[depth - 1].end { throw JSONWriter.malformed }
    try text.append(": ")
    return end
  }

  private mutating func appendIndent(
    _ depth: Int, _ indent: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    for _ in 0..<depth { try text.append(indent) }
  }
}

// MARK: - Texts

extension TextBuilder {
  /// Appends a text as a JSON text, with the escapes that it needs.
  mutating func appendJSONText(_ bytes: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    try append(UInt8(ascii: "\""))
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count && JSONCharacters.isPlain(bytes[end]) { end += 1 }
      try append(UnsafeBufferPointer(rebasing: bytes[start..<end]))
      if end == bytes.count { break }
      switch bytes[end] {
      case UInt8(ascii: "'"): try append(bytes[end])
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        try append(UInt8(ascii: "\\"))
        try append(bytes[end])
      default: try appendJSONControl(bytes[end])
      }
      start = end + 1
    }
    try append(UInt8(ascii: "\""))
  }

  /// Appends the escape of a control character.
  mutating func appendJSONControl(_ byte: UInt8) throws(SQLError) {
    switch byte {
    case 8: try append("\\b")
    case 9: try append("\\t")
    case 10: try append("\\n")
    case 12: try append("\\f")
    case 13: try append("\\r")
    default:
      try append("\\u00")
      try append(ASCII.hexDigit(byte >> 4, upper: false))
      try append(ASCII.hexDigit(byte & 15, upper: false))
    }
  }
}
