// Cursors whose tree is changed by others.
//
//     on an entry ──save──▶ saved (key kept, no pages) ──restore──▶ on the entry
//                                                       └─────────▶ displaced: the entry is gone;
//                                                                   the cursor is on a neighbour
//
// The state is in `decoder.parsedCount`, so that the fast paths meet no further test: all that is
// not on an entry goes to the slow functions, which restore first. A displaced cursor reads as a
// row of NULLs; `skip` tells on which side of the lost place it is, so that the move in that
// direction stays where it is.

extension Cursor {
  /// The cursor keeps its key and has no pages.
  static let saved = -5
  /// The cursor's entry was deleted; it is on a neighbour of it.
  static let displaced = -6
  /// A rollback has taken the tree away; the next use gets an error.
  static let tripped = -7

  /// Whether the entry has to be found again before it is read.
  @inline(__always)
  var needsRestore: Bool { decoder.pointee.parsedCount <= Cursor.saved }

  /// Finds a saved place again. True if the entry the cursor was on is gone: all its columns, the
  /// rowid too, are then NULL until the next move (SQLite's CursorRestore).
  func restoreIsLost() throws(SQLError) -> Bool {
    if decoder.pointee.parsedCount <= Cursor.saved { try restore() }
    return !isValid || decoder.pointee.parsedCount == Cursor.displaced
  }

  /// Remembers the key of the current entry.
  func keepKey() throws(SQLError) {
    try requireCell()
    if isTable {
      savedRowid = cellRowid
      return
    }
    let payload = self.payload
    let needed = payload.byteCount + Varint.maximumByteCount
    guard UInt64(payload.byteCount) <= UInt64(pager.pageCount) &* UInt64(pager.pageSize) else {
      throw .corrupt("payload is larger than the file")
    }
    if needed > savedKeyCapacity {
      let memory = try Memory.allocateZeroed(max(needed, 128))
      Memory.free(savedKey)
      savedKey = memory.assumingMemoryBound(to: UInt8.self)
      savedKeyCapacity = max(needed, 128)
    }
    guard let savedKey else { return }
    try copyPayload(payload, offset: 0, byteCount: payload.byteCount, to: savedKey)
    savedKeySize = payload.byteCount
  }

  func becomeSaved(skipping skip: Int) {
    invalidate()
    self.skip = skip
    decoder.pointee.parsedCount = Cursor.saved
  }

  func becomeDisplaced(skipping skip: Int) {
    self.skip = skip
    leafCellCount = 0
    decoder.pointee.parsedCount = Cursor.displaced
  }

  /// Keeps the place and gives all pages back, because somebody is about to change the tree.
  func save() throws(SQLError) {
    let state = decoder.pointee.parsedCount
    guard isValid, state != Cursor.noEntry, state != Cursor.nullRow else {
      // Behind its row that is deleted, SQLite's cursor is on some entry still.
      if isPinned, try moveToFirst() { throw SQLError(.constraintPinned) }
      return releasePages()
    }
    if isPinned { throw SQLError(.constraintPinned) }
    let skip = state == Cursor.displaced ? self.skip : 0
    if state == Cursor.displaced { forgetEntry() }
    do throws(SQLError) { try keepKey() } catch {
      throw broken(error)
    }
    releasePages()
    becomeSaved(skipping: skip)
  }

  /// Goes back to the saved place, if there is one.
  @inline(never)
  func restore() throws(SQLError) {
    let state = decoder.pointee.parsedCount
    if state == Cursor.tripped { throw SQLError(tripCode) }
    guard state == Cursor.saved else { return }
    let oldSkip = skip
    var order: Int
    if isTable {
      order = try seek(rowid: savedRowid)
    } else {
      order = try seekSavedKey()
    }
    guard isValid else {
      // The tree is empty by now.
      return becomeDisplaced(skipping: 0)
    }
    if order == 0 { order = oldSkip }
    if order != 0 { becomeDisplaced(skipping: order) }
  }

