extension Connection {
  /// Rows of the pragmas that describe the schema (pragma §4); nil for other pragmas.
  func schemaPragma(
    _ name: String, _ argument: String?, _ schema: Name?
  ) throws(SQLError) -> RowListing? {
    switch name {
    case "table_info", "table_xinfo":
      return tableInfo(argument, schema, showsHidden: name == "table_xinfo")
    case "index_list": return indexList(argument, schema)
    case "index_info", "index_xinfo":
      return indexInfo(argument, schema, isExtended: name == "index_xinfo")
    case "database_list": return databaseList()
    case "collation_list": return collationList()
    default: return nil
    }
  }

  private func table(named text: String, _ schema: Name?) -> Table? {
    var text = text
    return text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let name = Name(start: base, count: bytes.count)
      return schema.map { catalog.table(named: name, schema: $0) } ?? catalog.table(named: name)
    }
  }

  private func index(named text: String, _ schema: Name?) -> Index? {
    var text = text
    return text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return catalog.index(named: Name(start: base, count: bytes.count), schema: schema)
    }
  }

  private func databaseList() -> RowListing {
    var rows: [[ListedValue]] = []
    for (index, database) in databases.enumerated() {
      guard database.tree != nil else { continue }
      rows.append([.integer(Int64(index)), .text(database.name), .text(database.fileName)])
    }
    return RowListing(columns: [Name("seq"), Name("name"), Name("file")], rows: rows)
  }

  private func collationList() -> RowListing {
    // The latest definition comes first.
    let names = collations.reversed().map(\.name) + ["RTRIM", "NOCASE", "BINARY"]
    return RowListing(
      columns: [Name("seq"), Name("name")],
      rows: names.enumerated().map { [.integer(Int64($0)), .text($1)] })
  }

  private func tableInfo(
    _ argument: String?, _ schema: Name?, showsHidden: Bool
  ) -> RowListing {
    var result = RowListing(
      columns: [Name("cid"), Name("name"), Name("type"), Name("notnull"), Name("dflt_value"), Name("pk")], rows: [])
    if showsHidden { result.columns.append(Name("hidden")) }
    guard let argument, let table = table(named: argument, schema) else { return result }
    let keys = table.primaryKeyColumns
    for (index, column) in table.columns.enumerated() {
      var hidden: Int64 = column.isHidden ? 1 : 0
      switch column.generated {
      case .virtual: hidden = 2
      case .stored: hidden = 3
      case nil: break
      }
      if !showsHidden && hidden != 0 { continue }
      let position = keys.firstIndex(of: index).map { Int64($0 + 1) } ?? 0
      var row: [ListedValue] = [
        .integer(Int64(index)), .text(column.name.string), .text(column.declaredType ?? ""),
        .integer(column.isNotNull ? 1 : 0), defaultText(column, table), .integer(position),
      ]
      if showsHidden { row.append(.integer(hidden)) }
      result.rows.append(row)
    }
    return result
  }

  private func defaultText(_ column: Table.Column, _ table: Table) -> ListedValue {
    guard column.generated == nil, let expression = column.defaultValue else { return .null }
    return .text(table.text.string(expression.range))
  }

  private func indexList(_ argument: String?, _ schema: Name?) -> RowListing {
    var result = RowListing(
      columns: [Name("seq"), Name("name"), Name("unique"), Name("origin"), Name("partial")], rows: [])
    guard let argument, let table = table(named: argument, schema) else { return result }
    for (position, index) in table.indexes.enumerated() {
      let origin =
        switch index.origin {
        case .createIndex: "c"
        case .uniqueConstraint: "u"
        case .primaryKey: "pk"
        }
      result.rows.append([
        .integer(Int64(position)), .text(index.name.string), .integer(index.isUnique ? 1 : 0),
        .text(origin), .integer(index.partialWhere == nil ? 0 : 1),
      ])
    }
    return result
  }

  private func indexInfo(
    _ argument: String?, _ schema: Name?, isExtended: Bool
  ) -> RowListing {
    var result = RowListing(
      columns: [Name("seqno"), Name("cid"), Name("name")], rows: [])
    if isExtended { result.columns += [Name("desc"), Name("coll"), Name("key")] }
    guard let argument, let index = index(named: argument, schema) else { return result }
    let count = isExtended ? index.columns.count : index.keyColumnCount
    for (position, column) in index.columns.prefix(count).enumerated() {
      let name: ListedValue =
        column.tableColumn < 0
        ? .null : .text(index.table.columns[column.tableColumn].name.string)
      var row: [ListedValue] = [
        .integer(Int64(position)), .integer(Int64(column.tableColumn)), name,
      ]
      if isExtended {
        row += [
          .integer(column.isDescending ? 1 : 0), .text(column.collation?.string ?? "BINARY"),
          .integer(position < index.keyColumnCount ? 1 : 0),
        ]
      }
      result.rows.append(row)
    }
    return result
  }
}

extension Table {
  /// The columns of the primary key, in its order.
  var primaryKeyColumns: [Int] {
    if rowidColumn >= 0 { return [rowidColumn] }
    let index = primaryKeyIndex ?? indexes.first { $0.origin == .primaryKey }
    guard let index else { return [] }
    return index.columns.prefix(index.keyColumnCount).map(\.tableColumn)
  }
}
