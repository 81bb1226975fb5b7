/// What is changed in a table.
///
/// ```swift
/// try db.alter(table: "player") { t in
///   t.add(column: "hasBonus", .boolean).notNull().defaults(to: false)
///   t.rename(column: "url", to: "homeURL")
///   t.drop(column: "age")
/// }
/// ```
public final class TableAlteration {
  private enum Step {
    case add(ColumnDefinition)
    case addLiteral(SQL)
    case rename(String, String)
    case drop(String)
  }

  private let name: String
  private var steps: [Step] = []

  init(name: String) { self.name = name }

  /// Adds a column.
  @discardableResult
  public func add(
    column name: String, _ type: Database.ColumnType? = nil
  ) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    steps.append(.add(column))
    return column
  }

  /// Adds a column with its definition in SQL.
  public func addColumn(sql: String) { addColumn(literal: SQL(sql: sql)) }

  /// Adds a column with its definition in SQL.
  public func addColumn(literal: SQL) { steps.append(.addLiteral(literal)) }

  /// Gives a column another name, also where indexes, views and triggers name it.
  public func rename(column name: String, to newName: String) {
    steps.append(.rename(name, newName))
  }

  /// Removes a column.
  public func drop(column name: String) { steps.append(.drop(name)) }

  func sql(_ db: Database) throws -> String {
    let resolver = KeyResolver(db: db), start = "ALTER TABLE \(name.quotedIdentifier)"
    return try steps.flatMap { step -> [String] in
      switch step {
      case .add(let column):
        let index = try column.index(on: name)?.sql(db)
        return ["\(start) ADD COLUMN " + (try column.sql(resolver))] + (index.map { [$0] } ?? [])
      case .addLiteral(let literal):
        let sql = try SQLWriter(db, inlinesValues: true).sql(literal)
        return ["\(start) ADD COLUMN \(sql)"]
      case .rename(let old, let new):
        return ["\(start) RENAME COLUMN \(old.quotedIdentifier) TO \(new.quotedIdentifier)"]
      case .drop(let column):
        return ["\(start) DROP COLUMN \(column.quotedIdentifier)"]
      }
    }.joined(separator: "; ")
  }
}

@available(*, unavailable)
extension TableAlteration: Sendable {}
