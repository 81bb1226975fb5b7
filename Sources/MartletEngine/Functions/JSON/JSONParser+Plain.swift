// The short way through what nearly all documents are made of: members and items without escapes,
// comments or other extensions, whose separators follow at once. It keeps its place in locals, and
// leaves whatever is not plain, untouched, to the parser that knows everything.

extension JSONParser {
  /// What is written for a plain scalar: its size in the text and in the output.
  private struct Copied {
    var textSize: Int
    var size: Int
  }

  /// Bytes that one scalar other than a long text may take, with what is copied beyond it.
  static let plainRoom = 64

  private static let quote = UInt8(ascii: "\"")

  /// Reads what is plain in the innermost container. Returns where the first element begins that
  /// is not, `role` saying what it is, or what stands behind an element that no comma follows.
  mutating func readPlain(
    _ role: inout Role, from start: Int
  ) -> (offset: Int, isBehindElement: Bool) {
    guard let memory = output.memory else { return (start, false) }
    let text = self.text, isObject = role != .item
    let limit = memory + (output.capacity - JSONParser.plainRoom)
    var target = memory + output.count, offset = start
    defer { output.count = target - memory }
    while target <= limit {
      var source = text + offset
      while JSONCharacters.isSpace(source.pointee) { source += 1 }
      if role == .label {
        guard source.pointee == JSONParser.quote,
          let label = JSONParser.copyText(source + 1, to: target, limit),
          source[label.textSize] == UInt8(ascii: ":")
        else { return (offset, false) }
        target += label.size
        role = .value
        offset = source - text + label.textSize + 1
        continue
      }
      guard let scalar = JSONParser.copyScalar(source, to: target, limit) else {
        return (offset, false)
      }
      target += scalar.size
      offset = source - text + scalar.textSize
      guard text[offset] == UInt8(ascii: ",") else { return (offset, true) }
      offset += 1
      role = isObject ? .label : .item
    }
    return (offset, false)
  }

  @inline(__always)
  private static func copyScalar(
    _ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>,
    _ limit: UnsafeMutablePointer<UInt8>
  ) -> Copied? {
    let first = source.pointee
    if first == quote { return copyText(source + 1, to: target, limit) }
    if ASCII.isDigit(first) || first == UInt8(ascii: "-") { return copyNumber(source, to: target) }
    let word = UnsafeRawPointer(source).loadUnaligned(as: UInt32.self).littleEndian
    let type: UInt8, size: Int
    switch word {
    case 0x6575_7274: (type, size) = (JSONType.true, 4)
    case 0x6c6c_756e: (type, size) = (JSONType.null, 4)
    case 0x736c_6166 where source[4] == UInt8(ascii: "e"): (type, size) = (JSONType.false, 5)
    default: return nil
    }
    guard endsScalar(source[size]) else { return nil }
    target.pointee = type
    return Copied(textSize: size, size: 1)
  }

  @inline(__always)
  private static func endsScalar(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  /// Copies a text in double quotes, eight bytes at a time while its end is looked for. `source` is
  /// behind the first quote, which counts as part of the text's size.
  @inline(__always)
  private static func copyText(
    _ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>,
    _ limit: UnsafeMutablePointer<UInt8>
  ) -> Copied? {
    let from = UnsafeRawPointer(source), payload = UnsafeMutableRawPointer(target) + 1
    let first = from.loadUnaligned(as: UInt64.self)
    payload.storeBytes(of: first, as: UInt64.self)
    var found = special(in: UInt64(littleEndian: first)), byteCount = 0
    if found == 0 {
      let second = (from + 8).loadUnaligned(as: UInt64.self)
      (payload + 8).storeBytes(of: second, as: UInt64.self)
      found = special(in: UInt64(littleEndian: second))
      byteCount = 8
    }
    byteCount += found == 0 ? plainCount(source + byteCount) : found.trailingZeroBitCount >> 3
    guard source[byteCount] == quote else { return nil }
    if byteCount <= 11 {
      target.pointee = JSONType.text | UInt8(truncatingIfNeeded: byteCount) << 4
      return Copied(textSize: byteCount + 2, size: byteCount + 1)
    }
    guard byteCount < limit - target else { return nil }
    let header = JSONBuffer.writeHeader(JSONType.text, byteCount, to: target)
    Memory.copy(from: source, to: target + header, byteCount)
    return Copied(textSize: byteCount + 2, size: header + byteCount)
  }

  /// Copies an integer, or digits with a point between them.
  @inline(__always)
  private static func copyNumber(
    _ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> Copied? {
    var end = source, type = JSONType.integer
    if end.pointee == UInt8(ascii: "-") { end += 1 }
    guard ASCII.isDigit(end.pointee), end[0] != UInt8(ascii: "0") || !ASCII.isDigit(end[1]) else {
      return nil
    }
    repeat { end += 1 } while ASCII.isDigit(end.pointee)
    if end.pointee == UInt8(ascii: ".") {
      type = JSONType.float
      end += 1
      guard ASCII.isDigit(end.pointee) else { return nil }
      repeat { end += 1 } while ASCII.isDigit(end.pointee)
    }
    let byteCount = end - source
    guard byteCount <= 24, endsScalar(end.pointee) else { return nil }
    let header = JSONBuffer.writeHeader(type, byteCount, to: target)
    let from = UnsafeRawPointer(source), payload = UnsafeMutableRawPointer(target) + header
    payload.storeBytes(of: from.loadUnaligned(as: UInt64.self), as: UInt64.self)
    if byteCount > 8 {
      (payload + 8).storeBytes(of: (from + 8).loadUnaligned(as: UInt64.self), as: UInt64.self)
      if byteCount > 16 {
        (payload + 16).storeBytes(of: (from + 16).loadUnaligned(as: UInt64.self), as: UInt64.self)
      }
    }
    return Copied(textSize: byteCount, size: header + byteCount)
  }

  /// How many bytes from `source` on may stand in a text with double quotes: eight at a time.
  @inline(__always)
  static func plainCount(_ source: UnsafePointer<UInt8>) -> Int {
    let start = UnsafeRawPointer(source)
    var count = 0
    while true {
      let word = UInt64(littleEndian: (start + count).loadUnaligned(as: UInt64.self))
      let found = special(in: word)
      if found != 0 { return count &+ found.trailingZeroBitCount >> 3 }
      count &+= 8
    }
  }

  /// Has the high bit of the first byte that is a double quote, a backslash or a control character.
  /// Bits above that one mean nothing.
  @inline(__always)
  static func special(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101, highs: UInt64 = 0x8080_8080_8080_8080
    let isQuote = (word ^ ones &* 0x22) &- ones, isBackslash = (word ^ ones &* 0x5c) &- ones
    let isControl = word &- ones &* 0x20
    return (isQuote | isBackslash | isControl) & ~word & highs
  }
}
