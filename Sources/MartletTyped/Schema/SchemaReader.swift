import MartletEngine

extension Connection {
  /// Reads the schema of the connection's databases.
  public var schema: SchemaReader { SchemaReader(connection: self) }
}

/// Reads what tables, columns and indexes there are.
public struct SchemaReader: Sendable {
  private let connection: Connection

  /// A reader of the connection's databases.
  public init(connection: Connection) { self.connection = connection }

  /// The tables, indexes, views and triggers.
  ///
  /// - Parameters:
  ///   - name: Only those of the name.
  ///   - type: Only those of the kind.
  ///   - temp: Those of the temporary database instead.
  public func objectDefinitions(
    name: String? = nil, type: ObjectDefinition.ObjectType? = nil, temp: Bool = false
  ) throws -> [ObjectDefinition] {
    let table = temp ? "sqlite_temp_master" : "sqlite_master"
    var conditions: [String] = [], bindings: [(any Binding)?] = []
    if let name {
      conditions.append("name = ?")
      bindings.append(name)
    }
    if let type {
      conditions.append("type = ?")
      bindings.append(type.rawValue)
    }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let sql = "SELECT type, name, tbl_name, rootpage, sql FROM \(table)\(filter)"
    return try rows(sql, bindings) { row in
      guard let type = (row[0] as? String).flatMap(ObjectDefinition.ObjectType.init) else {
        return nil
      }
      return ObjectDefinition(
        type: type, name: text(row[1]), tableName: text(row[2]),
        rootpage: row[3] as? Int64 ?? 0, sql: row[4] as? String)
    }
  }

  /// The tables that are not SQLite's own, with their columns.
  public func tableDefinitions() throws -> [TableDefinition] {
    try objectDefinitions(type: .table).filter { !$0.isInternal }.map {
      TableDefinition(name: $0.name, columns: try columnDefinitions(table: $0.name))
    }
  }

  /// The columns of a table; none where there is no such table.
  public func columnDefinitions(table: String) throws -> [ColumnDefinition] {
    let keys = try foreignKeys(table: table)
    let uniqueColumns = try Set(
      indexDefinitions(table: table).filter {
        $0.unique && $0.origin != .primaryKey && $0.columns.count == 1 && $0.where == nil
      }.map { ExactText($0.columns[0]) })
    let primaryKey = try primaryKeyDefinition(of: table)
    return try rows(pragma("table_info", table)) { row in
      let name = text(row[1])
      return ColumnDefinition(
        name: name, primaryKey: row[5] as? Int64 == 0 ? nil : primaryKey,
        type: ColumnDefinition.Affinity(declaredType: text(row[2])),
        nullable: row[3] as? Int64 == 0, unique: uniqueColumns.contains(ExactText(name)),
        defaultValue: LiteralValue(sql: row[4] as? String),
        references: keys.first { $0.fromColumn.hasSameBytes(as: name) })
    }
  }

  /// What the statement of a table says behind PRIMARY KEY, outside of quotes and comments.
  private func primaryKeyDefinition(of table: String) throws -> ColumnDefinition.PrimaryKey {
    let sql = try objectDefinitions(name: table, type: .table).first?.sql ?? ""
    let words = SQLWords.read(sql)
    guard
      let start = words.indices.first(where: { index in
        words[index] == "PRIMARY" && index + 1 < words.count && words[index + 1] == "KEY"
      })
    else { return ColumnDefinition.PrimaryKey(autoIncrement: false) }
    let rest = words[(start + 2)...].prefix { $0 != "," }
    var conflict: ColumnDefinition.OnConflict?
    if let place = rest.firstIndex(of: "CONFLICT"), place + 1 < rest.endIndex {
      conflict = ColumnDefinition.OnConflict(rawValue: rest[place + 1])
    }
    return ColumnDefinition.PrimaryKey(
      autoIncrement: rest.contains("AUTOINCREMENT"), onConflict: conflict)
  }

