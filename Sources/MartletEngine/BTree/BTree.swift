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

  /// The open cursors in lists by root page: the first of each. A writer tells those on its tree
  /// before it changes a page.
  private let cursorLists: UnsafeMutablePointer<Unmanaged<Cursor>?>
  @exclusivity(unchecked) private var openCursorCount = 0
  private static let cursorListCount = 64

  /// How freed content is overwritten (pragma, secure_delete).
  enum SecureDelete { case off, on, fast }
  var secureDelete = SecureDelete.off { didSet { erasesFreedContent = secureDelete != .off } }
  private(set) var erasesFreedContent = false
  /// Whether a page's cells are checked when it is first used (pragma, cell_size_check).
  var checksCellSizes = false
  /// How many backups read or replace the database: it cannot be detached meanwhile.
  var backupCount = 0
  /// What a database that does not exist yet shall be (pragma, auto_vacuum).
  var newDatabaseVacuum = AutoVacuum.none

  // What a write transaction knows; docs/btree.md.
  var isAutoVacuum = false
  /// Pages that this transaction put on the freelist, which had content when it began.
  let freedPages = PageSet()

  // Memory of writers, allocated for a page size with the first write.
  private var spaceMemory: UnsafeMutableRawPointer? = nil
  @exclusivity(unchecked) private var spacePageSize = 0
  /// A cell that is being made.
  @exclusivity(unchecked) private(set) var cellSpace = BTree.noSpace
  /// A copy of a page that is being rewritten.
  private(set) var pageSpace = BTree.noSpace
  /// Dividers that wait for their page to be balanced; levels take turns.
  private(set) var dividerSpaces = (BTree.noSpace, BTree.noSpace)
  let pending: UnsafeMutablePointer<PendingCell>
  let pendingPages: UnsafeMutablePointer<PagePointer?>
  let siblings = SiblingBalance()

  private static var noSpace: UnsafeMutablePointer<UInt8> {
    UnsafeMutablePointer(mutating: Register.emptyBytes)
  }

  /// More levels than a tree of the largest file has (SQLite's BTCURSOR_MAX_DEPTH).
  static let maximumDepth = 20

  init(pager: Pager) {
    self.pager = pager
    cursorLists = .allocate(capacity: BTree.cursorListCount)
    cursorLists.initialize(repeating: nil, count: BTree.cursorListCount)
    pending = .allocate(capacity: BTree.pendingPageLimit * BTree.pendingCellLimit)
    pendingPages = .allocate(capacity: BTree.pendingPageLimit)
    pendingPages.initialize(repeating: nil, count: BTree.pendingPageLimit)
  }

  deinit {
    cursorLists.deallocate()
    pending.deallocate()
    pendingPages.deallocate()
    Memory.free(spaceMemory)
  }

  var usableSize: Int { pager.usableSize }

  /// Makes sure of the memory that writers need.
  func prepareSpaces() throws(SQLError) {
    guard spacePageSize != pager.pageSize else { return }
    // A divider may be longer than its cell by a child number, and loads go past the end.
    let size = pager.pageSize + 2 * PageFrame.slack
    let memory = try Memory.allocateZeroed(5 * size)
    Memory.free(spaceMemory)
    spaceMemory = memory
    let bytes = memory.bindMemory(to: UInt8.self, capacity: 5 * size)
    // A leaf's cell that becomes a divider is copied with 4 bytes in front of it.
    cellSpace = bytes + 8
    pageSpace = bytes + size
    dividerSpaces = (bytes + 2 * size, bytes + 3 * size)
    try siblings.prepare(space: bytes + 4 * size, pageSize: pager.pageSize)
    spacePageSize = pager.pageSize
  }

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
    var tree = emptyHeader(kind: kind, headerOffset: headerOffset)
    let cellCount = Int(data.bigEndianUInt16(at: headerOffset + 3))
    // A cell takes 4 bytes and its pointer 2.
    guard cellCount <= (pager.pageSize - 8) / 6,
      Int(tree.cellPointerOffset) + 2 * cellCount <= usableSize
    else { throw .corrupt("B-tree page has too many cells") }
    tree.cellCount = UInt16(cellCount)
    // How many bytes are free is counted when somebody wants to write.
    tree.freeByteCount = -1
    page.pointee.tree = tree
    guard checksCellSizes else { return }
    do {
      for index in 0..<cellCount { _ = try checkedCell(at: index, of: page) }
    } catch {
      page.pointee.tree.isChecked = false
      throw error
    }
  }

  /// What is known of a page without cells.
  func emptyHeader(kind: UInt8, headerOffset: Int) -> TreePageHeader {
    let usableSize = pager.usableSize
    var tree = TreePageHeader()
    tree.isLeaf = kind & 8 != 0
    tree.isTable = kind & 1 != 0
    tree.headerOffset = UInt8(headerOffset)
    let cellPointerOffset = headerOffset + (tree.isLeaf ? 8 : 12)
    tree.cellPointerOffset = UInt16(cellPointerOffset)
    tree.minimumLocalSize = UInt16((usableSize - 12) * 32 / 255 - 23)
    tree.maximumLocalSize =
      UInt16(tree.isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23)
    tree.freeByteCount = Int32(usableSize - cellPointerOffset)
    tree.isChecked = true
    return tree
  }
}

