extension Expression {
  /// The expressions of which this one is made, those of its subqueries left out.
  var operands: [Expression] {
    switch kind {
    case .null, .number, .string, .blob, .current, .parameter, .identifier, .column,
      .qualifiedColumn, .exists, .subquery:
      []
    case .unary(_, let operand), .nullTest(let operand, _), .collate(let operand, _),
      .cast(let operand, _), .inSelect(let operand, _, _):
      [operand]
    case .binary(_, let left, let right): [left, right]
    case .like(let like): like.object.operands
    case .between(let between):
      [between.object.operand, between.object.lower, between.object.upper]
    case .inList(let operand, let items, _): [operand] + Array(items)
    case .inTable(let item): [item.object.operand] + (item.object.arguments ?? [])
    case .caseWhen(let branches): branches.object.operands
    case .function(let call): call.object.operands
    case .row(let items): Array(items)
    case .raise(_, let message): message.map { [$0] } ?? []
    }
  }
}

extension Like {
  fileprivate var operands: [Expression] { [text, pattern] + (escape.map { [$0] } ?? []) }
}

extension Case {
  fileprivate var operands: [Expression] {
    (operand.map { [$0] } ?? []) + branches.flatMap { [$0.when, $0.then] }
      + (otherwise.map { [$0] } ?? [])
  }
}

extension FunctionCall {
  fileprivate var operands: [Expression] {
    arguments + orderBy.map(\.expression) + (filter.map { [$0] } ?? [])
  }
}