  /// The foreign keys of a table.
  public func foreignKeys(table: String) throws -> [ColumnDefinition.ForeignKey] {
    try rows(pragma("foreign_key_list", table)) { row in
      ColumnDefinition.ForeignKey(
        fromColumn: text(row[3]), toTable: text(row[2]), toColumn: row[4] as? String,
        onUpdate: dependency(row[5]), onDelete: dependency(row[6]))
    }
  }

  private func dependency(_ value: (any Binding)?) -> TableBuilder.Dependency? {
    let action = TableBuilder.Dependency(rawValue: text(value))
    return action == .noAction ? nil : action
  }

  /// The indexes of a table.
  public func indexDefinitions(table: String) throws -> [IndexDefinition] {
    let list = try rows(pragma("index_list", table)) { $0 }
    return try list.map { row in
      let name = text(row[1])
      let columns = try rows(pragma("index_xinfo", name)) { $0 }.filter { $0[5] as? Int64 == 1 }
      let sql = try objectDefinitions(name: name, type: .index).first?.sql
      let sorted = columns.filter { $0[3] as? Int64 == 1 }.map {
        (text($0[2]), IndexDefinition.Order.DESC)
      }
      return IndexDefinition(
        table: table, name: name, unique: row[2] as? Int64 == 1,
        columns: columns.map { text($0[2]) },
        where: row[4] as? Int64 == 1 ? sql.flatMap(SQLWords.condition) : nil,
        orders: sorted.isEmpty ? nil : Dictionary(sorted) { first, _ in first },
        origin: IndexDefinition.Origin(rawValue: text(row[3])))
    }
  }

  private func pragma(_ name: String, _ argument: String) -> String {
    "PRAGMA \(name)(\(argument.quotedIdentifier))"
  }

  private func text(_ value: (any Binding)?) -> String { value as? String ?? "" }

  private func rows<Content>(
    _ sql: String, _ bindings: [(any Binding)?] = [],
    _ read: ([(any Binding)?]) throws -> Content?
  ) throws -> [Content] {
    try connection.sync {
      let statement = try connection.prepare(sql, bindings)
      var contents: [Content] = []
      while let row = try statement.failableNext() {
        if let content = try read(row) { contents.append(content) }
      }
      return contents
    }
  }
}

/// A table with its columns.
public struct TableDefinition: Equatable, Sendable {
  /// The name.
  public let name: String
  /// The columns.
  public let columns: [ColumnDefinition]
}

/// Looks for keywords in statements of the schema.
enum SQLWords {
  /// Words in capitals and commas, without what stands in quotes or comments; those inside of
  /// parentheses are part of the list too.
  static func read(_ sql: String) -> [String] { scan(sql).map(\.word) }

  /// What stands behind WHERE.
  static func condition(of sql: String) -> String? {
    scan(sql).first { $0.word == "WHERE" }.map { place in
      String(decoding: Array(sql.utf8)[place.end...], as: UTF8.self)
        .drop { $0.isWhitespace }.description
    }
  }

  private static func scan(_ sql: String) -> [(word: String, end: Int)] {
    let bytes = Array(sql.utf8)
    var words: [(word: String, end: Int)] = [], index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if let close = closingQuote(byte) {
        index = (bytes[(index + 1)...].firstIndex(of: close) ?? bytes.count - 1) + 1
      } else if byte == UInt8(ascii: "-"), bytes[index...].starts(with: "--".utf8) {
        index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      } else if isLetter(byte) {
        let end = bytes[index...].firstIndex { !isLetter($0) } ?? bytes.count
        words.append((String(decoding: bytes[index..<end], as: UTF8.self).uppercased(), end))
        index = end
      } else {
        if byte == UInt8(ascii: ",") { words.append((",", index + 1)) }
        index += 1
      }
    }
    return words
  }

  private static func closingQuote(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): byte
    case UInt8(ascii: "["): UInt8(ascii: "]")
    default: nil
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 32 >= UInt8(ascii: "a") && byte | 32 <= UInt8(ascii: "z")) || byte >= 128
      || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
