/// The rows of a join table that outgrew its memory: sorted by the hashes of their keys and by
/// their data, and written to a run when the first row is looked for.
final class SpilledJoin {
  private let dataColumnCount: Int
  private let vfs: any VFS
  private let budget: WorkMemory
  private let sorter: Sorter
  /// What a sorted row has: hash, data columns, key as bytes.
  private let row: RegisterBlock
  /// The bytes of a key: of the row that is added, later of the rows that are looked for.
  @exclusivity(unchecked) private var keyBytes = Buffer()
  /// An entry that is written.
  @exclusivity(unchecked) private var entryBytes = Buffer()
  @exclusivity(unchecked) private var run: KeyRun?
  // What is looked for.
  @exclusivity(unchecked) private var key = CanonicalKey(kind: .null)
  @exclusivity(unchecked) private var hash: UInt64 = 0
  @exclusivity(unchecked) private var isOnRow = false
  private var takenCount = 0

  /// Kind and word of a key before its bytes.
  private static let keyHeaderSize = 9

  /// Memory that grows to what is asked for.
  private struct Buffer {
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0

    mutating func reserve(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
      if let memory, capacity >= byteCount { return memory }
      let larger = try Memory.reallocate(memory, 2 * byteCount)
      memory = larger
      capacity = 2 * byteCount
      return larger
    }

    func deallocate() { Memory.free(memory) }
  }

  init(
    dataOrder: KeyInfo, keepsInsertionOrder: Bool, vfs: any VFS, budget: WorkMemory
  ) throws(SQLError) {
    dataColumnCount = dataOrder.columns.count
    self.vfs = vfs
    self.budget = budget
    // Equal rows stay in the order in which they came.
    let hash = KeyInfo.Column(collation: .binary, isDescending: false, hasBigNulls: false)
    let keyInfo = KeyInfo(
      columns: [hash] + (keepsInsertionOrder ? [] : dataOrder.columns),
      encoding: dataOrder.encoding)
    sorter = Sorter(
      keyInfo: keyInfo, dataColumnCount: dataColumnCount + 2, rowLimit: nil, budget: budget)
    row = try RegisterBlock(count: dataColumnCount + 2)
  }

  deinit {
    row.deallocate()
    keyBytes.deallocate()
    entryBytes.deallocate()
    budget.giveBack(takenCount)
  }

  // MARK: Adding

  /// Takes over what a join table has in memory.
  func takeRows(of table: KeyTable) throws(SQLError) {
    let entries = table.takeEntries()
    for index in 0..<table.entryCount {
      let entry = entries[index].memory
      try setKey(table.key(of: entry), entries[index].prefix)
      // Nothing was looked up yet.
      let last = (entry + KeyTable.headerSize).load(as: UnsafeMutableRawPointer?.self)
      var next = last.map { JoinTable.open(ringEndingAt: $0) }
      while let place = next {
        next = place.load(as: UnsafeMutableRawPointer?.self)
        StoredRow.read(
          UnsafeRawPointer(place + JoinTable.rowHeaderSize), columnCount: dataColumnCount,
          into: row.base + 1)
        try sorter.insert(keys: row.base, data: row.base)
      }
    }
    try sorter.spillAll()
  }

  func insert(
    _ key: CanonicalKey, _ hash: UInt64, _ data: UnsafePointer<Register>
  ) throws(SQLError) {
    try setKey(key, hash)
    for column in 0..<dataColumnCount { row.base[1 + column].borrow(from: data[column]) }
    try sorter.insert(keys: row.base, data: row.base)
  }

