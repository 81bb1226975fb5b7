import Foundation
import TestSupport
import Testing

@testable import MartletEngine

@Suite struct PosixFileLockTests {
  let directory: TemporaryDirectory
  let path: String
  let vfs = PosixVFS()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("locks.db")
  }

  func open() throws -> any File {
    try vfs.open(path, [.readWrite, .create, .mainDatabase])
  }

  @Test func `readers share, one writer reserves, and exclusive waits for the readers`() throws {
    let first = try open(), second = try open()
    #expect(try first.lock(.shared))
    #expect(try second.lock(.shared))
    #expect(try first.lock(.reserved))
    #expect(try second.isReserved())
    #expect(try !second.lock(.reserved))
    #expect(try !first.lock(.exclusive))
    #expect(first.lockLevel == .pending)
    try second.unlock(to: .none)
    #expect(try !second.lock(.shared), "a pending writer keeps new readers out")
    #expect(try first.lock(.exclusive))
    #expect(try !second.lock(.shared))
    try first.unlock(to: .shared)
    #expect(try second.lock(.shared))
    #expect(try !second.isReserved())
  }

  @Test func `recovery goes from shared to exclusive without looking like a writer`() throws {
    let first = try open(), second = try open()
    #expect(try first.lock(.shared))
    #expect(try second.lock(.shared))
    #expect(try !first.lock(.exclusive))
    #expect(first.lockLevel == .shared)
    try second.unlock(to: .none)
    #expect(try first.lock(.exclusive))
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `closing one of two files keeps the other's lock against another process`() throws {
    let shell = try OracleShell(path)
    try shell.run("create table t(a);")
    let first = try open(), second = try open()
    #expect(try first.lock(.shared))
    second.close()
    #expect(try shell.run("insert into t values(1);").contains("database is locked"))
    first.close()
    #expect(try shell.run("insert into t values(2); select count(*) from t;") == "1\n")
  }

  private func write(_ file: any File) throws {
    try withUnsafeBytes(of: 7) {
      try file.write(from: $0.baseAddress!, byteCount: $0.count, at: 0)
    }
  }

  @Test func `files that come and go beside one that reads need one descriptor`() throws {
    let reader = try open()
    #expect(try reader.lock(.shared))
    let status = try #require(System.pathStatus(path))
    let locks = InodeLocks.acquire(
      InodeLocks.Identity(device: status.device, inode: status.inode))
    for _ in 0..<20 {
      let file = try open()
      try write(file)
      file.close()
      #expect(locks.state.withLock { $0.deferredDescriptors.count } == 1)
    }
    // One that may not write gets none that may.
    let other = try vfs.open(path, [.readOnly, .mainDatabase])
    #expect(throws: SQLError.self) { try write(other) }
    other.close()
    #expect(locks.state.withLock { $0.deferredDescriptors.count } == 2)
    reader.close()
    #expect(locks.state.withLock { $0.deferredDescriptors.isEmpty })
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `every level of another process is respected`() throws {
    let shell = try OracleShell(path)
    try shell.run("create table t(a); begin immediate;")
    let file = try open()
    #expect(try file.lock(.shared))
    #expect(try file.isReserved())
    #expect(try !file.lock(.reserved))
    #expect(try shell.run("insert into t values(1);\ncommit;").contains("locked"))
    try file.unlock(to: .none)
    #expect(try !file.lock(.shared), "the failed COMMIT left its pending lock")
    #expect(try shell.run("commit;") == "")
    #expect(try file.lock(.shared))
    try file.unlock(to: .none)
    try shell.run("begin exclusive;")
    #expect(try !file.lock(.shared))
    try shell.run("rollback;")
    #expect(try file.lock(.shared))
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `another process cannot read while a file is exclusive or pending`() throws {
    let shell = try OracleShell(path)
    try shell.run("create table t(a);")
    let file = try open(), reader = try open()
    #expect(try file.lock(.shared))
    #expect(try reader.lock(.shared))
    #expect(try file.lock(.reserved))
    #expect(try shell.run("select count(*) from t;") == "0\n")
    #expect(try !file.lock(.exclusive))
    #expect(try shell.run("select count(*) from t;").contains("locked"))
    try reader.unlock(to: .none)
    #expect(try file.lock(.exclusive))
    try file.unlock(to: .none)
    #expect(try shell.run("insert into t values(1); select count(*) from t;") == "1\n")
  }
}
