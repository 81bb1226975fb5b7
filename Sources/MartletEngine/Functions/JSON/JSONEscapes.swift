/// Escapes in JSON texts, read from blobs that nobody has checked.
enum JSONEscapes {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// What stands for an escape that means nothing.
  static let invalid: UInt32 = 0x99999

  /// The character that the escape at `offset` stands for, and how many bytes it takes.
  static func character(
    in text: Bytes, at offset: Int
  ) -> (scalar: UInt32, width: Int) {
    let left = text.count - offset
    guard left >= 2 else { return (invalid, left) }
    let kind = text[offset + 1]
    switch kind {
    case UInt8(ascii: "u"): return unicode(text, offset, left)
    case UInt8(ascii: "b"): return (8, 2)
    case UInt8(ascii: "f"): return (12, 2)
    case UInt8(ascii: "n"): return (10, 2)
    case UInt8(ascii: "r"): return (13, 2)
    case UInt8(ascii: "t"): return (9, 2)
    case UInt8(ascii: "v"): return (11, 2)
    case UInt8(ascii: "0"):
      let isFollowed = left > 2 && ASCII.isDigit(text[offset + 2])
      return (isFollowed ? invalid : 0, 2)
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"):
      return (UInt32(kind), 2)
    case UInt8(ascii: "x"):
      guard left >= 4 else { return (invalid, left) }
      return (hex(text[offset + 2]) << 4 | hex(text[offset + 3]), 4)
    case 0xe2, 0x0d, 0x0a: return lineContinuation(text, offset, left)
    default: return (invalid, 2)
    }
  }

  /// A pair of surrogates is one character.
  private static func unicode(
    _ text: Bytes, _ offset: Int, _ left: Int
  ) -> (scalar: UInt32, width: Int) {
    guard left >= 6 else { return (invalid, left) }
    let high = hex4(text, offset + 2)
    if high & 0xfc00 == 0xd800, left >= 12, text[offset + 6] == UInt8(ascii: "\\"),
      text[offset + 7] == UInt8(ascii: "u")
    {
      let low = hex4(text, offset + 8)
      if low & 0xfc00 == 0xdc00 {
        return ((high & 0x3ff) << 10 + (low & 0x3ff) + 0x10000, 12)
      }
    }
    return (high, 6)
  }

  /// The value of a digit. Bytes that are no digits have some value too.
  private static func hex(_ byte: UInt8) -> UInt32 {
    UInt32((byte &+ 9 &* (byte >> 6 & 1)) & 15)
  }

  private static func hex4(_ text: Bytes, _ offset: Int) -> UInt32 {
    hex(text[offset]) << 12 | hex(text[offset + 1]) << 8 | hex(text[offset + 2]) << 4
      | hex(text[offset + 3])
  }

  /// A backslash before the end of a line takes both away: what follows is the character.
  private static func lineContinuation(
    _ text: Bytes, _ offset: Int, _ left: Int
  ) -> (scalar: UInt32, width: Int) {
    let skipped = continuationCount(text, offset)
    if skipped == 0 { return (invalid, left) }
    if skipped == left { return (0, left) }
    let next = offset + skipped
    let following = text[next] == UInt8(ascii: "\\")
      ? character(in: text, at: next) : utf8(text, at: next)
    return (following.scalar, skipped + following.width)
  }

  /// How many bytes of escaped line ends stand at `offset`.
  private static func continuationCount(_ text: Bytes, _ offset: Int) -> Int {
    var position = offset
    while position + 1 < text.count && text[position] == UInt8(ascii: "\\") {
      switch text[position + 1] {
      case 0x0a: position += 2
      case 0x0d: position += position + 2 < text.count && text[position + 2] == 0x0a ? 3 : 2
      case 0xe2:
        guard position + 3 < text.count, text[position + 2] == 0x80,
          text[position + 3] == 0xa8 || text[position + 3] == 0xa9
        else { return position - offset }
        position += 4
      default: return position - offset
      }
    }
    return position - offset
  }

  /// The character at `offset`, of at most four bytes.
  private static func utf8(_ text: Bytes, at offset: Int) -> (scalar: UInt32, width: Int) {
    let first = text[offset]
    guard first >= 0xc0 else { return (UInt32(first), 1) }
    let mask: UInt32 = first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : first < 0xf8 ? 7
      : first < 0xfc ? 3 : first < 0xfe ? 1 : 0
    var scalar = UInt32(first) & mask, width = 1
    while width < 4, offset + width < text.count, text[offset + width] & 0xc0 == 0x80 {
      scalar = scalar << 6 &+ UInt32(text[offset + width] & 0x3f)
      width += 1
    }
    return (scalar, width)
  }

  // MARK: Labels

  /// Whether two labels mean the same. `isRaw` says that backslashes are no escapes.
  @inline(__always)
  static func areEqual(
    _ left: Bytes, leftIsRaw: Bool, _ right: Bytes, rightIsRaw: Bool
  ) -> Bool {
    if leftIsRaw && rightIsRaw {
      guard left.count == right.count else { return false }
      guard let first = left.baseAddress, let second = right.baseAddress else { return true }
      return Memory.compare(first, second, left.count) == 0
    }
    return areEqualEscaped(left, leftIsRaw, right, rightIsRaw)
  }

  @inline(never)
  private static func areEqualEscaped(
    _ left: Bytes, _ leftIsRaw: Bool, _ right: Bytes, _ rightIsRaw: Bool
  ) -> Bool {
    var leftOffset = 0, rightOffset = 0
    while true {
      let first = next(left, &leftOffset, isRaw: leftIsRaw)
      guard first == next(right, &rightOffset, isRaw: rightIsRaw) else { return false }
      if first == 0 { return true }
    }
  }

  /// The next character of a label; 0 at its end.
  private static func next(_ text: Bytes, _ offset: inout Int, isRaw: Bool) -> UInt32 {
    guard offset < text.count else { return 0 }
    let isEscape = !isRaw && text[offset] == UInt8(ascii: "\\")
    let (scalar, width) = isEscape ? character(in: text, at: offset) : utf8(text, at: offset)
    offset += width
    return scalar
  }
}
