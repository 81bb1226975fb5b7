/// A cursor over what a statement gives.
public protocol DatabaseCursor<Element>: Cursor {
  /// The cursor is at its end.
  var _isDone: Bool { get set }
  /// The statement that gives the rows.
  var _statement: Statement { get }
  /// Makes an element of the current row.
  func _element(sqliteStatement: SQLiteStatement) throws -> Element
}

extension DatabaseCursor {
  /// The text of the statement.
  public var sql: String { _statement.sql }

  /// The arguments of the statement.
  public var arguments: StatementArguments { _statement.arguments }

  /// The names of the statement's columns.
  public var columnNames: [String] { _statement.columnNames }

  /// What the statement reads.
  public var databaseRegion: DatabaseRegion { _statement.databaseRegion }

  /// How many columns the statement has.
  public var columnCount: Int { _statement.columnCount }

  /// The element of the next row; nil at the end. A statement that has failed fails again.
  @inlinable
  public func next() throws -> Element? {
    if _isDone {
      if let failure = _statement.failure { throw failure }
      return nil
    }
    let hasRow: Bool
    do {
      hasRow = try _statement.step()
    } catch {
      _isDone = true
      throw error
    }
    guard hasRow else {
      _isDone = true
      return nil
    }
    return try _element(sqliteStatement: _statement.sqliteStatement)
  }
}
