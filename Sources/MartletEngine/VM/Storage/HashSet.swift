// A set of keys: DISTINCT, IN (SELECT …), UNION, INTERSECT, EXCEPT, and automatic OR indexes.
//
//     payload of an entry: | row of the values as they came first (8) | next payload (8) |
//
// The values are kept only if somebody reads them (`keepsValues`): lookups need the canonical form
// alone, and no payload. A walk sorts the entries first, which it finds in the order in which they
// came, as they stand in memory. An entry that was removed has no row.
//
// A set that outgrows its memory goes on in files (`SpilledSet`).

final class HashSet {
  private let budget: WorkMemory
  private let keyInfo: KeyInfo
  private let keepsValues: Bool
  private let table: KeyTable
  private(set) var hasNull = false
  /// The walk; nil if the set has changed since.
  @exclusivity(unchecked) private var sorted: RowSort?
  @exclusivity(unchecked) private var position = 0
  /// The payloads that came first and last.
  @exclusivity(unchecked) private var first: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var last: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var spilled: SpilledSet?

  private static let payloadSize = 16
  private static let nextOffset = 8

  init(keyInfo: KeyInfo, keepsValues: Bool, budget: WorkMemory) throws(SQLError) {
    self.keyInfo = keyInfo
    self.keepsValues = keepsValues
    self.budget = budget
    table = try KeyTable(
      keyInfo: keyInfo, payloadSize: keepsValues ? HashSet.payloadSize : 0, budget: budget)
  }

  var count: Int { table.entryCount + (spilled?.count ?? 0) }

  /// Adds a key. False if an equal one was there already.
  @inline(__always)
  func insert(_ registers: UnsafePointer<Register>) throws(SQLError) -> Bool {
    let key = try table.canonicalKey(registers, isAdding: true)
    let hash = table.hash(of: key)
    if table.find(key, hash: hash) != nil { return false }
    if spilled != nil || budget.shouldSpill(holding: heldCount, neededLater: neededLater) {
      if let isNew = try insertSpilled(key, hash, registers) { return isNew }
    }
    if key.hasNull { hasNull = true }
    if sorted != nil { sorted = nil }
    let payload = try table.add(key, hash: hash)
    if keepsValues { try storeValues(registers, in: payload) }
    return true
  }

  @inline(__always) private var heldCount: Int {
    table.arena.reservedCount &+ table.slotByteCount
  }

  /// What sorting the entries takes, or the growth of the table that is the next.
  @inline(__always) private var neededLater: Int {
    keepsValues ? heldCount &>> 1 : table.growsNext ? table.slotByteCount : 0
  }

  private func storeValues(
    _ registers: UnsafePointer<Register>, in payload: UnsafeMutableRawPointer
  ) throws(SQLError) {
    payload.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
    payload.storeBytes(
      of: nil, toByteOffset: HashSet.nextOffset, as: UnsafeMutableRawPointer?.self)
    if let last {
      last.storeBytes(
        of: payload, toByteOffset: HashSet.nextOffset, as: UnsafeMutableRawPointer?.self)
    } else {
      first = payload
    }
    last = payload
    let columnCount = keyInfo.columns.count
    let row = try table.arena.allocate(try StoredRow.byteCount(of: registers, columnCount))
    StoredRow.write(registers, columnCount, to: row)
    payload.storeBytes(of: row, as: UnsafeMutableRawPointer?.self)
  }

  @inline(__always)
  func contains(_ registers: UnsafePointer<Register>) throws(SQLError) -> Bool {
    if table.entryCount == 0 && spilled == nil { return false }
    let key = try table.canonicalKey(registers, isAdding: false)
    let hash = table.hash(of: key)
    if table.find(key, hash: hash) != nil { return true }
    guard let spilled else { return false }
    return try spilled.contains(key, hash, registers)
  }

  func remove(_ registers: UnsafePointer<Register>) throws(SQLError) {
    let key = try table.canonicalKey(registers, isAdding: false)
    let hash = table.hash(of: key)
    guard let payload = table.find(key, hash: hash) else {
      try spilled?.remove(key, hash, registers)
      return
    }
    sorted = nil
    table.remove(payload, hash: hash)
    if keepsValues { payload.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self) }
  }

  // MARK: Walking

  /// Sorts the keys and moves to the first or last; its row, or nil if the set is empty. The set
  /// must not change during the walk.
  func rewind(toLast: Bool) throws(SQLError) -> UnsafeRawPointer? {
    assert(keepsValues, "a set that is walked keeps its values")
    if let spilled {
      if table.entryCount > 0 { try spill(to: spilled) }
      return try spilled.rewind(toLast: toLast)
    }
    let sort = if let sorted { sorted } else { try sortedRows() }
    sorted = sort
    position = toLast ? sort.count - 1 : 0
    return current
  }

  private func sortedRows() throws(SQLError) -> RowSort {
    let sort = try RowSort(
      keyInfo: keyInfo, columnCount: keyInfo.columns.count, capacity: table.entryCount,
      budget: budget)
    try forEachRow { (row) throws(SQLError) in try sort.add(row, row) }
    try sort.sort()
    return sort
  }

  /// Visits the values in the order in which they came.
  private func forEachRow(
    _ body: (UnsafeRawPointer) throws(SQLError) -> Void
  ) throws(SQLError) {
    var next = first
    while let payload = next {
      next = payload.load(fromByteOffset: HashSet.nextOffset, as: UnsafeMutableRawPointer?.self)
      if let row = payload.load(as: UnsafeRawPointer?.self) { try body(row) }
    }
  }

  /// The row of the next or previous key, or nil.
  func next(backward: Bool) throws(SQLError) -> UnsafeRawPointer? {
    if let spilled { return try spilled.next(backward: backward) }
    position += backward ? -1 : 1
    return current
  }

  private var current: UnsafeRawPointer? {
    guard let sorted, position >= 0, position < sorted.count else { return nil }
    return sorted[position]
  }

  // MARK: Spilling

  /// Adds the key if the files have had it. Otherwise nil, and memory has room for it.
  @inline(never)
  private func insertSpilled(
    _ key: CanonicalKey, _ hash: UInt64, _ registers: UnsafePointer<Register>
  ) throws(SQLError) -> Bool? {
    if let spilled, let isNew = try spilled.insert(key, hash, registers) { return isNew }
    guard let vfs = budget.vfs, table.entryCount > 0,
      budget.shouldSpill(holding: heldCount, neededLater: neededLater)
    else { return nil }
    let target =
      if let spilled { spilled } else {
        try SpilledSet(keyInfo: keyInfo, vfs: vfs, budget: budget)
      }
    spilled = target
    try spill(to: target)
    return nil
  }

  private func spill(to target: SpilledSet) throws(SQLError) {
    sorted = nil
    if keepsValues {
      try forEachRow { (row) throws(SQLError) in try target.keep(row) }
      try target.finishKeeping()
    }
    try target.add(table)
    first = nil
    last = nil
  }
}
