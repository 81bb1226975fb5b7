/// A temporary file that is written at its end and read anywhere. It has no name, so that it is
/// gone with the process (`VFS.openTemporary`).
final class SpillFile {
  private static let bufferSize = 64 << 10

  private let file: any File
  private var buffer: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var bufferedCount = 0
  /// Bytes in the file, without those in the buffer.
  @exclusivity(unchecked) private var flushedCount: Int64 = 0

  init(vfs: any VFS) throws(SQLError) {
    buffer = try Memory.allocate(SpillFile.bufferSize)
    do {
      file = try vfs.openTemporary(.temporaryJournal)
    } catch {
      Memory.free(buffer)
      throw error
    }
  }

  deinit {
    Memory.free(buffer)
    file.close()
  }

  /// Where the next byte will be written.
  var endOffset: Int64 { flushedCount + Int64(bufferedCount) }

  @inline(__always)
  func append(_ source: UnsafeRawPointer, _ byteCount: Int) throws(SQLError) {
    if byteCount > SpillFile.bufferSize &- bufferedCount {
      return try appendLarge(source, byteCount)
    }
    Memory.copy(from: source, to: buffer + bufferedCount, byteCount)
    bufferedCount &+= byteCount
  }

  @inline(never)
  private func appendLarge(
    _ source: UnsafeRawPointer, _ byteCount: Int
  ) throws(SQLError) {
    try flush()
    if byteCount >= SpillFile.bufferSize {
      try file.write(from: source, byteCount: byteCount, at: flushedCount)
      flushedCount += Int64(byteCount)
    } else {
      Memory.copy(from: source, to: buffer, byteCount)
      bufferedCount = byteCount
    }
  }

  func flush() throws(SQLError) {
    guard bufferedCount > 0 else { return }
    try file.write(from: buffer, byteCount: bufferedCount, at: flushedCount)
    flushedCount += Int64(bufferedCount)
    bufferedCount = 0
  }

  func read(
    into target: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    if offset + Int64(byteCount) > flushedCount { try flush() }
    try file.readFully(into: target, byteCount: byteCount, at: offset)
  }

  /// Forgets what was written: the next byte will be the first.
  func removeAll() {
    flushedCount = 0
    bufferedCount = 0
  }
}

/// Reads a part of a spill file from its beginning to its end, ahead of what is asked for.
final class SpillReader {
  private static let readAheadCount = 64 << 10

  private let file: SpillFile
  /// Where the bytes behind those in the buffer are.
  @exclusivity(unchecked) private var offset: Int64
  private let end: Int64
  @exclusivity(unchecked) private var buffer: UnsafeMutableRawPointer
  private var capacity: Int
  @exclusivity(unchecked) private var filledCount = 0
  @exclusivity(unchecked) private var position = 0

  init(_ file: SpillFile, start: Int64, end: Int64) throws(SQLError) {
    self.file = file
    offset = start
    self.end = end
    capacity = Int(min(Int64(SpillReader.readAheadCount), max(64, end - start)))
    buffer = try Memory.allocate(capacity)
  }

  deinit { Memory.free(buffer) }

  /// The next bytes, which stay until the next call, or nil at the end.
  @inline(__always)
  func peek(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer? {
    if filledCount &- position < byteCount, try !fill(byteCount) { return nil }
    return buffer + position
  }

  /// Goes on behind bytes that `peek` gave.
  @inline(__always)
  func skip(_ byteCount: Int) {
    assert(byteCount <= filledCount - position, "only what was looked at is skipped")
    position &+= byteCount
  }

  @inline(never)
  private func fill(_ byteCount: Int) throws(SQLError) -> Bool {
    let remaining = filledCount - position
    guard Int64(remaining) + (end - offset) >= Int64(byteCount) else { return false }
    if byteCount > capacity {
      buffer = try Memory.reallocate(buffer, byteCount)
      capacity = byteCount
    }
    Memory.move(from: buffer + position, to: buffer, remaining)
    position = 0
    filledCount = remaining
    let wanted = Int(min(Int64(capacity - remaining), end - offset))
    try file.read(into: buffer + remaining, wanted, at: offset)
    offset += Int64(wanted)
    filledCount += wanted
    return true
  }
}
