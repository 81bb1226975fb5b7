/// What a program's cursor number stands for: plain data, so that instructions reach the object
/// behind it without counting references.
struct CursorSlot {
  enum Kind: UInt8 {
    case closed, tree, sorter, rows, queue, set, join, filter, group, sampler, virtual, window
  }

  var kind = Kind.closed
  /// Every column is NULL until the cursor moves (outer joins).
  var isNullRow = false
  /// The index cursor whose rowid this table cursor has yet to move to, or -1.
  var deferredIndex: Int32 = -1
  /// For a deferred seek: index column + 1 of each table column, or 0; nil without a map.
  var columnMap: UnsafePointer<Int32>? = nil
  var columnMapCount: Int32 = 0
  /// What the last search said that a change may use (`ChangeFlags.usesSeekResult`).
  var seekResult: Int32 = 0
  /// So many leading columns of the key searched last are known to be in some entry.
  var seekHit: Int32 = 0
  /// Retained by hand, and kept after the statement ends, to be opened again.
  var cursor: Unmanaged<Cursor>? = nil
  /// Order of an index tree's keys; belongs to the program.
  var keyInfo: Unmanaged<KeyInfo>? = nil
  /// The sorter, row store or hash table; retained by hand.
  var object: Unmanaged<AnyObject>? = nil
  /// Current row of sorter, row store, set or join table, and where its values begin.
  var row: UnsafeRawPointer? = nil
  var valuesOffset: Int32 = 0

  /// Releases what is behind the number, but for a tree cursor, which only gives its pages back.
  mutating func close() {
    object?.release()
    object = nil
    row = nil
    columnMap = nil
    deferredIndex = -1
    isNullRow = false
    if kind == .tree { cursor?._withUnsafeGuaranteedRef { $0.close() } }
    kind = .closed
  }

  mutating func deinitialize() {
    close()
    removeCursor()
  }

  mutating func removeCursor() {
    cursor?.release()
    cursor = nil
  }

  /// Opens one of the structures of `VM/Storage`.
  mutating func open(_ kind: Kind, _ object: AnyObject, columnCount: Int) {
    close()
    self.kind = kind
    self.object = .passRetained(object)
    valuesOffset = Int32(truncatingIfNeeded: StoredRow.valuesOffset(columnCount))
  }

  @inline(__always)
  mutating func noteSeekHit(_ least: Int, _ most: Int) {
    seekHit = Int32(truncatingIfNeeded: min(max(Int(seekHit), least), most))
  }

  /// Makes `row` current. Returns whether there is one.
  @inline(__always)
  mutating func moveTo(_ row: UnsafeRawPointer?) -> Bool {
    self.row = row
    isNullRow = false
    return row != nil
  }
}

extension UnsafeMutablePointer<CursorSlot> {
  /// Uses the tree cursor behind the slot.
  @inline(__always)
  func withCursor<Result>(
    _ body: (Cursor) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    guard let cursor = pointee.cursor else { throw SQLError(.internal) }
    return try cursor.lend(body)
  }

  /// Uses the structure behind the slot, which must be of that kind and type.
  @inline(__always)
  func with<Structure: AnyObject, Result>(
    _ kind: CursorSlot.Kind, _ type: Structure.Type,
    _ body: (Structure) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    guard pointee.kind == kind, let object = pointee.object else { throw SQLError(.internal) }
    return try Unmanaged<Structure>.fromOpaque(object.toOpaque()).lend(body)
  }
}
