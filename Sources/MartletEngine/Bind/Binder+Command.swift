// Transactions, and the arguments of ATTACH and DETACH (lang_attach).

extension Binder {
  func bindTransaction(_ statement: StatementSyntax) throws(SQLError) -> BoundStatement {
    switch statement {
    case .begin(let kind):
      try authorizer?.require(.transaction, "BEGIN")
      return .begin(kind)
    case .commit:
      try authorizer?.require(.transaction, "COMMIT")
      return .commit
    case .rollback(to: nil):
      try authorizer?.require(.transaction, "ROLLBACK")
      return .rollback
    case .rollback(to: let name?):
      try authorizer?.require(.savepoint, "ROLLBACK", name.string)
      return .savepoint(.rollback, name)
    case .savepoint(let name):
      try authorizer?.require(.savepoint, "BEGIN", name.string)
      return .savepoint(.begin, name)
    case .release(let name):
      try authorizer?.require(.savepoint, "RELEASE", name.string)
      return .savepoint(.release, name)
    case .attach(let file, let schema, let key):
      let arguments = try bindNames([file, schema, key])
      try authorizer?.require(.attach, arguments[0].literalText)
      return .command(.attach, arguments)
    case .detach(let schema):
      let arguments = try bindNames([schema])
      try authorizer?.require(.detach, arguments[0].literalText)
      return .command(.detach, arguments)
    default: throw SQLError(.internal)
    }
  }

  /// Expressions outside any query. A bare name is a string; what is left out is NULL.
  func bindNames(_ expressions: [Expression?]) throws(SQLError) -> [BoundExpression] {
    let scope = Scope(outer: nil, selectID: newSelectID())
    var bound: [BoundExpression] = []
    for expression in expressions {
      switch expression?.kind {
      case nil: bound.append(null())
      case .identifier(let name):
        let text = ByteSlice(start: name.start, count: Int(name.count))
        bound.append(BoundExpression(.text(text), affinity: .none, traits: [], in: memory))
      default:
        if let expression { bound.append(try bindScalar(expression, scope)) }
      }
    }
    try throwPostponedError()
    return bound
  }
}

extension BoundExpression {
  fileprivate var literalText: String? {
    if case .text(let bytes) = kind { return bytes.string }
    return nil
  }
}
