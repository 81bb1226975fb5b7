// ALTER TABLE RENAME (lang_altertable §2, §3): every definition that names the table, or the column, is
// bound, and its text changed in the places where it does.

/// A row of the schema table that ALTER TABLE changes.
struct SchemaEdit {
  let database: Int
  let type: Name
  let name: Name
  var newName: [UInt8]?
  var newTable: [UInt8]?
  var newSQL: [UInt8]?
  /// The definition names what is renamed or dropped.
  var namesColumn = false
  /// A column as it is written where it is named first.
  var firstUse: String?
}

/// Finds what a renaming changes.
final class Renaming {
  private let catalog: Catalog
  private let makeBinder: () -> Binder
  private let table: Table
  private let column: Int?
  private let newName: Name
  private let isQuoted: Bool
  private(set) var edits: [SchemaEdit] = []
  /// See `NameUses.dropsColumn`.
  var dropsColumn = false
  /// As `PRAGMA legacy_alter_table` has it: the name of a table is left in views, in what triggers
  /// do, and in expressions.
  var isLegacy = false
  /// So it is in foreign keys.
  var keepsParents = false
  /// What is wrong is left as it is (`PRAGMA writable_schema`).
  var passesOverMistakes = false

  init(
    of table: Table, column: Int?, to newName: Name, in catalog: Catalog,
    makeBinder: @escaping () -> Binder
  ) {
    self.catalog = catalog
    self.makeBinder = makeBinder
    self.table = table
    self.column = column
    self.newName = newName
    isQuoted = column == nil || newName.quote != 0
  }

  func run() throws(SQLError) {
    for database in catalog.databases.indices
    where database == table.databaseIndex || database == 1 {
      for other in catalog.databases[database].tables.objects where other.rootPage.rawValue != 1 {
        if other.view != nil {
          if !isLegacy || column != nil { try renameInView(other) }
        } else if database == table.databaseIndex {
          try renameInTable(other)
        } else if column != nil, !other.isVirtual {
          let uses = uses(in: other.text)
          try noteStrings(of: other, uses)
          add("table", other.name, database, uses)
        }
      }
      if column != nil { try quoteStringsInIndexes(ofDatabase: database) }
      for trigger in catalog.databases[database].triggers.objects {
        try renameInTrigger(trigger)
      }
    }
    try renameInIndexes()
  }

  private func uses(in text: SQLText) -> NameUses {
    // What names a virtual table finds it as its module has declared it.
    let uses = NameUses(of: table.connectedTable ?? table, column: column, in: text)
    uses.dropsColumn = dropsColumn
    return uses
  }

  private func add(
    _ type: StaticString, _ name: Name, _ database: Int, _ uses: NameUses,
    renames: Bool = false, belongs: Bool = false
  ) {
    if uses.offsets.isEmpty && uses.strings.isEmpty && !renames && !belongs { return }
    var edit = SchemaEdit(database: database, type: Name(type), name: name)
    edit.namesColumn = !uses.offsets.isEmpty
    if dropsColumn {
      edit.newSQL = uses.withSingleQuotes(from: 0, to: uses.text.count)
    } else if !uses.offsets.isEmpty || !uses.strings.isEmpty {
      edit.newSQL = uses.replacing(with: newName, isQuoted: isQuoted)
    }
    edit.firstUse = uses.firstUse
    if renames { edit.newName = Array(newName.buffer) }
    if belongs { edit.newTable = Array(newName.buffer) }
    edits.append(edit)
  }

  /// A stored definition, with all names that stand in it.
  static func parse(_ text: SQLText) throws(SQLError) -> ParsedStatement? {
    try Parser.parse(text, isLoadingSchema: true, isRenaming: true)
  }

  // MARK: Tables