  private func seekSavedKey() throws(SQLError) -> Int {
    guard let keyInfo, let savedKey else { throw broken("no key is saved") }
    if savedFields == nil {
      let fields = UnsafeMutablePointer<Register>.allocate(capacity: keyInfo.columns.count)
      fields.initialize(repeating: Register(), count: keyInfo.columns.count)
      savedFields = fields
    }
    guard let fields = savedFields else { return -1 }
    var decoder = RecordDecoder()
    defer { decoder.deinitialize() }
    try decoder.begin(record: savedKey, byteCount: savedKeySize)
    var count = 0
    // What a table without rowids only stores may have changed meanwhile.
    while count < keyInfo.keyColumnCount, try decoder.parse(through: count) {
      let column = decoder.column(at: count)
      RecordDecoder.decodeWithSlack(column.type, at: savedKey + column.offset, into: fields + count)
      count += 1
    }
    guard count > 0 else { throw broken("saved key has no columns") }
    var key = UnpackedKey(fields, count: count, keyInfo: keyInfo)
    return try seek(key: &key)
  }

  func freeSavedKey() {
    Memory.free(savedKey)
    if let savedFields, let keyInfo {
      for index in 0..<keyInfo.columns.count { savedFields[index].deinitialize() }
      savedFields.deallocate()
    }
  }

  /// What `next` and `previous` do first on a cursor that is not on an entry: restores it.
  /// `direction` is 1 or -1. Returns whether the cursor is already where the move leads to.
  func resume(_ direction: Int) throws(SQLError) -> Bool {
    if needsRestore, decoder.pointee.parsedCount != Cursor.displaced { try restore() }
    guard isValid, decoder.pointee.parsedCount == Cursor.displaced else {
      return false
    }
    forgetEntry()
    leafCellCount = isLeaf ? cellCount : 0
    return skip * direction > 0
  }

  /// The next use of the cursor gets an error with this code, until it is reset. A cursor that has
  /// no place, because its statement has not come to it or is over, has nothing to lose.
  func trip(_ code: ResultCode) {
    releasePages()
    guard isValid || needsRestore else { return }
    expire(code)
  }

  /// The same for a cursor that may not have come to a place yet, and shall not any more.
  func expire(_ code: ResultCode) {
    releasePages()
    invalidate()
    tripCode = code
    decoder.pointee.parsedCount = Cursor.tripped
  }
}

extension BTree {
  /// What of a tree is about to change, for those to whom rows are lent.
  enum ChangingRows {
    case one(Int64)
    case all
    /// Entries of an index, or bytes of a row that stays where it is.
    case none
  }

  /// Lets the cursors on a tree but one keep their places without pages, before it is changed.
  @inline(never)
  func saveCursors(
    of root: PageNumber, except writer: Cursor?, changing rows: ChangingRows
  ) throws(SQLError) {
    var isShared = false
    try forEachCursor(on: root) { cursor throws(SQLError) in
      guard cursor !== writer else { return }
      isShared = true
      if let row = cursor.lentRow {
        switch rows {
        case .one(row), .all: cursor.lentRow = nil
        case .one, .none: break
        }
      }
      try cursor.save()
    }
    if !isShared { writer?.sharesTree = false }
  }

  /// The same for all cursors of the file: pages of any tree may move.
  func saveAllCursors() throws(SQLError) {
    try forEachCursor { cursor throws(SQLError) in try cursor.save() }
  }

  /// Trips all cursors of the file, or those that write: the others keep their places then.
  func trip(_ code: ResultCode, writersOnly: Bool = false) {
    do {
      try forEachCursor { cursor throws(SQLError) in
        if !writersOnly || cursor.isWriter { cursor.trip(code) } else { try cursor.save() }
      }
    } catch {
      trip(error.code)
    }
  }
}
