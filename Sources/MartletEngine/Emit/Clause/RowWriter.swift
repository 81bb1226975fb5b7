/// What is known while the code that puts one row into its table is emitted.
final class RowWriter {
  /// An index, with the registers of the row's new entry.
  struct Entry {
    let index: Index
    let cursor: CursorID
    /// The columns of the entry.
    let key: RegisterIndex
    /// Its record; NULL where a partial index has none.
    let record: RegisterIndex
    /// The entry changes. Always, but for UPDATEs of other columns.
    var isWritten = true
  }

  let target: BoundTarget
  let row: RowRegisters
  /// The cursor of the rows: of the primary key's index for a WITHOUT ROWID table.
  let rows: CursorID
  let entries: [Entry]
  /// All of them, as rows have that REPLACE deletes, once that was needed.
  var allEntries: [Entry]?
  let record: RegisterIndex
  /// What OR says.
  let policy: ConflictPolicy?
  let defaults: [BoundExpression?]
  /// Where to go on when a row is left out.
  let skip: Label
  let upserts: [BoundUpsert]
  /// Triggers of the change.
  var triggers = FiredTriggers()
  /// For UPDATE with triggers: the row as it was, in front of `row`.
  var oldRow: RowRegisters?
  /// DELETE triggers of rows that REPLACE deletes, and a register that says whether any fired.
  var replaceTriggers = FiredTriggers()
  var hasReplaced: RegisterIndex?
  /// Some conflict was compiled to a deletion that sets the register, and the entries of which.
  var mayHaveReplaced = false
  var replacedEntries: [Entry] = []
  /// Where the rowid goes of the row whose entry is in the way.
  var conflictingRowid: RegisterIndex?
  /// Where the row goes for RETURNING.
  var returning: ReturningRows?
  /// For UPDATE: the rowid, or the first of the registers of the primary key, that the row has now.
  var oldKey: RegisterIndex?
  /// For UPDATE: the columns that get new values.
  var changedColumns: [Bool]?
  /// The row gets another rowid, or primary key, or is new.
  var changesKey = true
  /// The rowid was given, and may be there already.
  var mayHaveRowid = true

  var table: Table { target.table }
  var isUpdate: Bool { oldKey != nil }

  init(
    target: BoundTarget, row: RowRegisters, rows: CursorID, entries: [Entry],
    record: RegisterIndex, policy: ConflictPolicy?, defaults: [BoundExpression?], skip: Label,
    upserts: [BoundUpsert] = []
  ) {
    self.target = target
    self.row = row
    self.rows = rows
    self.entries = entries
    self.record = record
    self.policy = policy
    self.defaults = defaults
    self.skip = skip
    self.upserts = upserts
  }

  /// Whether an UPDATE changes what the expression is computed from.
  func changes(_ expression: BoundExpression) -> Bool {
    guard let changedColumns else { return true }
    var isChanged = false
    expression.forEachColumn { _, column in
      if column < 0 || Int(column) == table.rowidColumn {
        if changesKey { isChanged = true }
      } else if changedColumns[Int(column)] {
        isChanged = true
      }
    }
    return isChanged
  }

  func policy(of index: Index) -> ConflictPolicy { policy ?? index.onConflict ?? .abort }

  var rowidPolicy: ConflictPolicy { policy ?? table.primaryKeyConflict ?? .abort }

  /// Some conflict deletes the rows that are in the way.
  var mayReplace: Bool {
    if !table.isWithoutRowid && mayHaveRowid && changesKey && rowidPolicy == .replace {
      return true
    }
    return mayReplaceEntries
  }

  /// A conflict of some index's entries does.
  var mayReplaceEntries: Bool {
    entries.contains {
      $0.index.isUnique && $0.isWritten && policy(of: $0.index) == .replace
    }
  }
}