  private func renameInTable(_ other: Table) throws(SQLError) {
    if other.isVirtual { return try renameVirtual(other) }
    guard let parsed = try Renaming.parse(other.text),
      case .createTable(let statement) = parsed.statement,
      case .definitions(let columns, let constraints) = statement.content
    else { return }
    let uses = uses(in: other.text), isOwn = other === table
    if isOwn && column == nil {
      uses.note(statement.name.name)
      if isLegacy { try refuseUses(in: other) }
    }
    let seesExpressions = isOwn && (!isLegacy || column != nil)
    for definition in columns {
      if isOwn && definition.name == uses.columnName { uses.note(definition.name) }
      for constraint in definition.constraints {
        switch constraint.kind {
        case .check(let condition, _) where seesExpressions:
          uses.noteColumns(inCondition: condition)
        case .generated(let value, _, _) where seesExpressions: uses.noteColumns(in: value)
        case .references(let clause) where !keepsParents: Renaming.noteParent(clause, uses)
        default: break
        }
      }
    }
    for constraint in constraints {
      if keepsParents, case .foreignKey = constraint.kind { continue }
      Renaming.note(constraint, uses, isOwn: seesExpressions)
    }
    if column != nil { try noteStrings(of: other, uses) }
    let isRenamed = isOwn && column == nil
    add("table", other.name, other.databaseIndex, uses, renames: isRenamed, belongs: isRenamed)
  }

  /// The strings in double quotes of what a table checks and computes; defaults stay as they are.
  func noteStrings(of other: Table, _ uses: NameUses) throws(SQLError) {
    guard case .createTable(let statement) = try Renaming.parse(other.text)?.statement,
      case .definitions(let columns, let constraints) = statement.content
    else { return }
    for constraint in columns.flatMap(\.constraints) {
      switch constraint.kind {
      case .check(let value, _), .generated(let value, _, _): uses.noteStrings(in: value, of: other)
      default: break
      }
    }
    for constraint in constraints {
      if case .check(let value, _, _) = constraint.kind { uses.noteStrings(in: value, of: other) }
    }
  }

  /// A condition that keeps the table's old name does not find it any more.
  private func refuseUses(in table: Table) throws(SQLError) {
    for check in table.checks {
      guard let use = firstUse(in: check.expression) else { continue }
      throw .sql("error in table \(newName.string) after rename: no such column: \(use)")
    }
  }

  /// The first column that is written with the name of the table.
  private func firstUse(in expression: Expression?) -> String? {
    guard let expression else { return nil }
    switch expression.kind {
    case .column(let prefix, let name) where prefix == table.name:
      return "\(prefix.string).\(name.string)"
    case .qualifiedColumn(let name) where name.object.table == table.name:
      return "\(name.object.table.string).\(name.object.column.string)"
    default: break
    }
    for operand in expression.operands {
      if let use = firstUse(in: operand) { return use }
    }
    return nil
  }

  /// Nobody but its module knows what else stands in the definition of a virtual table.
  private func renameVirtual(_ other: Table) throws(SQLError) {
    guard other === table, column == nil,
      let parsed = try Renaming.parse(other.text),
      case .createVirtualTable(let statement) = parsed.statement
    else { return }
    let uses = uses(in: other.text)
    uses.note(statement.name.name)
    add("table", other.name, other.databaseIndex, uses, renames: true, belongs: true)
  }

  /// Notes where a table's own definition names its column outside the column itself.
  static func noteOwnUses(
    _ statement: CreateTableStatement, _ uses: NameUses, except column: ColumnDefinition
  ) {
    guard case .definitions(let columns, let constraints) = statement.content else { return }
    for definition in columns where definition.name != column.name {
      for constraint in definition.constraints {
        switch constraint.kind {
        case .check(let condition, _): uses.noteColumns(inCondition: condition)
        case .generated(let value, _, _): uses.noteColumns(in: value)
        default: break
        }
      }
    }
    for constraint in constraints { note(constraint, uses, isOwn: true) }
  }

  private static func note(_ constraint: TableConstraint, _ uses: NameUses, isOwn: Bool) {
    switch constraint.kind {
    case .primaryKey(let terms, _, _), .unique(let terms, _):
      guard isOwn else { return }
      for term in terms { uses.noteColumns(inIndexed: term.expression) }
    case .check(let condition, _, _): if isOwn { uses.noteColumns(inCondition: condition) }
    case .foreignKey(let names, let clause):
      if isOwn { for name in names where name == uses.columnName { uses.note(name) } }
      noteParent(clause, uses)
    }
  }

