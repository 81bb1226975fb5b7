/// A SELECT whose names are resolved.
final class BoundSelect {
  /// Unique in the statement.
  let id: Int
  let body: Body
  /// Names, affinities and origins of the result's columns: those of the first part of a compound.
  let columns: [BoundResultColumn]
  /// For a compound, every term has a `resultColumn`.
  let orderBy: [BoundOrderingTerm]
  let limit: BoundExpression?
  let offset: BoundExpression?
  /// Uses columns, or aggregates, of a SELECT around it.
  let isCorrelated: Bool
  /// First to last token; what EXPLAIN QUERY PLAN and views need of the text.
  let isDistinct: Bool
  /// What EXPLAIN QUERY PLAN calls it (`SelectStatement.number`).
  @exclusivity(unchecked) var number: Int32 = 0
  /// The highest such number given when this SELECT was bound.
  @exclusivity(unchecked) var highestNumber: Int32 = 0

  enum Body {
    case simple(BoundSimpleSelect)
    /// Rows of VALUES.
    case values([[BoundExpression]])
    /// Two or more parts without ORDER BY or LIMIT of their own; `operators[i]` stands before
    /// `parts[i + 1]`. `collations` are those in which the columns of the parts compare.
    case compound([BoundSelect], [CompoundOperator], collations: [Collation])
    /// A recursive common table.
    case recursive(BoundRecursion)
    /// The row of a recursive common table that a step of it works on.
    case currentRow(ofRecursion: Int)
  }

  var isRecursive: Bool {
    if case .recursive = body { return true }
    return false
  }

  init(
    id: Int, body: Body, columns: [BoundResultColumn], orderBy: [BoundOrderingTerm],
    limit: BoundExpression?, offset: BoundExpression?, isCorrelated: Bool, isDistinct: Bool
  ) {
    self.id = id
    self.body = body
    self.columns = columns
    self.orderBy = orderBy
    self.limit = limit
    self.offset = offset
    self.isCorrelated = isCorrelated
    self.isDistinct = isDistinct
  }
}

/// A recursive common table: rows of the setup go into a queue; each row that is taken out of it is
/// a row of the result, and what the step makes of it goes into the queue (lang_with §3).
final class BoundRecursion {
  /// That of the SELECT whose body this is.
  let id: Int
  let setup: BoundSelect
  let step: BoundSelect
  /// Rows that were in the queue before are dropped.
  let isDistinct: Bool
  let collations: [Collation]

  init(
    id: Int, setup: BoundSelect, step: BoundSelect, isDistinct: Bool, collations: [Collation]
  ) {
    self.id = id
    self.setup = setup
    self.step = step
    self.isDistinct = isDistinct
    self.collations = collations
  }
}

final class BoundSimpleSelect {
  let sources: [BoundSource]
  let whereClause: BoundExpression?
  let groupBy: [BoundExpression]
  let having: BoundExpression?
  /// Aggregates that run over this SELECT's rows, in order of appearance.
  let aggregates: [BoundAggregate]
  /// Has GROUP BY or aggregates.
  let isAggregate: Bool
  /// Window functions over the rows of the only source; there is no other clause then.
  let window: BoundWindowStep?
  /// Of the parts that `isMerge` joins in WHERE, the `mergeLevel` of the subquery each comes from.
  @exclusivity(unchecked) var whereLevels: [Int32] = [0]

  init(
    sources: [BoundSource], whereClause: BoundExpression?, groupBy: [BoundExpression] = [],
    having: BoundExpression? = nil, aggregates: [BoundAggregate] = [], isAggregate: Bool = false,
    window: BoundWindowStep? = nil
  ) {
    self.sources = sources
    self.whereClause = whereClause
    self.groupBy = groupBy
    self.having = having
    self.aggregates = aggregates
    self.isAggregate = isAggregate
    self.window = window
  }
}

/// A column of a SELECT's result.
struct BoundResultColumn {
  let expression: BoundExpression
  /// The column's name as SQLite gives it (`sqlite3_column_name`); of a subquery in FROM, the name
  /// by which the query around it knows the column. Points into the statement or the schema.
  let label: Name
  /// What a reference to the column from around a subquery gets: for a compound not always what
  /// `expression` has.
  let affinity: Affinity
  let collation: Collation?
  /// The table whose column this is without any change, and the column (-1 for the rowid).
  let originTable: Table?
  let originColumn: Int32
  /// `label` was written as an alias, or put there by `*`: clauses of the SELECT may use it.
  var isAlias = false

  var name: String { label.string }
}

/// An item of FROM. The conditions of NATURAL and USING are in `on`.
final class BoundSource {
  enum Kind {
    case table(Table)
    /// A subquery, a view or a common table expression.
    case subquery(BoundSelect)
  }

  enum IndexChoice {
    case any
    case none
    case index(Index)
  }

  /// A column of a parenthesised join that is bound as a subquery: names may still say which of
  /// the tables inside they mean.
  struct NestedColumn {
    /// -1 where the table belongs to no database.
    let databaseIndex: Int
    /// Empty for the one column that stands for those joined by USING.
    let table: Name
    let column: Name
    let isRowid: Bool
    /// Joined by USING inside: `*` around shows the one column in place of these.
    let isHiddenFromStar: Bool
  }

