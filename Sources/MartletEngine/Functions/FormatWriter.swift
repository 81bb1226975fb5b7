/// Carries out a format with arguments of SQL (printf).
struct FormatWriter {
  private let call: FunctionContext
  private var nextArgument: Int
  private var output: TextBuilder
  /// Something, be it empty, was written; otherwise the result is NULL.
  private var hasOutput = false
  /// Where in the output the current substitution begins.
  private var fieldStart = 0

  private init(_ call: FunctionContext) {
    self.call = call
    nextArgument = 1
    output = call.memory.pointee.takeText()
  }

  /// `format(FORMAT, ...)`; NULL without a format.
  @Sendable static func format(_ call: FunctionContext) throws(SQLError) {
    guard call.count > 0, let format = try call.cString(0) else { return call.setNull() }
    var writer = FormatWriter(call)
    defer { call.memory.pointee.giveBack(writer.output) }
    if call.tag(0) == .text || call.tag(0) == .blob {
      try writer.write(format)
    } else {
      // A number's text lies in a place that it shares with those of later arguments.
      var copy = Register()
      defer { copy.deinitialize() }
      try copy.setOwned(.text, copying: format.baseAddress ?? Register.emptyBytes, format.count)
      try writer.write(copy.byteBuffer)
    }
    guard writer.hasOutput else { return call.setNull() }
    try call.setText(writer.output.bytes)
  }

  private mutating func write(_ format: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    let percent = UInt8(ascii: "%")
    var index = 0
    while index < format.count {
      let literal = index
      while index < format.count && format[index] != percent { index += 1 }
      if index > literal {
        try output.append(UnsafeBufferPointer(rebasing: format[literal..<index]))
        hasOutput = true
      }
      if index == format.count { return }
      index += 1
      if index == format.count {
        hasOutput = true
        return try output.append(percent)
      }
      var taken = nextArgument
      let specification = FormatSpecification(format, &index) {
        taken += 1
        return taken <= call.count ? call.integer(taken - 1) : 0
      }
      nextArgument = taken
      // An unknown type ends the output.
      guard try write(specification) else { return }
      hasOutput = true
    }
  }

  private mutating func takeArgument() -> Int? {
    nextArgument += 1
    return nextArgument <= call.count ? nextArgument - 1 : nil
  }

  private mutating func write(_ specification: FormatSpecification) throws(SQLError) -> Bool {
    fieldStart = output.count
    switch specification.type {
    case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"),
      UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "p"), UInt8(ascii: "r"):
      let value = takeArgument().map(call.integer) ?? 0
      try writeInteger(value, specification)
    case UInt8(ascii: "f"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
      UInt8(ascii: "G"):
      let value = takeArgument().map(call.real) ?? 0
      try writeReal(value, specification)
    case UInt8(ascii: "s"), UInt8(ascii: "z"): try writeText(specification)
    case UInt8(ascii: "c"): try writeCharacter(specification)
    case UInt8(ascii: "q"), UInt8(ascii: "Q"), UInt8(ascii: "w"):
      try writeQuoted(specification)
    case UInt8(ascii: "%"):
      try output.append(UInt8(ascii: "%"))
      try pad(specification)
    case UInt8(ascii: "n"): break
    default: return false
    }
    return true
  }

  private var fieldCount: Int { output.count &- fieldStart }

  /// Fills the field up with spaces.
  @inline(__always)
  private mutating func pad(_ specification: FormatSpecification) throws(SQLError) {
    let padding = specification.width &- fieldCount
    guard padding > 0 else { return }
    if specification.isLeftJustified {
      try output.append(repeating: 0x20, padding)
    } else {
      try output.insert(repeating: 0x20, padding, at: fieldStart)
    }
  }
}

// Texts
extension FormatWriter {
  private mutating func takeText() throws(SQLError) -> UnsafeBufferPointer<UInt8>? {
    guard let argument = takeArgument() else { return nil }
    return try call.cString(argument)
  }

