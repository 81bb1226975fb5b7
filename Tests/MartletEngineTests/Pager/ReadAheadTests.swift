import TestSupport
import Testing

@testable import MartletEngine

/// Pages that a scan is going to need are read with the one that it asks for.
@Suite struct ReadAheadTests {
  @Test func `pages in order are read together and others are not`() {
    var ordered = ReadAhead(), random = ReadAhead()
    var number: UInt32 = 1, counts: [Int] = []
    for _ in 0..<12 {
      let count = ordered.pageCount(from: number, 4_096, 500)
      if count > 1 { ordered.didRead(count, of: count) }
      counts.append(count)
      // The pages of inner nodes between them are known.
      number += UInt32(count) + (counts.count % 4 == 0 ? 1 : 0)
    }
    #expect(counts[0] == 1 && counts[1] == 1 && counts.max() == 16 && counts.last == 16)
    for number: UInt32 in [7, 10, 13, 16, 12, 11, 10, 9, 900, 1, 2, 4_294_967_295, 0] {
      #expect(random.pageCount(from: number, 4_096, 500) == 1)
    }
  }

  @Test func `what is read at once is bounded by the cache and the size of a page`() {
    for (pageSize, cacheLimit, most) in [(4_096, 16, 2), (65_536, 500, 1), (512, 2_000, 128)] {
      var readAhead = ReadAhead()
      let counts = (1...2_000).map { readAhead.pageCount(from: $0, pageSize, cacheLimit) }
      #expect(counts.max() == most)
    }
  }

  @Test func `a read that brought less begins anew`() {
    var readAhead = ReadAhead()
    for number: UInt32 in 1...20 { _ = readAhead.pageCount(from: number, 4_096, 500) }
    readAhead.didRead(2, of: 16)
    #expect(readAhead.pageCount(from: 22, 4_096, 500) == 1)
  }

  // MARK: On files

  private static let filling = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO t SELECT i, printf('%080d', i) FROM n;
    """
  private static let sum = "SELECT sum(a), sum(CAST(b AS INTEGER)), count(*) FROM t"
  private static let expected = ["200010000", "200010000", "20000"]

  private func scan(_ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(Self.sum)
    #expect(try statement.step())
    return (0..<3).map { String(decoding: statement.columnBytes($0), as: UTF8.self) }
  }

  private func pager(_ connection: Connection) throws -> Pager {
    try #require(connection.databases[0].tree).pager
  }

  @Test(arguments: [16, 100, 2_000], [false, true])
  func `a scan reads many pages in a call and counts as before`(
    cacheSize: Int, isWAL: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    let vfs = FaultVFS(PosixVFS(), name: "ahead \(cacheSize) \(isWAL)")
    VFSRegistry.register(vfs)
    defer { VFSRegistry.unregister(vfs) }
    let other = try Connection(path: directory("a.db"), vfs: vfs.name)
    try other.execute(Self.filling)
    let connection = try Connection(path: directory("a.db"), vfs: vfs.name)
    try connection.execute("PRAGMA cache_size = \(cacheSize)")
    if isWAL {
      // Some pages are in the log, with other contents.
      try other.execute("PRAGMA journal_mode = WAL; UPDATE t SET b = -b WHERE a % 700 < 40;")
      try other.execute("PRAGMA wal_checkpoint; UPDATE t SET b = -b WHERE b < 0;")
    }
    let before = vfs.count(of: .read)
    #expect(try scan(connection) == Self.expected)
    let pager = try pager(connection)
    #expect(pager.cache.brokenInvariant() == nil)
    // Pages that the change to WAL had in the cache are read again.
    #expect(pager.cache.missCount == Int(pager.pageCount) + (isWAL ? 2 : 0))
    let readCount = vfs.count(of: .read) - before
    let isQuick = cacheSize >= 100 && !isWAL
    #expect(isQuick ? readCount < 150 : readCount < 700, "\(readCount) reads")
    // Changed by others, none of what was read before is used.
    try other.execute("UPDATE t SET b = a + 1")
    #expect(try scan(connection) == ["200010000", "200030000", "20000"])
  }

  @Test func `a call that fails is made up for, or told`() throws {
    let directory = try TemporaryDirectory()
    let vfs = FaultVFS(PosixVFS(), name: "ahead failing")
    VFSRegistry.register(vfs)
    defer { VFSRegistry.unregister(vfs) }
    let path = directory("a.db")
    try Connection(path: path, vfs: vfs.name).execute(Self.filling)
    var isFailing = true, number = 1, errorCount = 0
    while isFailing {
      let connection = try Connection(path: path, vfs: vfs.name)
      vfs.fail([.read], at: number)
      do {
        #expect(try scan(connection) == Self.expected)
      } catch let error as SQLError {
        #expect(error.code.primary == .ioError)
        errorCount += 1
      }
      isFailing = vfs.stopFailing() > 0
      #expect(try scan(connection) == Self.expected)
      #expect(try pager(connection).cache.brokenInvariant() == nil)
      number += 1
    }
    // Single reads tell; those of many pages are made up for.
    #expect(errorCount > 3 && number > errorCount + 10)
  }

  @Test func `pieces come whole or not at all`() throws {
    let directory = try TemporaryDirectory()
    let file = try PosixVFS().open(directory("f"), [.readWrite, .create, .mainDatabase])
    let contents = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try contents.withUnsafeBytes {
      try file.write(from: #require($0.baseAddress), byteCount: $0.count, at: 0)
    }
    let size = 1_000
    func read(_ count: Int, at offset: Int64) -> (count: Int, bytes: [UInt8]) {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count * size, alignment: 8)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 0xee)
      let start = memory.baseAddress.unsafelyUnwrapped
      let targets = (0..<count).map { start + (count - 1 - $0) * size }
      let filled = targets.withUnsafeBufferPointer {
        file.readPieces(into: $0, byteCount: size, at: offset)
      }
      return (filled, targets.flatMap { UnsafeRawBufferPointer(start: $0, count: size) })
    }
    let whole = read(8, at: 500)
    #expect(whole.count == 8 && whole.bytes == Array(contents[500..<8_500]))
    let cut = read(8, at: 2_500)
    #expect(cut.count == 7 && cut.bytes.prefix(7_000) == contents[2_500..<9_500])
    #expect(read(3, at: 9_001).count == 0)
    #expect(read(3, at: 20_000).count == 0)
    file.close()
    #expect(read(2, at: 0).count == 0)
  }
}
