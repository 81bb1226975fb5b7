// A place in one B-tree.
//
//     path[0]        path[1]        …    path[depth]
//     root page  →   child page     →    the page of the current entry
//
// Invariants: (1) `path[0..<pinnedCount]` are pinned; `depth < pinnedCount` while the cursor is
// valid. Levels behind `depth` are left over from earlier places and are used again when a descent
// comes to the same page. (2) The current page's facts are kept in the cursor, `cellIndex`
// included; the indexes of the levels above are in `path`. (3) `leafCellCount` is 0 unless the
// cursor is valid and on a leaf, so that one comparison tells whether the next entry is beside
// this one. (4) An entry is parsed only when it is asked for; a move forgets it with one store to
// `decoder.parsedCount`.

/// A cursor on a table or index tree. Bytes borrowed from it die when it moves or closes.
final class Cursor {
  /// A page on the way from the root, and which of its children the way goes on through.
  struct Level {
    var page: PagePointer
    var cellIndex: Int
  }

  enum Direction: UInt8 { case none, forward, backward }

  let tree: BTree
  unowned(unsafe) let pager: Pager
  let root: PageNumber
  /// Order of the keys; nil for a tree whose keys are rowids.
  let keyInfo: KeyInfo?
  let isTable: Bool
  private(set) var usableSize: Int
  /// Keeps a cell pointer inside the page: a page's size is a power of two.
  private(set) var cellOffsetMask: Int

  /// The cursor is on an entry. False before the first move, past the ends and in an empty tree.
  var isValid = false
  var isLeaf = false
  var leafCellCount = 0
  var cellIndex = 0
  var cellCount = 0
  var data: UnsafePointer<UInt8> = Register.emptyBytes
  /// Behind the last byte of `data` that cells may use.
  var dataEnd: UnsafePointer<UInt8> = Register.emptyBytes
  /// Size of the child number that a cell of an interior page begins with; 0 on leaves.
  var cellPrefixSize = 0
  var cellPointers: UnsafePointer<UInt8> = Register.emptyBytes
  var maximumLocalSize = 0
  var depth = 0
  var pinnedCount = 0
  let path: UnsafeMutablePointer<Level>

  /// The rowid of the entry, once its cell is parsed.
  var cellRowid: Int64 = 0
  let decoder: UnsafeMutablePointer<RecordDecoder>
  /// Copies of headers and whole keys that overflow their page.
  var scratch: UnsafeMutablePointer<UInt8>? = nil
  var scratchCapacity = 0
  /// The numbers of the current entry's overflow pages, as far as they were read.
  @exclusivity(unchecked) var overflowPages = PlainArray<PageNumber>()

  /// Seeks look at the current leaf first while that keeps being right.
  var looksAtLeafFirst = false
  var lastLeaf = PageNumber(0)

  /// Pages that a walk in one direction may still enter: a tree whose pages are linked more than
  /// once would otherwise be walked for ever.
  private var pagesLeft: UInt64 = 0
  private var direction = Direction.none

  var nextOpen: Unmanaged<Cursor>? = nil
  var previousOpen: Unmanaged<Cursor>? = nil
  private var isOpen = false

  /// The cursor is used to change its tree: a rollback takes its place away.
  var isWriter = false
  /// Others may be open on the same tree, and have to be saved before it is changed.
  var sharesTree = false
  /// The row that is read and written in pieces through this cursor. When somebody changes the row,
  /// it is nil.
  var lentRow: Int64? = nil
  /// Nobody else may change the tree while the cursor is on an entry.
  var isPinned = false
  /// What is kept of a saved place: see Cursor+Save.swift.
  var skip = 0
  var tripCode = ResultCode.abortRollback
  var savedRowid: Int64 = 0
  var savedKey: UnsafeMutablePointer<UInt8>? = nil
  var savedKeyCapacity = 0
  var savedKeySize = 0
  var savedFields: UnsafeMutablePointer<Register>? = nil

  // Values of `decoder.parsedCount` below `RecordDecoder.unopened`, which means that the cell is
  // parsed.

  /// The cursor is on an entry of which nothing is parsed.
  static let unparsed = -2
  /// The cursor is on no entry.
  static let noEntry = -3
  /// The cursor stands for a row of NULLs.
  static let nullRow = -4

  /// Opens a cursor on the tree with root page `root`; it is on no entry yet.
  init(tree: BTree, root: PageNumber, keyInfo: KeyInfo?) {
    self.tree = tree
    pager = tree.pager
    self.root = root
    self.keyInfo = keyInfo
    isTable = keyInfo == nil
    usableSize = tree.pager.usableSize
    cellOffsetMask = tree.pager.pageSize - 1
    path = .allocate(capacity: BTree.maximumDepth)
    decoder = .allocate(capacity: 1)
    decoder.initialize(to: RecordDecoder())
    decoder.pointee.parsedCount = Cursor.noEntry
    open()
  }

