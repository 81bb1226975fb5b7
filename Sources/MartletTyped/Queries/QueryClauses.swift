/// How tables are joined (lang_select §2).
public enum JoinType: String, Sendable {
  /// All pairs of rows.
  case cross = "CROSS"
  /// Pairs that fit.
  case inner = "INNER"
  /// Pairs that fit, and rows of the left table that have none.
  case leftOuter = "LEFT OUTER"
}

/// What SQLite shall do with a common table expression (lang_with §3).
public enum MaterializationHint: String, Sendable {
  /// Compute it once.
  case materialized = "MATERIALIZED"
  /// Use it as a view.
  case notMaterialized = "NOT MATERIALIZED"
}

/// What a query consists of.
public struct QueryClauses: Sendable {
  struct Source: Sendable {
    var name: String
    var alias: String?
    var database: String?
  }

  struct Join: Sendable {
    var type: JoinType
    var query: any QueryType
    var condition: Expression<Void>
  }

  struct Group: Sendable {
    var columns: [Expression<Void>]
    var having: Expression<Void>?
  }

  struct Limit: Sendable {
    var length: Int
    var offset: Int?
  }

  struct Union: Sendable {
    var isAll: Bool
    var query: any QueryType
  }

  struct CommonTable: Sendable {
    var alias: Source
    var columns: [Expression<Void>]
    var hint: MaterializationHint?
    var query: any QueryType
  }

  var from: Source
  var isDistinct = false
  var columns: [Expression<Void>] = [Expression(literal: "*")]
  var joins: [Join] = []
  var filter: Expression<Bool?>?
  var group: Group?
  var order: [Expression<Void>] = []
  var limit: Limit?
  var unions: [Union] = []
  var isRecursive = false
  var commonTables: [CommonTable] = []

  init(_ name: String, alias: String?, database: String?) {
    from = Source(name: name, alias: alias, database: database)
  }

  /// Nothing but a table, and maybe a filter.
  var isPlain: Bool {
    !isDistinct && columns.count == 1 && columns[0].template == "*" && joins.isEmpty
      && group == nil && limit == nil && unions.isEmpty && commonTables.isEmpty
  }
}
