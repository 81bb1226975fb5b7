/// INSERT and REPLACE (lang_insert).
final class InsertStatement {
  let with: WithClause?
  /// OR policy; `replace` for REPLACE, nil where none is written.
  let conflict: ConflictPolicy?
  let table: QualifiedName
  let alias: Name?
  /// Empty where no column list is written.
  let columns: [Name]
  /// The rows; nil for DEFAULT VALUES.
  let source: SelectStatement?
  let upserts: [UpsertClause]
  let returning: TreeList<ResultColumn>

  init(
    with: WithClause?, conflict: ConflictPolicy?, table: QualifiedName, alias: Name?,
    columns: [Name], source: SelectStatement?, upserts: [UpsertClause],
    returning: TreeList<ResultColumn>
  ) {
    self.with = with
    self.conflict = conflict
    self.table = table
    self.alias = alias
    self.columns = columns
    self.source = source
    self.upserts = upserts
    self.returning = returning
  }
}

/// ON CONFLICT … DO … (lang_upsert).
final class UpsertClause {
  enum Action {
    case nothing
    case update([Assignment], where: Expression?)
  }

  /// Indexed columns of the conflict target; empty where there is no target.
  let target: TreeList<OrderingTerm>
  let targetWhere: Expression?
  let action: Action

  init(target: TreeList<OrderingTerm>, targetWhere: Expression?, action: Action) {
    self.target = target
    self.targetWhere = targetWhere
    self.action = action
  }
}

/// One item of SET: `column = value`, or `(column, …) = row`.
struct Assignment {
  let columns: [Name]
  /// True for the form in parentheses, also with one column.
  let isRow: Bool
  let value: Expression
}

/// UPDATE (lang_update), with the clauses of SQLITE_ENABLE_UPDATE_DELETE_LIMIT.
final class UpdateStatement {
  let with: WithClause?
  let conflict: ConflictPolicy?
  let table: QualifiedName
  let alias: Name?
  let indexed: FromContent.IndexedBy?
  let assignments: [Assignment]
  let from: TreeList<FromItem>
  let whereClause: Expression?
  let returning: TreeList<ResultColumn>
  let orderBy: TreeList<OrderingTerm>
  let limit: Expression?
  let offset: Expression?

  init(
    with: WithClause?, conflict: ConflictPolicy?, table: QualifiedName, alias: Name?,
    indexed: FromContent.IndexedBy?, assignments: [Assignment], from: TreeList<FromItem>,
    tail: ModificationTail
  ) {
    self.with = with
    self.conflict = conflict
    self.table = table
    self.alias = alias
    self.indexed = indexed
    self.assignments = assignments
    self.from = from
    whereClause = tail.whereClause
    returning = tail.returning
    orderBy = tail.orderBy
    limit = tail.limit
    offset = tail.offset
  }
}

/// DELETE (lang_delete), with the clauses of SQLITE_ENABLE_UPDATE_DELETE_LIMIT.
final class DeleteStatement {
  let with: WithClause?
  let table: QualifiedName
  let alias: Name?
  let indexed: FromContent.IndexedBy?
  let whereClause: Expression?
  let returning: TreeList<ResultColumn>
  let orderBy: TreeList<OrderingTerm>
  let limit: Expression?
  let offset: Expression?

  init(
    with: WithClause?, table: QualifiedName, alias: Name?, indexed: FromContent.IndexedBy?,
    tail: ModificationTail
  ) {
    self.with = with
    self.table = table
    self.alias = alias
    self.indexed = indexed
    whereClause = tail.whereClause
    returning = tail.returning
    orderBy = tail.orderBy
    limit = tail.limit
    offset = tail.offset
  }
}

/// What UPDATE and DELETE have in common at their end.
struct ModificationTail {
  var whereClause: Expression?
  var returning: TreeList<ResultColumn> = []
  var orderBy: TreeList<OrderingTerm> = []
  var limit: Expression?
  var offset: Expression?
}
