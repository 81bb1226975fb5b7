/// A SELECT whose names are resolved.
typealias BoundSelect = TreeNode<BoundSelectContent>

struct BoundSelectContent: BitwiseCopyable {
  /// Unique in the statement.
  let id: Int
  private let stored: StoredBody
  /// Names, affinities and origins of the result's columns: those of the first part of a compound.
  let columns: TreeList<BoundResultColumn>
  /// For a compound, every term has a `resultColumn`.
  let orderBy: TreeList<BoundOrderingTerm>
  let limit: BoundExpression?
  let offset: BoundExpression?
  /// Uses columns, or aggregates, of a SELECT around it.
  let isCorrelated: Bool
  /// First to last token; what EXPLAIN QUERY PLAN and views need of the text.
  let isDistinct: Bool
  /// What EXPLAIN QUERY PLAN calls it (`SelectStatement.number`).
  var number: Int32 = 0
  /// The highest such number given when this SELECT was bound.
  var highestNumber: Int32 = 0
  /// Rows of VALUES that SQLite takes from a co-routine: nothing is known of their columns.
  var isCoroutine = false
  /// Of the rows of VALUES, the one that SQLite would have as its last part: the last row, or the
  /// first of the co-routine that ends them.
  var typingRow = 0
  /// The rows of a window, which show the order of what they are taken from.
  var showsOrderOfSources = false
  /// Where it lies, and copies of it should.
  let memory: TreeMemory

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

  /// `Body` as it is kept: what is no plain data is in objects.
  private enum StoredBody: BitwiseCopyable {
    case simple(BoundSimpleSelect)
    case values(Kept<BoundValues>)
    case compound(Kept<BoundCompound>)
    case recursive(Kept<BoundRecursion>)
    case currentRow(ofRecursion: Int)

    init(_ body: Body, in memory: TreeMemory) {
      switch body {
      case .simple(let simple): self = .simple(simple)
      case .values(let rows): self = .values(Kept(BoundValues(rows), in: memory))
      case .compound(let parts, let operators, let collations):
        self = .compound(Kept(BoundCompound(parts, operators, collations), in: memory))
      case .recursive(let recursion): self = .recursive(Kept(recursion, in: memory))
      case .currentRow(let recursion): self = .currentRow(ofRecursion: recursion)
      }
    }
  }

  var body: Body {
    switch stored {
    case .simple(let simple): .simple(simple)
    case .values(let values): .values(values.object.rows)
    case .compound(let compound):
      .compound(
        compound.object.parts, compound.object.operators, collations: compound.object.collations)
    case .recursive(let recursion): .recursive(recursion.object)
    case .currentRow(let recursion): .currentRow(ofRecursion: recursion)
    }
  }

  var isRecursive: Bool {
    if case .recursive = stored { return true }
    return false
  }

  init(
    id: Int, body: Body, columns: TreeList<BoundResultColumn>,
    orderBy: TreeList<BoundOrderingTerm>, limit: BoundExpression?, offset: BoundExpression?,
    isCorrelated: Bool, isDistinct: Bool, in memory: TreeMemory
  ) {
    self.id = id
    stored = StoredBody(body, in: memory)
    self.columns = columns
    self.orderBy = orderBy
    self.limit = limit
    self.offset = offset
    self.isCorrelated = isCorrelated
    self.isDistinct = isDistinct
    self.memory = memory
  }
}

private final class BoundValues {
  let rows: [[BoundExpression]]

  init(_ rows: [[BoundExpression]]) { self.rows = rows }
}

private final class BoundCompound {
  let parts: [BoundSelect]
  let operators: [CompoundOperator]
  let collations: [Collation]

  init(_ parts: [BoundSelect], _ operators: [CompoundOperator], _ collations: [Collation]) {
    self.parts = parts
    self.operators = operators
    self.collations = collations
  }
}

