// CREATE TABLE and its columns and constraints (lang_createtable).

extension Parser {
  /// CREATE TABLE from its name on.
  mutating func parseCreateTable(
    isTemporary: Bool, ifNotExists: Bool
  ) throws(SQLError) -> StatementSyntax {
    let name = try parseQualifiedName()
    let content: CreateTableStatement.Content
    var options = TableOptions()
    var storedEnd = 0
    if accept(.as) {
      content = .select(try parseSelect())
      storedEnd = previousEnd
    } else {
      content = try parseTableContent()
      storedEnd = previousEnd
      if token.kind.isName || token.kind == .comma {
        options = try parseTableOptions()
        storedEnd = token.start
      }
    }
    return .createTable(
      CreateTableStatement(
        isTemporary: isTemporary, ifNotExists: ifNotExists, name: name, content: content,
        options: options, storedRange: range(Int(name.name.offset), storedEnd)))
  }

  private mutating func parseTableContent() throws(SQLError) -> CreateTableStatement.Content {
    try expect(.leftParenthesis)
    var columns = [try parseColumnDefinition()]
    var constraints: [TableConstraint] = []
    while accept(.comma) {
      if token.kind.startsTableConstraint {
        constraints = try parseTableConstraints()
        break
      }
      columns.append(try parseColumnDefinition())
    }
    try expect(.rightParenthesis)
    return .definitions(columns: columns, constraints: constraints)
  }

  private mutating func parseTableOptions() throws(SQLError) -> TableOptions {
    var options = TableOptions()
    // A comma may come first, too.
    _ = accept(.comma)
    repeat {
      let option = token
      if accept(.without) {
        let name = token
        if try parseName() != Name("rowid") { report(unknownOption(name)) }
        options.insert(.withoutRowID)
      } else {
        let name = try parseName()
        if name.quote != 0 || name != Name("strict") { report(unknownOption(option)) }
        options.insert(.strict)
      }
    } while accept(.comma)
    return options
  }

  private mutating func unknownOption(_ option: Token) -> SQLError {
    .sql("unknown table option: \(text.string(range(option.start, option.end)))")
  }

  /// A column: name, type, constraints.
  mutating func parseColumnDefinition() throws(SQLError) -> ColumnDefinition {
    let start = token.start
    let name = try parseName()
    let type = try parseDeclaredType()
    var constraints: [ColumnConstraint] = []
    var constraintName: Name?
    var constraintStart: Int?
    while true {
      let first = token
      if accept(.constraint) {
        constraintStart = constraintStart ?? first.start
        constraintName = try parseName()
        continue
      }
      let isDeferral = first.kind == .deferrable || isNotDeferrable()
      guard let kind = try parseColumnConstraint(of: name) else {
        if isDeferral { continue }
        break
      }
      constraints.append(
        ColumnConstraint(
          kind: kind, name: constraintName, range: range(from: constraintStart ?? first.start)))
      constraintStart = nil
    }
    return ColumnDefinition(
      name: name, type: type, constraints: constraints, range: range(from: start))
  }

