import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// A transaction over two files with savepoints and spilled pages, in which call n of the operating
/// system fails.
@Suite struct TransactionFaultTests {
  private static let script = [
    "BEGIN", "INSERT INTO t SELECT a + 100, b FROM t", "SAVEPOINT s",
    "UPDATE aux.t SET b = b || 'and so much more that pages overflow'",
    "DELETE FROM t WHERE a % 3 = 0", "ROLLBACK TO s", "UPDATE aux.t SET a = a + 1000",
    "DELETE FROM t WHERE a % 7 = 0", "RELEASE s", "COMMIT",
  ]

  private func open(_ directory: TemporaryDirectory, vfs: String) throws -> Connection {
    let connection = try Connection(
      path: "file:\(directory("a.db"))?vfs=\(vfs)", flags: [.default, .uri])
    // The other file is opened by the same VFS.
    try connection.execute("ATTACH '\(directory("b.db"))' AS aux")
    for tree in connection.databases.compactMap(\.tree) { tree.pager.setCacheSize(10) }
    return connection
  }

  private func make(_ directory: TemporaryDirectory) throws {
    for name in ["a.db", "b.db"] {
      let connection = try Connection(path: directory(name))
      _ = try connection.databases[0].tree?.pager.setPageSize(512)
      try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b); BEGIN")
      for number in 1...60 {
        try connection.execute("INSERT INTO t VALUES (\(number), hex(zeroblob(\(number))))")
      }
      try connection.execute("COMMIT")
    }
  }

  private func state(_ connection: Connection) throws -> [String] {
    try connection.rows(
      """
      SELECT count(*), sum(a), sum(length(b)) FROM t UNION ALL
      SELECT count(*), sum(a), sum(length(b)) FROM aux.t
      """)
  }

  @Test(arguments: [false, true])
  func `a failing call leaves the old or the new state, and work goes on`(
    isLasting: Bool
  ) throws {
    let original = try TemporaryDirectory()
    try make(original)
    let name = "transaction-fault-\(isLasting)"
    let vfs = FaultVFS(PosixVFS(), name: name)
    VFSRegistry.register(vfs, asDefault: false)
    defer { VFSRegistry.unregister(vfs) }
    var outcomes: Set<[String]> = []
    var number = 1
    var hasFailed = true
    while hasFailed {
      let directory = try TemporaryDirectory()
      for file in ["a.db", "b.db"] {
        try FileManager.default.copyItem(atPath: original(file), toPath: directory(file))
      }
      let connection = try open(directory, vfs: name)
      let old = try state(connection)
      vfs.fail(Set(FaultVFS.Call.allCases), at: number, isLasting: isLasting)
      for sql in Self.script where connection.failure(sql) != nil { break }
      hasFailed = vfs.stopFailing() > 0
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      let found = try state(connection)
      outcomes.formUnion([old, found])
      #expect(outcomes.count <= 2, "call \(number)")
      #expect(try state(try open(directory, vfs: "unix")) == found, "call \(number)")
      try connection.execute("BEGIN; DELETE FROM t; DELETE FROM aux.t; COMMIT")
      #expect(try connection.integer("SELECT count(*) FROM t, aux.t") == 0)
      #expect(connection.transactionState() == .some(.none))
      number += 1
    }
    #expect(outcomes.count == 2)
    #expect(number > 40)
  }
}