  /// Puts hash and key into their registers.
  private func setKey(_ key: CanonicalKey, _ hash: UInt64) throws(SQLError) {
    // The order of signed numbers is to be that of the hashes.
    row.base[0].setInteger(Int64(bitPattern: hash ^ (1 << 63)))
    let count = SpilledJoin.keyHeaderSize + Int(key.byteCount)
    let bytes = try keyBytes.reserve(count)
    bytes.storeBytes(of: key.kind.rawValue, as: UInt8.self)
    bytes.storeBytes(of: key.word, toByteOffset: 1, as: UInt64.self)
    if key.byteCount > 0, let source = key.bytes {
      Memory.copy(from: source, to: bytes + SpilledJoin.keyHeaderSize, Int(key.byteCount))
    }
    row.base[1 + dataColumnCount].setBorrowed(
      .blob, bytes.assumingMemoryBound(to: UInt8.self), count)
  }

  // MARK: Writing

  private func makeRun() throws(SQLError) -> KeyRun {
    let run = try KeyRun(
      SpillFile(vfs: vfs), keyCount: sorter.insertedCount, filterLimit: budget.limit / 4)
    var next = try sorter.sort()
    while let stored = next {
      StoredRow.read(stored, columnCount: row.count, into: row.base)
      try append(to: run)
      next = try sorter.next()
    }
    run.finish()
    sorter.removeAll()
    // Other joins of the statement may come to this, too.
    let rest = max(0, budget.limit - budget.used - run.memoryCount) / 8 * 7
    try run.keepBlocks(within: rest)
    takenCount = run.memoryCount + rest
    budget.take(takenCount)
    self.run = run
    return run
  }

  /// Appends the row that is in the registers.
  private func append(to run: KeyRun) throws(SQLError) {
    let hash = UInt64(bitPattern: row.base[0].integer) ^ (1 << 63)
    let keyColumn = row.base + (1 + dataColumnCount), count = Int(keyColumn.pointee.byteCount)
    guard let bytes = keyColumn.pointee.bytes, count >= SpilledJoin.keyHeaderSize,
      let kind = CanonicalKey.Kind(rawValue: bytes[0])
    else { throw SQLError(.internal) }
    let raw = UnsafeRawPointer(bytes)
    let key = CanonicalKey(
      kind: kind, word: raw.loadUnaligned(fromByteOffset: 1, as: UInt64.self),
      bytes: raw + SpilledJoin.keyHeaderSize,
      byteCount: UInt32(count - SpilledJoin.keyHeaderSize))
    let data = row.base + 1, rowSize = try StoredRow.byteCount(of: data, dataColumnCount)
    let entry = try entryBytes.reserve(KeyRunEntry.headerSize + rowSize)
    KeyRunEntry.writeHeader(key, hash: hash, rowSize: rowSize, to: entry)
    StoredRow.write(data, dataColumnCount, to: entry + KeyRunEntry.headerSize)
    try run.willAppend(hash: hash)
    try run.file.append(entry, KeyRunEntry.headerSize)
    try run.file.append(key: key)
    try run.file.append(entry + KeyRunEntry.headerSize, rowSize)
  }

  // MARK: Finding

  /// The first row with the key, or nil. It is valid until the next call.
  func seek(_ wanted: CanonicalKey, _ hash: UInt64) throws(SQLError) -> UnsafeRawPointer? {
    isOnRow = false
    let run = if let known = self.run { known } else { try makeRun() }
    guard let found = try run.find(wanted, hash: hash) else { return nil }
    // The caller's bytes are gone when the next row is asked for.
    key = wanted
    self.hash = hash
    if wanted.byteCount > 0, let bytes = wanted.bytes {
      let copy = try keyBytes.reserve(Int(wanted.byteCount))
      Memory.copy(from: bytes, to: copy, Int(wanted.byteCount))
      key.bytes = UnsafeRawPointer(copy)
    }
    isOnRow = true
    return found.row
  }

  /// The next row with the key that was sought, or nil, as after a search that found none.
  func next() throws(SQLError) -> UnsafeRawPointer? {
    guard isOnRow, let run else { return nil }
    let found = try run.findNext(key, hash: hash)
    isOnRow = found != nil
    return found?.row
  }
}
