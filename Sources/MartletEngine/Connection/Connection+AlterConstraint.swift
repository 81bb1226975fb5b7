// ALTER TABLE: NOT NULL and CHECK (lang_altertable §6).

extension Connection {
  func changeConstraint(
    _ action: AlterTableStatement.Action, of table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    try checkIsAlterable(table)
    if table.view != nil {
      throw .sql("cannot edit constraints of view \"\(table.name.string)\"")
    }
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
    try authorizeAlter(table, column: name)
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
          newSQL: text.textBytes)
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
    try authorizeNotNull(index, of: table)
    var text = table.text.string(ByteRange(start: 0, end: Int32(table.text.count)))
    var end = Tokenizer.token(table.text.start, from: Int(definition.range.end)).start
    if let present = notNull(of: definition, table.text) {
      let range = textRange(of: present, in: definition, table.text)
      text = self.text(of: table, without: present, in: definition)
      end -= table.text.count - text.utf8.count
      if range.upperBound >= Int(definition.range.end) { end = range.lowerBound }
    }
    let binder = binder(parsed)
    binder.authorizer = nil
    let target = try binder.bindAltered(table, isChecked: false)
    let place = text.utf8.index(text.utf8.startIndex, offsetBy: end)
    text.insert(contentsOf: " " + constraint, at: place)
    return try program(table, text, parsed) { (emitter) throws(SQLError) in
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
    try authorizeConstraintRemoval(table)
    guard let present = notNull(of: definition, table.text) else {
      return try program(
        table, table.text.string(ByteRange(start: 0, end: Int32(table.text.count))), parsed)
    }
    return try program(table, text(of: table, without: present, in: definition), parsed)
  }

  /// Where the column's first NOT NULL stands. SQLite takes NOT DEFERRABLE for one.
  private func notNull(of column: ColumnDefinition, _ text: SQLText) -> ByteRange? {
    for constraint in column.constraints {
      switch constraint.kind {
      case .notNull: return constraint.range
      case .references:
        if let range = notDeferrable(behind: Int(constraint.range.start), in: column, text) {
          return range
        }
      default: break
      }
    }
    return nil
  }

  /// NOT DEFERRABLE with its INITIALLY, where it is the first NOT outside parentheses.
  private func notDeferrable(
    behind start: Int, in column: ColumnDefinition, _ text: SQLText
  ) -> ByteRange? {
    var position = start, depth = 0
    while position < Int(column.range.end) {
      let token = Tokenizer.token(text.start, from: position)
      position = token.end
      if token.kind == .leftParenthesis { depth += 1 }
      if token.kind == .rightParenthesis { depth -= 1 }
      guard token.kind == .not, depth == 0 else { continue }
      var last = Tokenizer.token(text.start, from: position)
      guard last.kind == .deferrable else { return nil }
      let next = Tokenizer.token(text.start, from: last.end)
      if next.kind == .initially { last = Tokenizer.token(text.start, from: next.end) }
      return ByteRange(start: Int32(token.start), end: Int32(last.end))
    }
    return nil
  }

  /// A column's constraint with the blanks and comments on both sides.
  private func textRange(
    of constraint: ByteRange, in column: ColumnDefinition, _ text: SQLText
  ) -> Range<Int> {
    var end = Int(column.range.start)
    while true {
      let token = Tokenizer.token(text.start, from: end)
      if token.start >= Int(constraint.start) { break }
      end = token.end
    }
    return end..<Tokenizer.token(text.start, from: Int(constraint.end)).start
  }

  /// A blank is left in the constraint's place, unless it is the last thing of the column.
  private func text(
    of table: Table, without constraint: ByteRange, in column: ColumnDefinition
  ) -> String {
    let text = table.text
    let range = textRange(of: constraint, in: column, text)
    let next = text.start[range.upperBound]
    let isLast = next == UInt8(ascii: ",") || next == UInt8(ascii: ")")
    return self.text(of: table, replacing: range, with: isLast ? "" : " ")
  }

  // MARK: CHECK

  private func addCheck(
    _ name: Name?, _ condition: Expression, _ constraint: String, to table: Table,
    _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    guard case .definitions(let columns, let constraints) = try definition(of: table).content
    else { throw SQLError(.corrupt) }
    try authorizeAlter(table)
    let binder = binder(parsed)
    let source = binder.definitionSource(table)
    let check = BoundTableCheck(table: table, source: source)
    check.checks.append(try binder.bindStored(condition, .check, source))
    // SQLite looks for rows that do not pass by a SELECT of its own, in which texts in double
    // quotes are those of a query.
    binder.environment.allowsDoubleQuotedStrings = !settings.flags.contains(
      .refusesDoubleQuotedStrings)
    try authorizeNewCheck(named: name, on: table) { () throws(SQLError) in
      _ = try binder.bindStored(condition, .check, source)
      return source.usedColumns != 0
    }
    if let name, try NamedConstraint.find(name, in: table.text) != nil {
      return try failure("constraint \(name.string) already exists", table, parsed)
    }
    let last = constraints.last?.range.end ?? columns.last?.range.end ?? 0
    let end = Tokenizer.token(table.text.start, from: Int(last)).start
    return try program(
      table, text(of: table, replacing: end..<end, with: ", " + constraint), parsed
    ) { (emitter) throws(SQLError) in
      try emitter.emitRowCheck(of: check) { (emitter, failure) throws(SQLError) in
        // Rows that are there must give true: NULL is not enough, as it is for new ones.
        try emitter.emitJump(unless: check.checks[0], to: failure, jumpIfNull: true)
      }
    }
  }

  private func dropConstraint(
    _ name: Name, of table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    try authorizeAlter(table)
    try authorizeConstraintRemoval(table)
    guard let constraint = try NamedConstraint.find(name, in: table.text) else {
      return try failure("no such constraint: \(name.string)", table, parsed)
    }
    guard constraint.mayBeDropped else {
      return try failure("constraint may not be dropped: \(name.string)", table, parsed)
    }
    return try program(
      table, text(of: table, replacing: constraint.range, with: constraint.rest), parsed)
  }
}

extension Connection {
  /// A program that fails when it runs: SQLite looks at names of constraints only then.
  private func failure(
    _ message: String, _ table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    try program(parsed) { emitter in
      emitter.willWrite(table.databaseIndex)
      emitter.emitHalt(.error, .abort, message)
    }
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
