// Opcodes that change rows and index entries.

extension VM {
  // MARK: Rowids

  private static let largestRowid = Int64.max

  func makeRowid(_ op: Operation) throws(SQLError) {
    let largest = op.p4 >= 0 ? root.registers + op.p4 : op.p3 == 0 ? nil : registers + op.p3
    let rowid = try (slots + op.p1).withCursor { cursor throws(SQLError) in
      if !cursor.isOnLastEntry, try !cursor.moveToLast() { return Int64(1) }
      let last = try cursor.rowid()
      if last < VM.largestRowid { return last + 1 }
      if largest != nil { throw SQLError(.full) }
      return try randomRowid(cursor)
    }
    slots[op.p1].seekResult = 0
    guard let largest else { return registers[op.p2].setInteger(rowid) }
    let known = largest.pointee.integer
    if known == VM.largestRowid { throw SQLError(.full) }
    largest.pointee.setInteger(max(rowid, known + 1))
    registers[op.p2].setInteger(largest.pointee.integer)
  }

  func takeMaximum(_ op: Operation) {
    let largest = op.p4 >= 0 ? root.registers + op.p4 : registers + op.p1
    if largest.pointee.integer < registers[op.p2].integer {
      largest.pointee.setInteger(registers[op.p2].integer)
    }
  }

  /// A positive rowid that is free (autoinc §2).
  private func randomRowid(_ cursor: Cursor) throws(SQLError) -> Int64 {
    for _ in 0..<100 {
      let bits = host.functionHost.randomBits() & UInt64(VM.largestRowid >> 1)
      let candidate = Int64(bitPattern: bits) + 1
      if try cursor.seek(rowid: candidate) != 0 { return candidate }
    }
    throw SQLError(.full)
  }

  /// An integer in a REAL column stands for a real.
  func checkType(_ op: Operation) throws(SQLError) {
    let value = registers + op.p1
    let wanted = StorageClass(rawValue: UInt8(truncatingIfNeeded: op.p2)) ?? .null
    if value.pointee.tag == wanted { return }
    if wanted == .real && value.pointee.tag == .integer { return }
    let name =
      switch value.pointee.tag {
      case .null: "NULL"
      case .integer: value.pointee.flags.contains(.integerAsReal) ? "REAL" : "INT"
      case .real: "REAL"
      case .text: "TEXT"
      case .blob: "BLOB"
      }
    throw SQLError(
      .constraintDataType, "cannot store \(name) value in \(program.tables.texts[op.p4])")
  }

  // MARK: Rows

  func insertRow(_ op: Operation) throws(SQLError) {
    let slot = slots + op.p1, flags = ChangeFlags(rawValue: op.pointee.p5)
    let rowid = registers[op.p3].integer, record = registers + op.p2
    if flags.contains(.countsChange) { changeCount &+= 1 }
    if flags.contains(.setsLastRowid) { functionMemory.pointee.lastInsertRowID = rowid }
    let order = flags.contains(.usesSeekResult) ? Int(slot.pointee.seekResult) : 0
    slot.pointee.seekResult = 0
    slot.pointee.deferredIndex = -1
    guard let bytes = record.pointee.bytes else { throw SQLError(.internal) }
    try slot.withCursor { cursor throws(SQLError) in
      try cursor.insert(
        rowid: rowid, record: bytes, byteCount: Int(record.pointee.byteCount),
        zeroCount: Int(record.pointee.zeroCount), seekResult: order, keepsPosition: flags.contains(.keepsPosition))
    }
    noteChange(op, flags.contains(.isUpdate) ? .update : .insert, rowid: rowid)
  }

  func deleteEntry(_ op: Operation) throws(SQLError) {
    let slot = slots + op.p1, flags = ChangeFlags(rawValue: op.pointee.p5)
    if slot.pointee.deferredIndex >= 0 { try finishSeek(slot) }
    let isCounted = flags.contains(.countsChange)
    if isCounted { changeCount &+= 1 }
    slot.pointee.seekResult = 0
    var rowid: Int64 = 0
    let order = try slot.withCursor { cursor throws(SQLError) in
      if op.pointee.p4 >= 0, functionMemory.pointee.noticesChanges { rowid = try cursor.rowid() }
      return try cursor.delete(
        keepsPosition: flags.contains(.keepsPosition), keepsPlace: flags.contains(.keepsPlace))
    }
    slot.pointee.seekResult = Int32(truncatingIfNeeded: order)
    // Rows that go because of REPLACE are not counted, and nobody is told.
    if isCounted { noteChange(op, .delete, rowid: rowid) }
  }

