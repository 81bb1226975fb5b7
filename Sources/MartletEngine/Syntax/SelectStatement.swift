/// A SELECT with all that belongs to it: WITH, compound parts, ORDER BY, LIMIT.
final class SelectStatement {
  let with: WithClause?
  /// The simple SELECTs or VALUES in order; the first one's operator is meaningless.
  let cores: [SelectCore]
  /// `operators[i]` stands before `cores[i + 1]`.
  let operators: [CompoundOperator]
  let orderBy: [OrderingTerm]
  let limit: Expression?
  let offset: Expression?
  /// First token to last token, without enclosing parentheses.
  let range: ByteRange
  /// Height of the tallest expression in it, FROM left out: what a subquery adds to the height of
  /// the expression that it stands in.
  let height: Int32
  /// The number by which EXPLAIN QUERY PLAN calls it: SELECTs are counted where they end, and a
  /// compound has its last part's.
  let number: Int32

  init(
    with: WithClause?, cores: [SelectCore], operators: [CompoundOperator],
    orderBy: [OrderingTerm], limit: Expression?, offset: Expression?, range: ByteRange,
    height: Int32 = 0, number: Int32 = 0
  ) {
    self.with = with
    self.cores = cores
    self.operators = operators
    self.orderBy = orderBy
    self.limit = limit
    self.offset = offset
    self.range = range
    self.height = height
    self.number = number
  }
}

enum CompoundOperator: UInt8 { case union, unionAll, intersect, except }

enum SelectCore {
  case select(SimpleSelect)
  /// VALUES (…), (…): every row has the same number of items (checked by the parser).
  case values([[Expression]])
}

final class SimpleSelect {
  let isDistinct: Bool
  let columns: [ResultColumn]
  let from: [FromItem]
  let whereClause: Expression?
  let groupBy: [Expression]
  let having: Expression?
  let windows: [(name: Name, definition: WindowDefinition)]

  init(
    isDistinct: Bool, columns: [ResultColumn], from: [FromItem], whereClause: Expression?,
    groupBy: [Expression], having: Expression?,
    windows: [(name: Name, definition: WindowDefinition)]
  ) {
    self.isDistinct = isDistinct
    self.columns = columns
    self.from = from
    self.whereClause = whereClause
    self.groupBy = groupBy
    self.having = having
    self.windows = windows
  }
}

enum ResultColumn {
  case star
  case tableStar(Name)
  /// `textRange` is the expression as written, which names a column without alias.
  case expression(Expression, alias: Name?, textRange: ByteRange)
}

/// One item of FROM and how it joins what stands to its left.
///
/// FROM is a flat list, as in SQLite; a parenthesised join is an item of its own.
final class FromItem {
  enum Source {
    case table(schema: Name?, name: Name, indexed: IndexedBy?)
    case function(schema: Name?, name: Name, arguments: [Expression])
    case select(SelectStatement)
    case join([FromItem])
  }

  enum IndexedBy {
    case indexedBy(Name)
    case notIndexed
  }

  let source: Source
  let alias: Name?
  /// Join with the items before it; `JoinType.inner` for the first.
  let join: JoinType
  let on: Expression?
  let using: [Name]
  let range: ByteRange

  init(
    source: Source, alias: Name?, join: JoinType, on: Expression?, using: [Name], range: ByteRange
  ) {
    self.source = source
    self.alias = alias
    self.join = join
    self.on = on
    self.using = using
    self.range = range
  }
}

/// The words before JOIN; a comma is plain `inner`.
struct JoinType: OptionSet {
  let rawValue: UInt8
  static let inner: JoinType = []
  /// CROSS: the order of the two sides is kept.
  static let cross = JoinType(rawValue: 1)
  static let natural = JoinType(rawValue: 2)
  /// Rows of the left side without a match are kept.
  static let left = JoinType(rawValue: 4)
  /// Rows of the right side without a match are kept. FULL is left and right.
  static let right = JoinType(rawValue: 8)
  /// Written with a comma, not with JOIN: binds as a list (matters for ON after commas).
  static let comma = JoinType(rawValue: 16)
}

final class WithClause {
  let isRecursive: Bool
  let tables: [CommonTable]

  init(isRecursive: Bool, tables: [CommonTable]) {
    self.isRecursive = isRecursive
    self.tables = tables
  }
}

final class CommonTable {
  enum Materialization: UInt8 { case any, materialized, notMaterialized }

  let name: Name
  let columns: [Name]
  let materialization: Materialization
  let select: SelectStatement

  init(
    name: Name, columns: [Name], materialization: Materialization, select: SelectStatement
  ) {
    self.name = name
    self.columns = columns
    self.materialization = materialization
    self.select = select
  }
}
