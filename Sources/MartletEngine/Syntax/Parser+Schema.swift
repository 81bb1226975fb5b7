// CREATE, DROP and ALTER.

extension Parser {
  mutating func parseCreate() throws(SQLError) -> StatementSyntax {
    advance()
    switch token.kind {
    case .unique:
      advance()
      guard token.kind == .index else { throw syntaxError() }
      return try parseCreateIndex(isUnique: true)
    case .index: return try parseCreateIndex(isUnique: false)
    case .virtual: return try parseCreateVirtualTable()
    default: break
    }
    let isTemporary = accept(.temp) || accept(.temporary)
    let kind = token.kind
    guard kind == .table || kind == .view || kind == .trigger else { throw syntaxError() }
    advance()
    let ifNotExists = try parseIfNotExists()
    switch kind {
    case .table:
      return try parseCreateTable(isTemporary: isTemporary, ifNotExists: ifNotExists)
    case .view: return try parseCreateView(isTemporary: isTemporary, ifNotExists: ifNotExists)
    default: return try parseCreateTrigger(isTemporary: isTemporary, ifNotExists: ifNotExists)
    }
  }

  private mutating func parseIfNotExists() throws(SQLError) -> Bool {
    guard accept(.if) else { return false }
    try expect(.not)
    try expect(.exists)
    return true
  }

  private mutating func parseIfExists() throws(SQLError) -> Bool {
    guard accept(.if) else { return false }
    try expect(.exists)
    return true
  }

  private mutating func parseCreateIndex(isUnique: Bool) throws(SQLError) -> StatementSyntax {
    advance()
    let ifNotExists = try parseIfNotExists()
    let name = try parseQualifiedName()
    try expect(.on)
    let table = try parseName()
    try expect(.leftParenthesis)
    let columns = try parseOrderingTerms()
    try expect(.rightParenthesis)
    if let error = Parser.explicitNulls(in: columns) { reportAtEnd(error) }
    let condition = accept(.where) ? try parseExpression() : nil
    return .createIndex(
      CreateIndexStatement(
        isUnique: isUnique, ifNotExists: ifNotExists, name: name, table: table,
        columns: columns, whereClause: condition,
        storedRange: range(Int(name.name.offset), token.start)))
  }

  private mutating func parseCreateView(
    isTemporary: Bool, ifNotExists: Bool
  ) throws(SQLError) -> StatementSyntax {
    let name = try parseQualifiedName()
    let columns = token.kind == .leftParenthesis ? try parseColumnNames() : []
    try expect(.as)
    let select = try parseSelect()
    return .createView(
      CreateViewStatement(
        isTemporary: isTemporary, ifNotExists: ifNotExists, name: name, columns: columns,
        select: select, storedRange: textRange(from: Int(name.name.offset))))
  }

  private mutating func parseCreateVirtualTable() throws(SQLError) -> StatementSyntax {
    advance()
    try expect(.table)
    let ifNotExists = try parseIfNotExists()
    let name = try parseQualifiedName()
    try expect(.using)
    let module = try parseName()
    let arguments = token.kind == .leftParenthesis ? try parseModuleArguments() : []
    return .createVirtualTable(
      CreateVirtualTableStatement(
        ifNotExists: ifNotExists, name: name, module: module, arguments: arguments,
        storedRange: range(from: Int(name.name.offset))))
  }

  /// Any tokens, with balanced parentheses, between commas that stand in none.
  private mutating func parseModuleArguments() throws(SQLError) -> [ByteRange] {
    advance()
    var arguments: [ByteRange] = []
    var start: Int?
    var nesting = 0
    while true {
      switch token.kind {
      case .endOfText, .illegal: throw syntaxError()
      case .comma where nesting == 0, .rightParenthesis where nesting == 0:
        if let start { arguments.append(range(from: start)) }
        start = nil
        let isLast = token.kind == .rightParenthesis
        advance()
        if isLast { return arguments }
        continue
      case .leftParenthesis: nesting += 1
      case .rightParenthesis: nesting -= 1
      default: break
      }
      start = start ?? token.start
      advance()
    }
  }

