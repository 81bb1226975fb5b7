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
    case .like(let like): [like.text, like.pattern] + (like.escape.map { [$0] } ?? [])
    case .between(let between): [between.operand, between.lower, between.upper]
    case .inList(let operand, let items, _): [operand] + items
    case .inTable(let item): [item.operand] + (item.arguments ?? [])
    case .caseWhen(let branches):
      (branches.operand.map { [$0] } ?? []) + branches.branches.flatMap { [$0.when, $0.then] }
        + (branches.otherwise.map { [$0] } ?? [])
    case .function(let call):
      call.arguments + call.orderBy.map(\.expression) + (call.filter.map { [$0] } ?? [])
    case .row(let items): items
    case .raise(_, let message): message.map { [$0] } ?? []
    }
  }
}
