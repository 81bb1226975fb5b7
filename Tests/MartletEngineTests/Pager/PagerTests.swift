import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Reads of a pager without another process.
@Suite struct PagerTests {
  static func open(_ path: String, _ parameters: String = "mode=ro") throws -> Pager {
    let name = "file:\(path)?\(parameters)"
    return try Pager.open(try .parse(name, flags: [.readWrite, .create, .uri]))
  }

  /// A file of `byteCount` bytes: a header, then on each page its number.
  static func makeFile(byteCount: Int, pageSize: Int = 4096, _ edits: [Int: UInt8] = [:]) -> Data {
    var bytes = DatabaseHeaderTests.makeHeader()
    bytes[16] = UInt8(pageSize >> 8)
    bytes.append(contentsOf: (100..<max(byteCount, 101)).map { UInt8($0 / pageSize + 1) })
    for (offset, byte) in edits { bytes[offset] = byte }
    return Data(bytes.prefix(byteCount))
  }

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("x.db")
  }

  func write(_ data: Data, _ suffix: String = "") throws {
    try data.write(to: URL(fileURLWithPath: path + suffix))
  }

  @Test func `an empty file is an empty database`() throws {
    for data in [Data(), Data([0])] {
      try write(data)
      let pager = try Self.open(path)
      try pager.beginRead()
      #expect(pager.pageCount == 0)
      #expect(pager.header == DatabaseHeader())
      let version = pager.dataVersion
      #expect(throws: SQLError(.corrupt)) { try pager.page(PageNumber(1)) }
      pager.endRead()
      try pager.beginRead()
      #expect(pager.dataVersion == version, "still as empty as before")
      pager.endRead()
    }
  }

  @Test(arguments: [
    (99, ResultCode.corrupt), (100, .corrupt), (4095, .corrupt), (4096, .corrupt),
  ])
  func `a file shorter than its header says is corrupt`(byteCount: Int, code: ResultCode) throws {
    try write(Self.makeFile(byteCount: byteCount))
    let pager = try Self.open(path)
    #expect(throws: SQLError(code)) { try pager.beginRead() }
    #expect(pager.file.lockLevel == .none)
  }

  @Test func `a cut off last page reads as zeros where it ends`() throws {
    try write(Self.makeFile(byteCount: 5000))
    let pager = try Self.open(path)
    try pager.beginRead()
    let page = try pager.page(PageNumber(2))
    #expect(page.pointee.data[903] == 2)
    #expect(page.pointee.data[904] == 0)
    #expect(page.pointee.data[4095] == 0)
    pager.unpin(page)
    pager.endRead()
  }

  @Test func `zeros are not a database`() throws {
    try write(Data(count: 4096))
    let pager = try Self.open(path)
    #expect(throws: SQLError(.notADatabase)) { try pager.beginRead() }
  }

  @Test(arguments: [0, 3, 0xffff_ffff as UInt32])
  func `a page that the database does not have is corrupt`(number: UInt32) throws {
    try write(Self.makeFile(byteCount: 8192))
    let pager = try Self.open(path)
    try pager.beginRead()
    #expect(throws: SQLError(.corrupt)) { try pager.page(PageNumber(number)) }
    #expect(pager.cache.pinnedCount == 0)
    pager.endRead()
  }

  @Test(arguments: [512, 1024, 32768])
  func `pages of every size come from their place`(pageSize: Int) throws {
    try write(Self.makeFile(byteCount: pageSize * 40, pageSize: pageSize, [31: 40]))
    let pager = try Self.open(path)
    pager.setCacheSize(16)
    try pager.beginRead()
    for number in (2...40).reversed() {
      let page = try pager.page(PageNumber(UInt32(number)))
      #expect(page.pointee.data[0] == UInt8(number))
      #expect(page.pointee.data[pageSize - 1] == UInt8(number))
      #expect(page.pointee.data[pageSize] == 0)
      pager.unpin(page)
    }
    #expect(pager.cache.frameCount == 16)
    pager.endRead()
  }

  @Test func `the page with the lock bytes is never given out`() throws {
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT, 0o644)
    // A sparse file with the lock-byte page and one more.
    let lockPage = UInt32(0x4000_0000 / 4096) + 1
    #expect(ftruncate(descriptor, off_t(lockPage + 1) * 4096) == 0)
    let header = [UInt8](Self.makeFile(byteCount: 100, [95: 0]))
    #expect(pwrite(descriptor, header, 100, 0) == 100)
    Foundation.close(descriptor)
    let pager = try Self.open(path)
    try pager.beginRead()
    #expect(pager.pageCount == lockPage + 1)
    #expect(throws: SQLError(.corrupt)) { try pager.page(PageNumber(lockPage)) }
    pager.unpin(try pager.page(PageNumber(lockPage + 1)))
    pager.endRead()
  }

  @Test func `a journal is hot unless it is empty or zeroed`() throws {
    try write(Self.makeFile(byteCount: 8192))
    for journal in [Data(), Data(count: 512)] {
      try write(journal, "-journal")
      let pager = try Self.open(path)
      try pager.beginRead()
      pager.endRead()
    }
    try write(Data([0xd9, 0xd5, 5, 0xf9]), "-journal")
    let reader = try Self.open(path)
    #expect(throws: SQLError(.readOnlyRollback)) { try reader.beginRead() }
    #expect(reader.file.lockLevel == .none)
    let immutable = try Self.open(path, "immutable=1")
    try immutable.beginRead()
    #expect(immutable.file.lockLevel == .none)
    #expect(immutable.isReadOnly)
    immutable.endRead()
    // There is nothing in it to be rolled back, so it goes.
    let pager = try Self.open(path, "mode=rw")
    try pager.beginRead()
    #expect(pager.file.lockLevel == .shared)
    #expect(directory.names == ["x.db"])
    pager.endRead()
  }

  @Test func `a WAL database that may only be read has an index of its own`() throws {
    try write(Self.makeFile(byteCount: 8192, [18: 2, 19: 2]))
    try write(Data(), "-wal")
    let pager = try Self.open(path)
    try pager.beginRead()
    pager.unpin(try pager.page(PageNumber(2)))
    pager.endRead()
    pager.close()
    // What is no log counts as an empty one.
    try write(Data([1]), "-wal")
    let other = try Self.open(path)
    try other.beginRead()
    other.unpin(try other.page(PageNumber(2)))
    other.endRead()
  }

  @Test func `reads nest and the last one drops the lock`() throws {
    try write(Self.makeFile(byteCount: 8192))
    let pager = try Self.open(path)
    try pager.beginRead()
    try pager.beginRead()
    pager.endRead()
    #expect(pager.file.lockLevel == .shared)
    #expect(pager.state == .reading)
    pager.endRead()
    #expect(pager.file.lockLevel == .none)
    #expect(pager.state == .idle)
  }

  @Test func `a database in memory is read without locks`() throws {
    let pager = try Pager.open(try .parse(":memory:", flags: [.readWrite, .create]))
    let data = Self.makeFile(byteCount: 8192)
    try data.withUnsafeBytes { bytes in
      let start = try #require(bytes.baseAddress)
      try pager.file.write(from: start, byteCount: bytes.count, at: 0)
    }
    try pager.beginRead()
    #expect(pager.pageCount == 2)
    #expect(pager.file.lockLevel == .none)
    pager.unpin(try pager.page(PageNumber(2)))
    pager.endRead()
  }
}
