extension Expression {
  /// SQLite's parser knows that it is false (EP_IsFalse): the literal 0, a test whether another
  /// literal is NULL, a search in an empty list.
  var isAlwaysFalse: Bool {
    switch kind {
    case .number(let digits):
      // Decimal or hexadecimal, with separators.
      let isHex = digits.count > 2 && digits.start[1] | 0x20 == UInt8(ascii: "x")
      return digits.buffer.dropFirst(isHex ? 2 : 0).allSatisfy {
        $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "_")
      }
    case .inList(_, let items, isNegated: false): return items.isEmpty
    case .nullTest, .binary: return literalNullTest == false
    default: return false
    }
  }

  /// It is the name of a column, and nothing else.
  var isColumn: Bool {
    switch kind {
    case .identifier, .column, .qualifiedColumn: true
    default: false
    }
  }

  /// A function is called in it, outside subqueries (EP_HasFunc).
  var hasCall: Bool {
    var waiting = [self]
    while let node = waiting.popLast() {
      switch node.kind {
      case .function, .like, .current, .binary(.extractJSON, _, _), .binary(.extractValue, _, _):
        return true
      default: waiting.append(contentsOf: node.operands)
      }
    }
    return false
  }

  /// A literal that is not NULL stands in it, outside subqueries.
  var hasValueLiteral: Bool {
    var waiting = [self]
    while let node = waiting.popLast() {
      if node.isValueLiteral { return true }
      waiting.append(contentsOf: node.operands)
    }
    return false
  }

  /// What a test whether a literal is NULL gives, as SQLite's parser sees it.
  var literalNullTest: Bool? {
    switch kind {
    case .nullTest(let operand, let isNegated): operand.isValueLiteral ? isNegated : nil
    case .binary(.is, let operand, let null), .binary(.isNotDistinctFrom, let operand, let null):
      null.isNull && operand.isValueLiteral ? false : nil
    case .binary(.isNot, let operand, let null), .binary(.isDistinctFrom, let operand, let null):
      null.isNull && operand.isValueLiteral ? true : nil
    default: nil
    }
  }

  private var isNull: Bool {
    if case .null = kind { return true }
    return false
  }

  /// A literal that is not NULL, signs included.
  private var isValueLiteral: Bool {
    switch kind {
    case .number, .string, .blob: true
    case .unary(.minus, let operand), .unary(.plus, let operand): operand.isValueLiteral
    default: false
    }
  }

  /// The expressions of which this one is made, those of its subqueries left out.
  var operands: [Expression] {
    switch kind {
    case .null, .number, .string, .blob, .current, .parameter, .identifier, .column,
      .qualifiedColumn, .columnOfFirstSource, .exists, .subquery, .subqueryItem:
      []
    case .unary(_, let operand), .nullTest(let operand, _), .collate(let operand, _),
      .cast(let operand, _), .inSelect(let operand, _, _):
      [operand]
    case .binary(_, let left, let right): [left, right]
    case .like(let like): like.object.operands
    case .between(let between):
      [between.object.operand, between.object.lower, between.object.upper]
    case .inList(let operand, let items, _): [operand] + Array(items)
    case .inTable(let item): [item.object.operand] + Array(item.object.arguments ?? [])
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
