/// The part of a set that is on file: its keys by their hashes, and if the set is walked, the
/// values in a sorter of their own. Keys that were removed are in another set.
final class SpilledSet {
  private let keyInfo: KeyInfo
  private let budget: WorkMemory
  private let keys: KeyRuns
  private var removed: HashSet?
  private var values: Sorter?
  /// A row that is moved or looked at.
  private let row: RegisterBlock
  /// The walk goes forward, and reads the sorter.
  private var isForward = true
  // The rows of a walk that goes backward; nil if values were added since.
  private var sorted: RowSequence?
  private var reader: SequenceReader?
  private var position = 0

  init(keyInfo: KeyInfo, vfs: any VFS, budget: WorkMemory) throws(SQLError) {
    self.keyInfo = keyInfo
    self.budget = budget
    keys = KeyRuns(vfs: vfs, budget: budget)
    row = try RegisterBlock(count: keyInfo.columns.count)
  }

  deinit { row.deallocate() }

  var count: Int { keys.keyCount - (removed?.count ?? 0) }

  // MARK: Keys

  /// Takes all keys of the table, none of which is here.
  func add(_ table: KeyTable) throws(SQLError) { try keys.add(table) }

  func contains(
    _ key: CanonicalKey, _ hash: UInt64, _ registers: UnsafePointer<Register>
  ) throws(SQLError) -> Bool {
    guard try keys.contains(key, hash: hash) else { return false }
    if let removed { return try !removed.contains(registers) }
    return true
  }

  /// Adds a key that was removed, with the values that it had. False if it is there, nil if it
  /// never was.
  func insert(
    _ key: CanonicalKey, _ hash: UInt64, _ registers: UnsafePointer<Register>
  ) throws(SQLError) -> Bool? {
    guard try keys.contains(key, hash: hash) else { return nil }
    guard let removed, try removed.contains(registers) else { return false }
    try removed.remove(registers)
    return true
  }

  func remove(
    _ key: CanonicalKey, _ hash: UInt64, _ registers: UnsafePointer<Register>
  ) throws(SQLError) {
    guard try keys.contains(key, hash: hash) else { return }
    let removed =
      if let known = self.removed { known } else {
        try HashSet(keyInfo: keyInfo, keepsValues: false, budget: budget)
      }
    self.removed = removed
    _ = try removed.insert(registers)
  }

  // MARK: Values

  /// Keeps the values of a key that will be added.
  func keep(_ values: UnsafeRawPointer) throws(SQLError) {
    let sorter =
      if let known = self.values { known } else {
        Sorter(
          keyInfo: keyInfo, dataColumnCount: row.count, rowLimit: nil, budget: budget)
      }
    self.values = sorter
    sorted = nil
    StoredRow.read(values, columnCount: row.count, into: row.base)
    try sorter.insert(keys: row.base, data: row.base)
  }

  /// Lets the memory go that `keep` has used.
  func finishKeeping() throws(SQLError) { try values?.spillAll() }

  func rewind(toLast: Bool) throws(SQLError) -> UnsafeRawPointer? {
    isForward = !toLast
    if isForward { return try remaining(from: values?.sort()) }
    if sorted == nil { try store() }
    position = (sorted?.count ?? 0) - 1
    return try previous()
  }

  func next(backward: Bool) throws(SQLError) -> UnsafeRawPointer? {
    assert(backward != isForward, "a walk keeps its direction")
    if isForward { return try remaining(from: values?.next()) }
    position -= 1
    return try previous()
  }

  /// The row of the sorter, or the next one that was not removed.
  private func remaining(
    from first: UnsafeRawPointer?
  ) throws(SQLError) -> UnsafeRawPointer? {
    var next = first
    while let stored = next, try isRemoved(stored) { next = try values?.next() }
    return next
  }

  /// The row at the place, or the one before it that was not removed.
  private func previous() throws(SQLError) -> UnsafeRawPointer? {
    while let stored = try reader?.row(position) {
      if try !isRemoved(stored) { return stored }
      position -= 1
    }
    return nil
  }

  private func isRemoved(_ stored: UnsafeRawPointer) throws(SQLError) -> Bool {
    guard let removed else { return false }
    StoredRow.read(stored, columnCount: row.count, into: row.base)
    return try removed.contains(row.base)
  }

  /// Sorts the values into a sequence that can be read from its end.
  private func store() throws(SQLError) {
    guard let values else { return }
    let sequence = RowSequence(columnCount: row.count, budget: budget)
    var next = try values.sort()
    while let stored = next {
      StoredRow.read(stored, columnCount: row.count, into: row.base)
      try sequence.append(row.base, group: 0)
      next = try values.next()
    }
    sorted = sequence
    reader = SequenceReader(sequence)
  }
}
