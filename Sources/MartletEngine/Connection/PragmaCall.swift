/// A PRAGMA as it was written, of those that SQLite knows.
struct PragmaCall {
  let pragma: Pragma
  let argument: PragmaValue?
  /// Index of the database; 0 where none is named.
  let database: Int
  let schema: Name?

  /// What a single column of the result is called.
  var name: Name { Name(pragma.name) }
}

/// The value of a PRAGMA, which every pragma reads its own way.
struct PragmaValue {
  let text: String

  /// A number of 32 bits, decimal or hexadecimal, whatever follows it; nil where there is none.
  var int32: Int32? {
    var bytes = text.utf8[...]
    if bytes.starts(with: [0x30, 0x78]) || bytes.starts(with: [0x30, 0x58]) {
      let digits = bytes.dropFirst(2).prefix { PragmaValue.hexDigit($0) != nil }
      let significant = digits.drop { $0 == 0x30 }
      guard !digits.isEmpty, significant.count <= 8 else { return digits.isEmpty ? 0 : nil }
      let number = significant.reduce(UInt32(0)) { $0 << 4 | (PragmaValue.hexDigit($1) ?? 0) }
      return Int32(exactly: number)
    }
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
    let digits = bytes.prefix(while: ASCII.isDigit)
    let significant = digits.drop { $0 == 0x30 }
    guard !digits.isEmpty, significant.count <= 10 else { return nil }
    let number = significant.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return Int32(exactly: isNegative ? -number : number)
  }

  /// The number, 0 where there is none.
  var number: Int32 { int32 ?? 0 }

  /// A number of 64 bits as far as the text is one, and whether it is nothing else.
  var int64: (value: Int64, isExact: Bool) {
    var bytes = text.utf8[...]
    if bytes.starts(with: [0x30, 0x78]) || bytes.starts(with: [0x30, 0x58]) {
      let digits = bytes.dropFirst(2).prefix { PragmaValue.hexDigit($0) != nil }
      let significant = digits.drop { $0 == 0x30 }
      let number = significant.reduce(UInt64(0)) { $0 << 4 | UInt64(PragmaValue.hexDigit($1) ?? 0) }
      let isWhole = digits.endIndex == bytes.endIndex && significant.count <= 16
      return (Int64(bitPattern: number), isWhole)
    }
    bytes = bytes.drop(while: NumericText.isSpace)
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
    let digits = bytes.prefix(while: ASCII.isDigit)
    var value: Int64 = 0
    for digit in digits {
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, exceeds) = product.subtractingReportingOverflow(Int64(digit - 0x30))
      if overflows || exceeds { return (isNegative ? .min : .max, false) }
      value = sum
    }
    if !isNegative && value == .min { return (.max, false) }
    return (isNegative ? value : -value, !digits.isEmpty && digits.endIndex == bytes.endIndex)
  }

  /// The words for true and false; another word is false, a number true unless it is 0.
  var isTrue: Bool { isTrue(default: false) }

  func isTrue(default standard: Bool) -> Bool {
    if startsWithDigit { return UInt8(truncatingIfNeeded: number) != 0 }
    if isWord("on") || isWord("yes") || isWord("true") { return true }
    return isNo ? false : standard
  }

  /// How safe a commit is (pragma, synchronous): any other word is 1.
  var safetyLevel: UInt8 {
    if startsWithDigit { return UInt8(truncatingIfNeeded: number) }
    return isNo ? 0 : isWord("full") ? 2 : isWord("extra") ? 3 : 1
  }

  private var isNo: Bool { isWord("off") || isWord("no") || isWord("false") }

  private var startsWithDigit: Bool { text.utf8.first.map(ASCII.isDigit) ?? false }

  func isWord(_ word: String) -> Bool { text.isSameName(as: word) }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
