import TestSupport
import Testing

@testable import MartletEngine

@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct CursorWriteTests {
  private func filled(_ rowCount: Int64, seed: UInt64 = 7) throws -> WritableDatabase {
    let database = try WritableDatabase(pageSize: 512, autoVacuum: 0, seed: seed)
    try database.write {
      for rowid in 1...rowCount {
        try database.insert(rowid, [UInt8](repeating: UInt8(rowid % 251), count: Int(rowid % 60)))
      }
    }
    return database
  }

  @Test(arguments: [1, 2, 3, 7])
  func `a loop that deletes what it is on sees every row once`(stride: Int64) throws {
    let database = try filled(600)
    try database.write {
      var seen: [Int64] = []
      var hasRow = try database.table.moveToFirst()
      while hasRow {
        let rowid = try database.table.rowid()
        seen.append(rowid)
        if rowid % stride == 0 {
          try database.table.delete(keepsPosition: true)
          #expect(try database.table.restoreIsLost())
        }
        hasRow = try database.table.next()
      }
      #expect(seen == Array(1...600))
      hasRow = try database.table.moveToLast()
      var left: [Int64] = []
      while hasRow {
        left.append(try database.table.rowid())
        try database.table.delete(keepsPosition: true)
        hasRow = try database.table.previous()
      }
      #expect(left == (1...600).filter { $0 % stride != 0 }.reversed())
      #expect(try !database.table.moveToFirst())
    }
  }

  @Test func `an index loop keeps its place while others change the tree`() throws {
    let database = try filled(400)
    try database.write {
      let reader = Cursor(
        tree: database.tree, root: database.index.root, keyInfo: database.index.keyInfo)
      defer { reader.close() }
      var hasEntry = try reader.moveToFirst()
      var seen: Set<Int64> = []
      while hasEntry {
        let rowid = try reader.indexRowid()
        #expect(seen.insert(rowid).inserted)
        // The row itself, and one that comes later or was seen already.
        try database.delete(rowid)
        try database.delete(401 - rowid)
        #expect(try reader.restoreIsLost())
        let register = TestRegisters(count: 1)
        #expect(try reader.column(0, into: register.pointer))
        #expect(register[0] == .null)
        hasEntry = try reader.next()
      }
      #expect(seen.count == 200)
      #expect(database.rows.isEmpty)
    }
    try database.expectIntact("all deleted")
  }

  @Test func `rows inserted behind a reader are not seen, those in front are`() throws {
    let database = try filled(200)
    try database.write {
      for rowid in 1...200 as ClosedRange<Int64> where rowid % 2 == 0 { try database.delete(rowid) }
      let reader = Cursor(tree: database.tree, root: database.table.root, keyInfo: nil)
      defer { reader.close() }
      #expect(try reader.moveToFirst())
      var seen: [Int64] = []
      repeat {
        let rowid = try reader.rowid()
        seen.append(rowid)
        if rowid < 200, rowid % 2 == 1 { try database.insert(rowid + 1, [1, 2, 3]) }
        if rowid % 2 == 0 { try database.insert(-rowid, [4]) }
        #expect(try reader.rowid() == rowid)
      } while try reader.next()
      #expect(seen == Array(1...200))
    }
    try database.expectIntact("inserted around a reader")
  }

  @Test func `a rollback trips cursors until they are reset`() throws {
    let database = try filled(50)
    try database.pager.beginRead()
    defer { database.pager.endRead() }
    try database.tree.beginWrite()
    #expect(try database.table.seek(rowid: 10) == 0)
    try database.table.delete()
    #expect(try database.table.seek(rowid: 20) == 0)
    database.index.reset()
    try database.tree.rollback()
    #expect(throws: SQLError(.abortRollback)) { try database.table.rowid() }
    #expect(throws: SQLError(.abortRollback)) { try database.table.next() }
    #expect(throws: SQLError(.abortRollback)) { try database.table.seek(rowid: 10) }
    database.table.reset()
    #expect(try database.table.seek(rowid: 10) == 0)
    database.releaseCursors()
  }

  @Test func `after an insert that keeps its position the cursor is on the new row`() throws {
    let database = try filled(300)
    try database.write {
      let payload: [UInt8] = [2, 9] + [UInt8](repeating: 0, count: 0)
      for rowid in stride(from: Int64(1000), through: 400, by: -1) {
        try database.table.insert(
          rowid: rowid, record: payload, byteCount: payload.count, keepsPosition: true)
        try #require(try database.table.rowid() == rowid)
      }
      for rowid in 1001...1500 as ClosedRange<Int64> {
        try database.table.insert(
          rowid: rowid, record: payload, byteCount: payload.count, keepsPosition: true)
        try #require(try database.table.rowid() == rowid)
      }
      #expect(try database.table.count() == 300 + 1101)
    }
  }
}
