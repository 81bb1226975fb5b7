/// A column of a table.
///
/// Enums of strings conform to it with an empty body:
///
/// ```swift
/// enum Columns: String, ColumnExpression { case id, name, score }
/// let request = Player.filter(Columns.score > 1_000).order(Columns.name)
/// ```
public protocol ColumnExpression: SQLSpecificExpressible {
  /// The name of the column, without quotes.
  var name: String { get }
}

extension ColumnExpression {
  /// The column.
  public var sqlExpression: SQLExpression { SQLExpression(.column(name)) }

  /// The column without the name of its table, even where the query has several.
  public var detached: SQLExpression { SQLExpression(.detachedColumn(name)) }
}

extension ColumnExpression where Self == Column {
  /// The rowid.
  public static var rowID: Self { Column.rowID }
}

extension SQLExpressible where Self == Column {
  /// The rowid.
  public static var rowID: Self { Column.rowID }
}

extension SQLSelectable where Self == Column {
  /// The rowid.
  public static var rowID: Self { Column.rowID }
}

extension SQLOrderingTerm where Self == Column {
  /// The rowid.
  public static var rowID: Self { Column.rowID }
}

extension ColumnExpression where Self: RawRepresentable, Self.RawValue == String {
  /// The raw value.
  public var name: String { rawValue }

  /// The column.
  public var sqlExpression: SQLExpression { SQLExpression(.column(name)) }

  /// The column.
  public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression)) }

  /// The column, ascending.
  public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(sqlExpression)) }
}

/// A column by its name.
public struct Column: ColumnExpression, Sendable {
  /// The rowid, which every table has that is not WITHOUT ROWID.
  public static let rowID = Column("rowid")

  /// The name of the column, without quotes.
  public var name: String

  /// Names a column.
  public init(_ name: String) { self.name = name }

  /// Names the column of a coding key.
  public init(_ codingKey: some CodingKey) { name = codingKey.stringValue }
}
