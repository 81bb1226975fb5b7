// What the emitters ask of functions.

extension ScalarFunction {
  /// Functions that are compiled to jumps, or to nothing.
  enum InlineKind { case coalesce, iif, firstArgument, withoutSubtype }

  var inlineKind: InlineKind? {
    guard flags.contains(.inline) else { return nil }
    switch name {
    case "coalesce", "ifnull": return .coalesce
    case "iif", "if": return .iif
    case "": return .withoutSubtype
    default: return .firstArgument
    }
  }

  /// What a column that is the argument must load: length() and typeof() look at the header alone.
  var columnFlags: ColumnFlags? {
    guard flags.contains(.headerOnly) else { return nil }
    switch name {
    case "typeof": return .typeOnly
    case "octet_length": return .byteLengthOnly
    default: return .lengthOnly
    }
  }
}

extension AggregateFunction {
  enum MinMaxKind { case min, max }

  var minMaxKind: MinMaxKind? {
    switch kind {
    case .minimum: .min
    case .maximum: .max
    default: nil
    }
  }

  var isCount: Bool { kind == .count }
}

extension BoundExpression {
  /// Calls `body` for the columns that are read outside the aggregates of SELECT `selectID`, those
  /// in subqueries included.
  func forEachColumnOutsideAggregates(of selectID: Int, _ body: (SourceID, Int32) -> Void) {
    walk { node in
      switch node.kind {
      case .aggregate(let aggregate) where aggregate.selectID == selectID: return false
      case .column(let source, let column):
        body(source, column)
        return false
      default:
        node.ownSubquery?.forEachExpression {
          $0.forEachColumnOutsideAggregates(of: selectID, body)
        }
        return true
      }
    }
  }
}
