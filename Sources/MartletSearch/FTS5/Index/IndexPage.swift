import MartletEngine

/// A page of a segment, or any block of `%_data`, in memory of its own. Behind its bytes there are
/// zeros, so that a varint may be decoded before its end is compared.
final class IndexPage {
  let bytes: UnsafeMutablePointer<UInt8>
  /// All bytes.
  let count: Int
  /// Bytes in front of the offsets of terms (SQLite's szLeaf).
  let contentSize: Int

  /// - Throws: `outOfMemory`.
  init(copying block: UnsafeRawBufferPointer) throws(SQLError) {
    bytes = try IndexPage.copy(block)
    count = block.count
    contentSize = count >= 4 ? Int(bytes[2]) << 8 | Int(bytes[3]) : 0
  }

  /// A doclist that is in no segment yet, as a page without terms.
  init(doclist: UnsafeRawBufferPointer) throws(SQLError) {
    bytes = try IndexPage.copy(doclist)
    count = doclist.count
    contentSize = doclist.count
  }

  init(zeroCount: Int) throws(SQLError) {
    guard let memory = MemoryUse.allocate(zeroCount + GrowingBytes.padding) else {
      throw SQLError(.outOfMemory)
    }
    bytes = memory.assumingMemoryBound(to: UInt8.self)
    bytes.initialize(repeating: 0, count: zeroCount + GrowingBytes.padding)
    count = zeroCount
    contentSize = 0
  }

  private static func copy(
    _ block: UnsafeRawBufferPointer
  ) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    let size = block.count + GrowingBytes.padding
    guard let memory = MemoryUse.allocate(size) else { throw SQLError(.outOfMemory) }
    if let start = block.baseAddress { memory.copyMemory(from: start, byteCount: block.count) }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    (bytes + block.count).initialize(repeating: 0, count: GrowingBytes.padding)
    return bytes
  }

  deinit { MemoryUse.free(bytes) }

  var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }

  /// The content ends inside of the page.
  var isSound: Bool { count >= IndexFormat.headerSize && contentSize <= count }

  @inline(__always)
  var hasTerms: Bool { contentSize < count }

  /// Offset of a rowid in front of the first term, 0 where there is none.
  @inline(__always)
  var firstRowidOffset: Int { Int(bytes[0]) << 8 | Int(bytes[1]) }

  /// Offset of the first term; 0 where there is none.
  @inline(__always)
  var firstTermOffset: Int {
    guard hasTerms else { return 0 }
    var offset = 0
    _ = Varint.readSmall(bytes + contentSize, &offset)
    return offset
  }
}
