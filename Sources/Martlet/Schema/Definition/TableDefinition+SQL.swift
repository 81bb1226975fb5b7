extension TableDefinition {
  /// CREATE TABLE and the CREATE INDEX statements of its columns.
  func sql(_ db: Database) throws -> String {
    var resolver = KeyResolver(db: db)
    resolver.own = try ownKey(resolver)
    let parts = try resolve(resolver)
    var items = try parts.columns.map { try $0.sql(resolver) }
    if let key = primaryKeyConstraint {
      items.append(try sql(of: key, "PRIMARY KEY", resolver))
    }
    for key in uniqueKeys { items.append(try sql(of: key, "UNIQUE", resolver)) }
    for (columns, reference) in parts.foreignKeys {
      items.append("FOREIGN KEY \(list(columns)) " + (try reference.sql(resolver)))
    }
    let writer = SQLWriter(db, inlinesValues: true)
    for check in checks { items.append("CHECK (\(try writer.sql(check)))") }
    for constraint in constraints { items.append(try writer.sql(constraint)) }
    let table = header + " (" + items.joined(separator: ", ") + ")" + trailer
    return ([table] + (try parts.indexes.map { try $0.sql(db) })).joined(separator: "; ")
  }

  private var header: String {
    var words = ["CREATE"]
    if options.contains(.temporary) { words.append("TEMPORARY") }
    words.append("TABLE")
    if options.contains(.ifNotExists) { words.append("IF NOT EXISTS") }
    return (words + [name.quotedIdentifier]).joined(separator: " ")
  }

  private var trailer: String {
    var words: [String] = []
    if options.contains(.strict) { words.append("STRICT") }
    if options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
    return words.isEmpty ? "" : " " + words.joined(separator: ", ")
  }

  private var indexOptions: IndexOptions {
    options.contains(.ifNotExists) ? .ifNotExists : []
  }

  private func list(_ columns: [String]) -> String {
    "(" + columns.map(\.quotedIdentifier).joined(separator: ", ") + ")"
  }

  // MARK: Parts

  /// A column, or what stands for one.
  private enum ColumnPart {
    case definition(ColumnDefinition)
    case literal(SQL)

    func sql(_ resolver: KeyResolver) throws -> String {
      switch self {
      case .definition(let column): try column.sql(resolver)
      case .literal(let literal): try SQLWriter(resolver.db, inlinesValues: true).sql(literal)
      }
    }
  }

  private struct Parts {
    var columns: [ColumnPart] = []
    var foreignKeys: [(columns: [String], reference: ForeignKeyReference)] = []
    var indexes: [IndexDefinition] = []
  }

  /// Puts columns in the place of relations.
  private func resolve(_ resolver: KeyResolver) throws -> Parts {
    var parts = Parts()
    for element in elements {
      switch element {
      case .column(let column): parts.columns.append(.definition(column))
      case .literal(let literal): parts.columns.append(.literal(literal))
      case .foreignKey(let columns, let reference):
        parts.foreignKeys.append((columns, reference))
      case .relation(let relation):
        let resolved = try relation.resolve(resolver, on: name, options: indexOptions)
        parts.columns += resolved.columns.map { .definition($0) }
        if let constraint = resolved.constraint { parts.foreignKeys.append(constraint) }
        if let index = resolved.index { parts.indexes.append(index) }
      }
    }
    for case .definition(let column) in parts.columns {
      if let index = column.index(on: name, options: indexOptions) { parts.indexes.append(index) }
    }
    return parts
  }

  /// The primary key that the table will have, to which its own columns may refer.
  private func ownKey(_ resolver: KeyResolver) throws -> KeyResolver.Key {
    var columns: [(name: String, type: Database.ColumnType?)] = []
    if let key = primaryKeyConstraint {
      for part in key.parts {
        switch part {
        case .name(let name): columns.append((name, nil))
        case .column(let column): columns.append((column.name, column.type))
        case .relation(let relation):
          columns += try relation.resolve(resolver, on: name, options: []).columns.map {
            ($0.name, $0.type)
          }
        }
      }
    } else {
      for case .column(let column) in elements where column.isPrimaryKey {
        columns = [(column.name, column.type)]
      }
    }
    return KeyResolver.Key(table: name, columns: columns.isEmpty ? nil : columns)
  }

  private func sql(
    of key: KeyConstraint, _ words: String, _ resolver: KeyResolver
  ) throws -> String {
    let columns = try key.parts.flatMap { part -> [String] in
      switch part {
      case .name(let name): [name]
      case .column(let column): [column.name]
      case .relation(let relation):
        try relation.resolve(resolver, on: name, options: []).columns.map(\.name)
      }
    }
    return "\(words) \(list(columns))" + ColumnDefinition.clause(key.resolution)
  }
}
