// B-tree pages (fileformat2 §1.6).
//
//     offset in the page  header (from 100 on page 1)
//     0                   2 index interior, 5 table interior, 10 index leaf, 13 table leaf
//     1 (u16)             first free block
//     3 (u16)             number of cells
//     5 (u16)             start of the cell content area
//     7                   fragmented free bytes
//     8 (u32)             right child, on interior pages only
//     8 or 12             cell-pointer array, u16 × cells
//
// Invariants: (1) only pages that `treePage` gave are read as B-tree pages. (2) After its check, a
// page's cell-pointer array lies inside the page; what a cell pointer leads to is checked by the
// one who parses the cell. (3) A page that is not a root has cells.

/// The B-trees of one database file: access to their pages, and the cursors open on them.
final class BTree {
  let pager: Pager

  /// First of the open cursors, which are linked; a writer tells them before it changes a page.
  private(set) var firstCursor: Unmanaged<Cursor>? = nil

  /// More levels than a tree of the largest file has (SQLite's BTCURSOR_MAX_DEPTH).
  static let maximumDepth = 20

  init(pager: Pager) { self.pager = pager }

  /// Pins page `number` for use as a B-tree page.
  func treePage(_ number: PageNumber) throws(SQLError) -> PagePointer {
    let page = try rawPage(number)
    if !page.pointee.tree.isChecked {
      do {
        try checkTreePage(page)
      } catch {
        pager.unpin(page)
        throw error
      }
    }
    return page
  }

  /// Pins any page of the file.
  @inline(__always)
  func rawPage(_ number: PageNumber) throws(SQLError) -> PagePointer {
    guard number.rawValue &- 1 < pager.pageCount else { throw .corrupt("page number out of range") }
    return try pager.page(number)
  }

  /// Checks a page's header and notes what cursors need of it.
  private func checkTreePage(_ page: PagePointer) throws(SQLError) {
    let data = page.pointee.data
    let usableSize = pager.usableSize
    let headerOffset = page.pointee.number.rawValue == 1 ? 100 : 0
    let kind = data[headerOffset]
    guard kind == 2 || kind == 5 || kind == 10 || kind == 13 else {
      throw .corrupt("B-tree page kind")
    }
    var tree = TreePageHeader()
    tree.isLeaf = kind & 8 != 0
    tree.isTable = kind & 1 != 0
    tree.headerOffset = UInt8(headerOffset)
    let cellCount = Int(data.bigEndianUInt16(at: headerOffset + 3))
    let cellPointerOffset = headerOffset + (tree.isLeaf ? 8 : 12)
    // A cell takes 4 bytes and its pointer 2.
    guard cellCount <= (pager.pageSize - 8) / 6, cellPointerOffset + 2 * cellCount <= usableSize
    else { throw .corrupt("B-tree page has too many cells") }
    tree.cellCount = UInt16(cellCount)
    tree.cellPointerOffset = UInt16(cellPointerOffset)
    tree.minimumLocalSize = UInt16((usableSize - 12) * 32 / 255 - 23)
    tree.maximumLocalSize =
      UInt16(tree.isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23)
    tree.isChecked = true
    page.pointee.tree = tree
  }
}

extension BTree {
  /// Puts a new cursor on the list of open ones.
  func link(_ cursor: Cursor) {
    cursor.nextOpen = firstCursor
    firstCursor?._withUnsafeGuaranteedRef { $0.previousOpen = .passUnretained(cursor) }
    firstCursor = .passUnretained(cursor)
  }

  func unlink(_ cursor: Cursor) {
    let previous = cursor.previousOpen, next = cursor.nextOpen
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.nextOpen = next }
    } else {
      firstCursor = next
    }
    next?._withUnsafeGuaranteedRef { $0.previousOpen = previous }
    cursor.previousOpen = nil
    cursor.nextOpen = nil
  }
}

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

extension BTree {
  /// Reads a number of the database header; 0 in a file without pages.
  func meta(_ value: MetaValue) throws(SQLError) -> UInt32 {
    guard pager.pageCount > 0 else { return 0 }
    let page = try pager.page(PageNumber(1))
    defer { pager.unpin(page) }
    return page.pointee.data.bigEndianUInt32(at: 36 + 4 * value.rawValue)
  }
}
