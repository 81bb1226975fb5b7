/// Reads a write-ahead log from its beginning, as far as its checksums vouch for it.
struct WALReader {
  private let log: any File
  private let byteCount: Int64
  private(set) var pageSize = 0
  /// How many frames there is room for in the file.
  private var possibleFrameCount: UInt32 = 0
  private(set) var isBigEndian = false
  private(set) var startCount: UInt32 = 0
  private(set) var salt: (UInt32, UInt32) = (0, 0)
  /// Of all that was read so far.
  private(set) var checksum = WALChecksum()
  /// The last frame that was read.
  private(set) var frame: UInt32 = 0

  init(_ log: any File, byteCount: Int64) {
    self.log = log
    self.byteCount = byteCount
  }

  /// False where there is no header to be trusted: then the log counts as empty.
  ///
  /// - Throws: `cannotOpen` for a log of another version.
  mutating func readHeader() throws(SQLError) -> Bool {
    guard byteCount > Int64(WALFormat.headerByteCount) else { return false }
    let bytes = try Memory.allocate(WALFormat.headerByteCount)
    defer { Memory.free(bytes) }
    try log.readFully(into: bytes, byteCount: WALFormat.headerByteCount, at: 0)
    let header = UnsafeRawPointer(bytes)
    let magic = header.bigEndianUInt32(at: 0)
    let pageSize = Int(header.bigEndianUInt32(at: 8))
    guard magic & ~1 == WALFormat.magic, DatabaseHeader.isPossible(pageSize: pageSize) else {
      return false
    }
    isBigEndian = magic & 1 == 1
    self.pageSize = pageSize
    possibleFrameCount = UInt32(
      clamping: (byteCount - Int64(WALFormat.headerByteCount)) / Int64(frameByteCount))
    startCount = header.bigEndianUInt32(at: 12)
    salt = (
      header.loadUnaligned(fromByteOffset: 16, as: UInt32.self),
      header.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
    )
    checksum.add(header, 24, isBigEndian: isBigEndian)
    guard checksum.first == header.bigEndianUInt32(at: 24),
      checksum.second == header.bigEndianUInt32(at: 28)
    else { return false }
    guard header.bigEndianUInt32(at: 4) == WALFormat.version else { throw SQLError(.cannotOpen) }
    return true
  }

  var frameByteCount: Int { WALFormat.frameByteCount(pageSize: pageSize) }

  /// A frame that is valid.
  struct Frame {
    let page: UInt32
    /// Not 0 where a transaction ends.
    let pageCount: UInt32
  }

  /// The next frame; nil at the first one that is not valid.
  ///
  /// - Parameter buffer: `frameByteCount` bytes.
  mutating func next(_ buffer: UnsafeMutableRawPointer) throws(SQLError) -> Frame? {
    guard frame < possibleFrameCount else { return nil }
    let offset = WALFormat.offset(ofFrame: frame + 1, pageSize: pageSize)
    try log.readFully(into: buffer, byteCount: frameByteCount, at: offset)
    let bytes = UnsafeRawPointer(buffer)
    let page = bytes.bigEndianUInt32(at: 0)
    guard page != 0, bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self) == salt.0,
      bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self) == salt.1
    else { return nil }
    var sum = checksum
    sum.add(bytes, 8, isBigEndian: isBigEndian)
    sum.add(bytes + WALFormat.frameHeaderByteCount, pageSize, isBigEndian: isBigEndian)
    guard sum.first == bytes.bigEndianUInt32(at: 16), sum.second == bytes.bigEndianUInt32(at: 20)
    else { return nil }
    checksum = sum
    frame += 1
    return Frame(page: page, pageCount: bytes.bigEndianUInt32(at: 4))
  }

  /// Goes on behind frames that are known.
  mutating func skip(to header: WALIndexHeader) {
    checksum = header.frameChecksum
    frame = header.frameCount
  }

  /// Whether a transaction ends somewhere behind.
  mutating func hasCommit() throws(SQLError) -> Bool {
    let buffer = try Memory.allocate(frameByteCount)
    defer { Memory.free(buffer) }
    while let frame = try next(buffer) {
      if frame.pageCount != 0 { return true }
    }
    return false
  }
}
