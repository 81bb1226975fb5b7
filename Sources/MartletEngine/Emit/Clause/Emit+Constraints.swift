// The constraints that a new or changed row must keep (lang_createtable §3, lang_conflict), in the
// order in which SQLite looks at them: NOT NULL, CHECK, the rowid, the unique indexes. Affinities
// are applied, and the types of STRICT tables checked, where CHECK or an index first needs it: a
// row that ON CONFLICT updates because of its rowid has not been given them yet. Afterwards the
// records of the row and of its index entries are made, and nothing is changed yet but what
// REPLACE deletes.

extension Emitter {
  func emitConstraints(_ writer: RowWriter) throws(SQLError) {
    readNewRow(writer.target, in: writer.row)
    let hasGenerated = !writer.target.generated.isEmpty
    if hasGenerated { try emitGenerated(writer) }
    let hasDefaults = try emitNotNull(writer, ofGenerated: false)
    if hasGenerated {
      if hasDefaults { try emitGenerated(writer) }
      _ = try emitNotNull(writer, ofGenerated: true)
    }
    var areTypesDue = true
    func settleTypes() {
      if !areTypesDue { return }
      areTypesDue = false
      if !hasGenerated { emitAffinities(of: writer.row) }
      emitTypes(of: writer.row) { !hasGenerated || $0.generated != nil && !$0.isVirtual }
    }
    if !writer.target.checks.isEmpty { settleTypes() }
    try emitChecks(writer)
    if writer.mayReplace {
      prepareReplaceTriggers(writer)
      readOldRow(writer.target, at: writer.rows)
      if writer.isUpdate {
        // The rows that go may be on the page that the values were read from.
        emit(.own, writer.row.first.rawValue, Int32(writer.table.columns.count))
      }
    }
    for check in uniquenessChecks(writer) {
      switch check {
      case .rowid: try emitRowidCheck(writer)
      case .entry(let position):
        settleTypes()
        try emitEntry(position, writer)
      }
    }
    settleTypes()
    if writer.mayHaveReplaced { emitRecheck(writer) }
    if !writer.table.isWithoutRowid { emitRecord(of: writer.row, into: writer.record) }
  }

  private enum UniquenessCheck {
    case rowid
    case entry(Int)
  }

  /// The order in which conflicts are looked for: what ON CONFLICT names, in its order; the rowid,
  /// unless it replaces by its own declaration, then it is last; the indexes.
  private func uniquenessChecks(_ writer: RowWriter) -> [UniquenessCheck] {
    var checks: [UniquenessCheck] = []
    checks.reserveCapacity(writer.entries.count + 1)
    var isRowidDue = true
    var isEntryDue =
      writer.upserts.isEmpty ? [] : [Bool](repeating: true, count: writer.entries.count)
    for upsert in writer.upserts {
      switch upsert.key {
      case .any: break
      case .rowid:
        if isRowidDue { checks.append(.rowid) }
        isRowidDue = false
      case .index(let index):
        for (position, entry) in writer.entries.enumerated()
        where entry.index === index && isEntryDue[position] {
          checks.append(.entry(position))
          isEntryDue[position] = false
        }
      }
    }
    let isRowidLast =
      writer.policy == nil && writer.rowidPolicy == .replace && writer.upserts.isEmpty
    if isRowidDue && !isRowidLast { checks.append(.rowid) }
    for position in writer.entries.indices where isEntryDue.isEmpty || isEntryDue[position] {
      checks.append(.entry(position))
    }
    if isRowidDue && isRowidLast { checks.append(.rowid) }
    return checks
  }

  /// Ends the statement with the error of a constraint.
  func emitHalt(_ code: ResultCode, _ policy: ConflictPolicy, _ message: String) {
    if policy == .abort { builder.mayAbort = true }
    emit(
      .halt, code.rawValue, Int32(policy.rawValue), p4: builder.addText(message))
  }

  // MARK: NOT NULL

  /// Returns whether a default may have taken the place of a NULL. Those columns are asked again when
  /// all others have been.
  private func emitNotNull(
    _ writer: RowWriter, ofGenerated isGenerated: Bool
  ) throws(SQLError) -> Bool {
    let table = writer.table
    var replaced: [Int] = []
    for index in table.columns.indices
    where table.columns[index].isNotNull && index != table.rowidColumn
      && (table.columns[index].generated != nil) == isGenerated
    {
      let column = table.columns[index]
      if let changed = writer.changedColumns, !isGenerated, !changed[index] { continue }
      let value = writer.row.register(ofColumn: index)
      let policy = writer.policy ?? column.notNullConflict ?? .abort
      if policy == .replace, column.defaultValue != nil, !isGenerated {
        try emitDefault(writer.defaults[index], column, unlessNull: value)
        replaced.append(index)
      } else if policy == .ignore {
        emit(.isNull, value.rawValue, writer.skip.operand)
      } else {
        emitHaltIfNull(index, writer, policy == .replace ? .abort : policy)
      }
    }
    for index in replaced { emitHaltIfNull(index, writer, .abort) }
    return !replaced.isEmpty
  }

