/// The numbers that the database header keeps for the B-tree layer (fileformat2 §1.3, from byte
/// 36 on, 4 bytes each; SQLite's meta values).
enum MetaValue: Int {
  case freePageCount = 0
  case schemaCookie = 1
  case schemaFormat = 2
  case defaultCacheSize = 3
  case largestRootPage = 4
  case textEncoding = 5
  case userVersion = 6
  case incrementalVacuum = 7
  case applicationID = 8
}

/// How a database gets rid of free pages (pragma, auto_vacuum).
enum AutoVacuum: UInt8 { case none, full, incremental }

extension DatabaseHeader {
  /// The kind of auto-vacuum.
  var autoVacuum: AutoVacuum {
    if largestRootPage == 0 { return .none }
    return hasIncrementalVacuum ? .incremental : .full
  }
}

extension BTree {
  /// Reads a number of the database header; 0 in a file without pages.
  func meta(_ value: MetaValue) throws(SQLError) -> UInt32 {
    guard pager.pageCount > 0 else { return 0 }
    let page = try pager.page(PageNumber(1))
    defer { pager.unpin(page) }
    return page.pointee.data.bigEndianUInt32(at: 36 + 4 * value.rawValue)
  }

  /// Changes a number of the database header, within a write transaction.
  func updateMeta(_ value: MetaValue, to number: UInt32) throws(SQLError) {
    assert(value != .freePageCount, "the freelist counts itself")
    let page = try rawPage(PageNumber(1))
    defer { pager.unpin(page) }
    try pager.makeWritable(page)
    page.pointee.data.setUInt32(number, at: 36 + 4 * value.rawValue)
    try pager.updateHeader()
  }

  /// The kind of auto-vacuum of this database, or of the one to be made of an empty file.
  func autoVacuum() throws(SQLError) -> AutoVacuum {
    guard pager.pageCount > 0 else { return newDatabaseVacuum }
    guard try meta(.largestRootPage) != 0 else { return .none }
    return try meta(.incrementalVacuum) != 0 ? .incremental : .full
  }

  /// Changes between full and incremental auto-vacuum. A database with pages keeps its pointer map
  /// or its lack of one: false if it would have to change that.
  func setAutoVacuum(_ mode: AutoVacuum) throws(SQLError) -> Bool {
    guard pager.pageCount > 0 else {
      newDatabaseVacuum = mode
      return true
    }
    let current = try autoVacuum()
    if current == mode { return true }
    guard current != .none, mode != .none else { return false }
    try updateMeta(.incrementalVacuum, to: mode == .incremental ? 1 : 0)
    return true
  }
}
