import Testing

@testable import MartletEngine

struct LogEstTests {
  @Test(
    arguments: [
      (0, 0), (1, 0), (2, 10), (3, 16), (5, 23), (7, 28), (8, 30), (9, 32), (15, 39), (16, 40),
      (1000, 99),
      (1 << 32, 320), (UInt64.max, 639),
    ] as [(UInt64, LogEst)])
  func `counts`(count: UInt64, expected: LogEst) {
    #expect(LogEst(count: count) == expected)
  }

  @Test(
    arguments: [
      (-.infinity, 0), (-1, 0), (0.5, 0), (2, 10), (2e9, 308), (3e9, 320), (1e308, 10240),
      (.infinity, 10250), (.nan, 10250),
    ] as [(Double, LogEst)])
  func `real numbers`(number: Double, expected: LogEst) {
    #expect(LogEst(real: number) == expected)
  }

  @Test func `sums stay at the ends`() {
    var low: LogEst = 0, high: LogEst = 0
    for _ in 0..<200 {
      low += -270
      high += 639
    }
    #expect(low == .lowest && high == 32767)
    #expect(high - low == 32767 && low - high == .lowest)
    #expect(LogEst.sum(high, low) == high && LogEst.sum(high, high) == high)
    #expect(LogEst.cost(15, times: high, over: 0) == 32767)
    #expect(high.logarithm == 116 && low.logarithm == 0)
    #expect(low.count == 0 && high.count == UInt64(Int64.max))
  }
}
