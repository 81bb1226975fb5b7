/// The part of a set that is on file: its keys by their hashes, and if the set is walked, the
/// values in a sorter of their own.
final class SpilledSet {
  private let keyInfo: KeyInfo
  private let budget: WorkMemory
  private let keys: KeyRuns
  private var values: Sorter?
  /// A row that is moved.
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

  var count: Int { keys.keyCount }

  // MARK: Keys

  /// Takes all keys of the table, none of which is here.
  func add(_ table: KeyTable) throws(SQLError) { try keys.add(table) }

  func contains(_ key: CanonicalKey, _ hash: UInt64) throws(SQLError) -> Bool {
    try keys.contains(key, hash: hash)
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
    if isForward { return try values?.sort() }
    if sorted == nil { try store() }
    position = (sorted?.count ?? 0) - 1
    return try reader?.row(position)
  }

  func next(backward: Bool) throws(SQLError) -> UnsafeRawPointer? {
    assert(backward != isForward, "a walk keeps its direction")
    if isForward { return try values?.next() }
    position -= 1
    return try reader?.row(position)
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
