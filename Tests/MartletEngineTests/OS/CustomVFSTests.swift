import Foundation
import MartletEngine
import Synchronization
import TestSupport
import Testing

/// A VFS of an application, over the default one: it counts, tells its own time, and answers a
/// pragma.
private final class ShimVFS: VFS {
  let name: String
  let base: any VFS
  let log = Mutex<[String]>([])

  init(_ name: String) throws {
    self.name = name
    base = try VFSRegistry.find()
  }

  func note(_ line: String) { log.withLock { $0.append(line) } }

  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File {
    note("open \(path.split(separator: "/").last ?? "") \(flags.rawValue)")
    return ShimFile(try base.open(path, flags), self)
  }

  func open(
    _ path: String, _ flags: OpenFlags, of database: DatabaseFileName
  ) throws(SQLError) -> any File {
    if let key = database.parameters.value(of: "key") { note("key \(key)") }
    return try open(path, flags)
  }

  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File {
    note("temporary \(kind.rawValue)")
    return ShimFile(try base.openTemporary(kind), self)
  }

  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool {
    try base.delete(path, syncingDirectory: syncingDirectory)
  }

  func status(of path: String) throws(SQLError) -> FileStatus? { try base.status(of: path) }

  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String {
    try base.fullPath(of: path, flags)
  }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) { base.fillRandom(bytes) }
  func sleep(microseconds: Int) { note("sleep \(microseconds)") }
  /// Noon of January 1st, 2000.
  func currentJulianMilliseconds() -> Int64 { 2_451_545 * 86_400_000 }
}

private final class ShimFile: File {
  let base: any File
  let vfs: ShimVFS

  init(_ base: any File, _ vfs: ShimVFS) {
    self.base = base
    self.vfs = vfs
  }

  var traits: FileTraits { base.traits.union(.writesSinglePages) }
  var lockLevel: LockLevel { base.lockLevel }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    try base.read(into: target, byteCount: byteCount, at: offset)
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    vfs.note("write \(byteCount)")
    try base.write(from: source, byteCount: byteCount, at: offset)
  }

  func truncate(to byteCount: Int64) throws(SQLError) { try base.truncate(to: byteCount) }
  func sync(dataOnly: Bool) throws(SQLError) { try base.sync(dataOnly: dataOnly) }
  func byteCount() throws(SQLError) -> Int64 { try base.byteCount() }
  func lock(_ level: LockLevel) throws(SQLError) -> Bool { try base.lock(level) }
  func unlock(to level: LockLevel) throws(SQLError) { try base.unlock(to: level) }
  func isReserved() throws(SQLError) -> Bool { try base.isReserved() }
  func close() { base.close() }

  func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply? {
    switch request {
    case .pragma(let name, let argument):
      switch name {
      case "shim": return .text("said \(argument ?? "nothing")")
      case "quiet_shim": return .done
      case "bad_shim": throw SQLError(.permission, "not this one")
      default: return nil
      }
    case .sync(let superJournal): vfs.note("sync \(superJournal == nil)")
    case .commitPhaseTwo: vfs.note("committed")
    case .overwrite: vfs.note("overwrite")
    case .sizeHint(let count): vfs.note("hint \(count)")
    case .other(let code, _): return .number(Int64(code) * 2)
    default: return try base.control(request)
    }
    return .done
  }
}

@Suite struct CustomVFSTests {
  let directory: TemporaryDirectory
  private let vfs: ShimVFS

  init() throws {
    directory = try TemporaryDirectory()
    vfs = try ShimVFS("shim-\(UUID().uuidString)")
    VFSRegistry.register(vfs)
  }

  private func connect(_ query: String = "") throws -> Connection {
    try Connection(
      path: "file:\(directory("s.db"))\(query)", flags: [.readWrite, .create, .uri], vfs: vfs.name)
  }

  private func text(_ connection: Connection, _ sql: String) throws -> String? {
    let statement = try connection.prepare(sql)
    guard try statement.step() else { return nil }
    return statement.columnText(0)
  }

