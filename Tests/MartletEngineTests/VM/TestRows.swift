@testable import MartletEngine

/// A generator with a seed, so that a failing run can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_f491_4f6c_dd1d
  }
}

enum TestRows {
  /// Values of every class, many of them equal or nearly so.
  static func value(_ generator: inout SeededGenerator) -> TestValue {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return .null
    case 1...3: return .integer(Int64.random(in: -5...5, using: &generator))
    case 4: return .integer(Int64(bitPattern: generator.next()))
    case 5: return .integer((1 << 53) + Int64.random(in: -3...3, using: &generator))
    case 6: return .real(Double(Int.random(in: -5...5, using: &generator)))
    case 7: return .real(Double(Int.random(in: -50...50, using: &generator)) / 4)
    case 8: return .real(9_007_199_254_740_992)
    case 9, 10:
      let words = [
        "", "a", "A", "a ", "ab", "Ab", "abc  ", "b", "a\0", "A\0x", "a\0y", "longer text",
      ]
      let word = words.randomElement(using: &generator) ?? ""
      return .text(Bool.random(using: &generator) ? word : word + "-longer-than-eight-bytes")
    default:
      let count = Int.random(in: 0...3, using: &generator)
      return .blob((0..<count).map { _ in UInt8.random(in: 0...2, using: &generator) })
    }
  }

  static func rows(_ count: Int, width: Int, seed: UInt64) -> [[TestValue]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in (0..<width).map { _ in value(&generator) } }
  }

  static func column(
    _ collation: Collation = .binary, descending: Bool = false, bigNulls: Bool = false
  ) -> KeyInfo.Column {
    KeyInfo.Column(collation: collation, isDescending: descending, hasBigNulls: bigNulls)
  }

  /// Orders texts by their length only.
  static let byLength = Collation(name: "BYLENGTH", encoding: .utf8) { $0.count - $1.count }

  /// Compares keys of the first columns, value by value: the order that everything is measured by.
  static func compare(_ left: [TestValue], _ right: [TestValue], _ keyInfo: KeyInfo) throws -> Int {
    for (index, column) in keyInfo.columns.prefix(keyInfo.keyColumnCount).enumerated() {
      let order = try with([left[index], right[index]]) {
        try Comparison.compare($0, $0 + 1, column.collation, .utf8)
      }
      if order == 0 { continue }
      let hasNull = left[index] == .null || right[index] == .null
      let turned = column.isDescending != (column.hasBigNulls && hasNull)
      return turned ? -order : order
    }
    return 0
  }

  /// A stable sort by that order.
  static func sorted(_ rows: [[TestValue]], by keyInfo: KeyInfo) throws -> [[TestValue]] {
    // Insertion by binary search behind equal rows.
    var result: [[TestValue]] = []
    for row in rows {
      var low = 0, high = result.count
      while low < high {
        let middle = (low + high) / 2
        let isBehind = try compare(result[middle], row, keyInfo) <= 0
        if isBehind { low = middle + 1 } else { high = middle }
      }
      result.insert(row, at: low)
    }
    return result
  }

  /// The columns of a stored row.
  static func values(_ row: UnsafeRawPointer, _ columnCount: Int) -> [TestValue] {
    let registers = TestRegisters(count: max(1, columnCount))
    return withExtendedLifetime(registers) {
      StoredRow.read(row, columnCount: columnCount, into: registers.pointer)
      return (0..<columnCount).map { registers[$0] }
    }
  }

  /// Calls `body` with the values in registers, which live as long.
  static func with<Result>(
    _ values: [TestValue], _ body: (UnsafeMutablePointer<Register>) throws -> Result
  ) throws -> Result {
    let registers = try TestRegisters(values)
    return try withExtendedLifetime(registers) { try body(registers.pointer) }
  }

  /// Work memory that is exceeded after some kilobytes, with files in memory.
  static func memory(limit: Int = WorkMemory.defaultLimit) -> WorkMemory {
    WorkMemory(limit: limit, vfs: MemoryVFS())
  }
}
