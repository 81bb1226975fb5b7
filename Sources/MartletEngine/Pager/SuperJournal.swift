// A super-journal decides for several databases that are committed together (atomiccommit §5): it
// holds the names of their journals, each ended by a zero byte, and their journals hold its name.
// While it exists, all those journals are hot; removing it commits all at once.

enum SuperJournal {
  /// The name that the record at the end of a journal has.
  static func name(in journal: any File) throws(SQLError) -> String? {
    let byteCount = try journal.byteCount()
    let overhead = Int64(JournalFormat.superJournalOverhead)
    guard byteCount > overhead else { return nil }
    var tail: (UInt32, UInt32, UInt64) = (0, 0, 0)
    try withUnsafeMutableBytes(of: &tail) { bytes throws(SQLError) in
      guard let start = bytes.baseAddress else { return }
      try journal.readFully(into: start, byteCount: 16, at: byteCount - 16)
    }
    let length = Int(UInt32(bigEndian: tail.0))
    guard UInt64(bigEndian: tail.2) == JournalFormat.magic, length > 0,
      length <= JournalFormat.longestName, Int64(length) <= byteCount - overhead
    else { return nil }
    let name = try bytes(of: journal, at: byteCount - 16 - Int64(length), count: length)
    guard JournalFormat.checksum(ofName: name) == UInt32(bigEndian: tail.1), name[0] != 0
    else { return nil }
    return name.withUnsafeBytes { String(fileNameBytes: $0) }
  }

  private static func bytes(
    of file: any File, at offset: Int64, count: Int
  ) throws(SQLError) -> [UInt8] {
    let buffer = try Memory.allocate(count)
    defer { Memory.free(buffer) }
    try file.readFully(into: buffer, byteCount: count, at: offset)
    return [UInt8](UnsafeRawBufferPointer(start: buffer, count: count))
  }

  /// Removes a super-journal when no journal that it names needs it any more (lockingv3 §4.2).
  ///
  /// The name comes from a journal, which anybody may have made: only a file that is called as
  /// `createFile` calls them, and that names this very journal, is removed.
  ///
  /// - Parameter own: the path of the journal that has the name, and is done with.
  static func deleteUnlessNeeded(
    _ path: String, by own: String, _ vfs: any VFS
  ) throws(SQLError) {
    guard isName(path) else { return }
    let file = try vfs.open(path, [.readOnly, .superJournal])
    defer { file.close() }
    // A file of a size that nobody could have written is nobody's to delete.
    let byteCount = try file.byteCount()
    guard byteCount < 1 << 20 else { return }
    let names = try bytes(of: file, at: 0, count: Int(byteCount)).split(separator: 0)
    var namesOwn = false
    for name in names {
      if name.elementsEqual(own.fileNameBytes) {
        namesOwn = true
        continue
      }
      let journal = name.withUnsafeBytes { String(fileNameBytes: $0) }
      if try !vfs.allows(.exists, to: journal) { continue }
      let child = try vfs.open(journal, [.readOnly, .mainJournal])
      defer { child.close() }
      if try self.name(in: child)?.fileNameBytes == path.fileNameBytes { return }
    }
    if namesOwn { try vfs.delete(path, syncingDirectory: false) }
  }

  /// Whether a path ends with `-mj` and nine hexadecimal digits, the seventh of which is 9.
  static func isName(_ path: String) -> Bool {
    let end = path.fileNameBytes.suffix(12)
    guard end.count == 12, end.starts(with: Array("-mj".utf8)) else { return false }
    let digits = Array(end.dropFirst(3))
    return digits[6] == UInt8(ascii: "9")
      && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// Commits the write transactions of several databases: all or none, as far as their journals
  /// are on disk.
  ///
  /// Those that are written in place have been locked: nobody else reads them. On an error the caller
  /// rolls all of them back.
  ///
  /// - Parameter main: the connection's main database, written or not, by which the super-journal
  ///   is named.
  static func commit(_ pagers: [Pager], main: Pager) throws(SQLError) {
    let together = pagers.filter { $0.needsSuperJournal }
    guard together.count > 1, !main.path.isEmpty else {
      for pager in pagers { try pager.commitPhaseOne(superJournal: nil) }
      for pager in pagers { try pager.commitPhaseTwo() }
      return
    }
    let path = try create(for: together, beside: main)
    // After a failure the super-journal stays until the journals that name it are rolled back.
    for pager in pagers { try pager.commitPhaseOne(superJournal: path) }
    // This is the commit.
    try main.vfs.delete(path, syncingDirectory: true)
    for pager in pagers {
      // What is left of a journal says that it is committed, since its super-journal is gone.
      do { try pager.commitPhaseTwo() } catch {}
    }
  }

  private static func create(
    for pagers: [Pager], beside main: Pager
  ) throws(SQLError) -> String {
    let (path, file) = try createFile(beside: main)
    do throws(SQLError) {
      defer { file.close() }
      var names: [UInt8] = []
      for pager in pagers { names += pager.journalPath.fileNameBytes + [0] }
      try file.write(from: names, byteCount: names.count, at: 0)
      try file.sync(dataOnly: true)
    } catch {
      do { try main.vfs.delete(path, syncingDirectory: false) } catch {}
      throw error
    }
    return path
  }

  /// The name is the database's, `-mj`, six random hexadecimal digits, `9` and two more (`isName`).
  private static func createFile(
    beside main: Pager
  ) throws(SQLError) -> (String, any File) {
    for _ in 0..<100 {
      var random: UInt32 = 0
      withUnsafeMutableBytes(of: &random) { main.vfs.fillRandom($0) }
      let digits =
        hexadecimal(random >> 8, digitCount: 6) + "9"
        + hexadecimal(random & 0xff, digitCount: 2)
      let path = "\(main.path)-mj\(digits)"
      if try main.vfs.allows(.exists, to: path) { continue }
      let file = try main.vfs.open(path, [.readWrite, .create, .exclusive, .superJournal])
      return (path, file)
    }
    throw SQLError(.cannotOpen)
  }

  private static func hexadecimal(_ number: UInt32, digitCount: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digitCount - digits.utf8.count)) + digits
  }
}

extension Pager {
  /// Whether a write transaction has changed anything.
  var hasChanges: Bool { state == .changed || state == .writing }

  /// Whether a crash in the middle of the commit would have to be undone together with others.
  var needsSuperJournal: Bool {
    hasChanges && isSyncing && journalMode.isOnDisk && !traits.contains(.inMemory)
  }
}