  /// The part of a text that a precision allows, in bytes or with `!` in characters.
  private func limited(
    _ text: UnsafeBufferPointer<UInt8>, _ specification: FormatSpecification
  ) -> UnsafeBufferPointer<UInt8> {
    guard specification.precision >= 0, var position = text.baseAddress else { return text }
    if !specification.isAlternate2 {
      return UnsafeBufferPointer(rebasing: text.prefix(specification.precision))
    }
    let limit = position + text.count
    var left = specification.precision
    while left > 0 && position < limit {
      BuiltInFunctions.skipCharacter(&position, limit)
      left -= 1
    }
    return UnsafeBufferPointer(rebasing: text[..<(text.count - (limit - position))])
  }

  /// With `!` the width counts characters: continuation bytes widen the field.
  private mutating func padText(_ specification: FormatSpecification) throws(SQLError) {
    var specification = specification
    if specification.isAlternate2 && specification.width > 0 {
      specification.width &+= output.bytes[fieldStart...].count { $0 & 0xc0 == 0x80 }
    }
    try pad(specification)
  }

  private mutating func writeText(_ specification: FormatSpecification) throws(SQLError) {
    if let text = try takeText() { try output.append(limited(text, specification)) }
    try padText(specification)
  }

  /// The first character of a text, repeated as often as the precision says.
  private mutating func writeCharacter(
    _ specification: FormatSpecification
  ) throws(SQLError) {
    var specification = specification
    let text = try takeText()
    var size = 1
    if let text, text.count > 0 {
      while text[0] >= 0xc0 && size < min(4, text.count) && text[size] & 0xc0 == 0x80 { size += 1 }
    }
    specification.isAlternate2 = true
    let repeatCount = max(1, specification.precision)
    if repeatCount > 1 {
      // All but the last go out as they are; the last one is padded.
      specification.width &-= repeatCount &- 1
      if specification.width > 1 && !specification.isLeftJustified {
        try output.append(repeating: 0x20, specification.width &- 1)
        specification.width = 0
      }
    }
    for _ in 0..<repeatCount {
      fieldStart = output.count
      if let text, text.count > 0 {
        try output.append(UnsafeBufferPointer(rebasing: text[..<size]))
      } else {
        try output.append(UInt8(0))
      }
    }
    try padText(specification)
  }

  private mutating func writeQuoted(_ specification: FormatSpecification) throws(SQLError) {
    let encloses = specification.type == UInt8(ascii: "Q")
    guard let text = try takeText() else {
      let null: StaticString = encloses ? "NULL" : "(NULL)"
      let bytes = UnsafeBufferPointer(start: null.utf8Start, count: null.utf8CodeUnitCount)
      try output.append(limited(bytes, specification))
      return try padText(specification)
    }
    let quote = UInt8(ascii: specification.type == UInt8(ascii: "w") ? "\"" : "'")
    try output.appendQuoted(
      limited(text, specification), quote: quote, encloses: encloses,
      escapesControls: specification.isAlternate && specification.type != UInt8(ascii: "w"))
    try padText(specification)
  }
}

// Integers
extension FormatWriter {
  private mutating func writeInteger(
    _ value: Int64, _ specification: FormatSpecification
  ) throws(SQLError) {
    let type = specification.type
    let isSigned = type == UInt8(ascii: "d") || type == UInt8(ascii: "i")
      || type == UInt8(ascii: "r")
    let isNegative = isSigned && value < 0
    let magnitude = isNegative ? value.magnitude : UInt64(bitPattern: value)
    let prefix = isNegative ? UInt8(ascii: "-") : (isSigned ? specification.signPrefix : 0)
    var minimum = specification.precision
    if specification.isZeroPadded {
      minimum = max(minimum, specification.width &- (prefix == 0 ? 0 : 1))
    }
    if prefix != 0 { try output.append(prefix) }
    if specification.isAlternate && magnitude != 0 { try appendRadixPrefix(type) }
    try appendDigits(magnitude, type, minimum, specification.hasThousands)
    try pad(specification)
  }

