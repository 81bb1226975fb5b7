/// A table that a statement changes, and what every change of one of its rows has to look at.
final class BoundTarget {
  let table: Table
  /// The row as it is in the table: WHERE, SET and the entries that leave the indexes read it.
  let old: BoundSource
  /// The row as it will be: CHECK, generated columns, RETURNING and the indexes' new entries read
  /// it.
  let new: BoundSource
  @exclusivity(unchecked) var checks: [(expression: BoundExpression, name: String)] = []
  /// The table's triggers.
  @exclusivity(unchecked) var triggers: [Trigger] = []
  /// The foreign keys that the table declares, and those that refer to it, where they are enforced.
  @exclusivity(unchecked) var parentLinks: [ForeignKeyLink] = []
  @exclusivity(unchecked) var childLinks: [ForeignKeyLink] = []
  /// The statement's binder, where programs of triggers and foreign keys are to be bound.
  @exclusivity(unchecked) var binder: Binder?
  /// Binds RETURNING and asks the authorizer about it, which SQLite does late.
  @exclusivity(unchecked) var returningAsked: (() throws(SQLError) -> TreeList<BoundResultColumn>)?
  /// What is wrong with RETURNING, which SQLite sees when it makes the code of a changed row.
  @exclusivity(unchecked) var returningMistake: SQLError?
  /// What is wrong with the SELECT of UPDATE … FROM: foreign keys' mistakes are reported instead.
  @exclusivity(unchecked) var searchMistake: SQLError?
  /// Columns of a view that are NULL because the authorizer says so.
  @exclusivity(unchecked) var ignoredColumns: Set<Int> = []
  /// The row's values are wanted as a whole, before and after.
  var needsRows: Bool { binder != nil }
  var hasForeignKeys: Bool { !parentLinks.isEmpty || !childLinks.isEmpty }
  /// Generated columns, each behind those that it is computed from.
  @exclusivity(unchecked) var generated: [(column: Int, expression: BoundExpression)] = []

  init(table: Table, old: BoundSource, new: BoundSource) {
    self.table = table
    self.old = old
    self.new = new
  }
}

/// INSERT and REPLACE.
final class BoundInsert {
  enum Rows {
    case defaultValues
    /// The values of VALUES with one row.
    case one([BoundExpression])
    case select(BoundSelect)
  }

  let target: BoundTarget
  let policy: ConflictPolicy?
  let rows: Rows
  /// For each column of the table, where a row of the source has its value; -1 where the default is
  /// wanted.
  let positions: [Int]
  /// Where a row of the source has the rowid, or -1.
  let rowidPosition: Int
  /// DEFAULT of the columns, as far as they are needed; nil for NULL.
  let defaults: [BoundExpression?]
  let upserts: [BoundUpsert]
  let returning: TreeList<BoundResultColumn>
  /// What is wrong with the statement behind its SELECT.
  let refusal: SQLError?
  let transfer: BoundTransfer?

  init(
    target: BoundTarget, policy: ConflictPolicy?, rows: Rows, positions: [Int],
    rowidPosition: Int, defaults: [BoundExpression?], upserts: [BoundUpsert],
    returning: TreeList<BoundResultColumn>, refusal: SQLError?, transfer: BoundTransfer?
  ) {
    self.target = target
    self.policy = policy
    self.rows = rows
    self.positions = positions
    self.rowidPosition = rowidPosition
    self.defaults = defaults
    self.upserts = upserts
    self.returning = returning
    self.refusal = refusal
    self.transfer = transfer
  }
}

/// A table whose records are copied as they are while the target of an INSERT is empty.
struct BoundTransfer {
  let source: Table
  /// For each index of the target, the one of the source that has the very entries.
  let indexes: [Index]
}

/// ON CONFLICT of INSERT (lang_upsert).
final class BoundUpsert {
  enum Key {
    /// No conflict target: every uniqueness is meant.
    case any
    case rowid
    case index(Index)
  }

  let key: Key
  /// nil for DO NOTHING.
  let assignments: BoundAssignments?
  let condition: BoundExpression?
  /// The row that was to be inserted.
  let excluded: BoundSource

  init(
    key: Key, assignments: BoundAssignments?, condition: BoundExpression?, excluded: BoundSource
  ) {
    self.key = key
    self.assignments = assignments
    self.condition = condition
    self.excluded = excluded
  }
}

/// SET: the new values of a row.
struct BoundAssignments {
  /// For each column of the table, its new value; nil where it stays.
  var values: [BoundExpression?]
  /// The new rowid.
  var rowid: BoundExpression?
  /// Subqueries that give several columns at once.
  var rowSubqueries: [BoundSelect] = []
  /// What SET names.
  var names: [Name] = []
  /// Whether any value, or the row's place, may have a subquery.
  var hasSubquery = false

  /// - Parameter column: -1 is the rowid.
  mutating func set(_ column: Int, _ value: BoundExpression) {
    if column < 0 { rowid = value } else { values[column] = value }
  }
}

/// UPDATE.
final class BoundUpdate {
  let target: BoundTarget
  let policy: ConflictPolicy?
  let assignments: BoundAssignments
  /// The rows that are changed: of the target, under WHERE.
  let rows: BoundSimpleSelect
  let from: BoundUpdateFrom?
  /// The same of a view, all columns.
  let viewRows: BoundSelect?
  let defaults: [BoundExpression?]
  let returning: TreeList<BoundResultColumn>

  init(
    target: BoundTarget, policy: ConflictPolicy?, assignments: BoundAssignments,
    rows: BoundSimpleSelect, from: BoundUpdateFrom?, viewRows: BoundSelect?,
    defaults: [BoundExpression?], returning: TreeList<BoundResultColumn>
  ) {
    self.target = target
    self.policy = policy
    self.assignments = assignments
    self.rows = rows
    self.from = from
    self.viewRows = viewRows
    self.defaults = defaults
    self.returning = returning
  }
}

/// DELETE.
final class BoundDelete {
  let target: BoundTarget
  /// The rows that go: of the target, under WHERE.
  let rows: BoundSimpleSelect
  /// The same of a view, all columns.
  let viewRows: BoundSelect?
  let returning: TreeList<BoundResultColumn>
  /// The authorizer ignores the deletion: rows go one by one, so that hooks are told of them.
  let isIgnored: Bool

  init(
    target: BoundTarget, rows: BoundSimpleSelect, viewRows: BoundSelect?,
    returning: TreeList<BoundResultColumn>, isIgnored: Bool
  ) {
    self.target = target
    self.rows = rows
    self.viewRows = viewRows
    self.returning = returning
    self.isIgnored = isIgnored
  }
}
