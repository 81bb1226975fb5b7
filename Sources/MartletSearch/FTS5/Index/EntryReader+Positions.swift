import MartletEngine

extension EntryReader {
  /// Where the positions of the entry are: in the page, or collected in `scratch` where they go on
  /// behind it. Valid until the reader moves.
  @inline(__always)
  func positions(_ scratch: GrowingBytes) throws(SQLError) -> UnsafeRawBufferPointer {
    let size = state.pointee.positionSize
    if offset &+ size <= content {
      return UnsafeRawBufferPointer(start: bytes + offset, count: size)
    }
    scratch.removeAll()
    try forEachChunk { bytes, count throws(SQLError) in try scratch.append(bytes, count) }
    return scratch.buffer
  }

  /// Where the positions are, if they do not go on behind the page.
  @inline(__always)
  var positionsOfPage: UnsafePointer<UInt8>? {
    offset &+ state.pointee.positionSize <= content ? UnsafePointer(bytes + offset) : nil
  }

  /// Calls `body` with the pieces of the positions, page by page.
  func forEachChunk(
    _ body: (UnsafePointer<UInt8>, Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard let page else { return }
    var rest = positionSize
    var count = min(rest, max(page.contentSize - offset, 0))
    try body(UnsafePointer(page.bytes + offset), count)
    rest -= count
    var number = pageNumber
    while rest > 0 {
      number += 1
      guard let segment, number <= segment.lastPage else { throw corruptPage() }
      let next = try index.readPage(segment.id, number)
      count = min(rest, next.contentSize - IndexFormat.headerSize)
      guard count > 0 else { throw corruptPage() }
      try body(UnsafePointer(next.bytes + IndexFormat.headerSize), count)
      rest -= count
    }
  }
}
