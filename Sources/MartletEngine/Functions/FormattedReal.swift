/// A real on its way through `%f`, `%e` or `%g` (printf §2).
struct FormattedReal {
  private var decimal: DecimalDigits
  private let type: UInt8
  /// Digits after the point, or for `%g` significant ones.
  private var precision: Int
  private let isFixed: Bool
  private let isGeneric: Bool

  /// Longer precisions are cut to this.
  private static let precisionLimit = 100_000_000

  init(
    _ value: Double, _ specification: FormatSpecification,
    _ buffer: UnsafeMutablePointer<UInt8>
  ) {
    type = specification.type
    isFixed = type == UInt8(ascii: "f")
    isGeneric = type | 0x20 == UInt8(ascii: "g")
    precision = specification.precision < 0
      ? 6 : min(specification.precision, FormattedReal.precisionLimit)
    if isGeneric && precision == 0 { precision = 1 }
    let rounding = isFixed ? 0 - precision : (isGeneric ? precision : precision + 1)
    decimal = DecimalDigits(
      value, roundingTo: rounding, maximumDigits: specification.isAlternate2 ? 20 : 16,
      buffer: buffer)
  }

  var isSpecial: Bool { decimal.kind != .finite }
  var isNotANumber: Bool { decimal.kind == .notANumber }

  func appendSpecial(
    to field: inout TextBuilder, _ specification: FormatSpecification
  ) throws(SQLError) {
    if isNotANumber { return try field.append(specification.isZeroPadded ? "null" : "NaN") }
    if decimal.isNegative {
      try field.append("-")
    } else if specification.signPrefix != 0 {
      try field.append(specification.signPrefix)
    }
    try field.append("Inf")
  }

  /// With zero padding, infinity is written as a number that reads as infinity.
  mutating func substituteInfinity() {
    decimal.digits[0] = 0x39
    decimal.count = 1
    decimal.pointPosition = 1000
  }

  /// The sign. `%#f` shows no minus where all digits shown are zeros.
  func prefix(_ specification: FormatSpecification) -> UInt8 {
    guard decimal.isNegative else { return specification.signPrefix }
    let hidesZero = specification.isAlternate && specification.signPrefix == 0 && isFixed
      && decimal.pointPosition <= 0 - precision
    return hidesZero ? 0 : UInt8(ascii: "-")
  }

  func append(
    to field: inout TextBuilder, _ specification: FormatSpecification
  ) throws(SQLError) {
    let exponent = decimal.pointPosition - 1
    var precision = precision, isExponential = !isFixed && !isGeneric
    var stripsZeros = specification.isAlternate2
    if isGeneric {
      precision -= 1
      stripsZeros = !specification.isAlternate
      isExponential = exponent < -4 || exponent > precision
      if !isExponential { precision -= exponent }
    }
    let hasPoint = precision > 0 || specification.isAlternate || specification.isAlternate2
    var next = 0
    let integerDigits = isExponential ? 1 : decimal.pointPosition
    try appendInteger(&field, &next, integerDigits, specification.hasThousands)
    if hasPoint {
      try field.append(".")
      try appendFraction(&field, &next, integerDigits, precision)
      if stripsZeros { try FormattedReal.strip(&field, keepsDigit: specification.isAlternate2) }
    }
    if isExponential { try appendExponent(&field, exponent) }
  }

  private func takeDigit(_ next: inout Int) -> UInt8 {
    guard next < decimal.count else { return 0x30 }
    next += 1
    return decimal.digits[next - 1]
  }

  private func appendInteger(
    _ field: inout TextBuilder, _ next: inout Int, _ digitCount: Int, _ hasThousands: Bool
  ) throws(SQLError) {
    if digitCount <= 0 { return try field.append(0x30) }
    var place = digitCount - 1
    while place >= 0 {
      try field.append(takeDigit(&next))
      if hasThousands && place % 3 == 0 && place > 1 { try field.append(UInt8(ascii: ",")) }
      place -= 1
    }
  }

  private func appendFraction(
    _ field: inout TextBuilder, _ next: inout Int, _ integerDigits: Int, _ precision: Int
  ) throws(SQLError) {
    let leadingZeros = max(0, min(precision, 0 - integerDigits))
    try field.append(repeating: 0x30, leadingZeros)
    var left = precision - leadingZeros
    while left > 0 && next < decimal.count {
      try field.append(takeDigit(&next))
      left -= 1
    }
    try field.append(repeating: 0x30, left)
  }

  /// Takes zeros off the end, and the point too unless a digit must follow it.
  private static func strip(
    _ field: inout TextBuilder, keepsDigit: Bool
  ) throws(SQLError) {
    while field.bytes.last == 0x30 { field.removeLast() }
    guard field.bytes.last == UInt8(ascii: ".") else { return }
    if keepsDigit { try field.append(0x30) } else { field.removeLast() }
  }

  private func appendExponent(
    _ field: inout TextBuilder, _ exponent: Int
  ) throws(SQLError) {
    let isUpper = type == UInt8(ascii: "E") || type == UInt8(ascii: "G")
    try field.append(isUpper ? UInt8(ascii: "E") : UInt8(ascii: "e"))
    try field.append(exponent < 0 ? "-" : "+")
    if exponent.magnitude < 10 { try field.append(0x30) }
    try field.append(decimal: Int64(exponent.magnitude))
  }
}
