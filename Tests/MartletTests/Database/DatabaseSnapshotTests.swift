import Dispatch
import Martlet
import Testing

@Suite struct DatabaseSnapshotTests {
  @Test func `a snapshot shows the state in which it was made`() throws {
    try withPool { pool throws in
      let snapshot = try pool.makeSnapshot()
      try pool.write { try insertRow($0) }
      #expect(try snapshot.read { try rowCount($0) } == 0)
      let next = try pool.makeSnapshot()
      try pool.write { try $0.execute(sql: "DROP TABLE t") }
      #expect(try snapshot.read { try rowCount($0) } == 0)
      #expect(try next.read { try rowCount($0) } == 1)
      let nested = try next.read { _ in try next.reentrantRead { try rowCount($0) } }
      #expect(nested == 1)
    }
  }

  @Test func `snapshots only read`() throws {
    try withPool { pool throws in
      let snapshot = try pool.makeSnapshot()
      let failure = databaseError { try snapshot.read { try insertRow($0) } }
      #expect(failure?.resultCode == .SQLITE_READONLY)
      try snapshot.close()
      #expect(
        databaseError { try snapshot.read { try rowCount($0) } }?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `snapshots are made in accesses, and when a transaction is committed`() throws {
    try withPool { pool throws in
      let written = try pool.writeWithoutTransaction { db throws in
        try insertRow(db)
        return try pool.makeSnapshot()
      }
      #expect(try written.read { try rowCount($0) } == 1)
      let read = try pool.read { _ in try pool.makeSnapshot() }
      #expect(try read.read { try rowCount($0) } == 1)
      let counts = LockedList()
      try pool.write { db throws in
        try insertRow(db)
        db.afterNextTransaction { _ in
          let count = try? pool.makeSnapshot().read { try rowCount($0) }
          counts.append("\(count ?? -1)")
        }
      }
      #expect(counts.take() == ["2"])
    }
  }

  @Test(arguments: [Database.CheckpointMode.passive, .full, .restart, .truncate])
  func `a checkpoint does not take the state from a snapshot`(
    mode: Database.CheckpointMode
  ) throws {
    try withPool { pool throws in
      try pool.write { try insertRow($0) }
      let snapshot = try pool.makeSnapshot()
      let snapshots = try pool.makeSnapshotPool()
      try pool.write { try insertRow($0) }
      // Checkpoints that want the log for themselves are busy.
      _ = databaseError { try pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) } }
      try pool.write { try insertRow($0) }
      #expect(try snapshot.read { try rowCount($0) } == 1)
      #expect(try snapshots.read { try rowCount($0) } == 1)
    }
  }

  @Test func `asynchronous accesses of a snapshot read its state`() async throws {
    try await withPool { pool async throws in
      let snapshot = try pool.makeSnapshot()
      let snapshots = try pool.makeSnapshotPool()
      try await pool.write { try insertRow($0) }
      #expect(try await snapshot.read { try rowCount($0) } == 0)
      #expect(try await snapshots.read { try rowCount($0) } == 0)
    }
  }
}

@Suite struct DatabaseSnapshotPoolTests {
  @Test func `its connections read one state at the same time`() throws {
    try withPool { pool throws in
      try pool.write { try insertRow($0) }
      let snapshot = try pool.makeSnapshotPool()
      try pool.write { try insertRow($0) }
      let met = DispatchSemaphore(value: 0)
      let answer = DispatchSemaphore(value: 0)
      let readers = [(met, answer), (answer, met)].map { mine, other in
        Running {
          try snapshot.read { db throws in
            mine.signal()
            other.wait()
            return try rowCount(db)
          }
        }
      }
      #expect(try readers.map { try $0.wait() } == [1, 1])
      let nested = try snapshot.read { _ in try snapshot.reentrantRead { try rowCount($0) } }
      #expect(nested == 1)
    }
  }

  @Test func `it is made of what a connection reads`() throws {
    try withPool { pool throws in
      try pool.write { try insertRow($0) }
      let read = try pool.read { try DatabaseSnapshotPool($0) }
      let unsafe = try pool.unsafeRead { try DatabaseSnapshotPool($0) }
      let write = try pool.writeWithoutTransaction { try DatabaseSnapshotPool($0) }
      let path = try DatabaseSnapshotPool(path: pool.path)
      try pool.write { try insertRow($0) }
      for snapshot in [read, unsafe, write, path] {
        #expect(try snapshot.read { try rowCount($0) } == 1)
        // The connection is used again.
        #expect(try snapshot.read { try rowCount($0) } == 1)
      }
      let failure = databaseError {
        try pool.write { db throws in
          try insertRow(db)
          _ = try DatabaseSnapshotPool(db)
        }
      }
      #expect(failure?.resultCode == .SQLITE_ERROR)
    }
  }

  @Test func `it keeps a state that is wholly in the file when the log is started again`() throws {
    try withPool { pool throws in
      for rows in 1...4 {
        try pool.write { try insertRow($0) }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
        let snapshot =
          switch rows {
          case 1: try pool.makeSnapshotPool()
          case 2: try DatabaseSnapshotPool(path: pool.path)
          case 3: try pool.read { try DatabaseSnapshotPool($0) }
          default: try pool.writeWithoutTransaction { try DatabaseSnapshotPool($0) }
          }
        // A writer that finds all of the log in the file starts it again.
        try pool.write { try $0.execute(sql: "CREATE TABLE u\(rows)(a)") }
        #expect(try snapshot.read { try rowCount($0) } == rows)
      }
    }
  }

  @Test func `a database without a log has no snapshots`() throws {
    try withTemporaryPath { path throws in
      let queue = try DatabaseQueue(path: path)
      try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      #expect(
        databaseError { try queue.read { try DatabaseSnapshotPool($0) } }?.resultCode
          == .SQLITE_ERROR)
      #expect(databaseError { try DatabaseSnapshotPool(path: path) }?.resultCode == .SQLITE_ERROR)
    }
  }

  @Test func `a connection that has lost its transaction is not used again`() throws {
    try withPool { pool throws in
      let snapshot = try pool.makeSnapshotPool()
      try pool.write { try insertRow($0) }
      try snapshot.read { db throws in
        #expect(try rowCount(db) == 0)
        try db.commit()
        #expect(try rowCount(db) == 1)
      }
      _ = databaseError { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
      #expect(try snapshot.read { try rowCount($0) } == 0)
      try snapshot.read { db throws in
        try db.commit()
        try db.beginTransaction()
        #expect(try rowCount(db) == 1)
      }
      #expect(try snapshot.read { try rowCount($0) } == 0)
    }
  }
}