  /// The type of a column. Of one that begins with a quote, SQLite keeps the quoted part only, or
  /// all but the first and last byte if there is no quote between them: `[x] y` is `x] `.
  @inline(never)
  private mutating func parseDeclaredType() throws(SQLError) -> ByteSlice? {
    let first = token
    guard let type = try parseTypeName() else { return nil }
    if CharacterTraits(text.start[first.start]).startsWord {
      return Parser.withoutGeneratedAlways(type)
    }
    for index in 1..<(type.count &- 1) {
      switch type.start[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "["), UInt8(ascii: "`"):
        return try unquoted(first)
      default: continue
      }
    }
    return ByteSlice(start: type.start + 1, count: type.count &- 2)
  }

  private mutating func isNotDeferrable() -> Bool {
    token.kind == .not && peek().kind == .deferrable
  }

  /// GENERATED ALWAYS are identifiers too, so that they come as the end of the type.
  private static func withoutGeneratedAlways(_ type: ByteSlice) -> ByteSlice? {
    guard let start = cut("always", from: type.start, type.count) else { return type }
    guard let count = cut("generated", from: type.start, start) else { return type }
    return count == 0 ? nil : ByteSlice(start: type.start, count: count)
  }

  /// The length without `word` and the blanks before it; nil if the text does not end with it.
  private static func cut(
    _ word: StaticString, from start: UnsafePointer<UInt8>, _ count: Int
  ) -> Int? {
    let wordCount = word.utf8CodeUnitCount
    guard count >= wordCount else { return nil }
    for index in 0..<wordCount
    where Name.fold(start[count &- wordCount &+ index]) != word.utf8Start[index] { return nil }
    var rest = count &- wordCount
    while rest > 0 && (start[rest &- 1] == 0x20 || start[rest &- 1] &- 9 < 5) { rest &-= 1 }
    return rest
  }

  /// nil where no constraint begins, and for DEFERRABLE, which changes an earlier one.
  private mutating func parseColumnConstraint(
    of column: Name
  ) throws(SQLError) -> ColumnConstraint.Kind? {
    switch token.kind {
    case .default: return try parseDefault()
    case .null:
      advance()
      return .null(try parseOnConflict())
    case .not:
      advance()
      if token.kind == .deferrable {
        try parseDeferrable(isNegated: true)
        return nil
      }
      try expect(.null)
      return .notNull(try parseOnConflict())
    case .primary:
      advance()
      try expect(.key)
      let direction = parseDirection()
      let conflict = try parseOnConflict()
      return .primaryKey(direction, conflict, isAutoincrement: accept(.autoincrement))
    case .unique:
      advance()
      return .unique(try parseOnConflict())
    case .check:
      let (condition, written) = try parseCheck()
      return .check(condition, textRange: written)
    case .references: return .references(try parseReferences())
    case .deferrable:
      try parseDeferrable(isNegated: false)
      return nil
    case .collate:
      advance()
      return .collate(try parsePlainNameOrString())
    case .generated:
      advance()
      try expect(.always)
      return try parseGenerated(column)
    case .as: return try parseGenerated(column)
    default: return nil
    }
  }

  /// ON CONFLICT policy, or nothing.
  mutating func parseOnConflict() throws(SQLError) -> ConflictPolicy? {
    guard accept(.on) else { return nil }
    try expect(.conflict)
    return try parseConflictPolicy()
  }

  /// CHECK (…); the range is what stands between the parentheses.
  mutating func parseCheck() throws(SQLError) -> (Expression, ByteRange) {
    advance()
    return try parseParenthesizedExpression()
  }

  private mutating func parseParenthesizedExpression() throws(SQLError)
    -> (Expression, ByteRange)
  {
    try expect(.leftParenthesis)
    let start = token.start
    try open(6)
    let expression = try parseExpression()
    close(6)
    let written = textRange(from: start)
    try expect(.rightParenthesis)
    return (expression, written)
  }
}

extension Parser {
  private mutating func parseDefault() throws(SQLError) -> ColumnConstraint.Kind {
    advance()
    switch token.kind {
    case .leftParenthesis:
      let (value, written) = try parseParenthesizedExpression()
      return .defaultValue(value, textRange: written)
    case .plus, .minus:
      let start = token.start
      let isNegated = token.kind == .minus
      advance()
      let value = try parseDefaultTerm()
      let written = range(from: start)
      guard isNegated else {
        let positive = Expression(value.kind, range: written, height: value.height, in: memory)
        return .defaultValue(positive, textRange: written)
      }
      let negative = try make(.unary(.minus, value), from: start, above: 1)
      return .defaultValue(negative, textRange: written)
    case .indexed:
      return try parseDefaultWord()
    default:
      if token.kind.isPlainNameOrString && !token.kind.isDefaultTerm {
        return try parseDefaultWord()
      }
      let value = try parseDefaultTerm()
      return .defaultValue(value, textRange: value.range)
    }
  }

  private mutating func parseDefaultWord() throws(SQLError) -> ColumnConstraint.Kind {
    let start = token.start
    let name = try parseName()
    let isTruth = name.quote == 0 && (name == Name("true") || name == Name("false"))
    let bytes = ByteSlice(start: name.start, count: Int(name.count))
    let word = Expression(
      isTruth ? .identifier(name) : .string(bytes), range: range(from: start), height: 1, in: memory
    )
    return .defaultValue(word, textRange: word.range)
  }

  /// A literal ("term" in SQLite's grammar).
  private mutating func parseDefaultTerm() throws(SQLError) -> Expression {
    guard token.kind.isDefaultTerm else { throw syntaxError() }
    return try parseOperand()
  }

