// JSON elements as SQL values.

extension Register {
  /// The subtype of JSON text (json1 §3.4).
  static let jsonSubtype: UInt8 = 74

  @inline(__always)
  mutating func markAsJSON() {
    subtype = Register.jsonSubtype
    flags.insert(.subtype)
  }

  var isJSON: Bool { flags.contains(.subtype) && subtype == Register.jsonSubtype }
}

extension JSONElements {
  /// Puts a primitive element into a register as SQL's value. Returns false for an array or object,
  /// which the caller writes in the form that it needs.
  func put(_ offset: Int, into target: inout Register) throws(SQLError) -> Bool {
    let header = header(at: offset)
    guard header.isValid else { throw JSONWriter.malformed }
    let payload = payload(at: offset, header)
    switch bytes[offset] & 15 {
    case JSONType.null:
      if !payload.isEmpty { throw JSONWriter.malformed }
      target.setNull()
    case JSONType.true, JSONType.false:
      if !payload.isEmpty { throw JSONWriter.malformed }
      target.setBool(bytes[offset] & 15 == JSONType.true)
    case JSONType.integer, JSONType.integer5: try putInteger(payload, into: &target)
    case JSONType.float, JSONType.float5: try putReal(payload, into: &target)
    case JSONType.text, JSONType.rawText:
      try target.setOwned(.text, copying: bytes + offset + header.size, payload.count)
    case JSONType.escapedText, JSONType.text5: try putEscaped(payload, into: &target)
    case JSONType.array, JSONType.object: return false
    default: throw JSONWriter.malformed
    }
    return true
  }

  // MARK: Numbers

  private func putInteger(
    _ payload: UnsafeBufferPointer<UInt8>, into target: inout Register
  ) throws(SQLError) {
    guard let first = payload.first else { throw JSONWriter.malformed }
    let isNegative = first == UInt8(ascii: "-")
    var magnitude = payload[...]
    if isNegative {
      magnitude = magnitude.dropFirst()
      if magnitude.isEmpty { throw JSONWriter.malformed }
    }
    switch JSONInteger(UnsafeBufferPointer(rebasing: magnitude)) {
    case .value(let value) where value < 0:
      // Hexadecimal digits that fill 64 bits, or a second minus.
      let real = Double(UInt64(bitPattern: value))
      target.setReal(isNegative ? -real : real)
    case .value(let value): target.setInteger(isNegative ? 0 - value : value)
    case .limit where isNegative: target.setInteger(.min)
    case .limit, .tooLarge: try putReal(payload, into: &target)
    case .malformed: throw JSONWriter.malformed
    }
  }

  private func putReal(
    _ payload: UnsafeBufferPointer<UInt8>, into target: inout Register
  ) throws(SQLError) {
    guard let start = payload.baseAddress, !payload.isEmpty else { throw JSONWriter.malformed }
    let number = NumericText(start, payload.count)
    guard number.isComplete else { throw JSONWriter.malformed }
    target.setReal(number.real)
  }

  // MARK: Texts

  /// A text with its escapes replaced.
  private func putEscaped(
    _ payload: UnsafeBufferPointer<UInt8>, into target: inout Register
  ) throws(SQLError) {
    let buffer = try target.reserveBuffer(payload.count + 4)
    var index = 0, count = 0
    while index < payload.count {
      let byte = payload[index]
      if byte != UInt8(ascii: "\\") {
        buffer[count] = byte
        count += 1
        index += 1
        continue
      }
      let (scalar, width) = JSONEscapes.character(in: payload, at: index)
      // Every escape is at least as long as its character.
      if scalar != JSONEscapes.invalid {
        count += TextConversion.writeUTF8(scalar, to: buffer + count)
      }
      index += width
    }
    target.adoptBuffer(.text, count)
  }
}

/// The digits of an integer element, read as C SQLite reads its literals.
private enum JSONInteger {
  case value(Int64)
  /// 2^63, which only fits with a minus.
  case limit
  case tooLarge
  case malformed

  init(_ payload: UnsafeBufferPointer<UInt8>) {
    let digits = UnsafeBufferPointer(rebasing: payload.prefix { $0 != 0 })
    let isHexadecimal = digits.count >= 2 && digits[0] == UInt8(ascii: "0")
      && digits[1] | 0x20 == UInt8(ascii: "x")
    self = isHexadecimal ? JSONInteger(hexadecimal: digits) : JSONInteger(decimal: digits)
  }

  private init(hexadecimal digits: UnsafeBufferPointer<UInt8>) {
    var value: UInt64 = 0, count = 0
    for byte in digits.dropFirst(2) {
      guard let digit = ASCII.hexValue(byte) else {
        self = count > 16 ? .tooLarge : .malformed
        return
      }
      // Leading zeros do not count.
      if count > 0 || digit > 0 { count += 1 }
      value = value << 4 | UInt64(digit)
    }
    self = count > 16 ? .tooLarge : .value(Int64(bitPattern: value))
  }

  private init(decimal digits: UnsafeBufferPointer<UInt8>) {
    guard let start = digits.baseAddress, !digits.isEmpty else {
      self = .tooLarge
      return
    }
    var position = 0
    while position < digits.count && NumericText.isSpace(digits[position]) { position += 1 }
    if position < digits.count,
      digits[position] == UInt8(ascii: "-") || digits[position] == UInt8(ascii: "+")
    {
      position += 1
    }
    guard position < digits.count, ASCII.isDigit(digits[position]) else {
      // Nothing like a number is read as a real, which fails.
      self = .tooLarge
      return
    }
    var end = position
    while end < digits.count && ASCII.isDigit(digits[end]) { end += 1 }
    let rest = digits[end...].allSatisfy(NumericText.isSpace)
    let number = NumericText(start, end)
    if !number.integerOverflows {
      self = rest ? .value(number.integer) : .malformed
      return
    }
    var first = position
    while first < end && digits[first] == UInt8(ascii: "0") { first += 1 }
    let limit: StaticString = "9223372036854775808"
    let isLimit = end - first == limit.utf8CodeUnitCount
      && Memory.compare(start + first, limit.utf8Start, end - first) == 0
    self = isLimit ? .limit : .tooLarge
  }
}