extension BoundSelect {
  init(
    id: Int, body: BoundSelectContent.Body, columns: some Collection<BoundResultColumn>,
    orderBy: some Collection<BoundOrderingTerm>, limit: BoundExpression?,
    offset: BoundExpression?, isCorrelated: Bool, isDistinct: Bool, in memory: TreeMemory
  ) {
    self.init(
      BoundSelectContent(
        id: id, body: body, columns: TreeList(keeping: columns, in: memory),
        orderBy: TreeList(keeping: orderBy, in: memory), limit: limit, offset: offset,
        isCorrelated: isCorrelated, isDistinct: isDistinct, in: memory),
      in: memory)
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

typealias BoundSimpleSelect = TreeNode<BoundSimpleContent>

struct BoundSimpleContent: BitwiseCopyable {
  let sources: TreeList<BoundSource>
  let whereClause: BoundExpression?
  let groupBy: TreeList<BoundExpression>
  let having: BoundExpression?
  /// Aggregates that run over this SELECT's rows, in order of appearance.
  let aggregates: TreeList<BoundAggregate>
  /// Has GROUP BY or aggregates.
  let isAggregate: Bool
  fileprivate let keptWindow: Kept<BoundWindowStep>?
  /// Of the parts that `isMerge` joins in WHERE, the `mergeLevel` of the subquery each comes from;
  /// empty for WHERE as the SELECT itself has it.
  var mergedLevels = TreeList<Int32>()
  /// Where it lies, and copies of it should.
  let memory: TreeMemory

  /// Window functions over the rows of the only source; there is no other clause then.
  var window: BoundWindowStep? { keptWindow?.object }
}

extension BoundSimpleSelect {
  init(
    sources: some Collection<BoundSource>, whereClause: BoundExpression?,
    groupBy: some Collection<BoundExpression> = EmptyCollection(), having: BoundExpression? = nil,
    aggregates: some Collection<BoundAggregate> = EmptyCollection(), isAggregate: Bool = false,
    window: BoundWindowStep? = nil, in memory: TreeMemory
  ) {
    self.init(
      BoundSimpleContent(
        sources: TreeList(keeping: sources, in: memory), whereClause: whereClause,
        groupBy: TreeList(keeping: groupBy, in: memory), having: having,
        aggregates: TreeList(keeping: aggregates, in: memory), isAggregate: isAggregate,
        keptWindow: window.map { Kept($0, in: memory) }, memory: memory),
      in: memory)
  }

  /// Of the parts that `isMerge` joins in WHERE, the `mergeLevel` of the subquery each comes from.
  var whereLevels: [Int32] {
    get { self.mergedLevels.isEmpty ? [0] : Array(self.mergedLevels) }
    nonmutating set { self.mergedLevels = TreeList(newValue, in: self.memory) }
  }
}

/// A column of a SELECT's result.
struct BoundResultColumn: BitwiseCopyable {
  let expression: BoundExpression
  /// The column's name as SQLite gives it (`sqlite3_column_name`); of a subquery in FROM, the name
  /// by which the query around it knows the column. Points into the statement or the schema.
  let label: Name
  /// What a reference to the column from around a subquery gets: for a compound not always what
  /// `expression` has.
  let affinity: Affinity
  // No `unowned(unsafe)`: nil in one would make an optional column nil.
  private let comparing: Unmanaged<Collation>?
  private let origin: Unmanaged<Table>?
  let originColumn: Int32
  /// `label` was written as an alias, or put there by `*`: clauses of the SELECT may use it.
  let isAlias: Bool

  init(
    expression: BoundExpression, label: Name, affinity: Affinity, collation: Collation?,
    originTable: Table?, originColumn: Int32, isAlias: Bool = false
  ) {
    self.expression = expression
    self.label = label
    self.affinity = affinity
    comparing = collation.map { .passUnretained($0) }
    origin = originTable.map { .passUnretained($0) }
    self.originColumn = originColumn
    self.isAlias = isAlias
  }

  var collation: Collation? { comparing?.takeUnretainedValue() }
  /// The table whose column this is without any change, and the column (-1 for the rowid).
  var originTable: Table? { origin?.takeUnretainedValue() }

  var name: String { label.string }
}

/// An item of FROM. The conditions of NATURAL and USING are in `on`.
typealias BoundSource = TreeNode<BoundSourceContent>

struct BoundSourceContent: BitwiseCopyable {
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
  struct NestedColumn: BitwiseCopyable {
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
  private var table: Unmanaged<Table>?
  private var subquery: BoundSelect?
  /// Where the statement's trees lie.
  let memory: TreeMemory
  /// The alias, or else the table's name as written.
  let label: Name
  let hasAlias: Bool
  /// The schema's name, where one is written and there is no alias.
  let schemaLabel: Name?
  /// Database of a table or view; -1 for others, which no schema name can mean.
  let databaseIndex: Int
  let join: JoinType
  private let usesNoIndex: Bool
  private let chosenIndex: Unmanaged<Index>?
  /// Columns of USING and NATURAL.
  var using = TreeList<Name>()
  var nested = TreeList<NestedColumn>()
  /// The common table expression that a subquery comes from.
  unowned(unsafe) var commonTable: CommonTable?
  unowned(unsafe) var commonTableUse: CommonTableUse?
  /// ON, or the equalities of USING and NATURAL. For an inner join it is as good as WHERE. Set
  /// while the SELECT is bound, never after.
  var on: BoundExpression?
  /// Of a table-valued function: its hidden columns are equal to its arguments. A part of `on`.
  var arguments: BoundExpression?
  /// Columns that the statement reads: bit n for column n below 63, bit 63 for all above.
  var usedColumns: UInt64 = 0
  /// The statement reads the rowid (as rowid, or through the column that is it).
  var usesRowid = false
  /// Values of the virtual generated columns that the statement reads, without the column's
  /// affinity, which is applied to them.
  var virtualColumns = TreeList<VirtualColumn>()
  /// The subquery is not as its view or common table says any more: a rewrite changed it.
  var isChanged = false
  /// The columns are registers without affinity and collation, as `excluded` in SQLite.
  var isPlain = false
  /// The authorizer is asked about columns that are read.
  var isAsked = true
  /// The row OLD or NEW of a trigger, whose columns have collations but no affinity.
  var isTriggerRow = false
  /// For a view, its name.
  var viewName: Name?
  /// How FROM names it, if an authorizer is asked.
  var written: WrittenName?
  /// The source comes from an EXISTS in WHERE: one match is enough.
  var isExists = false
  /// The merge that `on` comes from, 0 for what the SELECT itself says. What a subquery says stands
  /// before all that was there when it was merged.
  var mergeLevel: Int32 = 0
  /// Whatever the join is, ON counts as that of an outer join: it was the WHERE of a subquery that
  /// was merged on the left of a RIGHT JOIN.
  var hasOuterCondition = false
  /// What the source's indexes have of expressions and conditions.
  var indexExpressions = TreeList<IndexExpressions>()

  /// A table as the statement says it; what the schema says belongs to the schema's own database.
  struct WrittenName: BitwiseCopyable {
    let name: Name
    let database: Name?
  }

  /// The table, for who reads it without counting references; nil for a subquery.
  var lentTable: Unmanaged<Table>? { table }

  var isTemporaryTable: Bool { table?.takeUnretainedValue().databaseIndex == 1 }

  var kind: Kind {
    @inline(__always) get {
      if let table { return .table(table.takeUnretainedValue()) }
      return .subquery(subquery.unsafelyUnwrapped)
    }
    set {
      (table, subquery) = (nil, nil)
      switch newValue {
      case .table(let newTable):
        memory.keep(newTable)
        table = .passUnretained(newTable)
      case .subquery(let select): subquery = select
      }
    }
  }

  var indexedBy: IndexChoice {
    if let chosenIndex { return .index(chosenIndex.takeUnretainedValue()) }
    return usesNoIndex ? .none : .any
  }

  /// The expressions of one index, bound to one source.
  struct IndexExpressions: BitwiseCopyable {
    unowned(unsafe) let index: Index
    /// For each key column, its expression, nil where it is a column of the table.
    let columns: TreeList<BoundExpression?>
    /// WHERE of a partial index.
    let condition: BoundExpression?
    let hasExpressions: Bool
    /// Columns that the expressions read, as in `usedColumns`.
    let readColumns: UInt64
    /// One that they compare with, which does not exist.
    unowned(unsafe) let missingCollation: Collation?

    /// To be called before what compares with collations is computed.
    func checkCollations() throws(SQLError) {
      if let missingCollation { throw .missingCollation(missingCollation) }
    }
  }

  init(
    id: SourceID, kind: Kind, label: Name, hasAlias: Bool, schemaLabel: Name?,
    databaseIndex: Int, join: JoinType, indexedBy: IndexChoice, in memory: TreeMemory
  ) {
    self.memory = memory
    self.id = id
    self.label = label
    self.hasAlias = hasAlias
    self.schemaLabel = schemaLabel
    self.databaseIndex = databaseIndex
    self.join = join
    if case .none = indexedBy { usesNoIndex = true } else { usesNoIndex = false }
    if case .index(let index) = indexedBy {
      chosenIndex = .passUnretained(index)
    } else {
      chosenIndex = nil
    }
    self.kind = kind
  }
}

/// The value that the WHERE of a partial index gives a column, without the column's affinity.
struct FixedColumn: BitwiseCopyable {
  let column: Int32
  let value: BoundExpression
}

/// The value of a virtual generated column, without the column's affinity.
struct VirtualColumn: BitwiseCopyable {
  let column: Int32
  let expression: BoundExpression
}

extension BoundSource {
  init(
    id: SourceID, kind: BoundSourceContent.Kind, label: Name, hasAlias: Bool,
    schemaLabel: Name? = nil, databaseIndex: Int, join: JoinType,
    indexedBy: BoundSourceContent.IndexChoice = .any, in memory: TreeMemory
  ) {
    self.init(
      BoundSourceContent(
        id: id, kind: kind, label: label, hasAlias: hasAlias, schemaLabel: schemaLabel,
        databaseIndex: databaseIndex, join: join, indexedBy: indexedBy, in: memory),
      in: memory)
  }

  /// Gives the rows of the same view, bound another time.
  func takeRows(of other: BoundSource) { self.kind = other.kind }

  /// The row of a recursive common table that a step works on.
  var isCurrentRow: Bool {
    if case .subquery(let select) = self.kind, case .currentRow = select.body { return true }
    return false
  }

  /// The statement reads the column. SQLite counts a generated column as all columns: an index
  /// seldom covers that (sqlite3ExprColUsed).
  @inline(__always)
  func noteUse(of column: Int32) {
    self.usedColumns |= 1 << UInt64(min(column, 63))
    if case .table(let table) = self.kind, table.columns[Int(column)].generated != nil {
      self.usedColumns |= table.columns.count >= 64 ? .max : 1 << UInt64(table.columns.count) &- 1
    }
  }

  /// The columns of the primary key, where that is what tells rows from each other.
  var columnsOfRowKey: UInt64 {
    guard case .table(let table) = self.kind, table.isWithoutRowid,
      let index = table.primaryKeyIndex
    else { return 0 }
    return index.columns.prefix(index.keyColumnCount).reduce(0) { mask, column in
      mask | 1 << UInt64(min(max(column.tableColumn, 0), 63))
    }
  }

  /// What EXPLAIN QUERY PLAN calls the source.
  var name: String {
    if let schema = self.schemaLabel { return schema.string + "." + self.label.string }
    return self.label.string
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
