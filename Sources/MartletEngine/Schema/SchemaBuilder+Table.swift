// Tables: columns, primary key, WITHOUT ROWID (lang_createtable, withoutrowid).

extension SchemaBuilder {
  /// What is gathered of a table while its definition is walked through.
  private struct Draft {
    let text: SQLText
    var columns: [ColumnDraft] = []
    var rowidColumn = -1
    var hasPrimaryKey = false
    var hasAutoincrement = false
    var primaryKeyConflict: ConflictPolicy?
    /// Direction of the rowid column, which matters if the table turns out to have no rowid.
    var isRowidDescending = false
    var checks: [Table.Check] = []
    var foreignKeys: [Table.ForeignKey] = []
    /// UNIQUE and PRIMARY KEY in the order in which they are written.
    var keys: [KeyDraft] = []

    mutating func addCheck(_ expression: Expression, _ name: Name?, _ range: ByteRange) {
      checks.append(Table.Check(expression: expression, name: name?.string ?? checkName(range)))
    }

    /// The text of the condition; of one that begins with a name in quotes, as in SQLite, only
    /// that.
    private func checkName(_ range: ByteRange) -> String {
      let text = self.text.string(range)
      guard let first = text.utf8.first, "\"'`[".utf8.contains(first) else { return text }
      let closing = first == UInt8(ascii: "[") ? UInt8(ascii: "]") : first
      var name: [UInt8] = [], rest = text.textBytes[1...]
      while let byte = rest.popFirst() {
        if byte == closing {
          if rest.first != closing { break }
          rest.removeFirst()
        }
        name.append(byte)
      }
      return name.withUnsafeBufferPointer { String(text: $0) }
    }
  }

  private struct ColumnDraft {
    let name: Name
    var type: ColumnType
    var collation: Name?
    var isNotNull = false
    var notNullConflict: ConflictPolicy?
    var isPrimaryKey = false
    var defaultValue: Expression?
    var generated: Table.Column.Generated?
  }

  /// A constraint that an index enforces.
  struct KeyDraft {
    var columns: [Index.Column]
    let isPrimaryKey: Bool
    let onConflict: ConflictPolicy?
  }

  func makeTable(
    _ statement: CreateTableStatement, _ text: SQLText, rootPage: PageNumber
  ) throws(SQLError) -> Table {
    // No file has CREATE TABLE … AS.
    guard case .definitions(let definitions, let constraints) = statement.content else {
      throw .sql("")
    }
    let name = statement.name.name
    var draft = Draft(text: text)
    for definition in definitions { try addColumn(definition, name, &draft) }
    for constraint in constraints { try addConstraint(constraint, name, &draft) }
    try finishColumns(statement, name, &draft)
    let columns = draft.columns.map { column in
      Table.Column(
        name: column.name, declaredType: column.type.declared, affinity: column.type.affinity,
        collation: column.collation, isNotNull: column.isNotNull,
        notNullConflict: column.notNullConflict, isPrimaryKey: column.isPrimaryKey,
        sizeEstimate: column.type.sizeEstimate, defaultValue: column.defaultValue,
        generated: column.generated, isHidden: false)
    }
    var size = columns.reduce(0) { $0 + Int($1.sizeEstimate) }
    if draft.rowidColumn < 0 || statement.isWithoutRowID { size += 1 }
    let rowidColumn = statement.isWithoutRowID ? -1 : draft.rowidColumn
    let table = Table(
      name: name, text: text, databaseIndex: databaseIndex, rootPage: rootPage,
      columns: columns, rowidColumn: rowidColumn, isWithoutRowid: statement.isWithoutRowID,
      isStrict: statement.isStrict, hasAutoincrement: draft.hasAutoincrement, view: nil,
      rowSizeEstimate: LogEst(count: UInt64(size * 4)), checks: draft.checks)
    table.databaseName = databaseName
    table.foreignKeys = draft.foreignKeys
    table.primaryKeyConflict = draft.primaryKeyConflict
    try addAutomaticIndexes(draft.keys, to: table)
    return table
  }

  // MARK: Columns

