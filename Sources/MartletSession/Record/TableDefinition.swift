import MartletEngine

/// What a database says of a table (`PRAGMA table_xinfo`). Generated columns are no part of a
/// changeset.
struct TableDefinition: Equatable {
  let name: String
  var columns: [String] = []
  /// The text of each column's DEFAULT; nil where there is none.
  var defaults: [String?] = []
  /// The place of each column in the table.
  var positions: [Int] = []
  /// Its place in the primary key from 1 on, or 0.
  var key: [UInt8] = []
  /// All columns, generated ones too.
  var totalCount = 0
  /// The first column is the rowid: the table has no primary key, and is to be recorded anyway.
  var hasRowIDKey = false

  var columnCount: Int { columns.count }
  var hasKey: Bool { key.contains { $0 != 0 } }
  /// Its rows are found by (tbl, idx), though no key is declared (session, "Special sqlite_stat1").
  var isStatistics: Bool { TableDefinition.isStatistics(name) }

  static func isStatistics(_ name: String) -> Bool { name.lowercased() == "sqlite_stat1" }

  /// Reads the definition; one without columns where there is no such table.
  ///
  /// - Parameter usesRowID: Tables without a primary key get `_rowid_` as one.
  init(
    _ name: String, database: String, of connection: Connection, usesRowID: Bool
  ) throws(SQLError) {
    self.name = name
    if TableDefinition.isStatistics(name) {
      do throws(SQLError) {
        try connection.checkTable(name, database: database)
      } catch {
        // Only where it is known that there is none: a table whose columns could not be read would
        // be left out of changesets without a word.
        guard error.code == .error else { throw error }
        return
      }
      columns = ["tbl", "idx", "stat"]
      defaults = [nil, nil, nil]
      positions = [0, 1, 2]
      key = [1, 2, 0]
      totalCount = 3
      return
    }
    let rows = try connection.prepare(
      "PRAGMA \(database.quoted(with: "'")).table_xinfo(\(name.quoted(with: "'")))")
    while try rows.step() {
      let position = totalCount
      totalCount += 1
      guard rows.columnInt64(6) == 0 else { continue }
      columns.append(try TableDefinition.text(1, of: rows) ?? "")
      defaults.append(try TableDefinition.text(4, of: rows))
      positions.append(position)
      key.append(UInt8(truncatingIfNeeded: rows.columnInt64(5)))
    }
    if usesRowID && totalCount > 0 && !hasKey {
      hasRowIDKey = true
      columns.insert("_rowid_", at: 0)
      defaults.insert(nil, at: 0)
      positions.insert(-1, at: 0)
      key.insert(1, at: 0)
    }
  }

  /// A column of what the PRAGMA says. `columnText` is empty where memory for UTF-8 runs out.
  private static func text(_ column: Int, of rows: Statement) throws(SQLError) -> String? {
    guard case .text(let text)? = try rows.currentRow.value(column)?.value() else { return nil }
    return text
  }

  /// Whether changes that were recorded for the other definition are good for this one, with
  /// default values in the columns that have come since.
  func continues(_ other: TableDefinition) -> Bool {
    columnCount >= other.columnCount && hasRowIDKey == other.hasRowIDKey
      && key.starts(with: other.key) && !key[other.columnCount...].contains { $0 != 0 }
  }

  /// The fields of a record in columns from a number on, as their DEFAULT gives them.
  func defaultFields(from first: Int, _ connection: Connection) throws(SQLError) -> [UInt8] {
    guard first < columnCount else { return [] }
    var fields: [UInt8] = []
    // A comment in one of them ends with its line.
    let list = defaults[first...].map { $0 ?? "NULL" }.joined(separator: "\n, ")
    let row = try connection.prepare("SELECT \(list)")
    guard row.columnCount == columnCount - first, try row.step() else {
      throw SQLError(.schema)
    }
    for index in 0..<row.columnCount {
      guard let value = row.currentRow.value(index) else { continue }
      try fields.appendField(value)
    }
    return fields
  }

  // MARK: SQL

  /// `"a", "b"`.
  var columnList: String { columns.map { $0.quotedIdentifier }.joined(separator: ", ") }

  /// `"k" IS ?1 AND …` for the key columns, the number of a parameter being that of its column.
  var keyCondition: String {
    key.indices.filter { key[$0] != 0 }.map { "\(columns[$0].quotedIdentifier) IS ?\($0 + 1)" }
      .joined(separator: " AND ")
  }
}
