/// An expression whose value is JSON.
///
/// Its parts can be asked for, and where it becomes an argument of a function that builds JSON, it
/// is taken for JSON and not for a string.
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

/// A column that contains JSON.
///
/// ```swift
/// struct Player: FetchableRecord, TableRecord {
///   enum Columns {
///     static let address = JSONColumn("address")
///   }
/// }
/// let players = try Player.filter { $0.address["country"] == "DE" }.fetchAll(db)
/// ```
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
  /// The name of the column, without quotes.
  public var name: String

  /// Names a column.
  public init(_ name: String) { self.name = name }

  /// Names the column of a coding key.
  public init(_ codingKey: some CodingKey) { name = codingKey.stringValue }
}

extension ColumnExpression where Self: SQLJSONExpressible {
  /// The column.
  public var sqlExpression: SQLExpression {
    SQLExpression(.json(SQLExpression(.column(name))))
  }
}

/// Any expression whose value is JSON.
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
  /// The expression.
  public let sqlExpression: SQLExpression

  /// Hides the kind of an expression.
  public init(_ base: some SQLJSONExpressible) { sqlExpression = base.sqlExpression }

  init(_ expression: SQLExpression) { sqlExpression = expression }
}

extension SQLSpecificExpressible {
  /// The expression, taken for JSON.
  public var asJSON: AnySQLJSONExpressible {
    AnySQLJSONExpressible(SQLExpression(.json(sqlExpression)))
  }
}

extension SQLJSONExpressible {
  /// A part of the JSON as a value of SQL: `->>`. The path is a key, an index, or begins with `$`.
  public subscript(_ path: some SQLExpressible) -> SQLExpression {
    .binary(.jsonExtractSQL, sqlExpression, path.sqlExpression.jsonPath)
  }

  /// A part of the JSON as a value of SQL: JSON_EXTRACT.
  public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
    Database.jsonExtract(self, atPath: path)
  }

  /// Parts of the JSON as a JSON array: JSON_EXTRACT.
  public func jsonExtract(
    atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    Database.jsonExtract(self, atPaths: paths)
  }

  /// A part of the JSON as JSON: `->`.
  public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
    .binary(.jsonExtractJSON, sqlExpression, path.sqlExpression.jsonPath)
  }
}

extension TableAliasBase {
  /// A JSON expression over the table's columns.
  public subscript(
    _ expression: some SQLJSONExpressible & SQLSpecificExpressible & SQLSelectable & SQLOrderingTerm
  ) -> AnySQLJSONExpressible {
    AnySQLJSONExpressible(SQLExpression(.qualified(expression.sqlExpression, self)))
  }
}

extension TableAlias where RowDecoder: TableRecord {
  /// A JSON column of the record type, of this table.
  public subscript<T>(
    dynamicMember keyPath: KeyPath<RowDecoder.DatabaseComponents, T>
  ) -> AnySQLJSONExpressible where T: SQLJSONExpressible {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

extension SQLExpression {
  /// A path of JSON is written into the text: an index on the part that it names serves the query
  /// only if both have the same text.
  var jsonPath: SQLExpression {
    guard case .value(let value) = node else { return self }
    switch value.storage {
    case .string(let text) where !text.utf8.contains(0): return SQLExpression(.inlined(value))
    case .int64: return SQLExpression(.inlined(value))
    default: return self
    }
  }

  /// The expression as an argument of a function that builds JSON: JSON must say that it is. The
  /// binary form is the one that is not parsed twice.
  var jsonArgument: SQLExpression {
    let value: SQLExpression
    switch node {
    case .json(let inner): value = inner
    case .qualified(let inner, let alias):
      guard case .json(let json) = inner.node else { return self }
      value = SQLExpression(.qualified(json, alias))
    default: return self
    }
    return value.isJSONAlready ? value : SQLExpression(.function("JSONB", [value]))
  }

  /// SQLite itself takes the value for JSON (json1 §3.4), or it is NULL, which JSON has too.
  private var isJSONAlready: Bool {
    switch node {
    case .value(let value): value.isNull
    case .binary(let op, _, _): op.sql == BinaryOperator.jsonExtractJSON.sql
    case .function(let name, _): SQLExpression.functionsOfJSON.contains(name)
    case .aggregate(let aggregate): SQLExpression.functionsOfJSON.contains(aggregate.name)
    case .qualified(let expression, _), .json(let expression): expression.isJSONAlready
    default: false
    }
  }

  /// The functions that give JSON whatever they are given.
  private static let functionsOfJSON: Set<String> = [
    "JSON", "JSON_ARRAY", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT", "JSON_INSERT", "JSON_OBJECT",
    "JSON_PATCH", "JSON_QUOTE", "JSON_REMOVE", "JSON_REPLACE", "JSON_SET",
    "JSONB", "JSONB_ARRAY", "JSONB_GROUP_ARRAY", "JSONB_GROUP_OBJECT", "JSONB_INSERT",
    "JSONB_OBJECT", "JSONB_PATCH", "JSONB_REMOVE", "JSONB_REPLACE", "JSONB_SET",
  ]
}
