/// A row that could not be decoded: a column is missing, or has a value that the asked type cannot
/// have.
public struct RowDecodingError: Error {
  private let message: String
  /// The column, the row, and where it comes from.
  private let details: [String]

  /// What of a row was asked for.
  enum RowKey: Sendable, CustomStringConvertible {
    case columnName(String)
    case columnIndex(Int)
    case scope(String)
    case prefetchKey(String)

    var description: String {
      switch self {
      case .columnName(let name): "column not found: \(String(reflecting: name))"
      case .columnIndex(let index): "column index out of range: \(index)"
      case .scope(let name): "scope not found: \(String(reflecting: name))"
      case .prefetchKey(let key): "prefetched rows not found: \(String(reflecting: key))"
      }
    }
  }

  /// A row that was copied does not know its statement any more.
  private init(
    message: String, column: [String] = [], row: Row?, statement: Statement? = nil
  ) {
    self.message = message
    var details = column
    if let row { details.append("row: \(row)") }
    if let statement = statement ?? (row?.live == nil ? nil : row?.statement) {
      details.append("sql: `\(statement.sql)`")
      details.append("arguments: \(statement.arguments)")
    }
    self.details = details
  }

  /// There is no such column, scope or key in the row.
  static func keyNotFound(_ key: RowKey, in row: Row?, detail: String? = nil) -> RowDecodingError {
    RowDecodingError(message: detail ?? key.description, row: row)
  }

  /// The value of a column cannot be a value of the type.
  static func valueMismatch(
    _ type: Any.Type, value: DatabaseValue, column: String?, index: Int?, row: Row?,
    statement: Statement? = nil
  ) -> RowDecodingError {
    let place = [
      column.map { "column: \(String(reflecting: $0))" }, index.map { "column index: \($0)" },
    ]
    return RowDecodingError(
      message: "could not decode \(type) from database value \(value)",
      column: place.compactMap { $0 }, row: row, statement: statement)
  }

  /// The value that a statement's row has in a column cannot be a value of the type.
  static func valueMismatch(
    _ type: Any.Type, statement: Statement, index: Int
  ) -> RowDecodingError {
    let value = DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt(index))
    return valueMismatch(
      type, value: value, column: statement.columnNames[index], index: index,
      row: Row(copyingRowOf: statement), statement: statement)
  }
}

extension RowDecodingError: CustomStringConvertible {
  /// What could not be decoded, the row, and the SQL that gave it.
  public var description: String {
    details.isEmpty ? message : "\(message) - \(details.joined(separator: ", "))"
  }
}
