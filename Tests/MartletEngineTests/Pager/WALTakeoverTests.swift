import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Logs and indexes that others have left: C that was killed, a machine of the other byte order,
/// somebody who writes nonsense.
@Suite(.serialized) struct WALTakeoverTests {
  private static func rows(_ path: String, _ sql: String) throws -> String {
    try AlternatingEnginesTests.rows(try Connection(path: path), sql)
  }

  /// The files as they are, beside those who have them open.
  private static func copy(
    _ directory: TemporaryDirectory, without ending: String = "none"
  ) throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    for name in directory.names where !name.hasSuffix(ending) {
      try copy.write(try directory.bytes(name), to: name)
    }
    return copy
  }

  private static let sum = "SELECT count(*), sum(a), sum(length(b)) FROM t"

  private static let setUp = """
    PRAGMA page_size = 1024; PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
    PRAGMA synchronous = off; CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 'one');
    PRAGMA wal_checkpoint; INSERT INTO t VALUES(2, 'two');
    WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO t SELECT i, hex(zeroblob(100)) FROM n;
    """

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"), arguments: ["none", "-shm"])
  func `what C leaves when it is killed is read and written, and the other way round`(
    missing: String
  ) throws {
    let directory = try TemporaryDirectory()
    let shell = try OracleShell(directory("x.db"))
    try shell.run(Self.setUp.replacingOccurrences(of: "\n", with: " "))
    try shell.run("BEGIN; PRAGMA cache_size = 5; UPDATE t SET b = b || 'lost', a = a + 7;")
    let ours = try Self.copy(directory, without: missing)
    try shell.start(".exit")
    #expect(try Self.rows(ours("x.db"), Self.sum) == "50|1275|9606\n")
    let connection = try Connection(path: ours("x.db"))
    try connection.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES(100, 'ours')")
    let theirs = try Self.copy(ours, without: missing)
    let reader = try OracleShell(theirs("x.db"))
    #expect(try reader.run(Self.sum + "; PRAGMA integrity_check;") == "51|1375|9610\nok\n")
    try reader.start(".exit")
  }

  /// The same log with checksums of the other byte order.
  private static func reversed(_ log: [UInt8]) -> [UInt8] {
    var log = log
    func number(_ offset: Int) -> UInt32 {
      log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    func put(_ number: UInt32, _ offset: Int) {
      for index in 0..<4 { log[offset + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index)) }
    }
    var first: UInt32 = 0, second: UInt32 = 0
    func add(_ range: Range<Int>) {
      for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        first &+= number(offset) &+ second
        second &+= number(offset + 4) &+ first
      }
    }
    put(0x377f_0683, 0)
    add(0..<24)
    put(first, 24)
    put(second, 28)
    let pageSize = Int(number(8))
    for frame in stride(from: 32, to: log.count - pageSize - 23, by: pageSize + 24) {
      add(frame..<frame + 8)
      add(frame + 24..<frame + 24 + pageSize)
      put(first, frame + 16)
      put(second, frame + 20)
    }
    return log
  }

  @Test func `checksums of big-endian machines are understood and gone on with`() throws {
    let directory = try TemporaryDirectory()
    let source = try Connection(path: directory("x.db"))
    try source.execute(Self.setUp)
    let copy = try Self.copy(directory, without: "-shm")
    try copy.write(Self.reversed(try copy.bytes("x.db-wal")), to: "x.db-wal")
    let connection = try Connection(path: copy("x.db"))
    #expect(try AlternatingEnginesTests.rows(connection, Self.sum) == "50|1275|9606\n")
    try connection.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES(100, 'ours')")
    #expect(try copy.bytes("x.db-wal")[3] == 0x83)
    let again = try Self.copy(copy, without: "-shm")
    #expect(try Self.rows(again("x.db"), Self.sum) == "51|1375|9610\n")
    guard OracleShell.isAvailable else { return }
    let theirs = try Self.copy(copy, without: "-shm")
    let shell = try OracleShell(theirs("x.db"))
    #expect(try shell.run(Self.sum + ";") == "51|1375|9610\n")
    try shell.start(".exit")
  }

  @Test func `a torn frame, and those of an older log, end it`() throws {
    let directory = try TemporaryDirectory()
    let source = try Connection(path: directory("x.db"))
    try source.execute(Self.setUp)
    let log = try directory.bytes("x.db-wal")
    for cut in stride(from: 0, to: log.count, by: 97) {
      let copy = try Self.copy(directory, without: "-shm")
      try copy.write(Array(log.prefix(cut)), to: "x.db-wal")
      let found = try Self.rows(copy("x.db"), "SELECT count(*) FROM t")
      #expect(["1\n", "2\n"].contains(found), "cut to \(cut)")
      var damaged = log
      damaged[cut] ^= 0x10
      try copy.write(damaged, to: "x.db-wal")
      let other = try Self.rows(copy("x.db"), "SELECT count(*) FROM t")
      #expect(["1\n", "2\n", "50\n"].contains(other), "byte \(cut)")
    }
  }

  @Test func `a log of smaller pages leaves zeros behind them`() throws {
    let directory = try TemporaryDirectory()
    let vfs = PosixVFS(), path = directory("small.db")
    let frame = [UInt8](repeating: 7, count: 32 + 24 + 512)
    try Data(frame).write(to: URL(fileURLWithPath: path + "-wal"))
    let file = try vfs.open(path, [.readWrite, .create, .mainDatabase])
    let log = try WriteAheadLog(file, vfs, DatabaseFileName(path: path), isPrivate: true)
    log.header.pageSize = 512
    var page = [UInt8](repeating: 0xff, count: 4096)
    try page.withUnsafeMutableBytes { bytes in
      if let start = bytes.baseAddress { try log.readPage(ofFrame: 1, into: start, byteCount: 4096) }
    }
    #expect(page[..<512].allSatisfy { $0 == 7 })
    #expect(page[512...].allSatisfy { $0 == 0 })
    log.log.close()
    file.close()
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `an index with a wrong checksum is made anew, and any other does no harm`(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let first = try Connection(path: directory("x.db"))
    try first.execute(Self.setUp)
    var random = SplitMix(seed)
    var index = try directory.bytes("x.db-shm")
    let isBelieved = seed % 4 > 1
    switch seed % 4 {
    case 0: for offset in 0..<136 { index[offset] = UInt8(truncatingIfNeeded: random.next()) }
    case 1: index[16] ^= UInt8(1 + random.next() % 200)
    case 2:
      var header = index.withUnsafeBytes { bytes in
        bytes.baseAddress.map { WALIndexHeader($0) } ?? WALIndexHeader()
      }
      header.frameCount = [
        UInt32.max, UInt32.max - 1, 1 << 31, 5000, 4063, 100_000, header.frameCount + 1, 3,
      ][Int(seed / 4) % 8]
      header.seal()
      index.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        header.store(to: start)
        header.store(to: start + WALIndexHeader.byteCount)
      }
    default: for offset in 16384..<32768 { index[offset] = 0xff }
    }
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: directory("x.db-shm")))
    try handle.write(contentsOf: Data(index))
    // Closing it would drop the locks of the process.
    defer { withExtendedLifetime((handle, first)) {} }
    let second = try Connection(path: directory("x.db"))
    for connection in [second, first] {
      for sql in [Self.sum, "PRAGMA integrity_check"] {
        var found: String?
        do { found = try AlternatingEnginesTests.rows(connection, sql) } catch {
          #expect(isBelieved, "\(error)")
        }
        if !isBelieved { #expect(found == (sql == Self.sum ? "50|1275|9606\n" : "ok\n")) }
      }
      for sql in ["INSERT INTO t VALUES(0, '')", "DELETE FROM t WHERE a = 0", "PRAGMA wal_checkpoint(FULL)"] {
        do { try connection.execute(sql) } catch { #expect(isBelieved, "\(error)") }
      }
    }
    #expect((directory.size("x.db-shm") ?? 0) <= 2 * SharedMemory.regionByteCount)
    #expect((directory.size("x.db-wal") ?? 0) < 1_000_000)
  }
}