  /// REFERENCES of the table. Nobody asks whether it names columns that there are, so that they may
  /// be dropped.
  private static func noteParent(_ clause: ForeignKeyClause, _ uses: NameUses) {
    guard clause.table == uses.table.name, !uses.dropsColumn else { return }
    if uses.column == nil { uses.note(clause.table) }
    for name in clause.columns where name == uses.columnName { uses.note(name) }
  }

  // MARK: Indexes

  private func renameInIndexes() throws(SQLError) {
    for index in table.indexes.reversed() {
      guard index.origin == .createIndex else {
        if column == nil { renameAutomatic(index) }
        continue
      }
      guard let parsed = try Renaming.parse(index.text),
        case .createIndex(let statement) = parsed.statement
      else { continue }
      if column != nil, !dropsColumn, let string = statement.firstString(on: table) {
        if passesOverMistakes { continue }
        throw .sql("error in index \(index.name.string): no such column: \(string.string)")
      }
      let uses = uses(in: index.text)
      if column == nil { uses.note(statement.table) }
      if isLegacy, column == nil, let use = firstUse(in: statement.whereClause) {
        throw .sql(
          "error in index \(index.name.string) after rename: no such column: \(use)")
      }
      for term in statement.columns { uses.noteColumns(inIndexed: term.expression) }
      uses.noteColumns(inCondition: statement.whereClause)
      noteStrings(of: statement, on: table, uses)
      add("index", index.name, table.databaseIndex, uses, belongs: column == nil)
    }
  }

  /// The strings in double quotes of the indexes of other tables.
  private func quoteStringsInIndexes(ofDatabase database: Int) throws(SQLError) {
    for index in catalog.databases[database].indexes.objects
    where index.origin == .createIndex && index.hasExpressions && index.table !== table {
      guard case .createIndex(let statement) = try Renaming.parse(index.text)?.statement else {
        continue
      }
      let uses = uses(in: index.text)
      noteStrings(of: statement, on: index.table, uses)
      add("index", index.name, database, uses)
    }
  }

  /// A term that is nothing but a string stays as it is.
  private func noteStrings(
    of statement: CreateIndexStatement, on other: Table, _ uses: NameUses
  ) {
    for term in statement.columns {
      if case .identifier = term.expression.withoutCollate.kind { continue }
      uses.noteStrings(in: term.expression, of: other)
    }
    uses.noteStrings(in: statement.whereClause, of: other)
  }

  /// The name of an index that a constraint made has the table's in it.
  private func renameAutomatic(_ index: Index) {
    var edit = SchemaEdit(database: table.databaseIndex, type: Name("index"), name: index.name)
    let prefix = 17 + Int(table.name.count)
    edit.newName =
      Array("sqlite_autoindex_".utf8) + Array(newName.buffer)
      + Array(index.name.buffer.dropFirst(prefix))
    edit.newTable = Array(newName.buffer)
    edits.append(edit)
  }

  // MARK: Views and triggers

  private func renameInView(_ view: Table) throws(SQLError) {
    guard case .createView(let definition) = try Renaming.parse(view.text)?.statement else {
      return
    }
    let uses = uses(in: view.text), binder = makeBinder()
    binder.uses = uses
    do {
      let definition = ViewDefinition(columns: definition.columns, select: definition.select)
      try binder.bindView(view, definition)
    } catch {
      if passesOverMistakes { return }
      throw failure("view", view.name, error)
    }
    add("view", view.name, view.databaseIndex, uses)
  }

  private func renameInTrigger(_ trigger: Trigger) throws(SQLError) {
    guard case .createTrigger(let definition) = try Renaming.parse(trigger.text)?.statement,
      let target = tableNamed(by: trigger)
    else { return }
    let trigger = Trigger(
      name: trigger.name, text: trigger.text, databaseIndex: trigger.databaseIndex,
      definition: definition)
    var uses = uses(in: trigger.text)
    let isOwn = target === table
    if isOwn && column == nil { uses.note(trigger.definition.table.name) }
    if isOwn, !dropsColumn, case .update(let names) = trigger.definition.event {
      for name in names where name == uses.columnName { uses.note(name) }
    }
    if !isLegacy || column != nil {
      do {
        try makeBinder().bindTrigger(trigger, on: target, uses)
      } catch {
        guard passesOverMistakes else { throw failure("trigger", trigger.name, error) }
        uses = self.uses(in: trigger.text)
      }
    }
    add("trigger", trigger.name, trigger.databaseIndex, uses, belongs: isOwn && column == nil)
  }
}

