import MartletEngine

/// Reads the lowest level of a doclist index, whose pages follow each other: which page of the
/// segment has which first rowid.
final class DoclistIndexReader {
  private let index: FTS5Index
  private let segment: IndexSegment
  /// The page of the index, and its number.
  private var block: IndexPage?
  private var blockNumber: Int
  private var place = 0
  /// The page of the segment that was read, and its first rowid.
  private(set) var page = 0
  private(set) var rowid: Int64 = 0
  private(set) var isAtEnd = false

  init(_ index: FTS5Index, _ segment: IndexSegment, page: Int) throws(SQLError) {
    self.index = index
    self.segment = segment
    blockNumber = page
    let row = IndexFormat.doclistIndexRow(segment.id, height: 0, page: page)
    block = try index.tables.read(row)
    guard block != nil else { throw index.corruptBlock(row) }
    try beginBlock()
  }

  private func beginBlock() throws(SQLError) {
    guard let block, block.count > 1 else {
      throw index.corruptPage(blockNumber, ofSegment: segment.id)
    }
    var value: UInt64 = 0
    place = 1
    place += Varint.readSmall(block.bytes + place, &page)
    place += Varint.read(block.bytes + place, &value)
    rowid = Int64(bitPattern: value)
    if place > block.count { throw index.corruptPage(blockNumber, ofSegment: segment.id) }
  }

  /// Moves to the next page that has a rowid.
  func advance() throws(SQLError) {
    while let block, place < block.count {
      var distance: UInt64 = 0
      place += Varint.read(block.bytes + place, &distance)
      page += 1
      guard distance != 0 else { continue }
      rowid = rowid &+ Int64(bitPattern: distance)
      return
    }
    // The root of a small index is its only page.
    guard let block, block.bytes[0] != 0, page < segment.lastPage else { return isAtEnd = true }
    blockNumber += 1
    self.block = try index.tables.read(
      IndexFormat.doclistIndexRow(segment.id, height: 0, page: blockNumber))
    if self.block == nil { isAtEnd = true } else { try beginBlock() }
  }

  /// The last page whose first rowid is less than `target`, if it is behind `number`.
  func page(before target: Int64, from number: Int) throws(SQLError) -> Int {
    var best = number
    while !isAtEnd && rowid < target {
      best = max(best, page)
      try advance()
    }
    return min(best, segment.lastPage)
  }
}
