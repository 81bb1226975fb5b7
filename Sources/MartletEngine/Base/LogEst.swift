/// An estimate as ten times its logarithm to base 2: 1 is 0, 2 is 10, 1000 is 99, a half is -10
/// (SQLite's LogEst).
///
/// Estimates come from statistics that a file has, from `likelihood()` and from virtual tables of the
/// program, and are added once for each term and each table: sums stay at the ends of what the type
/// can hold instead of passing them.
struct LogEst: Comparable, Hashable, BitwiseCopyable, ExpressibleByIntegerLiteral {
  private let tenths: Int16

  /// The estimate of a count; of nothing as of one.
  init(count: UInt64) {
    guard count >= 8 else {
      self = LogEst.ofSmallCounts[Int(count)]
      return
    }
    // The highest four bits: the first is the exponent's, three decide the fraction.
    let exponent = 63 - count.leadingZeroBitCount
    let fraction = LogEst.fractions[Int((count >> UInt64(exponent - 3)) & 7)]
    tenths = Int16(truncatingIfNeeded: exponent * 10) &+ fraction
  }

  /// The estimate of a real number, which may be infinite or none; 1 for what is less.
  init(real: Double) {
    if real <= 1 {
      self = 0
    } else if real <= 2_000_000_000 {
      self.init(count: UInt64(real))
    } else {
      let exponent = Int(real.bitPattern >> 52 & 0x7ff) - 1022
      self.init(clamping: exponent * 10)
    }
  }

  init(integerLiteral value: Int16) { tenths = value }

  private init(clamping value: Int) { tenths = Int16(clamping: value) }

  static let lowest: LogEst = -32768

  /// As a plain number, for operands of instructions.
  var rawValue: Int { Int(tenths) }

  static func < (left: LogEst, right: LogEst) -> Bool { left.tenths < right.tenths }

  /// The product of the numbers that are estimated.
  @inline(__always)
  static func + (left: LogEst, right: LogEst) -> LogEst {
    LogEst(clamping: Int(left.tenths) &+ Int(right.tenths))
  }

  /// Their quotient.
  @inline(__always)
  static func - (left: LogEst, right: LogEst) -> LogEst {
    LogEst(clamping: Int(left.tenths) &- Int(right.tenths))
  }

  @inline(__always)
  static func += (left: inout LogEst, right: LogEst) { left = left + right }

  @inline(__always)
  static func -= (left: inout LogEst, right: LogEst) { left = left - right }

  /// `factor` times the ratio of two sizes, as SQLite prices an entry of an index: of their
  /// logarithms, not of the sizes.
  static func cost(_ factor: Int, times size: LogEst, over whole: LogEst) -> LogEst {
    LogEst(clamping: factor * size.rawValue / max(1, whole.rawValue))
  }

  /// The estimate of the sum of two estimated numbers.
  static func sum(_ left: LogEst, _ right: LogEst) -> LogEst {
    let larger = max(left, right), difference = larger.rawValue - min(left, right).rawValue
    if difference > 49 { return larger }
    if difference > 31 { return larger + 1 }
    return larger + sumIncrements[difference]
  }

  /// What is left of the rows when a pattern asks for `length` bytes.
  func lowered(byPatternOf length: Int) -> LogEst { self - LogEst(clamping: 2 * min(length, 500)) }

  /// The estimate of the logarithm of an estimated number.
  var logarithm: LogEst { tenths <= 10 ? 0 : LogEst(count: UInt64(tenths)) - 33 }

  /// About the number that is estimated (SQLite's sqlite3LogEstToInt).
  var count: UInt64 {
    guard tenths >= 0 else { return 0 }
    let tens = tenths / 10
    var fraction = UInt64(tenths % 10)
    fraction -= fraction >= 5 ? 2 : fraction >= 1 ? 1 : 0
    if tens > 60 { return UInt64(Int64.max) }
    return tens >= 3 ? (fraction + 8) << UInt64(tens - 3) : (fraction + 8) >> UInt64(3 - tens)
  }

  private static let ofSmallCounts: [LogEst] = [0, 0, 10, 16, 20, 23, 26, 28]

  private static let fractions: [Int16] = [0, 2, 3, 5, 6, 7, 8, 9]

  private static let sumIncrements: [LogEst] = [
    10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4,
    4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2,
  ]
}
