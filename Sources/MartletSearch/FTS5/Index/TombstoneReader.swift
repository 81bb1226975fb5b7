import MartletEngine

/// The rowids that were deleted from a segment of a contentless table: hash tables, one a page, of
/// which the rowid says the number.
///
///     | key size: 4 or 8 | 1: rowid 0 is deleted | 2 unused | count u32 | slots, 0 where empty … |
final class TombstoneReader {
  private let index: FTS5Index
  private let segment: IndexSegment
  private var pages: [Int: IndexPage] = [:]

  init(_ index: FTS5Index, _ segment: IndexSegment) {
    self.index = index
    self.segment = segment
  }

  func contains(_ rowid: Int64) throws(SQLError) -> Bool {
    let pageCount = segment.tombstonePageCount
    guard pageCount > 0 else { return false }
    let number = Int(UInt64(bitPattern: rowid) % UInt64(pageCount))
    if pages[number] == nil {
      let row = IndexFormat.tombstoneRow(segment.id, page: number)
      guard let page = try index.tables.read(row), page.count >= Tombstones.headerSize + 4 else {
        throw index.corruptBlock(row)
      }
      pages[number] = page
    }
    guard let page = pages[number] else { return false }
    return Tombstones(UnsafeMutablePointer(page.bytes), page.count).contains(
      rowid, pageCount: pageCount)
  }
}

/// A page of deleted rowids, wherever it is.
struct Tombstones {
  static let headerSize = 8

  let bytes: UnsafeMutablePointer<UInt8>
  let count: Int

  init(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
    self.bytes = bytes
    self.count = count
  }

  var keySize: Int { bytes[0] == 4 ? 4 : 8 }
  var slotCount: Int { max((count - Tombstones.headerSize) / keySize, 1) }

  func slot(_ index: Int) -> UInt64 {
    let place = bytes + Tombstones.headerSize + index * keySize
    var value: UInt64 = 0
    for offset in 0..<keySize { value = value << 8 | UInt64(place[offset]) }
    return value
  }

  func contains(_ rowid: Int64, pageCount: Int) -> Bool {
    let key = UInt64(bitPattern: rowid)
    if key == 0 { return bytes[1] != 0 }
    if keySize == 4 && key > UInt64(UInt32.max) { return false }
    var index = Int(key / UInt64(pageCount) % UInt64(slotCount))
    for _ in 0..<slotCount {
      let value = slot(index)
      if value == 0 { return false }
      if value == key { return true }
      index = (index + 1) % slotCount
    }
    return false
  }
}
