/// A node of an expression's syntax tree, in the `TreeMemory` of its statement.
///
/// Trees are made by the parser and never change. Names and slices point into the statement's
/// `SQLText`. Parentheses leave no node but widen nothing: `range` is that of the tokens inside.
struct Expression: BitwiseCopyable {
  private struct Node: BitwiseCopyable {
    let kind: Kind
    let range: ByteRange
    let height: Int32
  }

  private let node: UnsafePointer<Node>

  init(_ kind: Kind, range: ByteRange, height: Int32, in memory: TreeMemory) {
    node = UnsafePointer(memory.node(Node(kind: kind, range: range, height: height)))
  }

  var kind: Kind {
    @inline(__always) get { node.pointee.kind }
  }
  /// First byte of the first token to the byte after the last token.
  var range: ByteRange {
    @inline(__always) get { node.pointee.range }
  }
  /// Height of the tree: 1 for a leaf. Bounded by the limit on expression depth.
  var height: Int32 {
    @inline(__always) get { node.pointee.height }
  }

  enum Kind: BitwiseCopyable {
    case null
    /// Digits as written: decimal, hexadecimal or real, `_` separators included.
    case number(ByteSlice)
    /// A string literal without its quotes, doubled quotes undone.
    case string(ByteSlice)
    /// The hexadecimal digits of x'…'.
    case blob(ByteSlice)
    /// CURRENT_TIME, CURRENT_DATE, CURRENT_TIMESTAMP.
    case current(CurrentKind)
    /// `?`, `?NNN`, `:name`, `@name`, `$name`: its number, from 1.
    case parameter(Int32)
    /// A bare name: a column, TRUE or FALSE, or a string in double quotes.
    case identifier(Name)
    case column(table: Name, column: Name)
    case qualifiedColumn(Kept<QualifiedColumn>)
    /// A column of what stands first in FROM, -1 for its rowid: the parser makes none (SQLite's
    /// TK_ROW).
    case columnOfFirstSource(Int32, isKept: Bool)
    case unary(UnaryOperator, Expression)
    case binary(BinaryOperator, Expression, Expression)
    /// `x IS NULL`, `x ISNULL` (isNegated false), `x NOT NULL`, `x NOTNULL`, `x IS NOT NULL` when
    /// the parser saw the literal NULL itself is `.binary(.is…)`; this is the postfix form only.
    case nullTest(Expression, isNegated: Bool)
    case collate(Expression, Name)
    case cast(Expression, type: ByteSlice)
    /// LIKE, GLOB, REGEXP, MATCH: a call of a function with (pattern, text[, escape]).
    case like(Kept<Like>)
    case between(Kept<Between>)
    case inList(Expression, UnsafeBufferPointer<Expression>, isNegated: Bool)
    case inSelect(Expression, SelectStatement, isNegated: Bool)
    /// `x IN table` and `x IN table_function(…)`.
    case inTable(Kept<InTable>)
    case exists(SelectStatement)
    case subquery(SelectStatement)
    /// A column of the row that a subquery gives, of several that SET takes: the parser makes none.
    case subqueryItem(Kept<RowSubquery>, Int32)
    case caseWhen(Kept<Case>)
    case function(Kept<FunctionCall>)
    /// A row value, two or more items.
    case row(UnsafeBufferPointer<Expression>)
    case raise(RaiseKind, message: Expression?)
  }
}

/// A subquery whose row is assigned to several columns.
final class RowSubquery {
  let select: SelectStatement
  let columnCount: Int

  init(_ select: SelectStatement, columnCount: Int) {
    self.select = select
    self.columnCount = columnCount
  }
}

enum CurrentKind: UInt8 {
  case time, date, timestamp

  var keyword: StaticString {
    switch self {
    case .time: "CURRENT_TIME"
    case .date: "CURRENT_DATE"
    case .timestamp: "CURRENT_TIMESTAMP"
    }
  }
}

enum RaiseKind: UInt8 { case ignore, rollback, abort, fail }

enum UnaryOperator: UInt8 { case minus, plus, not, bitNot }

enum BinaryOperator: UInt8 {
  case or, and
  case equal, notEqual, `is`, isNot, isDistinctFrom, isNotDistinctFrom
  case less, lessOrEqual, greater, greaterOrEqual
  case bitAnd, bitOr, shiftLeft, shiftRight
  case add, subtract, multiply, divide, remainder
  case concat
  /// `->` and `->>`, calls of the functions of the same names.
  case extractJSON, extractValue
}

