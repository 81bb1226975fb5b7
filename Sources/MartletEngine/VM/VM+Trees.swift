// Opcodes on tables and indexes.

extension VM {
  typealias Slot = UnsafeMutablePointer<CursorSlot>

  enum SeekKind { case less, lessOrEqual, greaterOrEqual, greater }

  func openTree(_ op: Operation, root number: Int32) throws(SQLError) {
    if link?.root._withUnsafeGuaranteedRef({ $0.isExpired }) ?? isExpired {
      throw SQLError(.abortRollback)
    }
    let slot = slots + op.p1
    let root = PageNumber(UInt32(bitPattern: number))
    let keyInfo = op.pointee.p4 >= 0 ? tables.keyInfos[op.p4] : nil
    slot.pointee.close()
    if canReopen(slot, op.p3, root, keyInfo) {
      slot.pointee.cursor?._withUnsafeGuaranteedRef { $0.open() }
    } else {
      let tree = try host.tree(ofDatabase: op.p3)
      slot.pointee.removeCursor()
      let cursor = Cursor(tree: tree, root: root, keyInfo: keyInfo?.takeUnretainedValue())
      slot.pointee.cursor = .passRetained(cursor)
      slot.pointee.keyInfo = keyInfo
    }
    slot.pointee.kind = .tree
  }

  /// Whether the cursor that the slot has kept is of the tree that is to be opened.
  @inline(__always)
  private func canReopen(
    _ slot: Slot, _ database: Int, _ root: PageNumber, _ keyInfo: Unmanaged<KeyInfo>?
  ) -> Bool {
    guard let cursor = slot.pointee.cursor, database < OpenDatabases.capacity,
      let tree = databases[database].tree, slot.pointee.keyInfo?.toOpaque() == keyInfo?.toOpaque()
    else { return false }
    return cursor._withUnsafeGuaranteedRef {
      $0.root == root && Unmanaged.passUnretained($0.tree).toOpaque() == tree.toOpaque()
    }
  }

  func pinCursor(_ op: Operation, _ isPinned: Bool) {
    slots[op.p1].cursor?._withUnsafeGuaranteedRef { $0.isPinned = isPinned }
  }

  func setNullRow(_ op: Operation) {
    let slot = slots + op.p1
    slot.pointee.isNullRow = true
    slot.pointee.deferredIndex = -1
    if slot.pointee.kind == .tree {
      slot.pointee.cursor?._withUnsafeGuaranteedRef { $0.setNullRow() }
    }
  }

  // MARK: Moving

