// Arguments of ATTACH and DETACH (lang_attach).

extension Binder {
  /// Expressions outside any query. A bare name is a string; what is left out is NULL.
  func bindNames(_ expressions: [Expression?]) throws(SQLError) -> [BoundExpression] {
    let scope = Scope(outer: nil, selectID: newSelectID())
    var bound: [BoundExpression] = []
    for expression in expressions {
      switch expression?.kind {
      case nil: bound.append(null())
      case .identifier(let name):
        let text = ByteSlice(start: name.start, count: Int(name.count))
        bound.append(BoundExpression(.text(text), affinity: .none, traits: []))
      default:
        if let expression { bound.append(try bindScalar(expression, scope)) }
      }
    }
    try throwPostponedError()
    return bound
  }
}
