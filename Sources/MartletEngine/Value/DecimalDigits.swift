/// The decimal digits of a double, rounded for display (floatingpoint §1.3).
///
/// The value is 0.d1d2d3… * 10^pointPosition. Digits are ASCII, without trailing zeros; zero has
/// the single digit 0.
struct DecimalDigits {
  enum Kind: UInt8 { case finite, infinite, notANumber }

  /// Space that `digits` needs: 19 digits and one that rounding can put in front.
  static let bufferSize = 24

  var kind = Kind.finite
  var isNegative = false
  var count = 0
  /// How many digits stand before the decimal point; may be negative.
  var pointPosition = 0
  var digits: UnsafeMutablePointer<UInt8>

  /// Rounds to `roundingTo` significant digits, or if that is not positive, to its negation in
  /// digits after the point; never to more than `maximumDigits` significant ones.
  init(
    _ value: Double, roundingTo: Int, maximumDigits: Int, buffer: UnsafeMutablePointer<UInt8>
  ) {
    digits = buffer + 1
    if value == 0 {
      digits[0] = 0x30
      count = 1
      pointPosition = 1
      return
    }
    isNegative = value < 0
    guard value.isFinite else {
      kind = value.isNaN ? .notANumber : .infinite
      return
    }
    let requested = roundingTo <= 0 || roundingTo >= 18 ? 18 : roundingTo &+ 1
    let (all, exponent) = BinaryDecimal.digits(of: value.magnitude, requested: requested)
    writeDigits(all)
    pointPosition = count &+ exponent
    round(to: roundingTo, maximumDigits, value.magnitude, exponent)
    while count > 1 && digits[count &- 1] == 0x30 { count &-= 1 }
  }

  private mutating func writeDigits(_ all: UInt64) {
    var rest = all
    count = DecimalDigits.digitCount(all)
    var index = count
    while index > 0 {
      index &-= 1
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      digits[index] = 0x30 &+ UInt8(truncatingIfNeeded: remainder)
      rest = quotient
    }
  }

  private mutating func round(
    to roundingTo: Int, _ maximumDigits: Int, _ value: Double, _ exponent: Int
  ) {
    var kept = roundingTo
    if kept <= 0 {
      kept = pointPosition &- kept
      if kept == 0 && digits[0] >= 0x35 {
        // 0.6 rounded to no digits: a leading zero takes the carry.
        digits -= 1
        digits[0] = 0x30
        count &+= 1
        pointPosition &+= 1
        kept = 1
      }
    }
    guard kept > 0 && (kept < count || count > maximumDigits) else { return }
    kept = min(kept, maximumDigits)
    if kept >= count { return }
    if kept == 17 { kept = shorterCount(value, exponent) ?? 17 }
    let roundsUp = digits[kept] >= 0x35
    count = kept
    if roundsUp { increment() }
  }

  /// Adds one to the last digit.
  private mutating func increment() {
    var index = count &- 1
    while index >= 0 {
      if digits[index] != 0x39 {
        digits[index] &+= 1
        return
      }
      digits[index] = 0x30
      index &-= 1
    }
    digits -= 1
    digits[0] = 0x31
    count &+= 1
    pointPosition &+= 1
  }

  /// Where digits 15 and on are nines or zeros: the count of digits that give `value` when read
  /// back, so that 47.49 is not shown as 47.490000000000002.
  private func shorterCount(_ value: Double, _ exponent: Int) -> Int? {
    var length = 14
    var isUp: UInt64 = 0
    if digits[14] == 0x39 && digits[15] == 0x39 {
      while length > 0 && digits[length &- 1] == 0x39 { length &-= 1 }
      isUp = 1
    } else if digits[14] == 0x30 && digits[13] == 0x30
      && (digits[15] == 0x30 || pointPosition >= count)
    {
      while length > 1 && digits[length &- 1] == 0x30 { length &-= 1 }
    } else {
      return nil
    }
    var candidate: UInt64 = 0
    for index in 0..<length { candidate = candidate &* 10 &+ UInt64(digits[index] &- 0x30) }
    let reread = BinaryDecimal.double(
      candidate &+ isUp, exponent: exponent &+ count &- length)
    return reread == value ? length &+ 1 : nil
  }

  /// How many decimal digits a positive integer has.
  @inline(__always)
  static func digitCount(_ value: UInt64) -> Int {
    if value < 10 { return 1 }
    // 1233/4096 approximates log10(2); the estimate is at most one too small.
    let estimate = ((64 &- value.leadingZeroBitCount) &* 1233) >> 12
    return value >= powersOfTen[estimate] ? estimate &+ 1 : estimate
  }

  static let powersOfTen: [UInt64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}
