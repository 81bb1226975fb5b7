/// What the digits of a number in SQL text mean (lang_expr §3).
///
/// Integers that do not fit 64 bits become reals; hexadecimal ones that do not are an error.
enum NumberLiteral {
  case integer(Int64)
  case real(Double)
  case tooBig

  /// Most digits that fit 64 bits whatever they are.
  private static let safeDigitCount = 18

  @inline(__always)
  init(_ digits: ByteSlice, isNegated: Bool = false) {
    if digits.count <= NumberLiteral.safeDigitCount {
      var value: Int64 = 0
      var index = 0
      while index < digits.count {
        let digit = digits.start[index] &- 0x30
        if digit > 9 { break }
        value = value &* 10 &+ Int64(digit)
        index += 1
      }
      if index == digits.count {
        self = .integer(isNegated ? -value : value)
        return
      }
    }
    self = NumberLiteral.parse(digits, isNegated)
  }

  @inline(never)
  private static func parse(_ digits: ByteSlice, _ isNegated: Bool) -> NumberLiteral {
    if digits.count > 2, digits.start[0] == 0x30, digits.start[1] | 0x20 == UInt8(ascii: "x") {
      return parseHexadecimal(digits, isNegated)
    }
    if digits.count <= NumberLiteral.safeDigitCount, !digits.buffer.contains(UInt8(ascii: "_")) {
      let number = NumericText(digits.start, digits.count)
      if number.isInteger { return .integer(isNegated ? -number.integer : number.integer) }
      return .real(isNegated ? -number.real : number.real)
    }
    // The sign takes part: only with it does the lowest integer fit.
    var text: [UInt8] = isNegated ? [UInt8(ascii: "-")] : []
    for byte in digits.buffer where byte != UInt8(ascii: "_") { text.append(byte) }
    let number = text.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { NumericText($0, bytes.count) } ?? NumericText()
    }
    return number.isInteger ? .integer(number.integer) : .real(number.real)
  }

  private static func parseHexadecimal(_ digits: ByteSlice, _ isNegated: Bool) -> NumberLiteral {
    var value: UInt64 = 0
    for byte in digits.buffer.dropFirst(2) where byte != UInt8(ascii: "_") {
      if value >> 60 != 0 { return .tooBig }
      value = value << 4 | UInt64(hexDigit(byte))
    }
    let number = Int64(bitPattern: value)
    if !isNegated { return .integer(number) }
    return number == .min ? .tooBig : .integer(-number)
  }

  /// Decodes the digits of x'…' to `count` bytes.
  static func decodeBlob(
    _ digits: UnsafePointer<UInt8>, _ count: Int, into bytes: UnsafeMutablePointer<UInt8>
  ) {
    for index in 0..<count {
      bytes[index] = hexDigit(digits[2 * index]) << 4 | hexDigit(digits[2 * index + 1])
    }
  }

  /// The value of a hexadecimal digit.
  static func hexDigit(_ byte: UInt8) -> UInt8 {
    byte <= UInt8(ascii: "9") ? byte &- 0x30 : (byte | 0x20) &- UInt8(ascii: "a") &+ 10
  }
}
