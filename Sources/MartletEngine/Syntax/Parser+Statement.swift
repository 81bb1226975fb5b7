// The kinds of statements, and those that are short.

extension Parser {
  @inline(__always)
  mutating func parseStatement() throws(SQLError) -> StatementSyntax {
    if token.kind == .select || token.kind == .values { return .select(try parseSelect()) }
    return try parseOtherStatement()
  }

  @inline(never)
  private mutating func parseOtherStatement() throws(SQLError) -> StatementSyntax {
    switch token.kind {
    case .with: return try parseStatementWith()
    case .insert, .replace: return try parseInsert(with: nil)
    case .update: return try parseUpdate(with: nil)
    case .delete: return try parseDelete(with: nil)
    case .create: return try parseCreate()
    case .drop: return try parseDrop()
    case .alter: return try parseAlter()
    case .begin: return try parseBegin()
    case .commit, .end:
      advance()
      try parseTransactionName()
      return .commit
    case .rollback: return try parseRollback()
    case .savepoint:
      advance()
      return .savepoint(try parseName())
    case .release:
      advance()
      _ = accept(.savepoint)
      return .release(try parseName())
    case .attach: return try parseAttach()
    case .detach:
      advance()
      _ = accept(.database)
      return .detach(try parseExpression())
    case .pragma: return try parsePragma()
    case .vacuum: return try parseVacuum()
    case .analyze:
      let target = try parseOptionalTarget()
      return .analyze(schema: target?.schema, name: target?.name)
    case .reindex:
      let target = try parseOptionalTarget()
      return .reindex(schema: target?.schema, name: target?.name)
    default: throw syntaxError()
    }
  }

  private mutating func parseStatementWith() throws(SQLError) -> StatementSyntax {
    let start = token.start
    let with = try parseWith()
    switch token.kind {
    case .insert, .replace: return try parseInsert(with: with)
    case .update: return try parseUpdate(with: with)
    case .delete: return try parseDelete(with: with)
    default: return .select(try parseSelect(with: with, start))
    }
  }

  /// BEGIN [DEFERRED | IMMEDIATE | EXCLUSIVE] [TRANSACTION [name]].
  private mutating func parseBegin() throws(SQLError) -> StatementSyntax {
    advance()
    var kind = TransactionKind.deferred
    switch token.kind {
    case .deferred: advance()
    case .immediate:
      advance()
      kind = .immediate
    case .exclusive:
      advance()
      kind = .exclusive
    default: break
    }
    try parseTransactionName()
    return .begin(kind)
  }

  /// TRANSACTION and a name that means nothing, both optional.
  private mutating func parseTransactionName() throws(SQLError) {
    guard accept(.transaction), token.kind.isName else { return }
    advance()
  }

  private mutating func parseRollback() throws(SQLError) -> StatementSyntax {
    advance()
    try parseTransactionName()
    guard accept(.to) else { return .rollback(to: nil) }
    _ = accept(.savepoint)
    return .rollback(to: try parseName())
  }

  private mutating func parseAttach() throws(SQLError) -> StatementSyntax {
    advance()
    _ = accept(.database)
    let file = try parseExpression()
    try expect(.as)
    let schema = try parseExpression()
    let key = accept(.key) ? try parseExpression() : nil
    return .attach(file: file, schema: schema, key: key)
  }

  private mutating func parseVacuum() throws(SQLError) -> StatementSyntax {
    advance()
    let schema = token.kind.isName ? try parseName() : nil
    let file = accept(.into) ? try parseExpression() : nil
    return .vacuum(schema: schema, into: file)
  }

  /// The name behind ANALYZE or REINDEX, if there is one.
  private mutating func parseOptionalTarget() throws(SQLError) -> QualifiedName? {
    advance()
    return token.kind.isName ? try parseQualifiedName() : nil
  }

  /// PRAGMA name, name = value, name(value) (pragma §1).
  private mutating func parsePragma() throws(SQLError) -> StatementSyntax {
    advance()
    let name = try parseQualifiedName()
    var value: PragmaStatement.Value?
    if accept(.equal) {
      value = .text(try parsePragmaValue())
    } else if accept(.leftParenthesis) {
      value = .text(try parsePragmaValue())
      try expect(.rightParenthesis)
    }
    return .pragma(PragmaStatement(schema: name.schema, name: name.name, value: value))
  }

  /// A number with or without sign, a name, ON, DELETE or DEFAULT. A plus is left out, a minus
  /// stands directly before its number whatever was between them.
  private mutating func parsePragmaValue() throws(SQLError) -> ByteSlice {
    let first = token
    switch first.kind {
    case .plus, .minus:
      advance()
      let number = token
      guard number.kind == .integer || number.kind == .float else { throw syntaxError() }
      advance()
      if first.kind == .plus { return slice(number.start, number.end) }
      if first.end == number.start { return slice(first.start, number.end) }
      return try negated(number)
    case .integer, .float, .on, .delete, .default:
      advance()
      return slice(first.start, first.end)
    default:
      let name = try parseName()
      return ByteSlice(start: name.start, count: Int(name.count))
    }
  }

  private mutating func negated(_ number: Token) throws(SQLError) -> ByteSlice {
    let count = number.end &- number.start
    let copy = try text.allocateUnescaped(count &+ 1)
    copy[0] = UInt8(ascii: "-")
    Memory.copy(from: text.start + number.start, to: copy + 1, count)
    return ByteSlice(start: UnsafePointer(copy), count: count &+ 1)
  }
}
