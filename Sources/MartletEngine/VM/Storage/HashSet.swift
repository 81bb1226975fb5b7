// A set of keys: DISTINCT, IN (SELECT …), UNION, INTERSECT, EXCEPT, and automatic OR indexes.
//
//     payload of an entry: | row of the values as they came first (8) | next payload (8) |
//
// The values are kept only if somebody reads them (`keepsValues`): lookups need the canonical form
// alone, and no payload. A walk sorts the entries first, which it finds in the order in which they
// came, as they stand in memory. An entry that was removed has no row.

final class HashSet {
  private let budget: WorkMemory
  private let keyInfo: KeyInfo
  private let keepsValues: Bool
  private let table: KeyTable
  private(set) var hasNull = false
  @exclusivity(unchecked) private var sorted: RowSort?
  @exclusivity(unchecked) private var position = 0
  /// The payloads that came first and last.
  @exclusivity(unchecked) private var first: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var last: UnsafeMutableRawPointer?

  private static let payloadSize = 16
  private static let nextOffset = 8

  init(keyInfo: KeyInfo, keepsValues: Bool, budget: WorkMemory) throws(SQLError) {
    self.keyInfo = keyInfo
    self.keepsValues = keepsValues
    self.budget = budget
    table = try KeyTable(
      keyInfo: keyInfo, payloadSize: keepsValues ? HashSet.payloadSize : 0, budget: budget)
  }

  var count: Int { table.entryCount }

  /// Adds a key. False if an equal one was there already.
  @inline(__always)
  func insert(_ registers: UnsafePointer<Register>) throws(SQLError) -> Bool {
    let key = try table.canonicalKey(registers, isAdding: true)
    let hash = table.hash(of: key)
    if table.find(key, hash: hash) != nil { return false }
    if key.hasNull { hasNull = true }
    let payload = try table.add(key, hash: hash)
    if keepsValues { try storeValues(registers, in: payload) }
    return true
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
    if table.entryCount == 0 { return false }
    let key = try table.canonicalKey(registers, isAdding: false)
    return table.find(key, hash: table.hash(of: key)) != nil
  }

  func remove(_ registers: UnsafePointer<Register>) throws(SQLError) {
    let key = try table.canonicalKey(registers, isAdding: false)
    let hash = table.hash(of: key)
    guard let payload = table.find(key, hash: hash) else { return }
    table.remove(payload, hash: hash)
    if keepsValues { payload.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self) }
  }

  // MARK: Walking

  /// Sorts the keys and moves to the first or last; its row, or nil if the set is empty. The set
  /// must not change during the walk.
  func rewind(toLast: Bool) throws(SQLError) -> UnsafeRawPointer? {
    assert(keepsValues, "a set that is walked keeps its values")
    let sort = try RowSort(
      keyInfo: keyInfo, columnCount: keyInfo.columns.count, capacity: table.entryCount,
      budget: budget)
    var next = first
    while let payload = next {
      next = payload.load(fromByteOffset: HashSet.nextOffset, as: UnsafeMutableRawPointer?.self)
      if let row = payload.load(as: UnsafeRawPointer?.self) { try sort.add(row, row) }
    }
    try sort.sort()
    sorted = sort
    position = toLast ? sort.count - 1 : 0
    return current
  }

  /// The row of the next or previous key, or nil.
  func next(backward: Bool) -> UnsafeRawPointer? {
    position += backward ? -1 : 1
    return current
  }

  private var current: UnsafeRawPointer? {
    guard let sorted, position >= 0, position < sorted.count else { return nil }
    return sorted[position]
  }
}
