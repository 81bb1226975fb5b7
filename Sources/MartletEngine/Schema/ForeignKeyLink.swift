/// A foreign key between the table that declares it and the one that it refers to (foreignkeys §1).
struct ForeignKeyLink {
  let child: Table
  /// Position among the child's keys, as they are declared.
  let number: Int
  let key: Table.ForeignKey

  var clause: ForeignKeyClause { key.clause }
  var isSelfReferencing: Bool { clause.table == child.name }

  /// The child's columns; -1 is the rowid.
  var childColumns: [Int] {
    key.columns.map { name in
      let column = child.columnIndex(of: name)
      return column == child.rowidColumn ? -1 : column
    }
  }

  /// The key of a parent that the foreign key refers to (SQLite's sqlite3FkLocateIndex).
  struct ParentKey {
    let parent: Table
    /// The unique index with the parent's columns; nil for the rowid.
    let index: Index?
    /// For each of the parent's columns, the child's; -1 is the rowid.
    let childColumns: [Int]

    /// The parent's columns; -1 is the rowid.
    var parentColumns: [Int] {
      index?.columns.prefix(childColumns.count).map {
        $0.tableColumn == parent.rowidColumn ? -1 : $0.tableColumn
      } ?? [-1]
    }
  }

  /// Finds the parent's key; nil where the parent has no such unique key.
  func parentKey(in parent: Table) -> ParentKey? {
    let columns = childColumns, names = clause.columns
    if columns.count == 1, parent.rowidColumn >= 0,
      names.isEmpty || parent.columns[parent.rowidColumn].name == names[0]
    {
      return ParentKey(parent: parent, index: nil, childColumns: columns)
    }
    for index in parent.indexes
    where index.keyColumnCount == columns.count && index.isUnique && index.partialWhere == nil {
      if names.isEmpty {
        if index.origin != .primaryKey { continue }
        return ParentKey(parent: parent, index: index, childColumns: columns)
      }
      if let order = order(of: index, in: parent) {
        return ParentKey(parent: parent, index: index, childColumns: order.map { columns[$0] })
      }
    }
    return nil
  }

  /// For each column of the index, which of the key's columns refers to it. The index must have the
  /// columns' own collations.
  private func order(of index: Index, in parent: Table) -> [Int]? {
    var order: [Int] = []
    for column in index.columns.prefix(index.keyColumnCount) {
      guard column.tableColumn >= 0 else { return nil }
      let own = parent.columns[column.tableColumn]
      guard (column.collation ?? .binaryCollation) == (own.collation ?? .binaryCollation),
        let position = clause.columns.firstIndex(of: own.name)
      else { return nil }
      order.append(position)
    }
    return order
  }

  var mismatch: SQLError {
    .sql(
      "foreign key mismatch - \"\(child.name.string)\" referencing \"\(clause.table.string)\"")
  }

  /// Whether a change of the child's columns changes the key.
  func isChildChanged(_ isChanged: (Int) -> Bool) -> Bool {
    childColumns.contains(where: isChanged)
  }

  /// Whether a change of the parent's columns changes what the key refers to.
  func isParentChanged(_ parent: Table, _ isChanged: (Int) -> Bool) -> Bool {
    parent.columns.indices.contains { index in
      guard isChanged(index == parent.rowidColumn ? -1 : index) else { return false }
      let column = parent.columns[index]
      return clause.columns.isEmpty
        ? column.isPrimaryKey : clause.columns.contains(column.name)
    }
  }
}

extension Table {
  /// The foreign keys that the table declares, the last first.
  var links: [ForeignKeyLink] {
    foreignKeys.indices.reversed().map {
      ForeignKeyLink(child: self, number: $0, key: foreignKeys[$0])
    }
  }
}

extension Schema {
  /// The foreign keys that refer to a table, the newest first.
  func links(to parent: Table) -> [ForeignKeyLink] {
    var found: [ForeignKeyLink] = []
    for child in tables.objects.reversed() where !child.foreignKeys.isEmpty {
      for link in child.links where link.clause.table == parent.name { found.append(link) }
    }
    return found
  }
}
