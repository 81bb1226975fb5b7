@testable import MartletEngine

/// Parses the first statement of `sql`.
func parse(_ sql: String) throws -> ParsedStatement? {
  try Parser.parse(try makeText(sql))
}

func makeText(_ sql: String) throws -> SQLText {
  let bytes = Array(sql.utf8)
  return try bytes.withUnsafeBufferPointer { (buffer) throws(SQLError) in
    try SQLText(copying: buffer)
  }
}

/// The error that parsing gives, or nil.
func parseError(_ sql: String) -> SQLError? {
  do {
    _ = try parse(sql)
    return nil
  } catch {
    return error as? SQLError
  }
}

/// The first result column of a SELECT, every operator in parentheses.
func tree(of expression: String) throws -> String {
  guard let parsed = try parse("SELECT " + expression),
    case .select(let select) = parsed.statement, case .select(let core) = select.cores[0],
    case .expression(let node, _, _) = core.columns[0]
  else { return "no expression" }
  return withExtendedLifetime(parsed) { render(node, parsed.text) }
}

private func render(_ node: Expression, _ text: SQLText) -> String {
  func sub(_ child: Expression) -> String { render(child, text) }
  switch node.kind {
  case .unary(let unary, let operand): return "(\(unary) \(sub(operand)))"
  case .binary(let binary, let left, let right):
    return "(\(sub(left)) \(binary) \(sub(right)))"
  case .nullTest(let operand, let isNegated):
    return "(\(sub(operand)) \(isNegated ? "notnull" : "isnull"))"
  case .collate(let operand, let name): return "(\(sub(operand)) collate \(name.string))"
  case .like(let kept):
    let like = kept.object
    let escape = like.escape.map { " escape \(sub($0))" } ?? ""
    let not = like.isNegated ? "not " : ""
    return "(\(sub(like.text)) \(not)\(like.operator) \(sub(like.pattern))\(escape))"
  case .between(let kept):
    let between = kept.object
    return
      "(\(sub(between.operand)) between \(sub(between.lower)) and \(sub(between.upper)))"
  case .inList(let operand, let items, let isNegated):
    let list = items.map(sub).joined(separator: ",")
    return "(\(sub(operand)) \(isNegated ? "not in" : "in") [\(list)])"
  case .row(let items): return "row(\(items.map(sub).joined(separator: ",")))"
  default: return text.string(node.range)
  }
}