  /// The record of the current entry, as it is stored.
  func readRecord(_ op: Operation) throws(SQLError) {
    let slot = slots + op.p1, target = registers + op.p2
    if slot.pointee.deferredIndex >= 0 { try finishSeek(slot) }
    try slot.withCursor { cursor throws(SQLError) in
      if cursor.needsRestore, try cursor.restoreIsLost() { throw .corrupt("row is gone") }
      try cursor.requireCell()
      let payload = cursor.payload
      guard payload.byteCount <= lengthLimit else { throw .tooBig }
      if payload.localSize == payload.byteCount {
        return target.pointee.setBorrowed(.blob, payload.start, payload.byteCount)
      }
      let buffer = try target.pointee.reserveBuffer(payload.byteCount)
      try cursor.copyPayload(payload, offset: 0, byteCount: payload.byteCount, to: buffer)
      target.pointee.adoptBuffer(.blob, payload.byteCount)
    }
  }

  // MARK: Keys

  /// Whether an entry of an index begins with the key, which has no NULL.
  func findConflict(_ op: Operation) throws(SQLError) -> Bool {
    let slot = slots + op.p1, fields = registers + op.p3
    slot.pointee.seekResult = 0
    slot.pointee.deferredIndex = -1
    for index in 0..<op.p4 where fields[index].isNull { return false }
    guard let keyInfo = slot.pointee.keyInfo else { throw SQLError(.internal) }
    var key = try unpackedKey(op, keyInfo)
    let order = try slot.withCursor { cursor throws(SQLError) in try cursor.seek(key: &key) }
    slot.pointee.seekResult = Int32(truncatingIfNeeded: order)
    return order == 0
  }

  func insertKey(_ op: Operation) throws(SQLError) {
    let slot = slots + op.p1, flags = ChangeFlags(rawValue: op.pointee.p5)
    if flags.contains(.countsChange) { changeCount &+= 1 }
    guard let keyInfo = slot.pointee.keyInfo, let bytes = registers[op.p2].bytes else {
      throw SQLError(.internal)
    }
    var key = try unpackedKey(op, keyInfo)
    let order = flags.contains(.usesSeekResult) ? Int(slot.pointee.seekResult) : 0
    slot.pointee.seekResult = 0
    try slot.withCursor { cursor throws(SQLError) in
      try cursor.insert(
        key: &key, record: bytes, byteCount: Int(registers[op.p2].byteCount),
        seekResult: order, mayBeHere: flags.contains(.isUpdate),
        keepsPosition: flags.contains(.keepsPosition))
    }
  }

  func appendKey(_ op: Operation) throws(SQLError) {
    guard let bytes = registers[op.p2].bytes else { throw SQLError(.internal) }
    if ChangeFlags(rawValue: op.pointee.p5).contains(.countsChange) { changeCount &+= 1 }
    try (slots + op.p1).withCursor { cursor throws(SQLError) in
      try cursor.append(record: bytes, byteCount: Int(registers[op.p2].byteCount))
    }
  }

  func deleteKey(_ op: Operation) throws(SQLError) {
    let slot = slots + op.p1
    guard let keyInfo = slot.pointee.keyInfo else { throw SQLError(.internal) }
    var key = try unpackedKey(registers + op.p2, op.p3, keyInfo)
    slot.pointee.seekResult = 0
    try slot.withCursor { cursor throws(SQLError) in
      var isFound = try cursor.seek(key: &key) == 0
      if !isFound {
        isFound = try self.moveToEntry(
          cursor, self.registers + op.p2, op.p3, keyInfo, except: op.pointee.p4)
      }
      guard isFound else { throw SQLError(.corruptIndex) }
      try cursor.delete()
    }
  }

  /// Looks through a whole index for the entry of a row whose expressions gave something else when
  /// the entry was made: a function that is not as deterministic as it says, or that has seen the
  /// subtype of a value which is not stored. Columns with a bit in `computed` are not compared.
  private func moveToEntry(
    _ cursor: Cursor, _ key: UnsafePointer<Register>, _ count: Int,
    _ keyInfo: Unmanaged<KeyInfo>, except computed: Int32
  ) throws(SQLError) -> Bool {
    guard computed != 0 else { return false }
    let keyInfo = keyInfo.takeUnretainedValue()
    let value = try RegisterBlock(count: 1)
    defer { value.deallocate() }
    var hasEntry = try cursor.moveToFirst()
    while hasEntry {
      if attention.isRaised { try host.attend() }
      var isEqual = true
      // The rowid is the last column, and tells most entries apart.
      for column in (0..<count).reversed() where isEqual {
        guard column > 30 || computed & (1 << Int32(column)) == 0 else { continue }
        if try !cursor.column(column, into: value.base) { value.base.pointee.setNull() }
        isEqual = try Comparison.compare(
          value.base, key + column, keyInfo.columns[column].collation, keyInfo.encoding) == 0
      }
      if isEqual { return true }
      hasEntry = try cursor.next()
    }
    return false
  }
}
