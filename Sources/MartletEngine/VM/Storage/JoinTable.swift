// A hash join in place of SQLite's automatic index (optoverview §12).
//
//     payload of a key: | first row (8) | last row (8) | row count (8) | sorted (8) |
//     row:              | next row (8) | data columns, as a `StoredRow` |
//
// The automatic index would have the data columns behind the key, so matches come sorted by them,
// compared as BINARY. A key's rows are sorted when it is first looked up; most keys have one row.
//
// A table that outgrows its memory goes on in files (`SpilledJoin`), which sorts all rows.

final class JoinTable {
  private static let payloadSize = 32
  static let rowHeaderSize = 8

  private let budget: WorkMemory
  private let dataColumnCount: Int
  /// Matches come as they were inserted: the caller does not need SQLite's order.
  private let keepsInsertionOrder: Bool
  private let dataOrder: KeyInfo
  private let table: KeyTable
  /// The columns of two rows that are compared.
  private let comparands: RegisterBlock
  @exclusivity(unchecked) private var current: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var spilled: SpilledJoin?

  init(
    keyInfo: KeyInfo, dataColumnCount: Int, keepsInsertionOrder: Bool, budget: WorkMemory
  ) throws(SQLError) {
    self.budget = budget
    self.dataColumnCount = dataColumnCount
    self.keepsInsertionOrder = keepsInsertionOrder
    let column = KeyInfo.Column(collation: .binary, isDescending: false, hasBigNulls: false)
    dataOrder = KeyInfo(
      columns: Array(repeating: column, count: dataColumnCount), encoding: keyInfo.encoding)
    table = try KeyTable(keyInfo: keyInfo, payloadSize: JoinTable.payloadSize, budget: budget)
    comparands = try RegisterBlock(count: 2)
  }

  deinit { comparands.deallocate() }

  /// Adds a row, unless a key column is NULL, which equals nothing.
  func insert(
    keys: UnsafePointer<Register>, data: UnsafePointer<Register>, acceptsNull: Bool
  ) throws(SQLError) {
    let key = try table.canonicalKey(keys, isAdding: true)
    if key.hasNull && !acceptsNull { return }
    let hash = table.hash(of: key)
    if spilled != nil || budget.shouldSpill(holding: heldCount, neededLater: heldCount &>> 1),
      try insertSpilled(key, hash, data)
    {
      return
    }
    let found = table.find(key, hash: hash)
    let payload = if let found { found } else { try table.add(key, hash: hash) }
    let size = try StoredRow.byteCount(of: data, dataColumnCount)
    let row = try table.arena.allocate(JoinTable.rowHeaderSize &+ size)
    row.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
    StoredRow.write(data, dataColumnCount, to: row + JoinTable.rowHeaderSize)
    if found == nil {
      payload.storeBytes(of: row, as: UnsafeMutableRawPointer.self)
      payload.storeBytes(of: 1, toByteOffset: 16, as: Int.self)
    } else {
      let last = payload.load(fromByteOffset: 8, as: UnsafeMutableRawPointer.self)
      last.storeBytes(of: row, as: UnsafeMutableRawPointer?.self)
      let count = payload.load(fromByteOffset: 16, as: Int.self)
      payload.storeBytes(of: count &+ 1, toByteOffset: 16, as: Int.self)
    }
    payload.storeBytes(of: row, toByteOffset: 8, as: UnsafeMutableRawPointer.self)
    payload.storeBytes(of: 0, toByteOffset: 24, as: Int.self)
  }

  /// The first row that matches, or nil.
  @inline(__always)
  func seek(_ keys: UnsafePointer<Register>) throws(SQLError) -> UnsafeRawPointer? {
    current = nil
    if table.entryCount == 0 && spilled == nil { return nil }
    let key = try table.canonicalKey(keys, isAdding: false)
    let hash = table.hash(of: key)
    if let spilled { return try spilled.seek(key, hash) }
    guard let payload = table.find(key, hash: hash) else { return nil }
    if payload.load(fromByteOffset: 16, as: Int.self) > 1, !keepsInsertionOrder,
      payload.load(fromByteOffset: 24, as: Int.self) == 0
    {
      try sortRows(of: payload)
    }
    let row = payload.load(as: UnsafeMutableRawPointer.self)
    current = row
    return UnsafeRawPointer(row + JoinTable.rowHeaderSize)
  }

  /// The next row with the key that was sought, or nil.
  @inline(__always)
  func next() throws(SQLError) -> UnsafeRawPointer? {
    if let spilled { return try spilled.next() }
    guard let row = current?.load(as: UnsafeMutableRawPointer?.self) else { return nil }
    current = row
    return UnsafeRawPointer(row + JoinTable.rowHeaderSize)
  }