extension Emitter {
  /// Opens the cursors of a table and its indexes, to write. `rows` is the cursor of the rows, where
  /// there is one already, and `scanned` that of an index.
  func openForWriting(
    _ table: Table, rows: CursorID? = nil, scanned: (index: Index, cursor: CursorID)? = nil,
    indexes isOpened: (Index) -> Bool = { _ in true }
  ) throws(SQLError) -> (rows: CursorID, entries: [RowWriter.Entry]) {
    writtenDatabases |= 1 << UInt64(table.databaseIndex)
    databases |= 1 << UInt64(table.databaseIndex)
    var rows = rows ?? .none
    if rows == .none { rows = try openTable(table) }
    var entries: [RowWriter.Entry] = []
    entries.reserveCapacity(table.indexes.count)
    for index in table.indexes {
      let isOpened = isOpened(index)
      var cursor = rows
      if let scanned, scanned.index === index {
        cursor = scanned.cursor
      } else if isOpened && index !== table.primaryKeyIndex {
        cursor = try openIndex(index)
      }
      let key = builder.newRegisters(index.columns.count)
      entries.append(
        RowWriter.Entry(
          index: index, cursor: cursor, key: key, record: newRegister(), isWritten: isOpened))
    }
    return (rows, entries)
  }

  /// The code reads the row at the cursor through the target's `old` source.
  func readOldRow(_ target: BoundTarget, at cursor: CursorID) {
    setAccess(target.old.id, .table(cursor, target.table))
    setVirtualColumns(target.old)
  }

  /// The code reads a row in registers, virtual columns included.
  func readRow(_ source: BoundSource, in row: RowRegisters) {
    setAccess(source.id, .row(row))
    sources[Int(source.id.rawValue)].virtualColumns = []
  }

  func readNewRow(_ target: BoundTarget, in row: RowRegisters) {
    setAccess(target.new.id, .row(row))
  }

  // MARK: Writing

  /// Puts a row, whose records are made, into the table and its indexes (SQLite's
  /// CompleteInsertion).
  func emitWrite(_ writer: RowWriter, keepsPosition: Bool = false) {
    if !writer.isUpdate {
      emitAnnouncement(.insert, writer.table, writer.rows, new: writer.row)
    }
    // A row that ON CONFLICT updates in its place is not written here. Programs of triggers may
    // have taken a place that was free.
    let mayUseSeek = !writer.isUpdate && writer.hasReplaced == nil
    for entry in writer.entries where entry.isWritten {
      var flags: ChangeFlags = []
      if entry.index === writer.table.primaryKeyIndex {
        flags.insert(.countsChange)
        if keepsPosition { flags.insert(.keepsPosition) }
        if writer.isUpdate && !writer.changesKey { flags.insert(.isUpdate) }
      }
      if mayUseSeek && entry.index.isUnique { flags.insert(.usesSeekResult) }
      let skip = newLabel()
      if entry.index.partialWhere != nil {
        emit(.isNull, entry.record.rawValue, skip.operand)
      }
      let count =
        entry.index === writer.table.primaryKeyIndex
        ? entry.index.keyColumnCount : entry.index.columns.count
      emit(
        .indexInsert, entry.cursor.rawValue, entry.record.rawValue, entry.key.rawValue,
        p4: Int32(count), p5: flags.rawValue)
      place(skip)
    }
    guard !writer.table.isWithoutRowid else { return }
    var flags: ChangeFlags = .countsChange
    flags.insert(writer.isUpdate ? .isUpdate : .setsLastRowid)
    // The row of an entry in the way is sought with the same cursor.
    if mayUseSeek && writer.mayHaveRowid && !writer.mayReplaceEntries {
      flags.insert(.usesSeekResult)
    }
    if keepsPosition { flags.insert(.keepsPosition) }
    emit(
      .insert, writer.rows.rawValue, writer.record.rawValue, writer.row.rowid.rawValue,
      p4: changedTable(writer.table), p5: flags.rawValue)
  }

  /// What hooks are told of the table.
  func changedTable(_ table: Table) -> Int32 {
    let tables = builder.tables
    if let known = tables.changedTables.firstIndex(where: { $0 === table }) {
      return Int32(known)
    }
    tables.changedTables.append(table)
    return Int32(tables.changedTables.count - 1)
  }

  /// Tells the preupdate hook of the row at the cursor, or of a new one.
  func emitAnnouncement(
    _ kind: RowChangeKind, _ table: Table, _ rows: CursorID, new: RowRegisters? = nil
  ) {
    emitAnnouncement(kind, table, rows, rowid: new?.rowid, first: new?.first)
  }