  mutating func parseDrop() throws(SQLError) -> StatementSyntax {
    advance()
    let kind: DropStatement.Kind
    switch token.kind {
    case .table: kind = .table
    case .index: kind = .index
    case .view: kind = .view
    case .trigger: kind = .trigger
    default: throw syntaxError()
    }
    advance()
    let ifExists = try parseIfExists()
    return .drop(DropStatement(kind: kind, ifExists: ifExists, name: try parseQualifiedName()))
  }
}

// Triggers
extension Parser {
  private mutating func parseCreateTrigger(
    isTemporary: Bool, ifNotExists: Bool
  ) throws(SQLError) -> StatementSyntax {
    let name = try parseQualifiedName()
    let time = try parseTriggerTime()
    let event = try parseTriggerEvent()
    try expect(.on)
    let table = try parseQualifiedName()
    if accept(.for) {
      try expect(.each)
      try expect(.row)
    }
    let condition = accept(.when) ? try parseExpression() : nil
    try expect(.begin)
    var steps: [CreateTriggerStatement.Step] = []
    try open(4)
    repeat {
      steps.append(try parseTriggerStep())
      try expectSemicolon()
    } while token.kind != .end
    close(4)
    try expect(.end)
    return .createTrigger(
      CreateTriggerStatement(
        isTemporary: isTemporary, ifNotExists: ifNotExists, name: name, time: time,
        event: event, table: table, when: condition, steps: steps,
        storedRange: range(from: Int(name.name.offset))))
  }

  private mutating func parseTriggerTime() throws(SQLError) -> CreateTriggerStatement.Time {
    if accept(.after) { return .after }
    if accept(.instead) {
      try expect(.of)
      return .insteadOf
    }
    _ = accept(.before)
    return .before
  }

  private mutating func parseTriggerEvent() throws(SQLError) -> CreateTriggerStatement.Event {
    if accept(.delete) { return .delete }
    if accept(.insert) { return .insert }
    try expect(.update)
    guard accept(.of) else { return .update([]) }
    var columns = [try parseName()]
    while accept(.comma) { columns.append(try parseName()) }
    return .update(columns)
  }
}

// ALTER TABLE
extension Parser {
  mutating func parseAlter() throws(SQLError) -> StatementSyntax {
    advance()
    try expect(.table)
    let table = try parseQualifiedName()
    let action: AlterTableStatement.Action
    switch token.kind {
    case .rename: action = try parseRename()
    case .add: action = try parseAdd()
    case .drop:
      advance()
      if accept(.constraint) {
        action = .dropConstraint(try parseName())
      } else {
        _ = accept(.column)
        action = .dropColumn(try parseName())
      }
    case .alter: action = try parseAlterColumn()
    default: throw syntaxError()
    }
    return .alterTable(AlterTableStatement(table: table, action: action))
  }

  private mutating func parseRename() throws(SQLError) -> AlterTableStatement.Action {
    advance()
    if accept(.to) { return .renameTable(to: try parseName()) }
    _ = accept(.column)
    let column = try parseName()
    try expect(.to)
    return .renameColumn(column, to: try parseName())
  }

  private mutating func parseAdd() throws(SQLError) -> AlterTableStatement.Action {
    advance()
    let start = token.start
    guard token.kind == .constraint || token.kind == .check else {
      _ = accept(.column)
      return .addColumn(try parseColumnDefinition())
    }
    let name = accept(.constraint) ? try parseName() : nil
    guard token.kind == .check else { throw syntaxError() }
    let (condition, _) = try parseCheck()
    let conflict = try parseOnConflict()
    return .addCheck(name: name, condition, conflict, range: range(from: start))
  }

  private mutating func parseAlterColumn() throws(SQLError) -> AlterTableStatement.Action {
    advance()
    _ = accept(.column)
    let column = try parseName()
    if accept(.drop) {
      try expect(.not)
      try expect(.null)
      return .dropNotNull(column)
    }
    try expect(.set)
    let start = token.start
    try expect(.not)
    try expect(.null)
    let conflict = try parseOnConflict()
    return .setNotNull(column, conflict, range: range(from: start))
  }
}
