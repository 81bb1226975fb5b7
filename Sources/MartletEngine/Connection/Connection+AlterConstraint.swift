// ALTER TABLE: NOT NULL and CHECK (lang_altertable §6).

extension Connection {
  func changeConstraint(
    _ action: AlterTableStatement.Action, of table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    try checkIsAlterable(table)
    if table.view != nil {
      throw .sql("cannot edit constraints of view \"\(table.name.string)\"")
    }
    try authorizeAlter(table)
    switch action {
    case .setNotNull(let column, _, let range):
      return try setNotNull(column, of: table, parsed.text.string(range), parsed)
    case .dropNotNull(let column): return try dropNotNull(column, of: table, parsed)
    case .addCheck(let name, let condition, _, let range):
      return try addCheck(name, condition, parsed.text.string(range), to: table, parsed)
    case .dropConstraint(let name): return try dropConstraint(name, of: table, parsed)
    default: throw SQLError(.internal)
    }
  }

  private func column(
    _ name: Name, of table: Table
  ) throws(SQLError) -> (index: Int, definition: ColumnDefinition) {
    let index = table.columnIndex(of: name)
    guard index >= 0 else { throw .sql("no such column: \(name.string)") }
    guard case .definitions(let columns, _) = try definition(of: table).content,
      columns.indices.contains(index)
    else { throw SQLError(.corrupt) }
    return (index, columns[index])
  }

  /// The program that gives a table another text.
  private func program(
    _ table: Table, _ text: String, _ parsed: ParsedStatement,
    _ check: (Emitter) throws(SQLError) -> Void = { _ in }
  ) throws(SQLError) -> Program {
    try program(parsed) { emitter throws(SQLError) in
      emitter.willWrite(table.databaseIndex)
      try check(emitter)
      try emitter.emitSchemaEdits([
        SchemaEdit(
          database: table.databaseIndex, type: Name("table"), name: table.name,
          newSQL: Array(text.utf8))
      ])
    }
  }

  private func text(of table: Table, replacing range: Range<Int>, with part: String) -> String {
    let text = table.text
    return text.string(ByteRange(start: 0, end: Int32(range.lowerBound))) + part
      + text.string(ByteRange(start: Int32(range.upperBound), end: Int32(text.count)))
  }

  // MARK: NOT NULL

  private func setNotNull(
    _ name: Name, of table: Table, _ constraint: String, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let (index, definition) = try column(name, of: table)
    if table.columns[index].isNotNull {
      return try program(parsed) { $0.emitNothing(table.databaseIndex) }
    }
    let end = Int(definition.range.end)
    let target = try binder(parsed).bindAltered(table)
    return try program(
      table, text(of: table, replacing: end..<end, with: " " + constraint), parsed
    ) { (emitter) throws(SQLError) in
      try emitter.emitRowCheck(of: target) { (emitter, failure) throws(SQLError) in
        let value = emitter.newRegister()
        try emitter.emitColumn(target.source.id, Int32(index), value)
        emitter.emit(.isNull, value.rawValue, failure.operand)
      }
    }
  }

  private func dropNotNull(
    _ name: Name, of table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let (_, definition) = try column(name, of: table)
    for constraint in definition.constraints {
      guard case .notNull = constraint.kind else { continue }
      return try program(table, text(of: table, without: constraint.range), parsed)
    }
    return try program(parsed) { $0.emitNothing(table.databaseIndex) }
  }

  /// A column's constraint goes with what stands before the next token; at the end of the column, with
  /// the blanks before it.
  private func text(of table: Table, without range: ByteRange) -> String {
    let text = table.text
    var start = Int(range.start)
    let next = Tokenizer.token(text.start, from: Int(range.end)).start
    if text.start[next] == UInt8(ascii: ",") || text.start[next] == UInt8(ascii: ")") {
      while start > 0, text.start[start - 1] <= 0x20 { start -= 1 }
    }
    return self.text(of: table, replacing: start..<next, with: "")
  }

  // MARK: CHECK

  private func addCheck(
    _ name: Name?, _ condition: Expression, _ constraint: String, to table: Table,
    _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    guard case .definitions(let columns, let constraints) = try definition(of: table).content
    else { throw SQLError(.corrupt) }
    let binder = binder(parsed)
    let source = binder.definitionSource(table)
    let check = BoundTableCheck(table: table, source: source)
    check.checks.append(try binder.bindStored(condition, .check, source))
    if let name, table.hasConstraint(named: name, columns, constraints) {
      throw .sql("constraint \(name.string) already exists")
    }
    let last = constraints.last?.range.end ?? columns.last?.range.end ?? 0
    let end = Tokenizer.token(table.text.start, from: Int(last)).start
    return try program(
      table, text(of: table, replacing: end..<end, with: ", " + constraint), parsed
    ) { (emitter) throws(SQLError) in
      try emitter.emitRowCheck(of: check) { (emitter, failure) throws(SQLError) in
        let passes = emitter.newLabel()
        try emitter.emitJump(if: check.checks[0], to: passes, jumpIfNull: true)
        emitter.emitGoto(failure)
        emitter.place(passes)
      }
    }
  }

  private func dropConstraint(
    _ name: Name, of table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    guard case .definitions(let columns, let constraints) = try definition(of: table).content
    else { throw SQLError(.corrupt) }
    for column in columns {
      for constraint in column.constraints where constraint.name == name {
        switch constraint.kind {
        case .check, .notNull:
          return try program(table, text(of: table, without: constraint.range), parsed)
        default: throw .sql("constraint may not be dropped: \(name.string)")
        }
      }
    }
    for constraint in constraints where constraint.name == name {
      guard case .check = constraint.kind else {
        throw .sql("constraint may not be dropped: \(name.string)")
      }
      var start = Int(constraint.range.start)
      while start > 0 && table.text.start[start] != UInt8(ascii: ",") { start -= 1 }
      let range = start..<Int(constraint.range.end)
      return try program(table, text(of: table, replacing: range, with: ""), parsed)
    }
    throw .sql("no such constraint: \(name.string)")
  }
}

extension Table {
  fileprivate func hasConstraint(
    named name: Name, _ columns: [ColumnDefinition], _ constraints: [TableConstraint]
  ) -> Bool {
    columns.contains { $0.constraints.contains { $0.name == name } }
      || constraints.contains { $0.name == name }
  }
}

extension Emitter {
  /// Fails if a row of a table does not pass: `body` jumps to the label for such a row.
  fileprivate func emitRowCheck(
    of check: BoundTableCheck, _ body: (Emitter, Label) throws(SQLError) -> Void
  ) throws(SQLError) {
    let cursor = try openTable(check.table), end = newLabel(), failure = newLabel()
    setAccess(check.source.id, .table(cursor, check.table))
    setVirtualColumns(check.source)
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    try body(self, failure)
    emit(.next, cursor.rawValue, again.operand)
    emitGoto(end)
    place(failure)
    emitHalt(.constraint, .abort, "constraint failed")
    place(end)
    emit(.close, cursor.rawValue)
  }
}