  // MARK: Spilling

  @inline(__always) private var heldCount: Int {
    table.arena.reservedCount &+ table.slotByteCount
  }

  /// Adds a row to the files, which have all rows once they have one. False if memory may take it.
  @inline(never)
  private func insertSpilled(
    _ key: CanonicalKey, _ hash: UInt64, _ data: UnsafePointer<Register>
  ) throws(SQLError) -> Bool {
    if let spilled {
      try spilled.insert(key, hash, data)
      return true
    }
    guard let vfs = budget.vfs, table.entryCount > 0 else { return false }
    let spilled = try SpilledJoin(
      dataOrder: dataOrder, keepsInsertionOrder: keepsInsertionOrder, vfs: vfs, budget: budget)
    try spilled.takeRows(of: table)
    table.removeAll()
    self.spilled = spilled
    try spilled.insert(key, hash, data)
    return true
  }

  // MARK: Sorting

  @inline(never)
  private func sortRows(of payload: UnsafeMutableRawPointer) throws(SQLError) {
    let count = payload.load(fromByteOffset: 16, as: Int.self)
    if count <= JoinTable.fewRows { return try sortFewRows(of: payload) }
    let sort = try RowSort(
      keyInfo: dataOrder, columnCount: dataColumnCount, capacity: count, budget: budget)
    var row = payload.load(as: UnsafeMutableRawPointer?.self)
    while let place = row {
      try sort.add(UnsafeRawPointer(place + JoinTable.rowHeaderSize), UnsafeRawPointer(place))
      row = place.load(as: UnsafeMutableRawPointer?.self)
    }
    try sort.sort()
    // The rows are linked anew from the last to the first.
    var next: UnsafeMutableRawPointer?
    for index in stride(from: sort.count - 1, through: 0, by: -1) {
      let place = UnsafeMutableRawPointer(mutating: sort[index])
      if next == nil {
        payload.storeBytes(of: place, toByteOffset: 8, as: UnsafeMutableRawPointer.self)
      }
      place.storeBytes(of: next, as: UnsafeMutableRawPointer?.self)
      next = place
    }
    if let next { payload.storeBytes(of: next, as: UnsafeMutableRawPointer.self) }
    payload.storeBytes(of: 1, toByteOffset: 24, as: Int.self)
  }

  /// Up to so many rows are sorted by insertion into their list: most keys have few rows, and sort
  /// keys would cost more than they save.
  private static let fewRows = 24

  private func sortFewRows(of payload: UnsafeMutableRawPointer) throws(SQLError) {
    var rest = payload.load(as: UnsafeMutableRawPointer?.self)
    var first: UnsafeMutableRawPointer?
    var last: UnsafeMutableRawPointer?
    while let row = rest {
      rest = row.load(as: UnsafeMutableRawPointer?.self)
      if let tail = last, try comesBefore(row, tail) {
        // Somewhere before the last row: look for the place from the start.
        var before: UnsafeMutableRawPointer?
        var after = first
        while let place = after, try !comesBefore(row, place) {
          before = place
          after = place.load(as: UnsafeMutableRawPointer?.self)
        }
        row.storeBytes(of: after, as: UnsafeMutableRawPointer?.self)
        if let before {
          before.storeBytes(of: row, as: UnsafeMutableRawPointer?.self)
        } else {
          first = row
        }
      } else {
        row.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
        last?.storeBytes(of: row, as: UnsafeMutableRawPointer?.self)
        if first == nil { first = row }
        last = row
      }
    }
    if let first, let last {
      payload.storeBytes(of: first, as: UnsafeMutableRawPointer.self)
      payload.storeBytes(of: last, toByteOffset: 8, as: UnsafeMutableRawPointer.self)
    }
    payload.storeBytes(of: 1, toByteOffset: 24, as: Int.self)
  }

  /// Whether a row's data come before another's; the order of insertion stays among equal ones.
  private func comesBefore(
    _ row: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer
  ) throws(SQLError) -> Bool {
    let offset = StoredRow.valuesOffset(dataColumnCount)
    let left = comparands.base, right = comparands.base + 1
    for column in 0..<dataColumnCount {
      StoredRow.read(
        column, of: row + JoinTable.rowHeaderSize, valuesOffset: offset, into: left)
      StoredRow.read(
        column, of: other + JoinTable.rowHeaderSize, valuesOffset: offset, into: right)
      let order = try Comparison.compare(left, right, .binary, dataOrder.encoding)
      if order != 0 { return order < 0 }
    }
    return false
  }
}
