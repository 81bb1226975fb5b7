// A set of keys: DISTINCT, IN (SELECT …), UNION, INTERSECT, EXCEPT, and automatic OR indexes.
//
//     payload of an entry: | row of the values as they came first (8) | next payload (8) |
//
// The values are kept only if somebody reads them (`keepsValues`): lookups need the canonical form
// alone, and no payload. A walk sorts the entries first, which it finds in the order in which they
// came, as they stand in memory. The lowest bit of a row's address is the mark of its key.
//
// A set that outgrows its memory goes on in files: where keys are looked up in a `SpilledSet`, where it
// is only walked in a `WalkedSet`, and the table is then there to meet most duplicates early.

final class HashSet {
  private let budget: WorkMemory
  private let keyInfo: KeyInfo
  private let keepsValues: Bool
  private let table: KeyTable
  private(set) var hasNull = false
  /// The walk; nil if the set has changed since.
  @exclusivity(unchecked) private var sorted: RowSort? {
    didSet { lentSort = sorted.map { Unmanaged.passUnretained($0) } }
  }
  @exclusivity(unchecked) private var position = 0
  /// The payloads that came first and last.
  @exclusivity(unchecked) private var first: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var last: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var spilled: SpilledSet?
  private let use: SetUse
  @exclusivity(unchecked) private var walked: WalkedSet? {
    didSet { lentWalk = walked.map { Unmanaged.passUnretained($0) } }
  }
  // `sorted` and `walked`, for each row of a walk.
  @exclusivity(unchecked) private var lentSort: Unmanaged<RowSort>?
  @exclusivity(unchecked) private var lentWalk: Unmanaged<WalkedSet>?

  private static let payloadSize = 16
  private static let nextOffset = 8

  init(
    keyInfo: KeyInfo, keepsValues: Bool, use: SetUse = .lookup, budget: WorkMemory
  ) throws(SQLError) {
    assert(keepsValues || use == .lookup, "a set that is walked keeps its values")
    self.use = use
    self.keyInfo = keyInfo
    self.keepsValues = keepsValues
    self.budget = budget
    table = try KeyTable(
      keyInfo: keyInfo, payloadSize: keepsValues ? HashSet.payloadSize : 0, budget: budget)
  }

  /// Begins again, with the memory that is there. False for a set that has more than a table of
  /// keys.
  func reuse() throws(SQLError) -> Bool {
    guard !keepsValues, spilled == nil, try table.reuse() else { return false }
    hasNull = false
    return true
  }

  /// How many keys there are, where they are looked up.
  var count: Int { table.entryCount + (spilled?.count ?? 0) }
  var isEmpty: Bool { walked == nil && count == 0 }

  /// Adds a key. False if an equal one was there already.
  @inline(__always)
  func insert(_ registers: UnsafePointer<Register>) throws(SQLError) -> Bool {
    let key = try table.canonicalKey(registers, isAdding: true)
    let hash = table.hash(of: key)
    if table.find(key, hash: hash) != nil { return false }
    if spilled != nil || budget.shouldSpill(holding: heldCount, neededLater: neededLater) {
      if use != .lookup {
        try spillWalked()
      } else if try spilledHas(key, hash) {
        return false
      }
    }
    if key.hasNull { hasNull = true }
    if sorted != nil { sorted = nil }
    let payload = try table.add(key, hash: hash)
    if keepsValues { try storeValues(registers, in: payload) }
    return true
  }

  @inline(__always) private var heldCount: Int {
    table.arena.reservedCount &+ table.filledSlotByteCount
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
    return try spilled.contains(key, hash)
  }

  /// Marks a key, if it is there.
  func mark(_ registers: UnsafePointer<Register>) throws(SQLError) {
    if let walked {
      try spill(to: walked)
      return try walked.mark(registers)
    }
    let key = try table.canonicalKey(registers, isAdding: false)
    guard let payload = table.find(key, hash: table.hash(of: key)) else { return }
    sorted = nil
    payload.storeBytes(of: payload.load(as: UInt.self) | 1, as: UInt.self)
  }

  // MARK: Walking

  /// Sorts the keys and moves to the first or last; its row, or nil if the set is empty. The set
  /// must not change during the walk.
  func rewind(toLast: Bool) throws(SQLError) -> UnsafeRawPointer? {
    assert(keepsValues, "a set that is walked keeps its values")
    if let walked {
      assert(!toLast, "a set that is walked only is walked forward")
      try spill(to: walked)
      return try walked.rewind()
    }
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
    try forEachRow { (row, isMarked) throws(SQLError) in
      if use.shows(isMarked: isMarked) { try sort.add(row, row) }
    }
    try sort.sort()
    return sort
  }

  /// Visits the values in the order in which they came.
  private func forEachRow(
    _ body: (_ row: UnsafeRawPointer, _ isMarked: Bool) throws(SQLError) -> Void
  ) throws(SQLError) {
    var next = first
    while let payload = next {
      next = payload.load(fromByteOffset: HashSet.nextOffset, as: UnsafeMutableRawPointer?.self)
      let word = payload.load(as: UInt.self)
      guard let row = UnsafeRawPointer(bitPattern: word & ~1) else { continue }
      try body(row, word & 1 != 0)
    }
  }

  /// The row of the next or previous key, or nil.
  func next(backward: Bool) throws(SQLError) -> UnsafeRawPointer? {
    if let lentWalk { return try lentWalk.lend { (set) throws(SQLError) in try set.next() } }
    if let spilled { return try spilled.next(backward: backward) }
    position += backward ? -1 : 1
    return current
  }

  private var current: UnsafeRawPointer? {
    lentSort?._withUnsafeGuaranteedRef { sort in
      position >= 0 && position < sort.count ? sort[position] : nil
    }
  }

  // MARK: Spilling

  /// Whether the files have the key. If not, memory has room for it.
  @inline(never)
  private func spilledHas(_ key: CanonicalKey, _ hash: UInt64) throws(SQLError) -> Bool {
    if let spilled, try spilled.contains(key, hash) { return true }
    guard let vfs = budget.vfs, table.entryCount > 0,
      budget.shouldSpill(holding: heldCount, neededLater: neededLater)
    else { return false }
    let target =
      if let spilled { spilled } else {
        try SpilledSet(keyInfo: keyInfo, vfs: vfs, budget: budget)
      }
    spilled = target
    try spill(to: target)
    return false
  }

  /// Empties the table, whatever the files have.
  @inline(never)
  private func spillWalked() throws(SQLError) {
    guard budget.vfs != nil, table.entryCount > 0 else { return }
    let target =
      if let walked { walked } else { try WalkedSet(keyInfo: keyInfo, use, budget: budget) }
    walked = target
    try spill(to: target)
  }

  private func spill(to target: WalkedSet) throws(SQLError) {
    guard table.entryCount > 0 else { return }
    sorted = nil
    try forEachRow { (row, _) throws(SQLError) in try target.add(row) }
    try target.finishAdding()
    table.removeAll()
    first = nil
    last = nil
  }

  private func spill(to target: SpilledSet) throws(SQLError) {
    sorted = nil
    if keepsValues {
      try forEachRow { (row, _) throws(SQLError) in try target.keep(row) }
      try target.finishKeeping()
    }
    try target.add(table)
    first = nil
    last = nil
  }
}
