/// A temporary file that is written at its end and read anywhere.
final class SpillFile {
  private static let bufferSize = 64 << 10

  private let file: any File
  private var buffer: UnsafeMutableRawPointer
  private var bufferedCount = 0
  /// Bytes in the file, without those in the buffer.
  private var flushedCount: Int64 = 0

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

  func append(_ source: UnsafeRawPointer, _ byteCount: Int) throws(SQLError) {
    if byteCount > SpillFile.bufferSize - bufferedCount { try flush() }
    if byteCount >= SpillFile.bufferSize {
      try file.write(from: source, byteCount: byteCount, at: flushedCount)
      flushedCount += Int64(byteCount)
    } else {
      Memory.copy(from: source, to: buffer + bufferedCount, byteCount)
      bufferedCount += byteCount
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
}
