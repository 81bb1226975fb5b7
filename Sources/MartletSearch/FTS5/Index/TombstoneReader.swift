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
      guard let page = try index.tables.read(row), page.count >= Tombstones.headerSize + 8 else {
        throw index.corruptBlock(row)
      }
      pages[number] = page
    }
    guard let page = pages[number] else { return false }
    return Tombstones(page.bytes, page.count).contains(rowid, pageCount: pageCount)
  }
}

/// A page of deleted rowids, wherever it is.
struct Tombstones {
  static let headerSize = 8

  private let bytes: UnsafeMutablePointer<UInt8>
  private let byteCount: Int

  init(_ bytes: UnsafeMutablePointer<UInt8>, _ byteCount: Int) {
    assert(byteCount >= Tombstones.headerSize + 8, "there is room for one key of any size")
    self.bytes = bytes
    self.byteCount = byteCount
  }

  static func makePages(
    _ pageCount: Int, _ slotCount: Int, _ keySize: Int
  ) throws(SQLError) -> [IndexPage] {
    var pages: [IndexPage] = []
    for _ in 0..<pageCount {
      let page = try IndexPage(zeroCount: headerSize + slotCount * keySize)
      page.bytes[0] = UInt8(keySize)
      pages.append(page)
    }
    return pages
  }

  var keySize: Int { bytes[0] == 4 ? 4 : 8 }
  var slotCount: Int { byteCount > 16 ? (byteCount - Tombstones.headerSize) / keySize : 1 }

  /// How many keys there are.
  private(set) var count: Int {
    get { (4..<8).reduce(0) { $0 << 8 | Int(bytes[$1]) } }
    nonmutating set {
      for index in 0..<4 {
        bytes[4 + index] = UInt8(truncatingIfNeeded: newValue >> (24 - 8 * index))
      }
    }
  }

  func slot(_ index: Int) -> UInt64 {
    let place = bytes + Tombstones.headerSize + index * keySize
    var value: UInt64 = 0
    for offset in 0..<keySize { value = value << 8 | UInt64(place[offset]) }
    return value
  }

  private func setSlot(_ index: Int, _ key: UInt64) {
    let place = bytes + Tombstones.headerSize + index * keySize
    for offset in 0..<keySize {
      place[offset] = UInt8(truncatingIfNeeded: key >> UInt64(8 * (keySize - 1 - offset)))
    }
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

  /// - Parameter isForced: Also where more than half of the slots are taken.
  /// - Returns: false where the page has to be made anew.
  func insert(_ key: UInt64, pageCount: Int, isForced: Bool) -> Bool {
    if keySize == 4 && key > UInt64(UInt32.max) { return false }
    if key == 0 {
      bytes[1] = 1
      return true
    }
    let slotCount = slotCount
    if !isForced && count >= slotCount / 2 { return false }
    count = count &+ 1
    var index = Int(key / UInt64(pageCount) % UInt64(slotCount))
    for _ in 0..<slotCount {
      if slot(index) == 0 {
        setSlot(index, key)
        break
      }
      index = (index + 1) % slotCount
    }
    return true
  }
}
