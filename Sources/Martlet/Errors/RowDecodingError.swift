/// A row that could not be decoded: a column is missing, or has a value that the asked type cannot
/// have.
public struct RowDecodingError: Error {
  enum Kind: Sendable {
    case missing(RowKey)
    case mismatch(String)
  }

  let kind: Kind
  let message: String
  let row: String
  let sql: String?
  let arguments: StatementArguments?
  let showsArguments: Bool

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

  private init(kind: Kind, message: String, row: Row?) {
    self.kind = kind
    self.message = message
    self.row = row?.description ?? ""
    sql = row?.statement?.sql
    arguments = row?.statement?.arguments
    showsArguments = row?.statement?.database.configuration.publicStatementArguments ?? false
  }

  /// There is no such column, scope or key in the row.
  static func keyNotFound(_ key: RowKey, in row: Row?, detail: String? = nil) -> RowDecodingError {
    RowDecodingError(kind: .missing(key), message: detail ?? key.description, row: row)
  }

  /// The value of a column cannot be a value of the type.
  static func valueMismatch(
    _ type: Any.Type, value: DatabaseValue, column: String?, index: Int?, row: Row?
  ) -> RowDecodingError {
    var message = "could not decode \(type) from database value \(value)"
    if let column { message += " - column: \(String(reflecting: column))" }
    if let index { message += ", column index: \(index)" }
    return RowDecodingError(kind: .mismatch("\(type)"), message: message, row: row)
  }

  /// The value that a statement's row has in a column cannot be a value of the type.
  static func valueMismatch(
    _ type: Any.Type, statement: Statement, index: Int
  ) -> RowDecodingError {
    let value = DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt(index))
    return valueMismatch(
      type, value: value, column: statement.columnNames[index], index: index,
      row: Row(copyingRowOf: statement))
  }
}

extension RowDecodingError: CustomStringConvertible {
  /// What could not be decoded, the row, and the SQL that gave it.
  public var description: String {
    var text = message
    if !row.isEmpty { text += ", row: \(row)" }
    if let sql { text += ", sql: `\(sql)`" }
    if showsArguments, let arguments, !arguments.isEmpty { text += ", arguments: \(arguments)" }
    return text
  }
}