  @Test func `the files of a connection are opened by its VFS, told what they are`() throws {
    defer { VFSRegistry.unregister(vfs) }
    let connection = try connect("?key=k%20v")
    try connection.execute("CREATE TABLE t(a)")
    #expect(
      vfs.log.withLock { $0 } == [
        "key k v", "open s.db 326", "key k v", "open s.db-journal 2054", "write 512", "write 12",
        "hint 8192", "write 4096", "write 4096", "sync true", "committed",
      ])
    vfs.log.withLock { $0.removeAll() }
    try connection.execute("VACUUM")
    #expect(vfs.log.withLock { $0.contains("overwrite") })
    try connection.execute(
      """
      PRAGMA temp.cache_size = 10; CREATE TEMP TABLE x(a);
      WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 300)
      INSERT INTO x SELECT randomblob(3000) FROM c
      """)
    #expect(vfs.log.withLock { $0.contains("temporary 512") })
  }

  @Test func `the time and the pauses of a connection are its VFS's`() throws {
    defer { VFSRegistry.unregister(vfs) }
    let connection = try connect(), other = try connect()
    #expect(try text(connection, "SELECT datetime('now')") == "2000-01-01 12:00:00")
    #expect(try text(connection, "SELECT CURRENT_DATE") == "2000-01-01")
    try other.execute("BEGIN IMMEDIATE")
    connection.busyTimeout = 3
    #expect(throws: SQLError(.busy)) { try connection.execute("BEGIN IMMEDIATE") }
    #expect(
      vfs.log.withLock { $0 }.filter { $0.hasPrefix("sleep") } == ["sleep 1000", "sleep 2000"])
    #expect(try text(Connection(path: ":memory:", vfs: vfs.name), "SELECT date()") == "2000-01-01")
  }

  @Test func `a file may carry out pragmas in place of the engine`() throws {
    defer { VFSRegistry.unregister(vfs) }
    let connection = try connect()
    let statement = try connection.prepare("PRAGMA shim = 'hello'")
    #expect(try statement.step())
    #expect(statement.columnText(0) == "said hello")
    #expect(statement.columnName(0) == "said hello")
    #expect(try !statement.step())
    #expect(try text(connection, "PRAGMA main.shim") == "said nothing")
    #expect(try text(connection, "PRAGMA quiet_shim") == nil)
    #expect(throws: SQLError(.permission, "not this one")) {
      try connection.execute("PRAGMA bad_shim")
    }
    #expect(try text(connection, "PRAGMA page_size") == "4096")
  }

  @Test func `requests reach the file, and what it does not know is nil`() throws {
    defer { VFSRegistry.unregister(vfs) }
    let connection = try connect()
    #expect(try connection.fileControl(.other(code: 150, argument: nil)) == .number(300))
    #expect(try connection.fileControl(.lockState) == .number(0))
    #expect(try connection.fileControl(.vfsName) == .text("unix"))
    #expect(try connection.fileControl(.lockTimeout(3)) == nil)
    #expect(throws: SQLError(.error, "unknown database x")) {
      try connection.fileControl(.lockState, database: "x")
    }
    let names = try connection.withFiles { files throws(SQLError) in
      [files.vfs.name, files.name.journalPath]
    }
    #expect(names == [vfs.name, directory("s.db-journal")])
  }

  @Test func `the default VFS is the first, and registering again changes the place`() throws {
    defer { VFSRegistry.unregister(vfs) }
    #expect(try VFSRegistry.find(vfs.name) === vfs)
    VFSRegistry.unregister(vfs)
    #expect(throws: SQLError(.error, "no such vfs: \(vfs.name)")) { try connect() }
    VFSRegistry.register(vfs)
    VFSRegistry.register(vfs)
    #expect(VFSRegistry.all.filter { $0 === vfs }.count == 1)
    #expect(VFSRegistry.all.first !== vfs)
  }

  @Test func `data versions change with one's own commits and with those of others`() throws {
    defer { VFSRegistry.unregister(vfs) }
    let first = try connect(), second = try connect()
    let start = try first.dataVersion()
    try first.execute("CREATE TABLE t(a)")
    let own = try first.dataVersion()
    #expect(own != start)
    try second.execute("INSERT INTO t VALUES (1)")
    #expect(try first.dataVersion() == own)
    try first.execute("SELECT * FROM t")
    #expect(try first.dataVersion() != own)
  }

  @Test func `reserved bytes are there at once in a new database, or after VACUUM`() throws {
    defer { VFSRegistry.unregister(vfs) }
    let connection = try connect()
    try connection.setReservedByteCount(8)
    try connection.execute("CREATE TABLE t(a)")
    func inFile() throws -> UInt8 {
      [UInt8](try Data(contentsOf: URL(filePath: directory("s.db"))))[20]
    }
    #expect(try inFile() == 8)
    try connection.setReservedByteCount(32)
    #expect(try connection.reservedByteCount() == 32)
    #expect(try inFile() == 8)
    try connection.execute("VACUUM")
    #expect(try inFile() == 32)
  }
}

@Suite struct PosixVFSLockingTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func connect(_ vfs: String) throws -> Connection {
    try Connection(path: directory("l.db"), vfs: vfs)
  }

  @Test func `unix-dotfile lets one connection in at a time`() throws {
    let first = try connect("unix-dotfile"), second = try connect("unix-dotfile")
    try first.execute("CREATE TABLE t(a); BEGIN; SELECT * FROM t")
    #expect(FileManager.default.fileExists(atPath: directory("l.db.lock")))
    #expect(throws: SQLError(.busy)) { try second.execute("SELECT * FROM t") }
    try first.execute("INSERT INTO t VALUES (1); COMMIT")
    #expect(!FileManager.default.fileExists(atPath: directory("l.db.lock")))
    try second.execute("INSERT INTO t VALUES (2)")
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `unix-excl keeps other processes out until its last connection is closed`() throws {
    let first = try connect("unix-excl"), second = try connect("unix-excl")
    try first.execute("CREATE TABLE t(a)")
    try second.execute("INSERT INTO t VALUES (1)")
    let shell = try OracleShell(directory("l.db"))
    #expect(try shell.run("SELECT * FROM t;").contains("locked"))
    try first.close()
    #expect(try shell.run("SELECT * FROM t;").contains("locked"))
    try second.close()
    #expect(try shell.run("SELECT * FROM t;") == "1\n")
  }
}