  deinit {
    close()
    decoder.pointee.deinitialize()
    decoder.deallocate()
    path.deallocate()
    Memory.free(scratch)
    overflowPages.deallocate()
    freeSavedKey()
  }

  /// From now on the cursor is told before its tree changes. To be called on a closed cursor.
  func open() {
    isOpen = true
    tree.link(self)
  }

  /// Gives its pages back. The cursor costs those who change the tree nothing until it is opened
  /// again: statements that are kept have many.
  func close() {
    guard isOpen else { return }
    isOpen = false
    reset()
    tree.unlink(self)
    if scratchCapacity > Cursor.keptScratchCount { freeScratch() }
    if overflowPages.byteCount > Cursor.keptScratchCount { overflowPages.deallocate() }
  }

  /// A closed cursor keeps no more bytes than that in each of its buffers.
  private static let keptScratchCount = 64 << 10

  private func freeScratch() {
    Memory.free(scratch)
    scratch = nil
    scratchCapacity = 0
  }

  /// Gives its pages back; the cursor is on no entry, and others may change the tree.
  func reset() {
    isPinned = false
    leaveEntry()
  }

  /// Gives its pages back; the cursor is on no entry.
  func leaveEntry() {
    invalidate()
    releasePages()
  }

  /// Gives its pages back; what else the cursor knows stays.
  func releasePages() {
    unpin(from: 0)
    looksAtLeafFirst = false
    lastLeaf = PageNumber(0)
  }

  /// Makes every column NULL until the next move (the right side of an outer join).
  func setNullRow() {
    invalidate()
    decoder.pointee.parsedCount = Cursor.nullRow
  }

  var isNullRow: Bool { decoder.pointee.parsedCount == Cursor.nullRow }

  @inline(__always)
  func forgetEntry() { decoder.pointee.parsedCount = Cursor.unparsed }

  func invalidate() {
    isValid = false
    leafCellCount = 0
    decoder.pointee.parsedCount = Cursor.noEntry
  }

  /// Unpins the levels from `level` on.
  func unpin(from level: Int) {
    while pinnedCount > level {
      pinnedCount -= 1
      pager.unpin(path[pinnedCount].page)
    }
  }
}

// MARK: Pages

extension Cursor {
  /// Goes to the root page. False if the tree is empty; the cursor is then on no entry.
  func moveToRoot() throws(SQLError) -> Bool {
    if decoder.pointee.parsedCount == Cursor.tripped { throw SQLError(tripCode) }
    invalidate()
    direction = .none
    depth = 0
    if pinnedCount > 0 {
      use(path[0].page)
    } else {
      guard root.rawValue != 1 || pager.pageCount > 0 else { return false }
      let page = try tree.treePage(root)
      // The page size may be another one since the cursor was used last.
      usableSize = pager.usableSize
      cellOffsetMask = pager.pageSize - 1
      path[0] = Level(page: page, cellIndex: 0)
      pinnedCount = 1
      use(page)
    }
    guard path[0].page.pointee.tree.isTable == isTable else {
      throw .corrupt("root page is of another kind of tree")
    }
    if cellCount == 0 {
      if isLeaf { return false }
      guard root.rawValue == 1 else { throw .corrupt("interior root page has no cells") }
      try enterChild(at: 0)
    }
    isValid = true
    forgetEntry()
    return true
  }

  /// Makes `page` the current page.
  @inline(__always)
  func use(_ page: PagePointer) {
    let header = page.pointee.tree
    data = UnsafePointer(page.pointee.data)
    dataEnd = data + usableSize
    cellPrefixSize = header.isLeaf ? 0 : 4
    cellPointers = data + Int(header.cellPointerOffset)
    cellCount = Int(header.cellCount)
    maximumLocalSize = Int(header.maximumLocalSize)
    isLeaf = header.isLeaf
  }

  /// Where the cell at `index` begins: inside the page, even if the pointer is wrong.
  @inline(__always)
  func cell(at index: Int) -> UnsafePointer<UInt8> {
    data + (Int(cellPointers.bigEndianUInt16(at: 2 &* index)) & cellOffsetMask)
  }

  /// Goes to the child at `index` of the current interior page; `cellCount` is the right child.
  func enterChild(at index: Int) throws(SQLError) {
    // The right child's number is the last thing before the cell-pointer array.
    let link = index == cellCount ? cellPointers - 4 : cell(at: index)
    let number = PageNumber(link.bigEndianUInt32())
    path[depth].cellIndex = index
    let level = depth &+ 1
    if level < pinnedCount, path[level].page.pointee.number == number {
      depth = level
      return use(path[level].page)
    }
    unpin(from: level)
    guard level < BTree.maximumDepth else { throw broken("tree is too deep") }
    let page: PagePointer
    do { page = try tree.treePage(number) } catch { throw broken(error) }
    path[level] = Level(page: page, cellIndex: 0)
    pinnedCount = level &+ 1
    guard page.pointee.tree.isTable == isTable, page.pointee.tree.cellCount > 0 else {
      throw broken("child page is empty or of another kind of tree")
    }
    depth = level
    use(page)
  }

