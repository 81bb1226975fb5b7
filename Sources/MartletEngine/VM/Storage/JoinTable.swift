// A hash join in place of SQLite's automatic index (optoverview §12).
//
//     payload of a key: | a row (8) |
//     row:              | next row (8) | data columns, as a `StoredRow` |
//
// Until a key is looked up, its row is the last one, and the rows are a ring; from then on it is the
// first one, marked by the lowest bit of its address, and the last row has none behind it.
//
// The automatic index would have the data columns behind the key, so matches come sorted by them,
// compared as BINARY. A key's rows are sorted when it is first looked up; most keys have one row.
//
// A table that outgrows its memory goes on in files (`SpilledJoin`), which sorts all rows.

final class JoinTable {
  private static let payloadSize = 8
  /// The lowest bit of a row's address in a payload: the key was looked up.
  private static let soughtBit: UInt = 1
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
    if spilled != nil || budget.shouldSpill(holding: heldCount),
      try insertSpilled(key, hash, data)
    {
      return
    }
    let found = table.find(key, hash: hash)
    let payload = if let found { found } else { try table.add(key, hash: hash) }
    // A key without rows is not left behind if there is no memory for the row.
    if found == nil { payload.storeBytes(of: 0, as: UInt.self) }
    let size = try StoredRow.byteCount(of: data, dataColumnCount)
    let row = try table.arena.allocate(JoinTable.rowHeaderSize &+ size)
    StoredRow.write(data, dataColumnCount, to: row + JoinTable.rowHeaderSize)
    append(row, to: payload)
  }

  /// Makes a row the last one of a key.
  @inline(__always)
  private func append(_ row: UnsafeMutableRawPointer, to payload: UnsafeMutableRawPointer) {
    let word = payload.load(as: UInt.self)
    assert(word & JoinTable.soughtBit == 0, "a table is filled before it is searched")
    if let last = UnsafeMutableRawPointer(bitPattern: word) {
      let first = last.load(as: UnsafeMutableRawPointer?.self)
      row.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
      last.storeBytes(of: row, as: UnsafeMutableRawPointer?.self)
    } else {
      row.storeBytes(of: row, as: UnsafeMutableRawPointer?.self)
    }
    payload.storeBytes(of: row, as: UnsafeMutableRawPointer.self)
  }

  /// The first row of a key, from which on the rows are a list.
  @inline(__always)
  private func firstRow(
    of payload: UnsafeMutableRawPointer
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    let word = payload.load(as: UInt.self)
    if word & JoinTable.soughtBit != 0 {
      return UnsafeMutableRawPointer(bitPattern: word & ~JoinTable.soughtBit)
    }
    guard let last = UnsafeMutableRawPointer(bitPattern: word) else { return nil }
    var first = JoinTable.open(ringEndingAt: last)
    if first != last, !keepsInsertionOrder { first = try sorted(first) }
    payload.storeBytes(of: UInt(bitPattern: first) | JoinTable.soughtBit, as: UInt.self)
    return first
  }

  /// Makes a ring of rows a list. Returns its first row.
  @inline(__always)
  static func open(ringEndingAt last: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    let first = last.load(as: UnsafeMutableRawPointer?.self) ?? last
    last.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
    return first
  }

  /// The first row that matches, or nil.
  @inline(__always)
  func seek(_ keys: UnsafePointer<Register>) throws(SQLError) -> UnsafeRawPointer? {
    current = nil
    if table.entryCount == 0 && spilled == nil { return nil }
    let key = try table.canonicalKey(keys, isAdding: false)
    let hash = table.hash(of: key)
    if let spilled { return try spilled.seek(key, hash) }
    guard let payload = table.find(key, hash: hash), let row = try firstRow(of: payload) else {
      return nil
    }
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
    table.arena.reservedCount &+ table.filledSlotByteCount
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
    try table.giveBackAll()
    self.spilled = spilled
    try spilled.insert(key, hash, data)
    return true
  }

  // MARK: Sorting

  /// Sorts a list of rows. Returns its first row.
  @inline(never)
  private func sorted(
    _ first: UnsafeMutableRawPointer
  ) throws(SQLError) -> UnsafeMutableRawPointer {
    var count = 0
    var row: UnsafeMutableRawPointer? = first
    while let place = row {
      count &+= 1
      row = place.load(as: UnsafeMutableRawPointer?.self)
    }
    if count <= JoinTable.fewRows { return try sortedFew(first) }
    let sort = try RowSort(
      keyInfo: dataOrder, columnCount: dataColumnCount, capacity: count, budget: budget)
    row = first
    while let place = row {
      try sort.add(UnsafeRawPointer(place + JoinTable.rowHeaderSize), UnsafeRawPointer(place))
      row = place.load(as: UnsafeMutableRawPointer?.self)
    }
    try sort.sort()
    // The rows are linked anew from the last to the first.
    var next: UnsafeMutableRawPointer?
    for index in stride(from: sort.count - 1, through: 0, by: -1) {
      let place = UnsafeMutableRawPointer(mutating: sort[index])
      place.storeBytes(of: next, as: UnsafeMutableRawPointer?.self)
      next = place
    }
    return next ?? first
  }

  /// Up to so many rows are sorted by insertion into their list: most keys have few rows, and sort
  /// keys would cost more than they save.
  private static let fewRows = 24

  private func sortedFew(
    _ unsorted: UnsafeMutableRawPointer
  ) throws(SQLError) -> UnsafeMutableRawPointer {
    var rest: UnsafeMutableRawPointer? = unsorted
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
    return first ?? unsorted
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
