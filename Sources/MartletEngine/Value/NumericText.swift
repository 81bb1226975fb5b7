/// What a text says when it is read as a number (datatype3 §3.3, lang_expr on CAST).
///
/// Leading spaces are skipped; the longest prefix that looks like a number is taken. Only ASCII
/// counts, and neither hexadecimal digits nor the words for infinity do.
struct NumericText {
  enum Form: UInt8 {
    /// No number at all, or digits alone.
    case integer
    /// A decimal point, or an exponent with digits.
    case real
  }

  private var mantissa: UInt64 = 0
  private var exponent = 0
  private var isNegative = false
  /// The digits before any point or exponent, as an integer limited to 64 bits.
  private(set) var integer: Int64 = 0
  /// The integer digits exceed 64 bits.
  private(set) var integerOverflows = false
  private(set) var form = Form.integer
  /// The whole text up to any NUL is one number, but for surrounding spaces.
  private(set) var isComplete = false
  /// A NUL ended a complete number. Its integer counts as real then, except to CAST.
  private var endsAtNull = false

  /// The value of the prefix as a double.
  var real: Double {
    let magnitude = BinaryDecimal.double(mantissa, exponent: exponent)
    return isNegative ? -magnitude : magnitude
  }

  /// The prefix is an integer that fits 64 bits.
  @inline(__always)
  var isInteger: Bool { form == .integer && !integerOverflows }

  /// What operators and affinities take for an integer.
  @inline(__always)
  var isPlainInteger: Bool { isInteger && !endsAtNull }

  /// Reads text of the given encoding.
  init(_ bytes: UnsafePointer<UInt8>, _ byteCount: Int, _ encoding: TextEncoding) {
    if encoding == .utf8 {
      self.init(bytes, byteCount)
    } else {
      self.init(utf16: bytes, byteCount, isLittleEndian: encoding == .utf16LittleEndian)
    }
  }

  /// UTF-16 is read by its low bytes up to the first character that is not ASCII.
  private init(utf16 bytes: UnsafePointer<UInt8>, _ byteCount: Int, isLittleEndian: Bool) {
    let unitCount = byteCount / 2, low = isLittleEndian ? 0 : 1
    var asciiCount = 0
    while asciiCount < unitCount && bytes[2 * asciiCount + 1 - low] == 0 { asciiCount += 1 }
    self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: min(asciiCount, 1 << 16)) {
      narrow in
      for index in narrow.indices { narrow[index] = bytes[2 * index + low] }
      return narrow.baseAddress.map { NumericText($0, narrow.count) } ?? NumericText()
    }
    if asciiCount != unitCount || asciiCount > 1 << 16 {
      isComplete = false
      // Operators then look at the integer alone.
      form = .integer
    }
  }

  init() {}

  /// Reads UTF-8 text.
  init(_ bytes: UnsafePointer<UInt8>, _ byteCount: Int) {
    var scan = Scanner(position: bytes, end: bytes + byteCount)
    scan.skipSpaces()
    isNegative = scan.readSign()
    scan.readInteger()
    let overflow = isNegative ? 1 << 63 : UInt64(Int64.max)
    integerOverflows = scan.hasDropped || scan.mantissa > overflow
    if integerOverflows {
      integer = isNegative ? .min : .max
    } else {
      integer = Int64(bitPattern: isNegative ? 0 &- scan.mantissa : scan.mantissa)
    }
    let hasPoint = scan.readFraction()
    let exponentPart = scan.readExponent()
    if scan.digitCount == 0 {
      isNegative = false
    } else {
      if hasPoint || exponentPart == .valid { form = .real }
      scan.skipSpaces()
      endsAtNull = exponentPart != .invalid && scan.isAtNull
      isComplete = endsAtNull || (scan.position == scan.end && exponentPart != .invalid)
    }
    mantissa = scan.mantissa
    exponent = scan.exponent
  }

  /// ASCII spaces as SQLite knows them: space, and tab to carriage return.
  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 9 && byte <= 13) }
}

/// Where the reading of one number stands.
private struct Scanner {
  enum Exponent { case none, valid, invalid }

  /// Beyond this mantissa digits are dropped, as one more might not fit 64 bits.
  private static let mantissaLimit = (UInt64.max - 9) / 10

  var position: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  var mantissa: UInt64 = 0
  var exponent = 0
  var digitCount = 0
  /// A digit of the integer part did not fit the mantissa.
  var hasDropped = false

  init(position: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
    self.position = position
    self.end = end
  }

  var isAtNull: Bool { position < end && position.pointee == 0 }

  mutating func skipSpaces() {
    while position < end && NumericText.isSpace(position.pointee) { position += 1 }
  }

  mutating func readSign() -> Bool {
    guard position < end else { return false }
    let sign = position.pointee
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
    return sign == UInt8(ascii: "-")
  }

  mutating func readInteger() {
    let start = position
    while position < end {
      let digit = position.pointee &- 0x30
      if digit > 9 { break }
      if mantissa >= Scanner.mantissaLimit {
        exponent &+= 1
        hasDropped = true
      } else {
        mantissa = mantissa &* 10 &+ UInt64(digit)
      }
      position += 1
    }
    digitCount = position - start
  }

  /// Reads a point and digits after it; false if there is no point.
  mutating func readFraction() -> Bool {
    guard position < end, position.pointee == UInt8(ascii: ".") else { return false }
    position += 1
    let start = position
    while position < end {
      let digit = position.pointee &- 0x30
      if digit > 9 { break }
      if mantissa < Scanner.mantissaLimit {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        exponent &-= 1
      }
      position += 1
    }
    digitCount += position - start
    return true
  }

  /// Reads an exponent; one without digits spoils the text as a whole, not its prefix.
  mutating func readExponent() -> Exponent {
    guard position < end, position.pointee | 0x20 == UInt8(ascii: "e") else { return .none }
    position += 1
    let isNegative = readSign()
    let start = position
    var value = 0
    while position < end {
      let digit = position.pointee &- 0x30
      if digit > 9 { break }
      value = value < 10_000 ? value &* 10 &+ Int(digit) : 10_000
      position += 1
    }
    if position == start { return .invalid }
    exponent &+= isNegative ? 0 &- value : value
    return .valid
  }
}
