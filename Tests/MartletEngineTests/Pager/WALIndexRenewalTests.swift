import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// An index of the log that somebody has made invalid is made anew from the log.
@Suite struct WALIndexRenewalTests {
  private static let sum = "SELECT count(*), total(a), total(length(b)) FROM t"

  /// What is done to the index between two transactions.
  enum Harm: CaseIterable {
    /// As a VFS does that replicates: one byte of each copy of the header.
    case version
    /// The header of an earlier commit, or of a log that was started again since.
    case earlierHeader
    case firstCopy
    case noHeader
    /// An entry is missing.
    case entry
  }

  @Test(arguments: 0..<24) func `every connection sees what was committed`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let directory = try TemporaryDirectory()
    let writer = try Connection(path: directory("x.db"))
    try writer.execute(
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
      PRAGMA synchronous = off; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)
      """)
    let reader = try Connection(path: directory("x.db"))
    let shm = try #require(FileHandle(forUpdatingAtPath: directory("x.db-shm")))
    var earlier: [Data] = []
    for step in 0..<40 {
      try writer.execute(Self.change(step, &random))
      let expected = try writer.rows(Self.sum)
      let header = try Self.read(shm, at: 0, 96)
      if Int.random(in: 0..<3, using: &random) == 0 { earlier.append(header) }
      if let harm = Harm.allCases.randomElement(using: &random) {
        try Self.harm(shm, harm, header, earlier.randomElement(using: &random), &random)
      }
      let newcomer = try Connection(path: directory("x.db"))
      #expect(try newcomer.rows(Self.sum) == expected)
      #expect(try reader.rows(Self.sum) == expected)
      #expect(try writer.rows(Self.sum) == expected)
      if step % 8 == 0 { #expect(try newcomer.rows("PRAGMA integrity_check") == ["ok"]) }
    }
  }

  private static func change(_ step: Int, _ random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: "DELETE FROM t WHERE id % 5 = \(step % 5)"
    case 1: "UPDATE t SET b = b || 'more', a = a + 1 WHERE id % 3 = \(step % 3)"
    case 2: "PRAGMA wal_checkpoint(RESTART); INSERT INTO t(a, b) VALUES (\(step), 'restarted')"
    case 3: step % 2 == 0 ? "PRAGMA wal_checkpoint(TRUNCATE)" : "PRAGMA wal_checkpoint(PASSIVE)"
    case 4: "BEGIN; UPDATE t SET a = -a; ROLLBACK; INSERT INTO t(a, b) VALUES (1, 'x')"
    default:
      """
      WITH RECURSIVE n(i) AS (
        SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Int.random(in: 1..<60, using: &random)))
      INSERT INTO t(a, b) SELECT i, hex(zeroblob(i)) FROM n
      """
    }
  }

  private static func harm(
    _ shm: FileHandle, _ harm: Harm, _ header: Data, _ earlier: Data?,
    _ random: inout SeededGenerator
  ) throws {
    var header = header
    switch harm {
    case .version: break
    case .earlierHeader: header = earlier ?? header
    case .firstCopy: header.replaceSubrange(0..<48, with: Data(count: 48))
    case .noHeader: header = Data(count: 96)
    case .entry:
      let frame = UInt64.random(in: 0..<40, using: &random)
      try write(shm, Data(count: 4), at: 136 + 4 * frame)
    }
    header[0] = 1
    header[48] = 0
    try write(shm, header, at: 0)
  }

  private static func read(_ file: FileHandle, at offset: UInt64, _ count: Int) throws -> Data {
    try file.seek(toOffset: offset)
    return try #require(try file.read(upToCount: count))
  }

  private static func write(_ file: FileHandle, _ bytes: Data, at offset: UInt64) throws {
    try file.seek(toOffset: offset)
    try file.write(contentsOf: bytes)
  }
}