  /// `AS (…)` with its storage word; `column` is for the message.
  private mutating func parseGenerated(_ column: Name) throws(SQLError) -> ColumnConstraint.Kind {
    try expect(.as)
    let (value, written) = try parseParenthesizedExpression()
    guard token.kind >= .identifier else {
      return .generated(value, textRange: written, isStored: false)
    }
    let storage = try parseName()
    let isStored = storage == Name("stored")
    if !isStored && storage != Name("virtual") {
      report(.sql("error in generated column \"\(column.string)\""))
    }
    return .generated(value, textRange: written, isStored: isStored)
  }

  /// REFERENCES and what belongs to it, DEFERRABLE excepted.
  private mutating func parseReferences() throws(SQLError) -> ForeignKeyClause {
    try expect(.references)
    let table = try parseName()
    let columns = token.kind == .leftParenthesis ? try parseColumnNames() : []
    var onDelete = ForeignKeyAction.noAction, onUpdate = ForeignKeyAction.noAction
    while true {
      if accept(.match) {
        _ = try parseName()
        continue
      }
      guard accept(.on) else { break }
      let event = token.kind
      guard event == .delete || event == .update || event == .insert else { throw syntaxError() }
      advance()
      let action = try parseForeignKeyAction()
      if event == .delete { onDelete = action }
      if event == .update { onUpdate = action }
    }
    let clause = ForeignKeyClause(
      table: table, columns: columns, onDelete: onDelete, onUpdate: onUpdate)
    lastForeignKey = clause
    return clause
  }

  private mutating func parseForeignKeyAction() throws(SQLError) -> ForeignKeyAction {
    if accept(.cascade) { return .cascade }
    if accept(.restrict) { return .restrict }
    if accept(.no) {
      try expect(.action)
      return .noAction
    }
    try expect(.set)
    if accept(.null) { return .setNull }
    try expect(.default)
    return .setDefault
  }

  /// DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE], of the latest foreign key.
  private mutating func parseDeferrable(isNegated: Bool) throws(SQLError) {
    try expect(.deferrable)
    var isDeferred = false
    if accept(.initially) {
      isDeferred = accept(.deferred)
      if !isDeferred { try expect(.immediate) }
    }
    lastForeignKey?.isInitiallyDeferred = isDeferred && !isNegated
  }
}

// Table constraints
extension Parser {
  /// Constraints behind the columns; commas between them are optional.
  private mutating func parseTableConstraints() throws(SQLError) -> [TableConstraint] {
    var constraints: [TableConstraint] = []
    var name: Name?
    var start: Int?
    while true {
      let first = token.start
      if accept(.constraint) {
        start = start ?? first
        name = try parseName()
      } else {
        let kind = try parseTableConstraint()
        constraints.append(
          TableConstraint(kind: kind, name: name, range: range(from: start ?? first)))
        start = nil
      }
      if accept(.comma) {
        name = nil
        start = nil
        guard token.kind.startsTableConstraint else { throw syntaxError() }
      } else if !token.kind.startsTableConstraint {
        return constraints
      }
    }
  }

  private mutating func parseTableConstraint() throws(SQLError) -> TableConstraint.Kind {
    switch token.kind {
    case .primary:
      advance()
      try expect(.key)
      try expect(.leftParenthesis)
      let terms = try parseOrderingTerms()
      let isAutoincrement = accept(.autoincrement)
      try expect(.rightParenthesis)
      let conflict = try parseOnConflict()
      if let error = Parser.explicitNulls(in: terms) { report(error) }
      return .primaryKey(terms, conflict, isAutoincrement: isAutoincrement)
    case .unique:
      advance()
      try expect(.leftParenthesis)
      let terms = try parseOrderingTerms()
      try expect(.rightParenthesis)
      let conflict = try parseOnConflict()
      if let error = Parser.explicitNulls(in: terms) { report(error) }
      return .unique(terms, conflict)
    case .check:
      let (condition, written) = try parseCheck()
      return .check(condition, textRange: written, try parseOnConflict())
    default:
      try expect(.foreign)
      try expect(.key)
      let columns = try parseColumnNames()
      let clause = try parseReferences()
      if token.kind == .deferrable { try parseDeferrable(isNegated: false) }
      if accept(.not) { try parseDeferrable(isNegated: true) }
      return .foreignKey(columns, clause)
    }
  }
}

extension TokenKind {
  fileprivate var startsTableConstraint: Bool {
    switch self {
    case .constraint, .primary, .unique, .check, .foreign: true
    default: false
    }
  }

  /// Begins a literal.
  fileprivate var isDefaultTerm: Bool {
    switch self {
    case .null, .integer, .float, .separatedNumber, .string, .blob, .currentTime, .currentDate,
      .currentTimestamp:
      true
    default: false
    }
  }
}