extension Renaming {
  /// The table that the text of a trigger means when it is read now: one of the temp database first.
  private func tableNamed(by trigger: Trigger) -> Table? {
    let name = trigger.definition.table
    return trigger.databaseIndex == 1 && name.schema == nil
      ? catalog.table(named: name.name) : catalog.table(of: trigger)
  }

  /// What is wrong with a definition, where nobody says what it is.
  static let unexplained = SQLError(.error)

  private func failure(_ type: String, _ name: Name, _ error: SQLError) -> SQLError {
    if error.isGrave { return error }
    return isLegacy
      ? Renaming.unexplained : .sql("error in \(type) \(name.string): \(error.message)")
  }
}

extension Binder {
  /// Binds a view as its definition says.
  func bindView(_ view: Table, _ definition: ViewDefinition) throws(SQLError) {
    _ = try bindView(
      view, item(named: view.name), nil, view.name, Scope(outer: nil, selectID: 0),
      as: definition)
    try throwPostponedError()
  }

  /// Binds the common tables of the innermost WITH that nothing reads, for the names in them. What
  /// is wrong there is nobody's business: up to the first mistake, SQLite has looked up the
  /// columns, and behind it still the tables of FROM. So each is left to a binder of its own.
  func noteNamesInUnreadTables() {
    guard let uses, isRenaming, let definition = commonTables else { return }
    uses.noteUnread {
      for (position, table) in definition.clause.tables.enumerated()
      where !definition.read.contains(position) {
        let binder = Binder(text, firedBy: self)
        binder.uses = uses
        binder.fixedDatabase = fixedDatabase
        binder.openViews = openViews
        binder.triggerRows = triggerRows
        binder.selectDepth = selectDepth
        let scope = Scope(outer: nil, selectID: 0)
        do throws(SQLError) {
          _ = try binder.bindCommonTable(
            position, of: definition, binder.item(named: table.name), table.name, scope)
        } catch where uses.column != nil {
          return
        } catch {}
      }
    }
  }

  /// A table or view as FROM names it.
  private func item(named name: Name) -> FromItem {
    FromItem(
      source: .table(schema: nil, name: name, indexed: nil), alias: nil, join: .inner,
      on: nil, using: [], range: ByteRange(start: 0, end: 0), in: memory)
  }

  /// Binds all of a trigger.
  func bindTrigger(
    _ trigger: Trigger, on table: Table, _ uses: NameUses
  ) throws(SQLError) {
    var target = table
    if table.view != nil {
      let rows = try bindView(
        table, item(named: table.name), nil, table.name, Scope(outer: nil, selectID: 0),
        isTarget: true)
      target = try viewTarget(table, rows).table
    }
    let binder = Binder.binder(for: trigger, on: target, firedBy: self)
    binder.uses = uses
    if let condition = trigger.definition.when {
      _ = try binder.bindScalar(condition, Scope(outer: nil, selectID: binder.newSelectID()))
    }
    for step in trigger.definition.steps {
      _ = try binder.bindStep(step.statement)
      try binder.throwPostponedError()
    }
  }

  /// The row of a table that is altered, and what it must keep if it is looked at whether it does.
  func bindAltered(_ table: Table, isChecked: Bool) throws(SQLError) -> BoundTableCheck {
    let source = definitionSource(table)
    let check = BoundTableCheck(table: table, source: source)
    text = table.text
    for column in table.columns.indices where table.columns[column].isVirtual {
      _ = try self.column(Int32(column), of: source)
    }
    for definition in table.checks where isChecked && !environment.ignoresChecks {
      check.checks.append(try bindStored(definition.expression, .check, source))
    }
    return check
  }
}
