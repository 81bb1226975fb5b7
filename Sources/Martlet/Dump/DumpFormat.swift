import Foundation

/// Writes the rows of a statement as text.
public protocol DumpFormat {
  /// Writes the current row of a statement.
  mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream) throws

  /// Called after the last row of a statement.
  mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream)
}

/// Where dumps are written: to the standard output, or to a stream of the application.
public struct DumpStream: TextOutputStream {
  private var target: (any TextOutputStream)?
  private var needsMargin = false
  private var hasText = false
  private var refusesMargin = false

  init(_ target: (any TextOutputStream)?) { self.target = target }

  /// Asks for an empty line before what is written next, if anything was written before.
  public mutating func margin() {
    needsMargin = hasText && !refusesMargin
    refusesMargin = false
  }

  /// Whether the next wish for an empty line is not fulfilled.
  mutating func refuseMargin(_ isRefused: Bool) { refusesMargin = isRefused }

  /// Writes text.
  public mutating func write(_ string: String) {
    guard !string.isEmpty else { return }
    let text = needsMargin ? "\n" + string : string
    needsMargin = false
    hasText = true
    if target == nil { print(text, terminator: "") } else { target?.write(text) }
  }
}

/// Whether dumps of tables begin with the table's name.
public enum DumpTableHeaderOptions: Sendable {
  /// Where there are several tables.
  case automatic
  /// Always.
  case always
}

extension Statement {
  /// The values of the current row.
  var currentValues: [DatabaseValue] {
    dumpedColumns.map { DatabaseValue(sqliteStatement: sqliteStatement, index: CInt($0)) }
  }

  /// The names of these columns.
  var dumpedNames: [String] { dumpedColumns.map { sqliteStatement.columnName($0) } }

  /// All columns but those that the layer adds for itself.
  private var dumpedColumns: [Int] {
    (0..<columnCount).filter { !sqliteStatement.columnName($0).hasPrefix("grdb_") }
  }
}

extension DatabaseValue {
  /// The value as plain text; NULL is given.
  fileprivate func text(null: String) -> String {
    switch storage {
    case .null: null
    case .int64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .blob(let data): String(decoding: data, as: UTF8.self)
    }
  }

  /// The value as text for people who debug: blobs that are UUIDs or text are shown as such.
  fileprivate func debugText(null: String) -> String {
    guard case .blob(let data) = storage else { return text(null: null) }
    if let text = String(data: data, encoding: .utf8) { return text }
    if data.count == 16, let uuid = UUID.fromDatabaseValue(self) { return uuid.uuidString }
    return sqlLiteral
  }
}

/// Rows as lines, with a separator between the values.
struct LineWriter: Sendable {
  private var isFirst = true

  mutating func write(
    _ statement: Statement, header: Bool, separator: String, to stream: inout DumpStream,
    heading: (String) -> String = { $0 }, _ text: (DatabaseValue) -> String
  ) {
    if isFirst {
      isFirst = false
      if header {
        stream.write(
          statement.dumpedNames.map(heading).joined(separator: separator) + "\n")
      }
    }
    stream.write(statement.currentValues.map(text).joined(separator: separator) + "\n")
  }

  mutating func end() { isFirst = true }
}

/// Rows as lines for people who debug: blobs that are text or UUIDs are shown as such.
public struct DebugDumpFormat: DumpFormat, Sendable {
  /// The names of the columns come first.
  public var header: Bool
  /// What stands between values.
  public var separator: String
  /// What stands for NULL.
  public var nullValue: String
  private var writer = LineWriter()

  /// Makes a format.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    self.header = header
    self.separator = separator
    self.nullValue = nullValue
  }

  /// Writes a row.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    let null = nullValue
    writer.write(statement, header: header, separator: separator, to: &stream) {
      $0.debugText(null: null)
    }
  }

  /// Ends a statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    writer.end()
  }
}

/// Rows as lines, as SQLite's shell has them by default.
public struct ListDumpFormat: DumpFormat, Sendable {
  /// The names of the columns come first.
  public var header: Bool
  /// What stands between values.
  public var separator: String
  /// What stands for NULL.
  public var nullValue: String
  private var writer = LineWriter()

  /// Makes a format.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    self.header = header
    self.separator = separator
    self.nullValue = nullValue
  }

  /// Writes a row.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    let null = nullValue
    writer.write(statement, header: header, separator: separator, to: &stream) {
      $0.text(null: null)
    }
  }

  /// Ends a statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    writer.end()
  }
}

/// Rows as lines of SQL literals.
public struct QuoteDumpFormat: DumpFormat, Sendable {
  /// The names of the columns come first.
  public var header: Bool
  /// What stands between values.
  public var separator: String
  private var writer = LineWriter()

  /// Makes a format.
  public init(header: Bool = false, separator: String = ",") {
    self.header = header
    self.separator = separator
  }

  /// Writes a row.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    writer.write(
      statement, header: header, separator: separator, to: &stream,
      heading: { $0.databaseValue.sqlLiteral }
    ) { $0.sqlLiteral }
  }

  /// Ends a statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    writer.end()
  }
}

/// A line for each value, with the name of its column.
public struct LineDumpFormat: DumpFormat, Sendable {
  /// What stands for NULL.
  public var nullValue: String

  /// Makes a format.
  public init(nullValue: String = "") { self.nullValue = nullValue }

  /// Writes a row.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    let names = statement.dumpedNames
    let width = names.map { $0.count }.max() ?? 0
    stream.margin()
    for (name, value) in zip(names, statement.currentValues) {
      let blanks = String(repeating: " ", count: width - name.count)
      stream.write("\(blanks)\(name) = \(value.text(null: nullValue))\n")
    }
  }

  /// Ends a statement.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {}
}

extension DumpFormat where Self == DebugDumpFormat {
  /// Rows as lines for people who debug.
  public static func debug(
    header: Bool = false, separator: String = "|", nullValue: String = ""
  ) -> Self {
    DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}

extension DumpFormat where Self == ListDumpFormat {
  /// Rows as lines, as SQLite's shell has them by default.
  public static func list(
    header: Bool = false, separator: String = "|", nullValue: String = ""
  ) -> Self {
    ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}

extension DumpFormat where Self == QuoteDumpFormat {
  /// Rows as lines of SQL literals.
  public static func quote(header: Bool = false, separator: String = ",") -> Self {
    QuoteDumpFormat(header: header, separator: separator)
  }
}

extension DumpFormat where Self == LineDumpFormat {
  /// A line for each value, with the name of its column.
  public static func line(nullValue: String = "") -> Self { LineDumpFormat(nullValue: nullValue) }
}