final class QualifiedColumn {
  let schema: Name, table: Name, column: Name

  init(schema: Name, table: Name, column: Name) {
    self.schema = schema
    self.table = table
    self.column = column
  }
}

final class Like {
  enum Operator: UInt8 {
    case like, glob, regexp, match

    /// The function that the operator is a call of.
    var functionName: Name {
      switch self {
      case .like: Name("like")
      case .glob: Name("glob")
      case .regexp: Name("REGEXP")
      case .match: Name("MATCH")
      }
    }
  }

  let `operator`: Operator
  let isNegated: Bool
  let text: Expression, pattern: Expression, escape: Expression?

  init(
    _ operator: Operator, isNegated: Bool, text: Expression, pattern: Expression,
    escape: Expression?
  ) {
    self.operator = `operator`
    self.isNegated = isNegated
    self.text = text
    self.pattern = pattern
    self.escape = escape
  }
}

final class Between {
  let operand: Expression, lower: Expression, upper: Expression
  let isNegated: Bool

  init(_ operand: Expression, lower: Expression, upper: Expression, isNegated: Bool) {
    self.operand = operand
    self.lower = lower
    self.upper = upper
    self.isNegated = isNegated
  }
}

final class InTable {
  let operand: Expression
  let schema: Name?
  let table: Name
  /// Arguments of a table-valued function; nil for a table.
  let arguments: TreeList<Expression>?
  let isNegated: Bool

  init(
    _ operand: Expression, schema: Name?, table: Name, arguments: TreeList<Expression>?,
    isNegated: Bool
  ) {
    self.operand = operand
    self.schema = schema
    self.table = table
    self.arguments = arguments
    self.isNegated = isNegated
  }
}

final class Case {
  let operand: Expression?
  let branches: [(when: Expression, then: Expression)]
  let otherwise: Expression?

  init(
    operand: Expression?, branches: [(when: Expression, then: Expression)], otherwise: Expression?
  ) {
    self.operand = operand
    self.branches = branches
    self.otherwise = otherwise
  }
}

final class FunctionCall {
  let name: Name
  let arguments: TreeList<Expression>
  /// `count(*)`.
  let isStar: Bool
  let isDistinct: Bool
  /// ORDER BY inside the call (lang_aggfunc §1), or that of WITHIN GROUP.
  let orderBy: TreeList<OrderingTerm>
  let filter: Expression?
  let over: WindowReference?

  init(
    name: Name, arguments: TreeList<Expression>, isStar: Bool = false, isDistinct: Bool = false,
    orderBy: TreeList<OrderingTerm> = [], filter: Expression? = nil, over: WindowReference? = nil
  ) {
    self.name = name
    self.arguments = arguments
    self.isStar = isStar
    self.isDistinct = isDistinct
    self.orderBy = orderBy
    self.filter = filter
    self.over = over
  }
}

struct OrderingTerm {
  enum Nulls: UInt8 { case first, last }

  let expression: Expression
  /// nil where neither ASC nor DESC is written.
  let direction: Direction?
  let nulls: Nulls?

  enum Direction: UInt8 { case ascending, descending }

  var isDescending: Bool { direction == .descending }
}

enum WindowReference {
  case named(Name)
  case definition(WindowDefinition)
}

final class WindowDefinition {
  let base: Name?
  let partitionBy: TreeList<Expression>
  let orderBy: TreeList<OrderingTerm>
  let frame: WindowFrame?

  init(
    base: Name?, partitionBy: TreeList<Expression>, orderBy: TreeList<OrderingTerm>,
    frame: WindowFrame?
  ) {
    self.base = base
    self.partitionBy = partitionBy
    self.orderBy = orderBy
    self.frame = frame
  }
}

final class WindowFrame {
  enum Unit: UInt8 { case rows, range, groups }
  /// `none` is what is not written. Written, NO OTHERS excludes nothing either, but sums are made
  /// anew for each row, as in SQLite.
  enum Exclusion: UInt8 { case none, noOthers, currentRow, group, ties }
  enum Bound {
    case unboundedPreceding, currentRow, unboundedFollowing
    case preceding(Expression)
    case following(Expression)
  }

  let unit: Unit
  let start: Bound, end: Bound
  let exclusion: Exclusion

  init(unit: Unit, start: Bound, end: Bound, exclusion: Exclusion) {
    self.unit = unit
    self.start = start
    self.end = end
    self.exclusion = exclusion
  }
}
