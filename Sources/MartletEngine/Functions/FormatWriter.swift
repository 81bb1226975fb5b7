/// Where a format takes the values of its substitutions from.
protocol FormatArguments {
  /// What a `*` stands for.
  mutating func size() -> Int32
  /// For the types that show integers; unsigned ones as their bits.
  mutating func integer(_ specification: FormatSpecification) -> Int64
  mutating func real() -> Double
  /// The text, of which not more is read than the precision allows; nil for NULL.
  mutating func text(
    _ specification: FormatSpecification
  ) throws(SQLError) -> UnsafeBufferPointer<UInt8>?
  /// The bytes of one character, at most four, written to `target`; how many.
  mutating func character(_ target: UnsafeMutablePointer<UInt8>) throws(SQLError) -> Int
  /// Tells how long the output is (`%n`).
  mutating func store(count: Int)
}

/// Carries out a format (printf).
struct FormatWriter<Arguments: FormatArguments> {
  private var arguments: Arguments
  private(set) var output: TextBuilder
  /// Something, be it empty, was written; otherwise the result of SQL's function is NULL.
  private(set) var hasOutput = false
  /// The output has ended before its time at a piece that was too long.
  private(set) var isCut = false
  /// Where in the output the current substitution begins.
  private var fieldStart = 0
  /// Memory for the digits of one number.
  private let digits: UnsafeMutablePointer<UInt8>
  /// A number of very many digits or a quoted text that needs more bytes than this ends the output:
  /// SQLite makes them in a place of their own, for which a fixed buffer sets the size.
  private let pieceLimit: Int

  init(
    _ arguments: Arguments, output: TextBuilder, digits: UnsafeMutablePointer<UInt8>,
    pieceLimit: Int = .max
  ) {
    self.arguments = arguments
    self.output = output
    self.digits = digits
    self.pieceLimit = pieceLimit
  }

  /// Lets the arguments and the output free what they hold.
  mutating func finish(_ body: (inout Arguments, inout TextBuilder) -> Void) {
    body(&arguments, &output)
  }

  mutating func write(_ format: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    let percent = UInt8(ascii: "%")
    var index = 0
    while index < format.count {
      let rest = UnsafeBufferPointer(rebasing: format[index...])
      let literalSize = Memory.first(percent, in: rest) ?? rest.count
      if literalSize > 0 {
        try output.append(UnsafeBufferPointer(rebasing: rest.prefix(literalSize)))
        hasOutput = true
        index += literalSize
      }
      if index == format.count { return }
      index += 1
      if index == format.count {
        hasOutput = true
        return try output.append(percent)
      }
      if try writePlain(format[index]) {
        index += 1
        hasOutput = true
        continue
      }
      let specification = FormatSpecification(format, &index) { arguments.size() }
      // An unknown type ends the output.
      guard try write(specification) else { return }
      hasOutput = true
    }
  }

  /// Writes `%s` and `%d`, which most substitutions are. False for all others.
  @inline(__always)
  private mutating func writePlain(_ type: UInt8) throws(SQLError) -> Bool {
    switch type {
    case UInt8(ascii: "s"):
      if let text = try arguments.text(FormatSpecification(type: type)) {
        try output.append(text)
      }
    case UInt8(ascii: "d"):
      let count = NumberText.write(arguments.integer(FormatSpecification(type: type)), to: digits)
      try output.append(UnsafeBufferPointer(start: digits, count: count))
    default: return false
    }
    return true
  }

  /// False where the output ends.
  private mutating func write(_ specification: FormatSpecification) throws(SQLError) -> Bool {
    fieldStart = output.count
    switch specification.type {
    case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"),
      UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "p"), UInt8(ascii: "r"):
      return try writeInteger(arguments.integer(specification), specification)
    case UInt8(ascii: "f"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
      UInt8(ascii: "G"):
      try writeReal(arguments.real(), specification)
    case UInt8(ascii: "s"), UInt8(ascii: "z"): try writeText(specification)
    case UInt8(ascii: "c"): try writeCharacter(specification)
    case UInt8(ascii: "q"), UInt8(ascii: "Q"), UInt8(ascii: "w"):
      return try writeQuoted(specification)
    case UInt8(ascii: "%"):
      try output.append(UInt8(ascii: "%"))
      try pad(specification)
    case UInt8(ascii: "n"): arguments.store(count: output.count)
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
    if let text = try arguments.text(specification) {
      try output.append(limited(text, specification))
    }
    try padText(specification)
  }

  /// A character, repeated as often as the precision says.
  private mutating func writeCharacter(
    _ specification: FormatSpecification
  ) throws(SQLError) {
    var specification = specification
    let size = try arguments.character(digits)
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
    let character = UnsafeBufferPointer(start: digits, count: size)
    if size == 1 {
      try output.append(repeating: character[0], repeatCount &- 1)
    } else {
      for _ in 1..<repeatCount { try output.append(character) }
    }
    fieldStart = output.count
    try output.append(character)
    try padText(specification)
  }

  private mutating func writeQuoted(
    _ specification: FormatSpecification
  ) throws(SQLError) -> Bool {
    let encloses = specification.type == UInt8(ascii: "Q")
    guard let text = try arguments.text(specification) else {
      let null: StaticString = encloses ? "NULL" : "(NULL)"
      let bytes = UnsafeBufferPointer(start: null.utf8Start, count: null.utf8CodeUnitCount)
      try output.append(limited(bytes, specification))
      try padText(specification)
      return true
    }
    let quote = UInt8(ascii: specification.type == UInt8(ascii: "w") ? "\"" : "'")
    try output.appendQuoted(
      limited(text, specification), quote: quote, encloses: encloses,
      escapesControls: specification.isAlternate && specification.type != UInt8(ascii: "w"))
    // Three bytes more are for quotes and the end.
    let pieceSize = fieldCount &+ (encloses ? 1 : 3)
    guard pieceSize <= 70 || isPieceAllowed(pieceSize) else { return false }
    try padText(specification)
    return true
  }

  /// Whether a piece fits the place that SQLite makes for it; if not, what there is of it goes.
  private mutating func isPieceAllowed(_ byteCount: Int) -> Bool {
    guard byteCount > pieceLimit else { return true }
    output.truncate(fieldStart)
    isCut = true
    return false
  }
}

// Integers
extension FormatWriter {
  private mutating func writeInteger(
    _ value: Int64, _ specification: FormatSpecification
  ) throws(SQLError) -> Bool {
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
    let pieceSize = minimum &+ 10 &+ (specification.hasThousands ? minimum / 3 : 0)
    guard minimum < 37 || isPieceAllowed(pieceSize) else { return false }
    if prefix != 0 { try output.append(prefix) }
    if specification.isAlternate && magnitude != 0 { try appendRadixPrefix(type) }
    try appendDigits(magnitude, type, minimum, specification.hasThousands)
    try pad(specification)
    return true
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
    let end = digits + 24
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
    var real = FormattedReal(value, specification, digits)
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
