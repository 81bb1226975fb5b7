/// A file that is written at its end, through a buffer: records of pages come by the thousand, or
/// two for a transaction in autocommit.
///
/// What was appended is in the file only after `flush`; reads find it wherever it is.
final class JournalFile {
  let file: any File
  /// Where the next byte is appended.
  private(set) var endOffset: Int64 = 0
  private let buffer: UnsafeMutableRawPointer
  private let capacity = JournalFile.bufferByteCount
  private var bufferedCount = 0

  /// Room for a record of the largest page, and for many of the usual ones.
  static let bufferByteCount = 1 << 17

  /// - Parameter buffer: `bufferByteCount` bytes that outlive this file.
  init(_ file: any File, buffer: UnsafeMutableRawPointer) {
    self.file = file
    self.buffer = buffer
  }

  private var flushedOffset: Int64 { endOffset - Int64(bufferedCount) }

  /// Room for the next `byteCount` bytes, which are less than the buffer; to be filled at once.
  func append(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    assert(byteCount <= capacity)
    if bufferedCount + byteCount > capacity { try flush() }
    let room = buffer + bufferedCount
    bufferedCount += byteCount
    endOffset += Int64(byteCount)
    return room
  }

  /// Goes on at an offset further on. What is between stays as it is: it shares a sector with
  /// bytes that may have been synced, and which a write might damage.
  func skip(to offset: Int64) throws(SQLError) {
    assert(offset >= endOffset)
    try flush()
    endOffset = offset
  }

  func flush() throws(SQLError) {
    guard bufferedCount > 0 else { return }
    try file.write(from: buffer, byteCount: bufferedCount, at: flushedOffset)
    bufferedCount = 0
  }

  /// Replaces bytes that were appended before.
  func overwrite(
    _ bytes: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    assert(offset + Int64(byteCount) <= endOffset)
    if offset >= flushedOffset {
      Memory.copy(from: bytes, to: buffer + Int(offset - flushedOffset), byteCount)
    } else {
      try flush()
      try file.write(from: bytes, byteCount: byteCount, at: offset)
    }
  }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    assert(offset + Int64(byteCount) <= endOffset)
    if offset >= flushedOffset {
      Memory.copy(from: buffer + Int(offset - flushedOffset), to: target, byteCount)
    } else {
      if offset + Int64(byteCount) > flushedOffset { try flush() }
      try file.readFully(into: target, byteCount: byteCount, at: offset)
    }
  }

  /// Starts again at an offset, usually 0; what lies behind it is of no use any more.
  func restart(at offset: Int64 = 0) {
    assert(offset <= endOffset)
    bufferedCount = max(0, Int(offset - flushedOffset))
    endOffset = offset
  }
}
