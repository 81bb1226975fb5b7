import Testing

@testable import MartletEngine

@Suite struct FileNameBytesTests {
  static let names: [[UInt8]] = [
    [], Array("plain.db".utf8), Array("caf\u{e9}.db".utf8), [0x63, 0xe9], [0x63, 0xe8],
    [0xff], [0x80, 0x80], [0xe2, 0x82], [0xe2, 0x82, 0xac, 0xe2], [0xed, 0xa0, 0x80],
    [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80], [0xf0, 0x9f, 0x90, 0xa6], Array("e\u{301}".utf8),
    Array("\u{10ff80}".utf8), Array("\u{10ffff}x".utf8), Array("\u{100000}\u{10ff7f}".utf8),
  ]

  @Test func `every name has a String of its own and comes back from it`() {
    let texts = Self.names.map { name in name.withUnsafeBytes { String(fileNameBytes: $0) } }
    for (name, text) in zip(Self.names, texts) {
      #expect(text.fileNameBytes == name)
      text.withFileName { bytes in
        #expect(String(fileName: bytes).fileNameBytes == name)
      }
    }
    #expect(Set(texts.map { Array($0.utf8) }).count == Self.names.count)
  }

  @Test func `random bytes come back`() {
    var random = SplitMix(17)
    for _ in 0..<5_000 {
      let name = (0..<Int(random.next() % 12)).map { _ -> UInt8 in
        // Bytes that begin and continue scalars more often than others.
        let byte = UInt8(truncatingIfNeeded: random.next())
        return byte % 3 == 0 ? [0xf4, 0x8f, 0xbe, 0xbf, 0x80, 0xe2][Int(byte) / 3 % 6] : byte
      }
      #expect(name.withUnsafeBytes { String(fileNameBytes: $0) }.fileNameBytes == name)
    }
  }

  @Test func `text that is UTF-8 stays as it is`() {
    for text in ["a", "\u{e9}", "\u{1f426}", "\u{10ff7f}"] {
      #expect(Array(text.utf8).withUnsafeBytes { String(fileNameBytes: $0) } == text)
    }
  }

  @Test func `names that differ in their bytes are different databases in memory`() throws {
    // The same text to Swift, which compares normal forms.
    let first = try Connection(path: "file:/caf\u{e9}?vfs=memdb", flags: [.default, .uri])
    let second = try Connection(path: "file:/cafe\u{301}?vfs=memdb", flags: [.default, .uri])
    try first.execute("CREATE TABLE t(a)")
    #expect(throws: SQLError.self) { try second.execute("SELECT * FROM t") }
  }

  @Test func `a super-journal's name keeps its bytes`() throws {
    let name: [UInt8] = [0x2f, 0xe9, 0x2d, 0x6d, 0x6a]
    let file = try MemoryVFS().open("", [.readWrite, .create])
    defer { file.close() }
    let buffer = try Memory.allocate(JournalFile.bufferByteCount)
    defer { Memory.free(buffer) }
    let journal = RollbackJournal(
      JournalFile(file, buffer: buffer), memory: nil, seed: 1, pageSize: 512, sectorSize: 512,
      originalPageCount: 1, isSynced: true)
    try journal.appendHeader()
    try journal.appendSuperJournal(name, alignsToSector: true)
    #expect(try SuperJournal.name(in: file)?.fileNameBytes == name)
  }
}
