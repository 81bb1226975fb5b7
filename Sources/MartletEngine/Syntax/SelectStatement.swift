/// A SELECT with all that belongs to it: WITH, compound parts, ORDER BY, LIMIT.
typealias SelectStatement = TreeNode<SelectContent>

struct SelectContent: BitwiseCopyable {
  fileprivate let keptWith: Kept<WithClause>?
  /// The simple SELECTs or VALUES in order; the first one's operator is meaningless.
  let cores: TreeList<SelectCore>
  /// `operators[i]` stands before `cores[i + 1]`.
  let operators: TreeList<CompoundOperator>
  let orderBy: TreeList<OrderingTerm>
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

  var with: WithClause? { keptWith?.object }
}

extension SelectStatement {
  init(
    with: WithClause?, cores: some Collection<SelectCore>,
    operators: some Collection<CompoundOperator>, orderBy: TreeList<OrderingTerm>,
    limit: Expression?, offset: Expression?, range: ByteRange, height: Int32 = 0,
    number: Int32 = 0, in memory: TreeMemory
  ) {
    self.init(
      SelectContent(
        keptWith: with.map { Kept($0, in: memory) }, cores: TreeList(keeping: cores, in: memory),
        operators: TreeList(keeping: operators, in: memory), orderBy: orderBy, limit: limit,
        offset: offset, range: range, height: height, number: number),
      in: memory)
  }

  func withoutOrder(in memory: TreeMemory) -> SelectStatement {
    if self.orderBy.isEmpty { return self }
    return SelectStatement(
      with: self.with, cores: self.cores, operators: self.operators, orderBy: [],
      limit: self.limit, offset: self.offset, range: self.range, height: self.height,
      number: self.number, in: memory)
  }
}

enum CompoundOperator: UInt8, BitwiseCopyable { case union, unionAll, intersect, except }

enum SelectCore: BitwiseCopyable {
  case select(SimpleSelect)
  /// VALUES (…), (…): every row has the same number of items (checked by the parser).
  case values(TreeList<TreeList<Expression>>)
}

typealias SimpleSelect = TreeNode<SimpleContent>

struct SimpleContent: BitwiseCopyable {
  let isDistinct: Bool
  let columns: TreeList<ResultColumn>
  let from: TreeList<FromItem>
  let whereClause: Expression?
  let groupBy: TreeList<Expression>
  let having: Expression?
  let windows: TreeList<NamedWindow>
}

/// An item of the WINDOW clause.
struct NamedWindow: BitwiseCopyable {
  let name: Name
  private let kept: Kept<WindowDefinition>

  init(_ name: Name, _ definition: WindowDefinition, in memory: TreeMemory) {
    self.name = name
    kept = Kept(definition, in: memory)
  }

  var definition: WindowDefinition { kept.object }
}

extension SimpleSelect {
  init(
    isDistinct: Bool, columns: some Collection<ResultColumn>, from: some Collection<FromItem>,
    whereClause: Expression?, groupBy: TreeList<Expression>, having: Expression?,
    windows: TreeList<NamedWindow>, in memory: TreeMemory
  ) {
    self.init(
      SimpleContent(
        isDistinct: isDistinct, columns: TreeList(keeping: columns, in: memory),
        from: TreeList(keeping: from, in: memory), whereClause: whereClause, groupBy: groupBy,
        having: having, windows: windows),
      in: memory)
  }
}

enum ResultColumn: BitwiseCopyable {
  case star
  case tableStar(Name)
  /// `textRange` is the expression as written, which names a column without alias.
  case expression(Expression, alias: Name?, textRange: ByteRange)
}

/// One item of FROM and how it joins what stands to its left.
///
/// FROM is a flat list, as in SQLite; a parenthesised join is an item of its own.
typealias FromItem = TreeNode<FromContent>

struct FromContent: BitwiseCopyable {
  enum Source: BitwiseCopyable {
    case table(schema: Name?, name: Name, indexed: IndexedBy?)
    case function(schema: Name?, name: Name, arguments: TreeList<Expression>)
    case select(SelectStatement)
    case join(TreeList<FromItem>)
  }

  enum IndexedBy: BitwiseCopyable {
    case indexedBy(Name)
    case notIndexed
  }

  let source: Source
  let alias: Name?
  /// Join with the items before it; `JoinType.inner` for the first.
  let join: JoinType
  let on: Expression?
  let using: TreeList<Name>
  let range: ByteRange
  /// The table that UPDATE or DELETE changes, which is no common table.
  let isTarget: Bool
}

extension FromItem {
  init(
    source: FromContent.Source, alias: Name?, join: JoinType, on: Expression?,
    using: some Collection<Name>, range: ByteRange, isTarget: Bool = false, in memory: TreeMemory
  ) {
    self.init(
      FromContent(
        source: source, alias: alias, join: join, on: on,
        using: TreeList(keeping: using, in: memory), range: range, isTarget: isTarget),
      in: memory)
  }
}

/// The words before JOIN; a comma is plain `inner`.
struct JoinType: OptionSet, BitwiseCopyable {
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