  private func addColumn(
    _ definition: ColumnDefinition, _ table: Name, _ draft: inout Draft
  ) throws(SQLError) {
    for column in draft.columns where column.name == definition.name {
      throw .sql("duplicate column name: \(definition.name.string)")
    }
    if draft.columns.count >= columnLimit {
      throw .sql("too many columns on \(table.string)")
    }
    draft.columns.append(ColumnDraft(name: definition.name, type: ColumnType(definition.type)))
    let position = draft.columns.count - 1
    for constraint in definition.constraints {
      switch constraint.kind {
      case .primaryKey(let direction, let policy, let isAutoincrement):
        try addPrimaryKey(
          [position], terms: [], direction == .descending, policy, isAutoincrement, table,
          &draft)
      case .null: break
      case .notNull(let policy):
        draft.columns[position].isNotNull = true
        draft.columns[position].notNullConflict = policy
      case .unique(let policy):
        let column = Index.Column(
          tableColumn: position, expression: nil, collation: nil, isDescending: false)
        draft.keys.append(KeyDraft(columns: [column], isPrimaryKey: false, onConflict: policy))
      case .check(let expression, let range):
        draft.addCheck(expression, constraint.name, range)
      case .defaultValue(let expression, _):
        try setDefault(expression, of: &draft.columns[position])
      case .collate(let name):
        try checkCollationExists(name, ofColumn: position)
        draft.columns[position].collation = SchemaBuilder.stored(name)
      case .references(let clause):
        if clause.columns.count > 1 {
          throw .sql(
            "foreign key on \(definition.name.string) should reference only one column of table "
              + draft.text.written(clause.table), offset: clause.table.offset)
        }
        draft.foreignKeys.append(
          Table.ForeignKey(columns: [definition.name], clause: clause))
      case .generated(let expression, _, let isStored):
        try setGenerated(
          isStored ? .stored(expression) : .virtual(expression), of: &draft.columns[position])
      }
    }
  }

  private func setDefault(
    _ expression: Expression, of column: inout ColumnDraft
  ) throws(SQLError) {
    if !expression.mayBeDefault(whileLoading: collations == nil && databaseIndex != 1) {
      throw .sql("default value of column [\(column.name.string)] is not constant")
    }
    if column.generated != nil { throw .sql("cannot use DEFAULT on a generated column") }
    column.defaultValue = expression
  }

  private func setGenerated(
    _ generated: Table.Column.Generated, of column: inout ColumnDraft
  ) throws(SQLError) {
    if column.defaultValue != nil || column.generated != nil {
      throw .sql("error in generated column \"\(column.name.string)\"")
    }
    column.generated = generated
    if column.isPrimaryKey { throw SchemaBuilder.generatedPrimaryKey }
  }

  private static var generatedPrimaryKey: SQLError {
    .sql("generated columns cannot be part of the PRIMARY KEY")
  }

  private func checkCollationExists(_ name: Name, ofColumn column: Int) throws(SQLError) {
    guard let collations, column >= earlierColumnCount, Collation.builtIn(named: name) == nil
    else { return }
    guard !collations.contains(where: { $0.name.matches(name) }) else { return }
    throw SQLError(.errorMissingCollation, "no such collation sequence: \(name.string)")
  }

  /// A collation's name as it is kept: none for BINARY.
  static func stored(_ name: Name) -> Name? { name == .binaryCollation ? nil : name }

  private func addConstraint(
    _ constraint: TableConstraint, _ table: Name, _ draft: inout Draft
  ) throws(SQLError) {
    switch constraint.kind {
    case .primaryKey(let terms, _, _), .unique(let terms, _):
      if terms.count > columnLimit { throw .sql("too many columns in index") }
    case .check, .foreignKey: break
    }
    switch constraint.kind {
    case .primaryKey(let terms, let policy, let isAutoincrement):
      let positions = try terms.map { (term) throws(SQLError) in
        try columnPosition(term.expression, draft)
      }
      try addPrimaryKey(positions, terms: terms, false, policy, isAutoincrement, table, &draft)
    case .unique(let terms, let policy):
      let positions = try terms.map { (term) throws(SQLError) in
        try columnPosition(term.expression, draft)
      }
      draft.keys.append(
        KeyDraft(
          columns: indexColumns(positions, terms), isPrimaryKey: false, onConflict: policy))
    case .check(let expression, let range, _):
      draft.addCheck(expression, constraint.name, range)
    case .foreignKey(let columns, let clause):
      try check(clause, columns, draft)
      draft.foreignKeys.append(Table.ForeignKey(columns: columns, clause: clause))
    }
  }

  private func check(
    _ clause: ForeignKeyClause, _ columns: [Name], _ draft: Draft
  ) throws(SQLError) {
    if !clause.columns.isEmpty && clause.columns.count != columns.count {
      throw .sql(
        "number of columns in foreign key does not match the number of columns in the referenced "
          + "table")
    }
    for name in columns where !draft.columns.contains(where: { $0.name == name }) {
      throw .sql("unknown column \"\(name.string)\" in foreign key definition")
    }
  }

  private func columnPosition(
    _ expression: Expression, _ draft: Draft
  ) throws(SQLError) -> Int {
    if case .collate(_, let collation) = expression.kind {
      try checkCollationExists(collation, ofColumn: 0)
    }
    let name: Name
    if let string = expression.columnInString {
      name = string
    } else if case .identifier(let identifier) = expression.withoutCollate.kind {
      name = identifier
    } else {
      throw .sql("expressions prohibited in PRIMARY KEY and UNIQUE constraints")
    }
    for (position, column) in draft.columns.enumerated() where column.name == name {
      return position
    }
    throw .sql("no such column: \(name.string)", offset: name.offset)
  }