  /// After an error the cursor is on no entry.
  @inline(never)
  func broken(_ detail: StaticString) -> SQLError { broken(SQLError.corrupt(detail)) }

  @inline(never)
  func broken(_ error: SQLError) -> SQLError {
    reset()
    return error
  }

  private func moveToParent() {
    depth &-= 1
    cellIndex = path[depth].cellIndex
    use(path[depth].page)
  }
}

// MARK: Moves

extension Cursor {
  /// Moves to the first entry. False if there is none.
  func moveToFirst() throws(SQLError) -> Bool {
    guard try moveToRoot() else { return false }
    try descendToFirst()
    return true
  }

  /// Moves to the last entry. False if there is none.
  func moveToLast() throws(SQLError) -> Bool {
    guard try moveToRoot() else { return false }
    try descendToLast()
    return true
  }

  /// Moves to the entry after this one. False at the end; the cursor is then on no entry.
  @inline(__always)
  func next() throws(SQLError) -> Bool {
    let nextIndex = cellIndex &+ 1
    if nextIndex < leafCellCount {
      cellIndex = nextIndex
      forgetEntry()
      return true
    }
    return try moveToNextPage()
  }

  /// Moves to the entry before this one. False at the beginning.
  @inline(__always)
  func previous() throws(SQLError) -> Bool {
    if leafCellCount > 0, cellIndex > 0 {
      cellIndex &-= 1
      forgetEntry()
      return true
    }
    return try moveToPreviousPage()
  }

  private func descendToFirst() throws(SQLError) {
    while !isLeaf { try enterChild(at: 0) }
    cellIndex = 0
    leafCellCount = cellCount
  }

  private func descendToLast() throws(SQLError) {
    while !isLeaf { try enterChild(at: cellCount) }
    cellIndex = cellCount &- 1
    leafCellCount = cellCount
  }

  /// `next` from the last entry of a leaf, or from an entry of an interior page.
  @inline(never)
  func moveToNextPage() throws(SQLError) -> Bool {
    if needsRestore {
      if try resume(1) { return true }
      if leafCellCount > 0 { return try next() }
    }
    guard isValid else {
      invalidate()
      return false
    }
    try countPage(.forward)
    forgetEntry()
    leafCellCount = 0
    if isLeaf {
      repeat {
        if depth == 0 {
          invalidate()
          return false
        }
        moveToParent()
      } while cellIndex >= cellCount
      // An index tree has entries on its interior pages, each between two children.
      if !isTable { return true }
    }
    try enterChild(at: cellIndex &+ 1)
    try descendToFirst()
    return true
  }

  /// `previous` from the first entry of a leaf, or from an entry of an interior page.
  @inline(never)
  func moveToPreviousPage() throws(SQLError) -> Bool {
    if needsRestore {
      if try resume(-1) { return true }
      if leafCellCount > 0 { return try previous() }
    }
    guard isValid else {
      invalidate()
      return false
    }
    try countPage(.backward)
    forgetEntry()
    leafCellCount = 0
    if isLeaf {
      repeat {
        if depth == 0 {
          invalidate()
          return false
        }
        moveToParent()
      } while cellIndex == 0
      cellIndex &-= 1
      if !isTable { return true }
    }
    try enterChild(at: cellIndex)
    try descendToLast()
    return true
  }

  /// Counts the pages of a walk: going one way, it comes to each page of the file once at most,
  /// and to two entries of interior pages for each leaf.
  @inline(__always)
  private func countPage(_ direction: Direction) throws(SQLError) {
    if self.direction != direction {
      self.direction = direction
      pagesLeft = UInt64(pager.pageCount) &* 2
    }
    guard pagesLeft > 0 else { throw broken("tree links a page twice") }
    pagesLeft &-= 1
  }

  /// About how many entries there are, as the pages on the way to the first one tell it; nil where
  /// there is none. Moves the cursor.
  func estimatedCount() throws(SQLError) -> UInt64? {
    guard try moveToFirst() else { return nil }
    var count = UInt64(cellCount)
    // A page above the leaves has one more child than cells.
    for level in 0..<depth { count &*= UInt64(path[level].page.pointee.tree.cellCount) &+ 1 }
    return count
  }

  /// Number of entries. Moves the cursor; afterwards it is on no entry.
  func count() throws(SQLError) -> Int64 {
    guard try moveToFirst() else { return 0 }
    var total: Int64 = 0
    repeat {
      if isLeaf {
        total &+= Int64(cellCount)
        cellIndex = cellCount &- 1
      } else {
        total &+= 1
      }
    } while try moveToNextPage()
    return total
  }
}
