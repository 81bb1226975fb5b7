@testable import MartletEngine
import Testing

@Suite("Key filter") struct KeyFilterTests {
  private func filter(_ collation: Collation, columns: Int = 1) throws -> KeyFilter {
    let column = KeyInfo.Column(collation: collation, isDescending: false, hasBigNulls: false)
    return try KeyFilter(
      keyInfo: KeyInfo(columns: Array(repeating: column, count: columns), encoding: .utf8),
      rowCount: 1_000, budget: WorkMemory(vfs: nil))
  }

  @Test("What was added is never turned down, and few others are let pass")
  func integers() throws {
    let filter = try filter(.binary)
    var register = Register()
    for value in 0..<1_000 {
      register.setInteger(Int64(value * 7))
      try filter.add(&register)
    }
    var passed = 0
    for value in 0..<7_000 {
      register.setInteger(Int64(value))
      let mayContain = try filter.mayContain(&register)
      if value % 7 == 0 { #expect(mayContain) } else if mayContain { passed += 1 }
    }
    #expect(passed < 600)
  }

  @Test("A real that is a whole number is that integer, and 0.0 is -0.0")
  func reals() throws {
    let filter = try filter(.binary)
    var register = Register()
    for value in [3, 0, 1 << 53] as [Int64] {
      register.setInteger(value)
      try filter.add(&register)
    }
    for value in [3.0, 0.0, -0.0, 9_007_199_254_740_992.0] {
      register.setReal(value)
      #expect(try filter.mayContain(&register))
    }
    register.setReal(3.5)
    #expect(try !filter.mayContain(&register))
  }

  @Test(
    "A word for eight rows, within bounds",
    arguments: [(0, 128), (1_024, 128), (1_025, 256), (1 << 40, 1 << 17), (.max, 1 << 17)]
      as [(Int, Int)])
  func size(_ rowCount: Int, _ wordCount: Int) {
    #expect(KeyFilter.wordCount(rowCount: rowCount) == wordCount)
  }
}