  private func emitHaltIfNull(_ index: Int, _ writer: RowWriter, _ policy: ConflictPolicy) {
    if policy == .abort { builder.mayAbort = true }
    let table = writer.table, column = table.columns[index]
    let message = "NOT NULL constraint failed: \(table.name.string).\(column.name.string)"
    emit(
      .haltIfNull, ResultCode.constraintNotNull.rawValue, Int32(policy.rawValue),
      writer.row.register(ofColumn: index).rawValue, p4: builder.addText(message))
  }

  private func emitDefault(
    _ expression: BoundExpression?, _ column: Table.Column, unlessNull value: RegisterIndex
  ) throws(SQLError) {
    guard let expression else { return }
    let isThere = newLabel()
    emit(.notNull, value.rawValue, isThere.operand)
    try emitFresh(expression, into: value)
    if column.affinity.converts {
      emit(
        .affinity, value.rawValue, 1, p4: builder.addAffinities([column.affinity]), p5: 1)
    }
    place(isThere)
  }

  // MARK: CHECK

  private func emitChecks(_ writer: RowWriter) throws(SQLError) {
    let saved = mayFactor
    mayFactor = false
    defer { mayFactor = saved }
    for check in writer.target.checks where writer.changes(check.expression) {
      let passes = newLabel()
      try emitJump(if: check.expression, to: passes, jumpIfNull: true)
      let policy = writer.policy ?? .abort
      if policy == .ignore {
        emitGoto(writer.skip)
      } else {
        emitHalt(
          .constraintCheck, policy == .replace ? .abort : policy,
          "CHECK constraint failed: \(check.name)")
      }
      place(passes)
    }
  }

  // MARK: Types

  /// Computes the generated columns. A STRICT table looks at the types of the others before, at those
  /// of the virtual ones at once, at those of the stored ones with the row's record.
  private func emitGenerated(_ writer: RowWriter) throws(SQLError) {
    emitAffinities(of: writer.row)
    emitTypes(of: writer.row) { $0.generated == nil }
    try emitGenerated(writer.target, writer.row)
    emitTypes(of: writer.row) { $0.isVirtual }
  }

  /// STRICT tables take only values of their columns' types (stricttables §2).
  private func emitTypes(of row: RowRegisters, where isMeant: (Table.Column) -> Bool) {
    guard row.table.isStrict else { return }
    for (index, column) in row.table.columns.enumerated()
    where index != row.table.rowidColumn && isMeant(column) {
      let wanted: StorageClass
      switch column.declaredType {
      case "INT", "INTEGER": wanted = .integer
      case "REAL": wanted = .real
      case "TEXT": wanted = .text
      case "BLOB": wanted = .blob
      default: continue
      }
      let place =
        "\(column.declaredType ?? "") column \(row.table.name.string).\(column.name.string)"
      emit(
        .checkType, row.register(ofColumn: index).rawValue, Int32(wanted.rawValue),
        p4: builder.addText(place))
    }
  }

  /// A row on its way to BEFORE triggers.
  func emitSettledRow(_ target: BoundTarget, _ row: RowRegisters) throws(SQLError) {
    emitAffinities(of: row)
    emitTypes(of: row) { $0.generated == nil }
    readNewRow(target, in: row)
    try emitGenerated(target, row)
    emitTypes(of: row) { $0.generated != nil && !$0.isVirtual }
  }

  // MARK: Rowid

