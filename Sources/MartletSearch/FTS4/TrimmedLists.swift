import MartletEngine

/// Position lists that are written one by one and stay where they are. There may be as many as the
/// table has rows.
struct TrimmedLists {
  private var blocks: [ByteBlock] = []
  /// Bytes that the last block may still take without moving.
  private var room = 0

  private static let blockSize = 65_536
  /// The numbers of a column and of a place, and a byte between.
  private static let longestPlace = 21

  /// Writes the places, in order; the list is good as long as this is.
  mutating func write(
    _ places: UnsafeBufferPointer<Place>
  ) throws(SQLError) -> UnsafeBufferPointer<UInt8> {
    let most = places.count * TrimmedLists.longestPlace
    if room < most {
      let size = max(most, TrimmedLists.blockSize)
      blocks.append(try ByteBlock(capacity: size))
      room = size
    }
    guard let block = blocks.last else { return UnsafeBufferPointer(start: nil, count: 0) }
    let first = block.count
    var writer = PlaceWriter(block)
    for place in places { try writer.add(place) }
    assert(block.count - first <= most)
    room -= block.count - first
    return UnsafeBufferPointer(start: block.start + first, count: block.count - first)
  }
}
