extension SQLInterpolation {
  /// The name of the table of a record type.
  public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
    appendInterpolation(identifier: table.databaseTableName)
  }

  /// The name of the table of a record type.
  public mutating func appendInterpolation(_ table: any TableRecord.Type) {
    appendInterpolation(identifier: table.databaseTableName)
  }

  /// The name of a table.
  public mutating func appendInterpolation<T>(_ table: Table<T>) {
    appendInterpolation(identifier: table.tableName)
  }

  /// The name of the table of a record.
  public mutating func appendInterpolation(tableOf record: some TableRecord) {
    appendInterpolation(identifier: type(of: record).databaseTableName)
  }

  /// The name of the table of a record.
  public mutating func appendInterpolation(tableOf record: any TableRecord) {
    appendInterpolation(identifier: type(of: record).databaseTableName)
  }

  /// What requests of a record type select, seen from an alias where there is one.
  public mutating func appendInterpolation<T: TableRecord>(
    columnsOf recordType: T.Type, tableAlias: String? = nil
  ) {
    let alias = TableAliasBase(
      userName: tableAlias ?? recordType.databaseTableName, tableName: recordType.databaseTableName)
    for (index, selection) in recordType.selection.enumerated() {
      if index > 0 { appendLiteral(", ") }
      elements.append(.selection(SQLSelection(.qualified(selection, alias))))
    }
  }
}