  private func emitRowidCheck(_ writer: RowWriter) throws(SQLError) {
    let table = writer.table
    guard !table.isWithoutRowid, writer.mayHaveRowid, writer.changesKey else { return }
    let isFree = newLabel()
    let rowid = writer.row.rowid
    if let oldKey = writer.oldKey {
      emit(.equal, rowid.rawValue, isFree.operand, oldKey.rawValue)
    }
    emit(.seekRowid, writer.rows.rawValue, isFree.operand, rowid.rawValue)
    switch try conflictAction(writer, writer.rowidPolicy, .rowid) {
    case .ignore: emitGoto(writer.skip)
    case .update(let upsert):
      try withOwnSubqueries { () throws(SQLError) in
        try self.emitUpsert(upsert, writer, conflictingKey: rowid, isAtRow: true)
      }
    case .policy(.replace) where writer.hasReplaced != nil:
      builder.isMultiWrite = true
      try emitFiringReplacedDelete(writer, rowid)
    case .policy(.replace):
      emitAnnouncement(.delete, table, writer.rows)
      if !table.indexes.isEmpty {
        builder.isMultiWrite = true
        readOldRow(writer.target, at: writer.rows)
        try emitEntriesDelete(writer.entries, writer.target)
      }
    case .policy(let policy): emitRowidHalt(table, policy)
    }
    place(isFree)
  }

  private func emitRowidHalt(_ table: Table, _ policy: ConflictPolicy) {
    let name = table.rowidColumn < 0 ? "rowid" : table.columns[table.rowidColumn].name.string
    emitHalt(
      table.rowidColumn < 0 ? .constraintRowID : .constraintPrimaryKey, policy,
      "UNIQUE constraint failed: \(table.name.string).\(name)")
  }

  enum ConflictAction {
    case policy(ConflictPolicy)
    case ignore
    case update(BoundUpsert)
  }

  /// What a conflict does: what ON CONFLICT says for it, else the policy.
  private func conflictAction(
    _ writer: RowWriter, _ policy: ConflictPolicy, _ key: BoundUpsert.Key
  ) throws(SQLError) -> ConflictAction {
    for upsert in writer.upserts where upsert.isFor(key) {
      return upsert.assignments == nil ? .ignore : .update(upsert)
    }
    return policy == .ignore ? .ignore : .policy(policy)
  }

  // MARK: Indexes

  /// Makes the record of an index's new entry, and sees that no other row has its key.
  private func emitEntry(_ position: Int, _ writer: RowWriter) throws(SQLError) {
    let entry = writer.entries[position]
    guard entry.isWritten else { return }
    let index = entry.index, isRows = index === writer.table.primaryKeyIndex
    let done = newLabel()
    if index.partialWhere != nil {
      emitNull(entry.record)
      try emitJump(unlessIn: index, writer.target.new, to: done)
    }
    try emitKey(of: index, writer.target.new, into: entry.key)
    emit(
      .makeRecord, entry.key.rawValue, Int32(index.columns.count), entry.record.rawValue)
    let isKept = isRows && writer.isUpdate && !writer.changesKey
    if index.isUnique && !isKept { try emitUniqueness(entry, writer, done) }
    place(done)
  }

  private func emitUniqueness(
    _ entry: RowWriter.Entry, _ writer: RowWriter, _ done: Label
  ) throws(SQLError) {
    let index = entry.index
    emit(
      .noConflict, entry.cursor.rawValue, done.operand, entry.key.rawValue,
      p4: Int32(index.keyColumnCount))
    let action = try conflictAction(writer, writer.policy(of: index), .index(index))
    var needsKey = writer.isUpdate
    switch action {
    case .update: needsKey = true
    case .policy(.replace):
      // Nothing else has to find the row that the cursor is on.
      if entry.cursor != writer.rows || writer.hasReplaced != nil { needsKey = true }
    default: break
    }
    let other = needsKey ? emitConflictingKey(entry, writer) : .none
    if writer.isUpdate { emitJumpIfSame(writer, other, to: done) }
    switch action {
    case .ignore: emitGoto(writer.skip)
    case .update(let upsert):
      try withOwnSubqueries { () throws(SQLError) in
        try self.emitUpsert(
          upsert, writer, conflictingKey: other, isAtRow: entry.cursor == writer.rows)
      }
    case .policy(.replace):
      // Without triggers and foreign keys, nothing fails behind the row that goes.
      if writer.hasReplaced != nil { builder.isMultiWrite = true }
      readOldRow(writer.target, at: writer.rows)
      // Triggers of the row that goes must not change the table that the UPDATE is on.
      let isLocked = writer.isUpdate && !writer.replaceTriggers.isEmpty
      if isLocked { emit(.cursorLock, writer.rows.rawValue) }
      try emitReplacedDelete(writer, at: entry, other)
      if isLocked { emit(.cursorUnlock, writer.rows.rawValue) }
      writer.replacedEntries.append(entry)
    case .policy(let policy): emitUniqueHalt(index, policy)
    }
  }