  private mutating func appendRadixPrefix(_ type: UInt8) throws(SQLError) {
    switch type {
    case UInt8(ascii: "o"): try output.append("0")
    case UInt8(ascii: "x"), UInt8(ascii: "p"): try output.append("0x")
    case UInt8(ascii: "X"): try output.append("0X")
    default: break
    }
  }

  private mutating func appendDigits(
    _ magnitude: UInt64, _ type: UInt8, _ minimum: Int, _ wantsThousands: Bool
  ) throws(SQLError) {
    // The digits come last to first; 22 are the most, of octal numbers.
    let end = call.memory.pointee.digits + 24
    var start = end, rest = magnitude
    switch type {
    case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "p"):
      repeat {
        start -= 1
        start.pointee = ASCII.hexDigit(UInt8(rest & 15), upper: type != UInt8(ascii: "x"))
        rest >>= 4
      } while rest > 0
    case UInt8(ascii: "o"):
      repeat {
        start -= 1
        start.pointee = 0x30 | UInt8(rest & 7)
        rest >>= 3
      } while rest > 0
    default:
      repeat {
        start -= 1
        let quotient = rest / 10
        start.pointee = 0x30 &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10)
        rest = quotient
      } while rest > 0
    }
    let isOrdinal = type == UInt8(ascii: "r")
    let zeroCount = minimum &- (isOrdinal ? 2 : 0) &- (end - start)
    let digits = UnsafeBufferPointer(start: start, count: end - start)
    let isDecimal = type == UInt8(ascii: "d") || type == UInt8(ascii: "i")
      || type == UInt8(ascii: "u")
    if wantsThousands && isDecimal { return try appendGroups(digits, max(0, zeroCount)) }
    try output.append(repeating: 0x30, zeroCount)
    try output.append(digits)
    if isOrdinal { try appendOrdinal(magnitude) }
  }

  /// Appends zeros and digits with a comma before every three.
  private mutating func appendGroups(
    _ digits: UnsafeBufferPointer<UInt8>, _ zeroCount: Int
  ) throws(SQLError) {
    var place = zeroCount + digits.count
    while place > 0 {
      try output.append(place > digits.count ? 0x30 : digits[digits.count - place])
      place -= 1
      if place > 0 && place % 3 == 0 { try output.append(UInt8(ascii: ",")) }
    }
  }

  private mutating func appendOrdinal(_ magnitude: UInt64) throws(SQLError) {
    let isTeen = magnitude / 10 % 10 == 1
    switch magnitude % 10 {
    case 1 where !isTeen: try output.append("st")
    case 2 where !isTeen: try output.append("nd")
    case 3 where !isTeen: try output.append("rd")
    default: try output.append("th")
    }
  }
}

// Reals
extension FormatWriter {
  private mutating func writeReal(
    _ value: Double, _ specification: FormatSpecification
  ) throws(SQLError) {
    var real = FormattedReal(value, specification, call.memory.pointee.digits)
    if real.isSpecial {
      if !specification.isZeroPadded || real.isNotANumber {
        try real.appendSpecial(to: &output, specification)
        return try pad(specification)
      }
      real.substituteInfinity()
    }
    let prefix = real.prefix(specification)
    if prefix != 0 { try output.append(prefix) }
    try real.append(to: &output, specification)
    if specification.isZeroPadded && !specification.isLeftJustified {
      // Between sign and digits.
      let zeroCount = specification.width &- fieldCount
      return try output.insert(
        repeating: 0x30, zeroCount, at: fieldStart + (prefix == 0 ? 0 : 1))
    }
    try pad(specification)
  }
}

extension BuiltInFunctions {
  static let formatting: [ScalarFunction] = [
    ScalarFunction("format", .atLeast(0), body: FormatWriter.format),
    ScalarFunction("printf", .atLeast(0), body: FormatWriter.format),
  ]
}
