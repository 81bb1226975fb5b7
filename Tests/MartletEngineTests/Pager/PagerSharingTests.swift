import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// A pager and C SQLite at work on one file.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct PagerSharingTests {
  let directory: TemporaryDirectory
  let path: String
  let shell: OracleShell

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("shared.db")
    shell = try OracleShell(path)
    try shell.run(
      """
      pragma user_version = 7; create table t(a);
      insert into t select value from generate_series(1, 5000);
      """)
  }

  func byte(_ offset: Int, ofPage number: UInt32, _ pager: Pager) throws -> UInt8 {
    let page = try pager.page(PageNumber(number))
    defer { pager.unpin(page) }
    return page.pointee.data[offset]
  }

  @Test func `another process's commit is noticed and the cache is dropped`() throws {
    let pager = try PagerTests.open(path)
    try pager.beginRead()
    let version = pager.dataVersion
    let pageCount = pager.pageCount
    #expect(try byte(63, ofPage: 1, pager) == 7)
    pager.endRead()
    try pager.beginRead()
    #expect(try byte(63, ofPage: 1, pager) == 7)
    #expect(pager.cache.missCount == 1, "nobody wrote: the page is still good")
    #expect(pager.dataVersion == version)
    pager.endRead()
    try shell.run(
      "pragma user_version = 9; insert into t select value from generate_series(1, 5000);")
    try pager.beginRead()
    #expect(pager.header.userVersion == 9)
    #expect(try byte(63, ofPage: 1, pager) == 9)
    #expect(pager.pageCount > pageCount)
    #expect(pager.dataVersion != version)
    pager.endRead()
  }

  @Test func `a reader blocks a commit, a committing writer makes the reader busy`() throws {
    let pager = try PagerTests.open(path)
    try pager.beginRead()
    #expect(try shell.run("insert into t values(1);").contains("locked"))
    pager.endRead()
    try shell.run("begin exclusive;")
    #expect(throws: SQLError(.busy, "database is locked")) { try pager.beginRead() }
    try shell.run("rollback;")
    try pager.beginRead()
    pager.endRead()
  }

  @Test func `the journal of a writer at work is not hot, after its crash it is`() throws {
    let pager = try PagerTests.open(path)
    try shell.run("begin immediate; update t set a = a + 1;")
    #expect(FileManager.default.fileExists(atPath: path + "-journal"))
    try pager.beginRead()
    pager.endRead()
    // Spilled pages are in the file, the journal with the originals is synced.
    try shell.run("pragma cache_size = 1; update t set a = a + 1;")
    shell.crash()
    let error = #expect(throws: SQLError.self) { try pager.beginRead() }
    #expect(error?.code == .readOnlyRollback)
    let other = try OracleShell(path)
    #expect(try other.run("select sum(a) from t;") == "12502500\n")
    try pager.beginRead()
    pager.endRead()
  }

  @Test func `the log of another process is read, and each read has one state`() throws {
    let pager = try PagerTests.open(path, "mode=rw")
    try shell.run("pragma journal_mode = wal; pragma user_version = 8;")
    try pager.beginRead()
    #expect(pager.journalMode == .wal)
    #expect(try byte(63, ofPage: 1, pager) == 8)
    try shell.run("pragma user_version = 9;")
    #expect(try byte(63, ofPage: 1, pager) == 8)
    pager.endRead()
    try pager.beginRead()
    #expect(try byte(63, ofPage: 1, pager) == 9)
    pager.endRead()
    // The last to close has removed the log; the next to come makes it anew.
    pager.close()
    try shell.run(".open \(directory("other.db"))")
    #expect(!directory.names.contains("shared.db-wal"))
  }

  @Test func `a file whose checkpoint is half done is as long as its log says`() throws {
    try shell.run(
      """
      pragma journal_mode = wal; pragma wal_autocheckpoint = 0;
      insert into t select value from generate_series(1, 50000);
      """)
    // Another process has come to page 1, where it is said how long the file is going to be.
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: 28)
    try file.write(contentsOf: Data([0, 0, 0, 64]))
    try file.close()
    let pager = try PagerTests.open(path, "mode=rw")
    try pager.beginRead()
    #expect(pager.pageCount > 100)
    pager.endRead()
  }

  @Test func `a log beside a file is read whatever the header says`() throws {
    try shell.run("pragma journal_mode = wal; pragma user_version = 8;")
    let copy = directory("copy.db")
    try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[18] = 1
    bytes[19] = 1
    try bytes.write(to: URL(filePath: copy))
    let pager = try PagerTests.open(copy, "mode=rw")
    try pager.beginRead()
    #expect(pager.journalMode == .wal)
    #expect(try byte(63, ofPage: 1, pager) == 8)
    pager.endRead()
  }

  @Test func `a log beside an empty file is that of another database, and goes`() throws {
    try shell.run("pragma journal_mode = wal; pragma user_version = 8;")
    let new = directory("new.db")
    try FileManager.default.copyItem(atPath: path + "-wal", toPath: new + "-wal")
    let pager = try PagerTests.open(new, "mode=rwc")
    try pager.beginRead()
    #expect(pager.pageCount == 0)
    #expect(!directory.names.contains("new.db-wal"))
    pager.endRead()
  }
}
