// Conversion between binary floating point and decimal with integer arithmetic only.
//
// Both directions multiply a 64-bit mantissa by a power of ten of 96 bits from `PowerOfTen`, to the
// same bits as SQLite. Decimal to binary is nearly always correctly rounded; some numbers that lie
// within 2^-90 of the middle between two doubles are not. Binary to decimal gives 17 to 19 digits
// computed with 64 bits of the power, which is what SQLite shows (floatingpoint §1.3).

enum BinaryDecimal {
  /// `mantissa * 10^exponent` as a double, ties to even.
  static func double(_ mantissa: UInt64, exponent: Int) -> Double {
    // Where both operands are exact, the one operation rounds correctly; and no quotient by a power
    // below 10^12 comes so near to a tie that 96 bits would go wrong.
    if mantissa <= 1 << 53 && exponent >= -11 && exponent <= 22 {
      return exponent < 0
        ? Double(mantissa) / smallPowers[0 &- exponent]
        : Double(mantissa) * smallPowers[exponent]
    }
    if mantissa == 0 || exponent < PowerOfTen.smallestExponent { return 0 }
    if exponent > PowerOfTen.largestExponent { return .infinity }
    return scaled(mantissa, exponent)
  }

  private static let smallPowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Computes the 53 bits of the double and two more: the half, and one for all the rest.
  private static func scaled(_ mantissa: UInt64, _ exponent: Int) -> Double {
    let leadingZeros = mantissa.leadingZeroBitCount
    let powerLog = PowerOfTen.floorLog2(exponent)
    // The double's last bit is worth 2^-scale.
    var scale = leadingZeros &- 11 &- powerLog
    if scale > 1074 {
      if scale >= 1130 { return 0 }
      scale = 1074
    }
    let shift = UInt64(leadingZeros &- scale &- powerLog &- 3)
    var bits = product(mantissa << UInt64(leadingZeros), PowerOfTen.leadingBits(exponent), shift)
    if bits >= 1 << 55 &- 2 {
      bits = bits >> 1 | bits & 1
      scale &-= 1
    }
    let rounded = (bits &+ 1 &+ (bits >> 2 & 1)) >> 2
    if scale <= -972 { return .infinity }
    if rounded < 1 << 52 { return Double(bitPattern: rounded) }
    return Double(bitPattern: rounded & (1 << 52 &- 1) | UInt64(1075 &- scale) << 52)
  }

  /// The leading bits of a product, without the last `shift` of 64; the lowest one tells whether
  /// anything but zeros was left out.
  @inline(__always)
  private static func product(
    _ factor: UInt64, _ power: (high: UInt64, low: UInt32), _ shift: UInt64
  ) -> UInt64 {
    // Multiplied by the power's high half plus one; what this is too much counts only where the
    // bits that `shift` drops are all zeros.
    let isLong = power.low != 0
    let upper = factor.multipliedFullWidth(by: isLong ? power.high &+ 1 : power.high)
    guard upper.high & (1 << shift &- 1) == 0 else { return upper.high >> shift | 1 }
    let excess = isLong ? UInt64(~power.low) << 32 : 0
    let middle = UInt32(truncatingIfNeeded: upper.low >> 32)
    let subtracted = UInt32(
      truncatingIfNeeded: factor.multipliedFullWidth(by: excess).high >> 32)
    let high = upper.high &- (middle < subtracted ? 1 : 0)
    return high >> shift | (middle &- subtracted > 1 ? 1 : 0)
  }

  /// `requested` to `requested + 1` decimal digits of a positive finite number, as an integer, and
  /// the power of ten that it is to be multiplied by. 18 digits are rounded, fewer are cut off.
  static func digits(of value: Double, requested: Int) -> (digits: UInt64, exponent: Int) {
    assert(value > 0 && value.isFinite && requested >= 1 && requested <= 18)
    var mantissa = value.bitPattern & ((1 << 52) &- 1)
    var binaryExponent = Int(value.bitPattern >> 52)
    if binaryExponent == 0 {
      let shift = mantissa.leadingZeroBitCount
      mantissa <<= UInt64(shift)
      binaryExponent = -1074 &- shift
    } else {
      mantissa = mantissa << 11 | 1 << 63
      binaryExponent &-= 1086
    }
    let power = requested &- 1 &- PowerOfTen.floorLog10(ofPowerOfTwo: binaryExponent &+ 63)
    let product = mantissa.multipliedFullWidth(by: PowerOfTen.leadingBits(power).high).high
    let shift = -(binaryExponent &+ PowerOfTen.floorLog2(power) &+ 1)
    if requested == 18 {
      let doubled = product >> UInt64(shift &- 1)
      return ((doubled >> 1) &+ (doubled & 1), 0 &- power)
    }
    return (product >> UInt64(shift), 0 &- power)
  }
}
