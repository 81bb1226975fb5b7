/// An estimate as ten times its logarithm to base 2: 1 is 0, 2 is 10, 1000 is 99 (SQLite's LogEst).
typealias LogEst = Int16

extension LogEst {
  /// The estimate of a count.
  static func of(_ count: UInt64) -> LogEst {
    if count < 2 { return count == 0 ? 0 : 0 }
    let fraction: [LogEst] = [0, 2, 3, 5, 6, 7, 8, 9]
    var value = count
    var estimate: LogEst = 40
    if value < 8 {
      while value < 8 {
        estimate -= 10
        value <<= 1
      }
    } else {
      while value > 255 {
        estimate += 40
        value >>= 4
      }
      while value > 15 {
        estimate += 10
        value >>= 1
      }
    }
    return fraction[Int(value & 7)] + estimate - 10
  }

  /// The estimate of the sum of two estimated numbers.
  static func sum(_ left: LogEst, _ right: LogEst) -> LogEst {
    let larger = Swift.max(left, right), difference = larger - Swift.min(left, right)
    if difference > 49 { return larger }
    if difference > 31 { return larger + 1 }
    return larger + sumIncrements[Int(difference)]
  }

  private static let sumIncrements: [LogEst] = [
    10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4,
    4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2,
  ]

  /// The estimate of a positive real number.
  static func of(real: Double) -> LogEst {
    if real <= 1 { return 0 }
    if real <= 2_000_000_000 { return of(UInt64(real)) }
    return LogEst(real.exponent) * 10
  }
}
