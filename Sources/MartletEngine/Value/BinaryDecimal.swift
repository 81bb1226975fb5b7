// Conversion between binary floating point and decimal with integer arithmetic only.
//
// Both directions multiply a 64-bit mantissa by a power of ten from `PowerOfTen`. Decimal to binary
// is correctly rounded: where 128 bits of the power cannot decide, big integers do. Binary to
// decimal gives 17 to 19 digits computed with 64 bits of the power, which is what SQLite shows
// (floatingpoint §1.3).

enum BinaryDecimal {
  /// `mantissa * 10^exponent`, rounded to the nearest double, ties to even.
  static func double(_ mantissa: UInt64, exponent: Int) -> Double {
    if mantissa <= 1 << 53 && exponent >= -22 && exponent <= 22 {
      // Both operands are exact, so the one operation rounds correctly.
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

  private static func scaled(_ mantissa: UInt64, _ exponent: Int) -> Double {
    let leadingZeros = mantissa.leadingZeroBitCount
    let power = PowerOfTen.leadingBits(exponent)
    let normalized = mantissa << UInt64(leadingZeros)
    let upper = normalized.multipliedFullWidth(by: power.high)
    let lower = normalized.multipliedFullWidth(by: power.low)
    var (middle, carry) = upper.low.addingReportingOverflow(lower.high)
    var top = upper.high &+ (carry ? 1 : 0)
    // The value is top:middle:rest * 2^(binaryExponent - 128).
    var binaryExponent = PowerOfTen.floorLog2(exponent) &- leadingZeros &+ 1
    var rest = lower.low
    if top >> 63 == 0 {
      top = top << 1 | middle >> 63
      middle = middle << 1 | rest >> 63
      rest <<= 1
      binaryExponent &-= 1
    }
    let subnormalShift = max(0, -1022 &- (63 &+ binaryExponent))
    let keptBits = 53 &- subnormalShift
    if keptBits < 0 { return 0 }
    let droppedBits = 64 &- keptBits
    var kept = keptBits == 0 ? 0 : top >> UInt64(droppedBits)
    let fraction = keptBits == 0 ? top : top & ((1 << UInt64(droppedBits)) &- 1)
    let half: UInt64 = 1 << UInt64(droppedBits &- 1)
    let order: Int
    if PowerOfTen.isExact(exponent) {
      let isTie = fraction == half && middle == 0 && rest == 0
      order = isTie ? 0 : (fraction >= half ? 1 : -1)
    } else if (fraction == half && middle == 0) || (fraction == half &- 1 && middle > .max &- 8) {
      order = compareExactly(
        mantissa, exponent, kept << 1 | 1, binaryExponent &+ droppedBits &- 1)
    } else {
      order = fraction >= half ? 1 : -1
    }
    if order > 0 || (order == 0 && kept & 1 == 1) { kept &+= 1 }
    return assemble(kept, binaryExponent &+ droppedBits)
  }

  /// `kept * 2^exponent`, which is representable or overflows.
  private static func assemble(_ kept: UInt64, _ exponent: Int) -> Double {
    if kept == 0 { return 0 }
    var kept = kept, exponent = exponent
    if kept == 1 << 53 {
      kept >>= 1
      exponent &+= 1
    }
    if kept < 1 << 52 { return Double(bitPattern: kept) }
    let biased = exponent &+ 1075
    if biased >= 2047 { return .infinity }
    return Double(bitPattern: UInt64(biased) << 52 | (kept & ((1 << 52) &- 1)))
  }

  /// Order of `mantissa * 10^exponent` and `other * 2^binaryExponent`, with big integers.
  @inline(never)
  private static func compareExactly(
    _ mantissa: UInt64, _ exponent: Int, _ other: UInt64, _ binaryExponent: Int
  ) -> Int {
    var left = WideInteger(mantissa), right = WideInteger(other)
    if exponent >= 0 { left.multiplyByPowerOfTen(exponent) }
    if exponent < 0 { right.multiplyByPowerOfTen(0 &- exponent) }
    if binaryExponent >= 0 { right.shiftLeft(binaryExponent) }
    if binaryExponent < 0 { left.shiftLeft(0 &- binaryExponent) }
    return left.compare(right)
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

/// A nonnegative integer of up to 1,600 bits: as many as comparing a decimal with a double needs.
private struct WideInteger {
  private var words: [UInt64]

  init(_ value: UInt64) {
    words = [value]
    words.reserveCapacity(25)
  }

  mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in words.indices {
      let product = words[index].multipliedFullWidth(by: factor)
      let (sum, overflow) = product.low.addingReportingOverflow(carry)
      words[index] = sum
      carry = product.high &+ (overflow ? 1 : 0)
    }
    if carry != 0 { words.append(carry) }
  }

  mutating func multiplyByPowerOfTen(_ exponent: Int) {
    for _ in 0..<(exponent / 19) { multiply(by: 10_000_000_000_000_000_000) }
    for _ in 0..<(exponent % 19) { multiply(by: 10) }
  }

  mutating func shiftLeft(_ bitCount: Int) {
    for _ in 0..<(bitCount / 63) { multiply(by: 1 << 63) }
    multiply(by: 1 << UInt64(bitCount % 63))
  }

  func compare(_ other: WideInteger) -> Int {
    if words.count != other.words.count { return words.count < other.words.count ? -1 : 1 }
    for index in words.indices.reversed() where words[index] != other.words[index] {
      return words[index] < other.words[index] ? -1 : 1
    }
    return 0
  }
}
