// Foreign keys (foreignkeys): the statements that look for children and that change them. They are
// written as SQL, as the names of tables and columns need no more.

extension Binder {
  /// SELECTs the children of the row `old`, which has the affinities and collations of the parent.
  ///
  /// - Parameter exceptItself: the table refers to itself, and the row is none of its own children.
  func bindChildren(
    _ link: ForeignKeyLink, _ key: ForeignKeyLink.ParentKey, of old: BoundSource,
    exceptItself: Bool
  ) throws(SQLError) -> BoundSelect {
    let parent = key.parent
    var conditions = Binder.conditions(link, key)
    if exceptItself {
      if parent.isWithoutRowid {
        let same = key.parentColumns.map {
          let name = Binder.quoted(parent.columns[$0].name)
          return "old.\(name) IS \(name)"
        }
        conditions.append("NOT (\(same.joined(separator: " AND ")))")
      } else {
        let name = parent.rowidName
        conditions.append("old.\(name) <> \(name)")
      }
    }
    let text = try SQLText.copying(
      own: """
      SELECT 1 FROM \(Binder.quoted(link.child.name)) \
      WHERE \(conditions.joined(separator: " AND "))
      """)
    guard let parsed = try Parser.parse(text, isLoadingSchema: true),
      case .select(let select) = parsed.statement
    else { throw SQLError(.internal) }
    keep(text)
    return try withSchemaText(text, database: parent.databaseIndex, old: old) {
      () throws(SQLError) in try bindStatement(select, role: .expression)
    }
  }

  private func withSchemaText<Result>(
    _ inner: SQLText, database: Int, old: BoundSource, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let outer = (text, fixedDatabase, commonTables, triggerRows)
    (text, fixedDatabase, commonTables) = (inner, database, nil)
    triggerRows = TriggerRows(isFromSchema: true, old: old, new: nil)
    defer { (text, fixedDatabase, commonTables, triggerRows) = outer }
    return try body()
  }

  /// The source of a row that has lost, or got, children.
  func parentRow(_ table: Table) -> BoundSource {
    let row = BoundSource(
      id: newSourceID(), kind: .table(table), label: Name("old"), hasAlias: true,
      databaseIndex: -1, join: .inner, in: memory)
    row.isAsked = false
    return row
  }

  /// The trigger that does what the foreign key says where a row of the parent goes or changes; nil
  /// where that is nothing.
  static func action(
    _ link: ForeignKeyLink, _ key: ForeignKeyLink.ParentKey, isUpdate: Bool, isDeferred: Bool
  ) throws(SQLError) -> Trigger? {
    let action = isUpdate ? link.clause.onUpdate : link.clause.onDelete
    if action == .noAction || action == .restrict && isDeferred { return nil }
    let child = quoted(link.child.name)
    let condition = " WHERE " + conditions(link, key).joined(separator: " AND ")
    let step: String
    switch action {
    case .restrict:
      step = "SELECT raise(ABORT, 'FOREIGN KEY constraint failed') FROM \(child)\(condition)"
    case .cascade where !isUpdate: step = "DELETE FROM \(child)\(condition)"
    default:
      let assignments = zip(key.childColumns, key.parentColumns).map { column, parentColumn in
        let value =
          switch action {
          case .cascade: "new." + name(of: parentColumn, in: key.parent)
          case .setDefault: defaultText(of: column, in: link.child)
          default: "NULL"
          }
        return "\(name(of: column, in: link.child)) = \(value)"
      }
      step = "UPDATE \(child) SET \(assignments.joined(separator: ", "))\(condition)"
    }
    var when = ""
    if isUpdate {
      let same = key.parentColumns.map {
        let name = name(of: $0, in: key.parent)
        return "old.\(name) IS new.\(name)"
      }
      when = " WHEN NOT (\(same.joined(separator: " AND ")))"
    }
    let text = try SQLText.copying(
      own: """
      CREATE TRIGGER "" BEFORE \(isUpdate ? "UPDATE" : "DELETE") \
      ON \(quoted(key.parent.name))\(when) BEGIN \(step); END
      """)
    guard let parsed = try Parser.parse(text, isLoadingSchema: true),
      case .createTrigger(let definition) = parsed.statement
    else { throw SQLError(.internal) }
    return Trigger(
      name: Name(""), text: text, databaseIndex: key.parent.databaseIndex,
      definition: definition)
  }

  // MARK: Text

  /// The parent's columns stand left, so that their collations count.
  private static func conditions(
    _ link: ForeignKeyLink, _ key: ForeignKeyLink.ParentKey
  ) -> [String] {
    zip(key.parentColumns, key.childColumns).map { parentColumn, column in
      "old.\(name(of: parentColumn, in: key.parent)) = \(name(of: column, in: link.child))"
    }
  }

  /// A column by name; -1 is the INTEGER PRIMARY KEY.
  private static func name(of column: Int, in table: Table) -> String {
    let column = column < 0 ? table.rowidColumn : column
    return column < 0 ? table.rowidName : quoted(table.columns[column].name)
  }

  private static func defaultText(of column: Int, in table: Table) -> String {
    let definition = table.columns[column < 0 ? table.rowidColumn : column]
    guard definition.generated == nil, let value = definition.defaultValue else { return "NULL" }
    // A bare word is a string, too.
    if case .string(let text) = value.kind {
      return text.string.quoted(with: "'")
    }
    return "(" + table.text.string(value.range) + ")"
  }

  private static func quoted(_ name: Name) -> String { name.string.quotedIdentifier }
}

extension Table {
  /// A name of the rowid that no column hides.
  var rowidName: String {
    for name in [Name("rowid"), Name("oid"), Name("_rowid_")] where columnIndex(of: name) < 0 {
      return name.string
    }
    return "rowid"
  }
}
