/// Integers and reals as the text that SQLite shows for them.
enum NumberText {
  /// Enough for any integer or real.
  static let bufferSize = 40

  /// Writes an integer; gives the byte count.
  @inline(__always)
  static func write(_ value: Int64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if value >= 0 { return write(UInt64(bitPattern: value), to: target) }
    target[0] = UInt8(ascii: "-")
    return 1 &+ write(value.magnitude, to: target + 1)
  }

  @inline(__always)
  static func write(_ value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let count = DecimalDigits.digitCount(value)
    var rest = value, index = count
    while rest >= 10 {
      index &-= 1
      let quotient = rest / 10
      target[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10)
      rest = quotient
    }
    target[0] = 0x30 &+ UInt8(truncatingIfNeeded: rest)
    return count
  }

  /// Writes a real as `%!.17g` does (printf §2.5): always with a point, `Inf` for infinity.
  static func write(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
    write(value, digitCount: RealDigits.standard, to: target)
  }

  /// The same with as many digits as the connection wants: a value as text.
  static func writeShown(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
    write(value, digitCount: RealDigits.current, to: target)
  }

  private static func write(
    _ value: Double, digitCount: Int, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalDigits.bufferSize) { buffer in
      let digits = DecimalDigits(
        value, roundingTo: digitCount, maximumDigits: 20,
        buffer: buffer.baseAddress.unsafelyUnwrapped)
      return write(digits, digitCount: digitCount, to: target)
    }
  }

  /// The real nearest to the value as `%.Nf` shows it, as `round` gives it.
  static func rounded(_ value: Double, digitCount: Int) -> Double {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalDigits.bufferSize) { buffer in
      let decimal = DecimalDigits(
        value, roundingTo: 0 &- digitCount, maximumDigits: 20,
        buffer: buffer.baseAddress.unsafelyUnwrapped)
      let shownCount = min(decimal.count, decimal.pointPosition &+ digitCount)
      var mantissa: UInt64 = 0
      for index in 0..<max(0, shownCount) {
        mantissa = mantissa &* 10 &+ UInt64(decimal.digits[index] &- 0x30)
      }
      let magnitude = BinaryDecimal.double(
        mantissa, exponent: decimal.pointPosition &- max(0, shownCount))
      return decimal.isNegative ? -magnitude : magnitude
    }
  }

  private static func write(
    _ decimal: DecimalDigits, digitCount: Int, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var end = target
    if decimal.isNegative { append(UInt8(ascii: "-"), &end) }
    guard decimal.kind == .finite else {
      for byte in [UInt8](decimal.kind == .infinite ? "Inf".utf8 : "NaN".utf8) {
        append(byte, &end)
      }
      return end - target
    }
    let exponent = decimal.pointPosition &- 1
    if exponent < -4 || exponent >= digitCount {
      writeExponential(decimal, exponent, &end)
    } else {
      writeFixed(decimal, &end)
    }
    return end - target
  }

  @inline(__always)
  private static func append(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
    end.pointee = byte
    end += 1
  }

  private static func writeFixed(
    _ decimal: DecimalDigits, _ end: inout UnsafeMutablePointer<UInt8>
  ) {
    var index = 0
    if decimal.pointPosition <= 0 { append(0x30, &end) }
    while index < decimal.pointPosition {
      append(index < decimal.count ? decimal.digits[index] : 0x30, &end)
      index &+= 1
    }
    append(UInt8(ascii: "."), &end)
    if decimal.count <= index { return append(0x30, &end) }
    for _ in 0..<max(0, 0 &- decimal.pointPosition) { append(0x30, &end) }
    while index < decimal.count {
      append(decimal.digits[index], &end)
      index &+= 1
    }
  }

  private static func writeExponential(
    _ decimal: DecimalDigits, _ exponent: Int, _ end: inout UnsafeMutablePointer<UInt8>
  ) {
    append(decimal.digits[0], &end)
    append(UInt8(ascii: "."), &end)
    if decimal.count == 1 { append(0x30, &end) }
    for index in 1..<max(decimal.count, 1) { append(decimal.digits[index], &end) }
    append(UInt8(ascii: "e"), &end)
    append(exponent < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"), &end)
    let magnitude = UInt64(exponent.magnitude)
    if magnitude < 10 { append(0x30, &end) }
    end += write(magnitude, to: end)
  }
}
