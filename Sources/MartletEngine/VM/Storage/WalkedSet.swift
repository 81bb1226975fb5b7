/// The part on file of a set that is walked only: the keys that it was given and those that were
/// marked, in a sorter each.
///
/// Nothing is looked up while the set grows: a walk leaves out what it meets twice, and sees in the
/// other sorter what is marked. All additions come before the first mark.
final class WalkedSet {
  private let keyInfo: KeyInfo
  private let use: SetUse
  private let budget: WorkMemory
  private let added: Sorter
  private var marked: Sorter?
  /// The row of the walk, where it must be compared, and the marked key that is next.
  private let row: RegisterBlock
  private let markedKey: RegisterBlock
  private var hasMarkedKey = false

  init(keyInfo: KeyInfo, _ use: SetUse, budget: WorkMemory) throws(SQLError) {
    self.keyInfo = keyInfo
    self.use = use
    self.budget = budget
    added = Sorter(
      keyInfo: keyInfo, dataColumnCount: keyInfo.columns.count, rowLimit: nil,
      finding: .duplicates, budget: budget)
    row = try RegisterBlock(count: keyInfo.columns.count)
    do {
      markedKey = try RegisterBlock(count: keyInfo.columns.count)
    } catch {
      row.deallocate()
      throw error
    }
  }

  deinit {
    row.deallocate()
    markedKey.deallocate()
  }

  // MARK: Changes

  /// Adds the values of a key.
  func add(_ values: UnsafeRawPointer) throws(SQLError) {
    assert(marked == nil, "what is added comes before what is marked")
    StoredRow.read(values, columnCount: row.count, into: row.base)
    try added.insert(keys: row.base, data: row.base)
  }

  /// Lets the memory go that `add` has used.
  func finishAdding() throws(SQLError) { try added.spillAll() }

  func mark(_ registers: UnsafePointer<Register>) throws(SQLError) {
    let marked =
      if let known = self.marked { known } else {
        Sorter(
          keyInfo: keyInfo, dataColumnCount: keyInfo.columns.count, rowLimit: nil,
          budget: budget)
      }
    self.marked = marked
    try marked.insert(keys: registers, data: registers)
  }

  // MARK: Walking

  /// Sorts, and moves to the first row; nil if none is left.
  func rewind() throws(SQLError) -> UnsafeRawPointer? {
    try marked?.spillAll()
    let first = try added.sort()
    if let marked { showMarked(try marked.sort()) }
    return try remaining(from: first)
  }

  /// Moves to the next row; nil at the end. It is valid until the next call.
  func next() throws(SQLError) -> UnsafeRawPointer? { try remaining(from: added.next()) }

  /// The row of the sorter, or the first one behind it that is new and to be shown.
  private func remaining(
    from first: UnsafeRawPointer?
  ) throws(SQLError) -> UnsafeRawPointer? {
    var next = first
    while let stored = next {
      if try !added.isDuplicate(), use.shows(isMarked: try isMarked(stored)) { return stored }
      next = try added.next()
    }
    return nil
  }

  private func showMarked(_ stored: UnsafeRawPointer?) {
    hasMarkedKey = stored != nil
    if let stored { StoredRow.read(stored, columnCount: row.count, into: markedKey.base) }
  }

  /// Goes on to the marked key that is not before the row's.
  private func isMarked(_ stored: UnsafeRawPointer) throws(SQLError) -> Bool {
    guard hasMarkedKey else { return false }
    StoredRow.read(stored, columnCount: row.count, into: row.base)
    while hasMarkedKey {
      let order = try KeyOrder.compare(
        markedKey.base, row.base, count: row.count, by: keyInfo)
      if order >= 0 { return order == 0 }
      showMarked(try marked?.next())
    }
    return false
  }
}
