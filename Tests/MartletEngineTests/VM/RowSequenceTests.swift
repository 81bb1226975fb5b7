import Testing

@testable import MartletEngine

struct RowSequenceTests {
  /// In memory, and with a budget that sends nearly all chunks to a file.
  @Test(arguments: [WorkMemory.defaultLimit, 4_000], [1, 7, 400])
  func `readers find rows by number while rows are added and dropped`(
    limit: Int, kept: Int
  ) throws {
    var random = SeededGenerator(seed: UInt64(kept))
    let sequence = RowSequence(columnCount: 3, budget: TestRows.memory(limit: limit))
    let readers = (0..<3).map { _ in SequenceReader(sequence) }
    for partition in 0..<3 {
      let rows = TestRows.rows(1_500, width: 3, seed: UInt64(partition + 1))
      var first = 0
      for (number, row) in rows.enumerated() {
        try TestRows.with(row) { try sequence.append($0, group: number / 4) }
        first = max(first, number - kept)
        sequence.drop(before: first)
        for reader in readers {
          let wanted = Int.random(in: first...number, using: &random)
          let found = try #require(try reader.row(wanted))
          #expect(TestRows.values(found, 3) == rows[wanted])
          #expect(SequenceReader.group(of: found) == wanted / 4)
          // One further, as places mostly go.
          if wanted < number {
            let next = try #require(try reader.row(wanted + 1))
            #expect(TestRows.values(next, 3) == rows[wanted + 1])
          }
        }
        #expect(try readers[0].row(number + 1) == nil)
        #expect(try readers[1].row(-1) == nil)
      }
      sequence.removeAll()
      for reader in readers { reader.reset() }
      #expect(sequence.count == 0)
      #expect(try readers[2].row(0) == nil)
    }
  }
}
