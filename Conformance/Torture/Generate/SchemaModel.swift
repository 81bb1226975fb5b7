/// A column as the generator knows it.
struct ColumnModel {
  let name: String
  let type: String
  var isGenerated = false
}

/// A table or view that statements may name.
struct TableModel {
  let name: String
  var columns: [ColumnModel]
  var hasRowID = true
  var isView = false
  var isTemporary = false
  /// Column lists that may stand behind ON CONFLICT.
  var keys: [[String]] = []
  /// Columns of foreign keys, each with a query for values that it may have.
  var parents: [String: String] = [:]

  var writableColumns: [ColumnModel] { columns.filter { !$0.isGenerated } }
}

/// What an expression may name and use.
struct ExpressionScope {
  /// Columns, ready to be written.
  var columns: [String] = []
  var allowsAggregates = false
  var allowsSubqueries = false
  /// Only what an index, CHECK or generated column may hold.
  var isDeterministic = false
}