extension BTree {
  private func listOfCursors(on root: PageNumber) -> UnsafeMutablePointer<Unmanaged<Cursor>?> {
    cursorLists + Int(root.rawValue) & (BTree.cursorListCount - 1)
  }

  /// Puts a cursor on the list of open ones. All cursors of a tree know that they share it, or there
  /// is only one.
  func link(_ cursor: Cursor) {
    openCursorCount &+= 1
    let list = listOfCursors(on: cursor.root)
    var next = list.pointee
    while let other = next {
      next = other._withUnsafeGuaranteedRef { other in
        guard other.root == cursor.root else { return other.nextOpen }
        other.sharesTree = true
        cursor.sharesTree = true
        return nil
      }
    }
    cursor.nextOpen = list.pointee
    list.pointee?._withUnsafeGuaranteedRef { $0.previousOpen = .passUnretained(cursor) }
    list.pointee = .passUnretained(cursor)
  }

  func unlink(_ cursor: Cursor) {
    openCursorCount &-= 1
    let previous = cursor.previousOpen, next = cursor.nextOpen
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.nextOpen = next }
    } else {
      listOfCursors(on: cursor.root).pointee = next
    }
    next?._withUnsafeGuaranteedRef { $0.previousOpen = previous }
    cursor.previousOpen = nil
    cursor.nextOpen = nil
    cursor.sharesTree = false
  }

  /// Calls the function with each open cursor on a tree.
  @inline(__always)
  func forEachCursor(
    on root: PageNumber, _ body: (Cursor) throws(SQLError) -> Void
  ) throws(SQLError) {
    try forEachCursor(inList: listOfCursors(on: root)) { cursor throws(SQLError) in
      if cursor.root == root { try body(cursor) }
    }
  }

  /// Calls the function with each open cursor of the file.
  @inline(__always)
  func forEachCursor(_ body: (Cursor) throws(SQLError) -> Void) throws(SQLError) {
    if openCursorCount == 0 { return }
    for list in 0..<BTree.cursorListCount { try forEachCursor(inList: cursorLists + list, body) }
  }

  @inline(__always)
  private func forEachCursor(
    inList list: UnsafeMutablePointer<Unmanaged<Cursor>?>,
    _ body: (Cursor) throws(SQLError) -> Void
  ) throws(SQLError) {
    var next = list.pointee
    while let reference = next {
      next = reference._withUnsafeGuaranteedRef { $0.nextOpen }
      try reference.lend { (cursor) throws(SQLError) in try body(cursor) }
    }
  }
}