  let id: SourceID
  @exclusivity(unchecked) private(set) var kind: Kind
  var isTemporaryTable: Bool {
    if case .table(let table) = kind { return table.databaseIndex == 1 }
    return false
  }
  /// Where the statement's trees lie.
  unowned(unsafe) let memory: TreeMemory
  /// The alias, or else the table's name as written.
  let label: Name
  let hasAlias: Bool
  /// The schema's name, where one is written and there is no alias.
  let schemaLabel: Name?
  /// Database of a table or view; -1 for others, which no schema name can mean.
  let databaseIndex: Int
  let join: JoinType
  let indexedBy: IndexChoice
  /// Columns of USING and NATURAL.
  @exclusivity(unchecked) var using: [Name] = []
  @exclusivity(unchecked) var nested: [NestedColumn] = []
  /// The common table expression that a subquery comes from.
  @exclusivity(unchecked) var commonTable: CommonTable?
  /// ON, or the equalities of USING and NATURAL. For an inner join it is as good as WHERE. Set
  /// while the SELECT is bound, never after.
  @exclusivity(unchecked) var on: BoundExpression?
  /// Of a table-valued function: its hidden columns are equal to its arguments. A part of `on`.
  @exclusivity(unchecked) var arguments: BoundExpression?
  /// Columns that the statement reads: bit n for column n below 63, bit 63 for all above.
  @exclusivity(unchecked) var usedColumns: UInt64 = 0
  /// The statement reads the rowid (as rowid, or through the column that is it).
  @exclusivity(unchecked) var usesRowid = false
  /// Values of the virtual generated columns that the statement reads, without the column's
  /// affinity, which is applied to them.
  @exclusivity(unchecked) var virtualColumns: [(column: Int32, expression: BoundExpression)] = []
  /// The subquery is not as its view or common table says any more: a rewrite changed it.
  @exclusivity(unchecked) var isChanged = false
  /// The columns are registers without affinity and collation, as `excluded` in SQLite.
  @exclusivity(unchecked) var isPlain = false
  /// The authorizer is asked about columns that are read.
  @exclusivity(unchecked) var isAsked = true
  /// The row OLD or NEW of a trigger, whose columns have collations but no affinity.
  @exclusivity(unchecked) var isTriggerRow = false
  /// For a view, its name.
  @exclusivity(unchecked) var viewName: Name?
  /// How FROM names it, if an authorizer is asked.
  @exclusivity(unchecked) var written: WrittenName?
  /// The source comes from an EXISTS in WHERE: one match is enough.
  @exclusivity(unchecked) var isExists = false
  /// The merge that `on` comes from, 0 for what the SELECT itself says. What a subquery says stands
  /// before all that was there when it was merged.
  @exclusivity(unchecked) var mergeLevel: Int32 = 0
  /// Whatever the join is, ON counts as that of an outer join: it was the WHERE of a subquery that
  /// was merged on the left of a RIGHT JOIN.
  @exclusivity(unchecked) var hasOuterCondition = false
  /// What the source's indexes have of expressions and conditions.
  @exclusivity(unchecked) var indexExpressions: [IndexExpressions] = []

  /// A table as the statement says it; what the schema says belongs to the schema's own database.
  struct WrittenName {
    let name: Name
    let database: Name?
  }

  /// Gives the rows of the same view, bound another time.
  func takeRows(of other: BoundSource) { kind = other.kind }

  /// The expressions of one index, bound to one source.
  struct IndexExpressions {
    let index: Index
    /// For each key column, its expression, nil where it is a column of the table.
    let columns: [BoundExpression?]
    /// WHERE of a partial index.
    let condition: BoundExpression?
    let hasExpressions: Bool
  }

  /// The row of a recursive common table that a step works on.
  var isCurrentRow: Bool {
    if case .subquery(let select) = kind, case .currentRow = select.body { return true }
    return false
  }

  /// The statement reads the column. SQLite counts a generated column as all columns: an index
  /// seldom covers that (sqlite3ExprColUsed).
  @inline(__always)
  func noteUse(of column: Int32) {
    usedColumns |= 1 << UInt64(min(column, 63))
    if case .table(let table) = kind, table.columns[Int(column)].generated != nil {
      usedColumns |= table.columns.count >= 64 ? .max : 1 << UInt64(table.columns.count) &- 1
    }
  }

  /// What EXPLAIN QUERY PLAN calls the source.
  var name: String {
    if let schemaLabel { return schemaLabel.string + "." + label.string }
    return label.string
  }

  init(
    id: SourceID, kind: Kind, label: Name, hasAlias: Bool, schemaLabel: Name? = nil,
    databaseIndex: Int, join: JoinType, indexedBy: IndexChoice = .any, in memory: TreeMemory
  ) {
    self.memory = memory
    self.id = id
    self.kind = kind
    self.label = label
    self.hasAlias = hasAlias
    self.schemaLabel = schemaLabel
    self.databaseIndex = databaseIndex
    self.join = join
    self.indexedBy = indexedBy
  }
}

/// What `Bind` makes of a statement.
enum BoundStatement {
  case select(BoundSelect)
  case insert(BoundInsert)
  case update(BoundUpdate)
  case delete(BoundDelete)
  case pragma(PragmaStatement)
  case vacuum(database: Int, into: BoundExpression?)
  case begin(TransactionKind)
  case commit
  case rollback
  case savepoint(SavepointChange, Name)
  /// What the connection does itself, on arguments that are computed when it runs.
  case command(ConnectionCommand, [BoundExpression])
}