  func moveToFirst(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].deferredIndex = -1
    return try (slots + op.p1).withCursor { cursor throws(SQLError) in try cursor.moveToFirst() }
  }

  func moveToLast(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].deferredIndex = -1
    return try (slots + op.p1).withCursor { cursor throws(SQLError) in try cursor.moveToLast() }
  }

  @inline(__always)
  func moveToNext(_ slot: Slot) throws(SQLError) -> Bool {
    try slot.withCursor { cursor throws(SQLError) in try cursor.next() }
  }

  @inline(__always)
  func moveToPrevious(_ slot: Slot) throws(SQLError) -> Bool {
    try slot.withCursor { cursor throws(SQLError) in try cursor.previous() }
  }

  // MARK: Reading

  /// False if the row has no such column.
  @inline(__always)
  func readColumn(_ slot: Slot, _ column: Int, into target: Cell) throws(SQLError) -> Bool {
    try slot.withCursor { cursor throws(SQLError) in try cursor.column(column, into: target) }
  }

  /// Reads columns into registers behind each other. Returns how many it has read; `readColumn` has
  /// to look at the next one.
  func readColumns(_ slot: Slot, _ first: Int, _ count: Int, into target: Cell) -> Int {
    slot.pointee.cursor?._withUnsafeGuaranteedRef { $0.columns(first, count, into: target) } ?? 0
  }

  /// The row is older than the column: its default, or NULL.
  func setMissingColumn(_ op: Operation) {
    if op.pointee.p4 >= 0 {
      registers[op.p3].borrow(from: tables.constants[op.p4])
    } else {
      registers[op.p3].setNull()
    }
  }

  /// `column` where a seek is due first, or where only length or type is wanted.
  func readColumnSlow(_ op: Operation, _ flags: ColumnFlags) throws(SQLError) {
    let slot = slots + op.p1, target = registers + op.p3
    var source = slot, column = op.p2
    if slot.pointee.deferredIndex >= 0 {
      if let map = slot.pointee.columnMap, column < slot.pointee.columnMapCount, map[column] > 0 {
        source = slots + Int(slot.pointee.deferredIndex)
        column = Int(map[column]) - 1
      } else {
        try finishSeek(slot)
      }
    }
    if !flags.isEmpty, try readShape(flags, source, column, target) { return }
    if try !readColumn(source, column, into: target) { setMissingColumn(op) }
  }

  /// Reads only what `length` or `typeof` need of a value, which may lie on or behind many overflow
  /// pages: its type, or zeros of the same length. False if that would not do.
  private func readShape(
    _ flags: ColumnFlags, _ source: Slot, _ column: Int, _ target: Cell
  ) throws(SQLError) -> Bool {
    let known = try source.withCursor { cursor throws(SQLError) in
      try cursor.serialType(ofColumn: column)
    }
    guard let type = known else { return false }
    let tag = SerialType.storageClass(of: type)
    if flags.contains(.typeOnly) {
      switch tag {
      case .null: target.pointee.setNull()
      case .integer: target.pointee.setInteger(0)
      case .real: target.pointee.setReal(0)
      case .text, .blob: target.pointee.setBorrowed(tag, Register.emptyBytes, 0)
      }
      return true
    }
    guard type >= SerialType.firstBlob else { return false }
    // The length of a text is its characters, which have to be read; that of a blob is not.
    guard tag == .blob || flags.contains(.byteLengthOnly) else { return false }
    target.pointee.setBorrowed(.blob, Register.emptyBytes, 0)
    target.pointee.zeroCount = Int32(clamping: SerialType.byteCount(of: type))
    return true
  }

  func readRowid(_ op: Operation) throws(SQLError) {
    let slot = slots + op.p1, target = registers + op.p2
    if slot.pointee.deferredIndex >= 0 {
      return target.pointee.setInteger(
        try indexRowid(slots + Int(slot.pointee.deferredIndex)))
    }
    try slot.withCursor { cursor throws(SQLError) in
      if cursor.isNullRow { return target.pointee.setNull() }
      if cursor.needsRestore, try cursor.restoreIsLost() { return target.pointee.setNull() }
      target.pointee.setInteger(try cursor.rowid())
    }
  }

  func readIndexRowid(_ op: Operation) throws(SQLError) {
    let target = registers + op.p2
    try (slots + op.p1).withCursor { cursor throws(SQLError) in
      if cursor.isNullRow { return target.pointee.setNull() }
      if cursor.needsRestore, try cursor.restoreIsLost() { return target.pointee.setNull() }
      target.pointee.setInteger(try cursor.indexRowid())
    }
  }

  private func indexRowid(_ slot: Slot) throws(SQLError) -> Int64 {
    try slot.withCursor { cursor throws(SQLError) in try cursor.indexRowid() }
  }

  func countEntries(_ op: Operation) throws(SQLError) {
    registers[op.p2].setInteger(
      try (slots + op.p1).withCursor { cursor throws(SQLError) in try cursor.count() })
  }

  // MARK: Deferred seeks

  func deferSeek(_ op: Operation) {
    let slot = slots + op.p3
    slot.pointee.deferredIndex = op.pointee.p1
    slot.pointee.isNullRow = false
    if op.pointee.p4 >= 0 {
      slot.pointee.columnMap = tables.columnMaps[op.p4].start
      slot.pointee.columnMapCount = tables.columnMaps[op.p4].count
    } else {
      slot.pointee.columnMap = nil
    }
  }

  func finishSeek(_ slot: Slot) throws(SQLError) {
    let rowid = try indexRowid(slots + Int(slot.pointee.deferredIndex))
    slot.pointee.deferredIndex = -1
    guard try seek(slot, rowid: rowid) else { throw .corrupt("index entry without a row") }
  }

  // MARK: Seeks

  /// Moves a table cursor to rowid r[P3]. False if there is no such row.
  func seekRowid(_ op: Operation) throws(SQLError) -> Bool {
    let slot = slots + op.p1, key = registers + op.p3
    slot.pointee.deferredIndex = -1
    var rowid = key.pointee.integer
    if key.pointee.tag != .integer {
      let temporary = temporaries.base
      temporary.pointee.borrow(from: key.pointee)
      try Affinity.numeric.apply(to: &temporary.pointee, encoding: encoding)
      guard temporary.pointee.tag == .integer else { return false }
      rowid = temporary.pointee.integer
    }
    return try seek(slot, rowid: rowid)
  }

  @inline(__always)
  private func seek(_ slot: Slot, rowid: Int64) throws(SQLError) -> Bool {
    let order = try slot.withCursor { cursor throws(SQLError) in try cursor.seek(rowid: rowid) }
    slot.pointee.seekResult = Int32(truncatingIfNeeded: order)
    return order == 0
  }

  /// Moves to the entry nearest to the key. False if there is none on that side.
  func seek(_ op: Operation, _ kind: SeekKind) throws(SQLError) -> Bool {
    let slot = slots + op.p1
    slot.pointee.deferredIndex = -1
    guard let keyInfo = slot.pointee.keyInfo else { return try seekTable(op, kind) }
    let direction = kind == .less || kind == .greaterOrEqual ? 1 : -1
    var key = try unpackedKey(op, keyInfo, defaultResult: direction)
    return try slot.withCursor { cursor throws(SQLError) in
      try settle(cursor, cursor.seek(key: &key), kind)
    }
  }

  /// After a search, steps over an entry on the wrong side of the key.
  private func settle(
    _ cursor: Cursor, _ order: Int, _ kind: SeekKind
  ) throws(SQLError) -> Bool {
    guard cursor.isValid else { return false }
    switch kind {
    case .less: return order >= 0 ? try cursor.previous() : true
    case .lessOrEqual: return order > 0 ? try cursor.previous() : true
    case .greaterOrEqual: return order < 0 ? try cursor.next() : true
    case .greater: return order <= 0 ? try cursor.next() : true
    }
  }

  /// A table's key is one number. A real is replaced by the nearest integer, and the comparison by
  /// the one that then means the same.
  private func seekTable(_ op: Operation, _ kind: SeekKind) throws(SQLError) -> Bool {
    var key = registers + op.p3, kind = kind
    if key.pointee.tag == .text {
      temporaries.base.pointee.borrow(from: key.pointee)
      key = temporaries.base
      Affinity.makeNumeric(&key.pointee, encoding, preferringInteger: false)
    }
    let rowid: Int64
    switch key.pointee.tag {
    case .integer: rowid = key.pointee.integer
    case .real:
      rowid = Cast.integer(of: key.pointee.real)
      let order = Comparison.compare(rowid, key.pointee.real)
      if order > 0 {
        if kind == .greater { kind = .greaterOrEqual }
        if kind == .lessOrEqual { kind = .less }
      } else if order < 0 {
        if kind == .less { kind = .lessOrEqual }
        if kind == .greaterOrEqual { kind = .greater }
      }
    case .null: return false
    case .text, .blob:
      // Behind all numbers.
      guard kind == .less || kind == .lessOrEqual else { return false }
      return try (slots + op.p1).withCursor { cursor throws(SQLError) in
        try cursor.moveToLast()
      }
    }
    return try (slots + op.p1).withCursor { cursor throws(SQLError) in
      try settle(cursor, cursor.seek(rowid: rowid), kind)
    }
  }

  /// Whether an entry of an index begins with the key.
  func findKey(_ op: Operation) throws(SQLError) -> Bool {
    let slot = slots + op.p1
    slot.pointee.seekResult = 0
    slot.pointee.deferredIndex = -1
    guard let keyInfo = slot.pointee.keyInfo else { return try seekRowid(op) }
    var key = try unpackedKey(op, keyInfo)
    return try slot.withCursor { cursor throws(SQLError) in try cursor.seek(key: &key) == 0 }
  }

  /// No entry begins with the key, so that no longer key can be found either.
  func isHopeless(_ op: Operation) throws(SQLError) -> Bool {
    let slot = slots + op.p1
    if Int(slot.pointee.seekHit) >= op.p4 { return false }
    guard try findKey(op) else { return true }
    slot.pointee.seekHit = Int32(truncatingIfNeeded: op.p4)
    return false
  }

  /// How the current entry of an index compares with the key.
  @inline(__always)
  func compareEntry(_ op: Operation) throws(SQLError) -> Int {
    let slot = slots + op.p1
    guard let keyInfo = slot.pointee.keyInfo else { throw SQLError(.internal) }
    var key = try unpackedKey(op, keyInfo)
    return try slot.withCursor { cursor throws(SQLError) in try cursor.compareKey(with: &key) }
  }

  /// The key r[P3..<P3+P4], blobs with their zeros written out.
  @inline(__always)
  func unpackedKey(
    _ op: Operation, _ keyInfo: Unmanaged<KeyInfo>, defaultResult: Int = 0
  ) throws(SQLError) -> UnpackedKey {
    try unpackedKey(registers + op.p3, op.p4, keyInfo, defaultResult: defaultResult)
  }

  @inline(__always)
  func unpackedKey(
    _ fields: Cell, _ count: Int, _ keyInfo: Unmanaged<KeyInfo>, defaultResult: Int = 0
  ) throws(SQLError) -> UnpackedKey {
    for index in 0..<count where fields[index].tag == .blob {
      try fields[index].expandZeros()
    }
    return keyInfo._withUnsafeGuaranteedRef {
      UnpackedKey(fields, count: count, keyInfo: $0, defaultResult: defaultResult)
    }
  }
}
