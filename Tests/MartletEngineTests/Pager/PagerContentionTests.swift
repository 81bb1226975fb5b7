import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Locks between our connections, and between ours and C's.
@Suite struct PagerContentionTests {
  /// Waits a millisecond at a time.
  final class Patience: BusyHandler {
    var callCount = 0
    let limit: Int
    init(_ limit: Int) { self.limit = limit }

    func retries(_ awaited: AwaitedLock) -> Bool {
      callCount += 1
      usleep(1000)
      return callCount <= limit
    }
  }

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("x.db")
  }

  @Test func `one writer, readers until it commits`() throws {
    try RawDatabase.make(path, [1, 2])
    let writer = try RawDatabase.open(path)
    let reader = try RawDatabase.open(path)
    try writer.beginReadAndWrite(exclusive: false)
    try RawDatabase.set(writer, 2, 20)
    try reader.beginRead()
    #expect(try RawDatabase.image(reader) == [1, 2])
    #expect(throws: SQLError(.busy)) { try reader.beginWrite(exclusive: false) }
    #expect(throws: SQLError(.busy)) { try writer.commit() }
    // The writer waits with the pending lock: nobody new comes in.
    let late = try RawDatabase.open(path)
    #expect(throws: SQLError(.busy)) { try late.beginRead() }
    #expect(try RawDatabase.image(reader) == [1, 2])
    reader.endRead()
    try writer.commit()
    writer.endRead()
    #expect(try RawDatabase.readImage(reader) == [1, 20])
    #expect(try RawDatabase.readImage(late) == [1, 20])
  }

  @Test func `the busy handler is asked where waiting cannot be for ever`() throws {
    try RawDatabase.make(path, [1, 2])
    let other = try RawDatabase.open(path)
    let pager = try RawDatabase.open(path)
    let patience = Patience(3)
    pager.busyHandler = patience
    try other.beginReadAndWrite(exclusive: false)
    // A reader that becomes a writer would wait for one that waits for it.
    try pager.beginRead()
    #expect(throws: SQLError(.busy)) { try pager.beginWrite(exclusive: false) }
    #expect(patience.callCount == 0)
    pager.endRead()
    #expect(throws: SQLError(.busy)) { try pager.beginReadAndWrite(exclusive: false) }
    #expect(patience.callCount == 4)
    #expect(pager.file.lockLevel == .none)
    try other.lockExclusively()
    #expect(throws: SQLError(.busy)) { try pager.beginRead() }
    #expect(patience.callCount == 5)
    try other.rollback()
    other.endRead()
    try other.beginRead()
    patience.callCount = 0
    try pager.beginReadAndWrite(exclusive: false)
    try RawDatabase.set(pager, 2, 5)
    #expect(throws: SQLError(.busy)) { try pager.commit() }
    #expect(patience.callCount == 4)
    other.endRead()
    try pager.commit()
    pager.endRead()
  }

  @Test func `dirty pages that readers keep from the file stay in a growing cache`() throws {
    let image = RawDatabase.Image(1...200)
    try RawDatabase.make(path, image)
    let reader = try RawDatabase.open(path)
    try reader.beginRead()
    let writer = try RawDatabase.open(path, cacheSize: 16)
    try writer.beginReadAndWrite(exclusive: false)
    for number in 1...200 as ClosedRange<UInt32> { try RawDatabase.set(writer, number, 0) }
    #expect(writer.state == .changed)
    #expect(writer.cache.dirtyCount == 200)
    #expect(try RawDatabase.image(reader) == image)
    reader.endRead()
    try writer.commit()
    writer.endRead()
    #expect(writer.cache.frameCount <= 16)
    #expect(try RawDatabase.readImage(path) == RawDatabase.Image(repeating: 0, count: 200))
  }

  @Test(
    .enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"),
    arguments: [JournalMode.delete, .truncate, .persist])
  func `no update is lost between a process of C and ours`(mode: JournalMode) throws {
    let shell = try OracleShell(path)
    // A row of one integer of four bytes, at a place that does not move.
    try shell.run(
      """
      pragma journal_mode = \(mode.rawValue); create table t(a);
      insert into t values(1000000000);
      """)
    let count = 250
    try shell.start(
      ".timeout 20000\npragma synchronous = 1;\n"
        + String(repeating: "update t set a = a + 1;\n", count: count))
    let pager = try RawDatabase.open(path)
    let patience = Patience(20_000)
    pager.busyHandler = patience
    pager.journalMode = mode
    pager.synchronous = .normal
    for _ in 0..<count {
      patience.callCount = 0
      try RawDatabase.transaction(pager) {
        let page = try pager.page(PageNumber(2))
        defer { pager.unpin(page) }
        try pager.makeWritable(page)
        let bytes = UnsafePointer(page.pointee.data)
        let offset = Int(bytes.bigEndianUInt16(at: 8)) + 4
        let value = bytes.bigEndianUInt32(at: offset)
        UnsafeMutableRawPointer(page.pointee.data).storeBigEndian(value + 1, at: offset)
      }
    }
    try shell.finish()
    pager.close()
    let answer = try OracleShell(path).run("pragma integrity_check; select a from t;")
    #expect(answer == "ok\n\(1_000_000_000 + 2 * count)\n")
  }
}
