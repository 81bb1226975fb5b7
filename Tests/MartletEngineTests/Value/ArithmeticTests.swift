import Testing

@testable import MartletEngine

@Suite struct ArithmeticTests {
  private func compute(_ operation: Arithmetic.Operation, _ left: Int64, _ right: Int64)
    -> Register
  {
    var cells = [Register(), Register(), Register()]
    cells[0].setInteger(left)
    cells[1].setInteger(right)
    cells.withUnsafeMutableBufferPointer {
      guard let base = $0.baseAddress else { return }
      Arithmetic.compute(operation, base, base + 1, into: base + 2, encoding: .utf8)
    }
    return cells[2]
  }

  @Test func `integer overflow gives a real`() {
    #expect(compute(.add, .max, 1).real == 9.223372036854775808e18)
    #expect(compute(.multiply, .max, 2).tag == .real)
    #expect(compute(.divide, .min, -1).real == 9.223372036854775808e18)
    #expect(compute(.add, .max, 0).tag == .integer)
  }

  @Test func `division by zero gives NULL`() {
    #expect(compute(.divide, 1, 0).isNull)
    #expect(compute(.remainder, 1, 0).isNull)
    #expect(compute(.remainder, .min, -1).integer == 0)
  }

  @Test(arguments: [
    (Int64(1), Int64(64), Int64(0)), (-1, 64, 0), (1, -1, 0), (-8, -1, -4), (-1, -70, -1),
    (1, 63, .min), (5, .min, 0), (-5, .min, -1),
  ])
  func `shifts take any count, negative ones go the other way`(
    value: Int64, count: Int64, result: Int64
  ) {
    var cells = [Register(), Register(), Register()]
    cells[0].setInteger(value)
    cells[1].setInteger(count)
    cells.withUnsafeMutableBufferPointer {
      guard let base = $0.baseAddress else { return }
      Arithmetic.compute(.shiftLeft, base, base + 1, into: base + 2, encoding: .utf8)
    }
    #expect(cells[2].integer == result)
  }
}
