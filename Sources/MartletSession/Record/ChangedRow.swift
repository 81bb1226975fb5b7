import MartletEngine

/// A row that changes, as a session sees it: the preupdate hook's, or one of two tables that differ.
protocol ChangedRow: ~Copyable {
  /// Columns of the table, generated ones too.
  var columnCount: Int { get }
  /// Not 0 for what triggers and foreign-key actions change.
  var depth: Int { get }
  /// A blob is written in place: only the old row is known.
  var isBlobWrite: Bool { get }

  /// Lends a column of the table after or before the change, until the next one is lent.
  ///
  /// - Parameter place: Takes what is lent, where the row has no place for it.
  func value(
    _ position: Int, isNew: Bool, in place: ValueReference
  ) throws(SQLError) -> ValueReference
}

extension PreupdateChange: ChangedRow {
  var isBlobWrite: Bool { writtenColumn != nil }

  func value(
    _ position: Int, isNew: Bool, in place: ValueReference
  ) throws(SQLError) -> ValueReference {
    try value(position, beforeChange: !isNew, in: place)
  }
}

/// A row of a query that has the columns of one table, or those of two beside each other.
struct QueriedRow: ChangedRow {
  let row: ResultRow
  let definition: TableDefinition
  /// Where the columns begin that are the row before and after.
  let oldStart: Int
  let newStart: Int

  var columnCount: Int { definition.totalCount }
  var depth: Int { 0 }
  var isBlobWrite: Bool { false }

  func value(
    _ position: Int, isNew: Bool, in place: ValueReference
  ) throws(SQLError) -> ValueReference {
    guard let index = definition.positions.firstIndex(of: position),
      let value = row.value((isNew ? newStart : oldStart) + index)
    else { throw SQLError(.range) }
    return value
  }
}

/// The SQL with which rows of a table are found.
struct SQLTable {
  /// `"main"."t"`.
  let name: String
  private let definition: TableDefinition

  init(_ database: String, _ definition: TableDefinition) {
    name = "\(database.quotedIdentifier).\(definition.name.quotedIdentifier)"
    self.definition = definition
  }

  private func column(_ index: Int) -> String {
    "\(name).\(definition.columns[index].quotedIdentifier)"
  }

  var columnList: String {
    definition.columns.indices.map { column($0) }.joined(separator: ", ")
  }

  /// The keys of both are the same.
  func sameKey(_ other: SQLTable) -> String {
    definition.key.indices.filter { definition.key[$0] != 0 }
      .map { "\(column($0)) IS \(other.column($0))" }.joined(separator: " AND ")
  }

  /// Another column differs; nil where there is none.
  func difference(_ other: SQLTable) -> String? {
    let terms = definition.key.indices.filter { definition.key[$0] == 0 }
      .map { "\(column($0)) IS NOT \(other.column($0))" }
    return terms.isEmpty ? nil : terms.joined(separator: " OR ")
  }

  /// The columns of the row whose key is bound, behind SELECT.
  var selectionByKey: String {
    guard definition.isStatistics else {
      return "\(definition.columnList) FROM \(name) WHERE \(definition.keyCondition)"
    }
    return "tbl, ?2, stat FROM \(name) WHERE tbl IS ?1 AND idx IS \(SQLTable.statisticsIndex)"
  }

  /// The index of statistics in a changeset as the table has it.
  static let statisticsIndex = "(CASE WHEN ?2 = X'' THEN NULL ELSE ?2 END)"
}