  private func indexColumns(
    _ positions: [Int], _ terms: TreeList<OrderingTerm>
  ) -> [Index.Column] {
    positions.indices.map { index in
      var collation: Name?
      var isDescending = false
      if index < terms.count {
        if case .collate(_, let name) = terms[index].expression.kind { collation = name }
        isDescending = terms[index].isDescending
      }
      return Index.Column(
        tableColumn: positions[index], expression: nil, collation: collation,
        isDescending: isDescending)
    }
  }

  // MARK: Primary key

  /// A column of the type INTEGER that is the primary key alone becomes the rowid, unless DESC is
  /// written behind the column itself (lang_createtable §5).
  private func addPrimaryKey(
    _ positions: [Int], terms: TreeList<OrderingTerm>, _ isColumnDescending: Bool,
    _ policy: ConflictPolicy?, _ isAutoincrement: Bool, _ table: Name, _ draft: inout Draft
  ) throws(SQLError) {
    if draft.hasPrimaryKey {
      throw .sql("table \"\(table.string)\" has more than one primary key")
    }
    draft.hasPrimaryKey = true
    for position in positions {
      draft.columns[position].isPrimaryKey = true
      if draft.columns[position].generated != nil { throw SchemaBuilder.generatedPrimaryKey }
    }
    if positions.count == 1, let position = positions.first,
      draft.columns[position].type.standard == .integer, !isColumnDescending
    {
      draft.rowidColumn = position
      draft.hasAutoincrement = isAutoincrement
      draft.primaryKeyConflict = policy
      draft.isRowidDescending = terms.first?.isDescending ?? false
      return
    }
    if isAutoincrement {
      throw .sql("AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY")
    }
    var columns = indexColumns(positions, terms)
    if isColumnDescending, let first = columns.first {
      columns[0] = Index.Column(
        tableColumn: first.tableColumn, expression: nil, collation: nil, isDescending: true)
    }
    draft.keys.append(KeyDraft(columns: columns, isPrimaryKey: true, onConflict: policy))
  }

  /// What the words behind the parenthesis change.
  private func finishColumns(
    _ statement: CreateTableStatement, _ table: Name, _ draft: inout Draft
  ) throws(SQLError) {
    if statement.isStrict && checksStrictTypes { try checkStrict(table, &draft) }
    guard statement.isWithoutRowID else { return }
    if draft.hasAutoincrement {
      throw .sql("AUTOINCREMENT not allowed on WITHOUT ROWID tables")
    }
    if !draft.hasPrimaryKey { throw .sql("PRIMARY KEY missing on table \(table.string)") }
    for position in draft.columns.indices where draft.columns[position].isPrimaryKey {
      draft.columns[position].isNotNull = true
    }
    if draft.rowidColumn >= 0 {
      let column = Index.Column(
        tableColumn: draft.rowidColumn, expression: nil, collation: nil,
        isDescending: draft.isRowidDescending)
      draft.keys.append(
        KeyDraft(columns: [column], isPrimaryKey: true, onConflict: draft.primaryKeyConflict))
    }
  }

  private func checkStrict(_ table: Name, _ draft: inout Draft) throws(SQLError) {
    for position in draft.columns.indices {
      let column = draft.columns[position]
      guard let standard = column.type.standard else {
        let name = "\(table.string).\(column.name.string)"
        if let type = column.type.declared {
          throw .sql("unknown datatype for \(name): \"\(type)\"")
        }
        throw .sql("missing datatype for \(name)")
      }
      if standard == .any { draft.columns[position].type = ColumnType.strictAny }
      if column.isPrimaryKey && position != draft.rowidColumn {
        draft.columns[position].isNotNull = true
      }
    }
  }
}

extension Expression {
  /// Without COLLATE around it.
  var withoutCollate: Expression {
    var node = self
    while case .collate(let inner, _) = node.kind { node = inner }
    return node
  }

  /// The column that an indexed term names by a string, which is all of it or stands before COLLATE
  /// (SQLite's sqlite3StringToId). A string in a larger expression is one.
  var columnInString: Name? {
    var term = self
    if case .collate(let operand, _) = kind { term = operand }
    guard case .string(let text) = term.kind else { return nil }
    return Name(
      start: text.start, count: text.count, offset: term.range.start, quote: UInt8(ascii: "'"))
  }
}

extension Expression {
  /// What DEFAULT may be: no columns, no subqueries; functions are called when a row is inserted.
  /// Parameters are forgiven where they stand in a file already.
  fileprivate func mayBeDefault(whileLoading: Bool) -> Bool {
    var waiting = [self]
    while let node = waiting.popLast() {
      switch node.kind {
      case .identifier(let name):
        guard name.quote == 0, name == Name("true") || name == Name("false") else { return false }
      case .parameter where !whileLoading: return false
      case .column, .qualifiedColumn, .exists, .subquery, .inSelect, .inTable, .raise:
        return false
      case .function(let call) where call.object.over != nil: return false
      default: waiting.append(contentsOf: node.operands)
      }
    }
    return true
  }
}