  private func emitUniqueHalt(_ index: Index, _ policy: ConflictPolicy) {
    emitHalt(
      index.origin == .primaryKey ? .constraintPrimaryKey : .constraintUnique, policy,
      "UNIQUE constraint failed: \(index.keyText(of: index.table))")
  }

  // MARK: REPLACE with triggers

  /// With recursive triggers, the rows that REPLACE deletes fire DELETE triggers (lang_conflict §2);
  /// and their foreign keys are looked at.
  private func prepareReplaceTriggers(_ writer: RowWriter) {
    guard let binder = writer.target.binder, writer.hasReplaced == nil else { return }
    if binder.environment.hasRecursiveTriggers {
      writer.replaceTriggers = writer.target.triggers(firedBy: .delete)
    }
    if writer.replaceTriggers.isEmpty && !writer.target.hasForeignKeys { return }
    let hasReplaced = newRegister()
    emitInteger(0, into: hasReplaced)
    writer.hasReplaced = hasReplaced
  }

  /// What REPLACE has made room for may have been taken again by the triggers that it fired: then
  /// the statement fails.
  private func emitRecheck(_ writer: RowWriter) {
    guard let hasReplaced = writer.hasReplaced else { return }
    let table = writer.table, done = newLabel()
    emit(.ifFalse, hasReplaced.rawValue, done.operand)
    if !table.isWithoutRowid {
      let isFree = newLabel(), rowid = writer.row.rowid
      if let oldKey = writer.oldKey { emit(.equal, rowid.rawValue, isFree.operand, oldKey.rawValue) }
      emit(.seekRowid, writer.rows.rawValue, isFree.operand, rowid.rawValue)
      emitRowidHalt(table, .abort)
      place(isFree)
    }
    for entry in writer.replacedEntries {
      let isFree = newLabel()
      if entry.index.partialWhere != nil {
        emit(.isNull, entry.record.rawValue, isFree.operand)
      }
      emit(
        .noConflict, entry.cursor.rawValue, isFree.operand, entry.key.rawValue,
        p4: Int32(entry.index.keyColumnCount))
      if writer.isUpdate {
        // SQLite does not read the rowid again that it found with the last conflict before.
        let other = writer.conflictingRowid ?? emitConflictingKey(entry, writer)
        emitJumpIfSame(writer, other, to: isFree)
      }
      emitUniqueHalt(entry.index, .abort)
      place(isFree)
    }
    place(done)
  }

  /// The rowid, or primary key, of the row whose entry is in the way.
  private func emitConflictingKey(
    _ entry: RowWriter.Entry, _ writer: RowWriter
  ) -> RegisterIndex {
    guard let primaryKey = writer.table.primaryKeyIndex else {
      let rowid = writer.conflictingRowid ?? newRegister()
      writer.conflictingRowid = rowid
      emit(.indexRowid, entry.cursor.rawValue, rowid.rawValue)
      return rowid
    }
    let key = builder.newRegisters(primaryKey.keyColumnCount)
    for (position, column) in primaryKey.columns.prefix(primaryKey.keyColumnCount).enumerated() {
      let source = entry.index.position(ofColumn: column.tableColumn) ?? position
      emit(.column, entry.cursor.rawValue, Int32(source), (key + position).rawValue)
    }
    emit(.own, key.rawValue, Int32(primaryKey.keyColumnCount))
    return key
  }

  /// An UPDATE does not conflict with the row that it changes.
  private func emitJumpIfSame(_ writer: RowWriter, _ other: RegisterIndex, to same: Label) {
    guard let oldKey = writer.oldKey else { return }
    guard let primaryKey = writer.table.primaryKeyIndex else {
      emit(.equal, other.rawValue, same.operand, oldKey.rawValue)
      return
    }
    let differs = newLabel()
    let count = primaryKey.keyColumnCount
    for (position, column) in primaryKey.columns.prefix(count).enumerated() {
      let collation = column.collation.flatMap { Collation.builtIn(named: $0) } ?? .binary
      let isLast = position == count - 1
      emit(
        isLast ? .equal : .notEqual, (other + position).rawValue,
        (isLast ? same : differs).operand, (oldKey + position).rawValue,
        p4: builder.addCollation(collation), p5: ComparisonFlags.nullsAreEqual.rawValue)
    }
    place(differs)
  }
}

extension BoundUpsert {
  func isFor(_ conflict: Key) -> Bool {
    switch (key, conflict) {
    case (.any, _), (.rowid, .rowid): true
    case (.index(let own), .index(let other)): own === other
    default: false
    }
  }
}