  func emitAnnouncement(
    _ kind: RowChangeKind, _ table: Table, _ rows: CursorID, rowid: RegisterIndex?,
    first: RegisterIndex?
  ) {
    guard announcesChanges else { return }
    emit(
      .announceChange, rows.rawValue, first?.rawValue ?? 0,
      table.isWithoutRowid ? 0 : rowid?.rawValue ?? 0, p4: changedTable(table),
      p5: kind.rawValue)
  }

  // MARK: Deleting

  /// Deletes the entries of the row at the cursor from the indexes; the row itself stays.
  func emitEntriesDelete(
    _ entries: [RowWriter.Entry], _ target: BoundTarget, except scanned: CursorID? = nil
  ) throws(SQLError) {
    for entry in entries
    where entry.isWritten && entry.index !== target.table.primaryKeyIndex
      && entry.cursor != scanned
    {
      let skip = newLabel()
      try emitJump(unlessIn: entry.index, target.old, to: skip)
      let key = builder.newRegisters(entry.index.columns.count)
      try emitKey(of: entry.index, target.old, into: key)
      emit(
        .indexDelete, entry.cursor.rawValue, key.rawValue, Int32(entry.index.columns.count),
        p4: entry.index.computedColumns)
      place(skip)
    }
  }

  /// Seeks the row with the key, a rowid or the columns of the primary key.
  func emitSeek(
    _ table: Table, _ rows: CursorID, _ key: RegisterIndex, orGoTo absent: Label
  ) {
    if let primaryKey = table.primaryKeyIndex {
      emit(
        .notFound, rows.rawValue, absent.operand, key.rawValue,
        p4: Int32(primaryKey.keyColumnCount))
    } else {
      emit(.seekRowid, rows.rawValue, absent.operand, key.rawValue)
    }
  }

  /// Deletes the row whose entry the cursor of its index is on, because a new one takes its place:
  /// it does not count. `key` is the row's; none is needed where the cursor is that of the rows.
  func emitReplacedDelete(
    _ writer: RowWriter, at entry: RowWriter.Entry, _ key: RegisterIndex
  ) throws(SQLError) {
    if writer.hasReplaced != nil { return try emitFiringReplacedDelete(writer, key) }
    let gone = newLabel()
    if entry.cursor != writer.rows { emitSeek(writer.table, writer.rows, key, orGoTo: gone) }
    try emitEntriesDelete(try allEntries(writer), writer.target, except: entry.cursor)
    emitAnnouncement(.delete, writer.table, writer.rows)
    if entry.cursor != writer.rows { emit(.delete, writer.rows.rawValue) }
    let flags: ChangeFlags = writer.isUpdate ? [] : .keepsPlace
    emit(.delete, entry.cursor.rawValue, p5: flags.rawValue)
    place(gone)
  }

  /// Deletes the row with the key and fires its triggers, as REPLACE does with recursive triggers.
  func emitFiringReplacedDelete(
    _ writer: RowWriter, _ key: RegisterIndex
  ) throws(SQLError) {
    guard let hasReplaced = writer.hasReplaced else { return }
    let gone = newLabel()
    writer.mayHaveReplaced = true
    emitSeek(writer.table, writer.rows, key, orGoTo: gone)
    try emitFiringDelete(
      FiringDelete(
        target: writer.target, rows: writer.rows, entries: try allEntries(writer), key: key,
        triggers: writer.replaceTriggers, policy: .replace, flags: []),
      gone: gone)
    place(gone)
    emitInteger(1, into: hasReplaced)
  }

  /// The entries with those of the indexes that an UPDATE leaves alone: a row that goes leaves all.
  private func allEntries(_ writer: RowWriter) throws(SQLError) -> [RowWriter.Entry] {
    if let known = writer.allEntries { return known }
    var entries: [RowWriter.Entry] = []
    for entry in writer.entries {
      guard !entry.isWritten else {
        entries.append(entry)
        continue
      }
      entries.append(
        RowWriter.Entry(
          index: entry.index, cursor: try openIndex(entry.index), key: entry.key,
          record: entry.record))
    }
    writer.allEntries = entries
    return entries
  }
}
