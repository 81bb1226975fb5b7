/// What a statement is about to do, as the authorizer is told (`sqlite3_set_authorizer`, c3ref
/// c_alter_table). The raw values are SQLite's.
public enum AuthorizerAction: Int32, Sendable {
  /// Index, table.
  case createIndex = 1
  /// Table.
  case createTable = 2
  case createTempIndex = 3
  case createTempTable = 4
  /// Trigger, table.
  case createTempTrigger = 5
  case createTempView = 6
  case createTrigger = 7
  case createView = 8
  /// Table.
  case delete = 9
  case dropIndex = 10
  case dropTable = 11
  case dropTempIndex = 12
  case dropTempTable = 13
  case dropTempTrigger = 14
  case dropTempView = 15
  case dropTrigger = 16
  case dropView = 17
  /// Table.
  case insert = 18
  /// Pragma, its argument.
  case pragma = 19
  /// Table, column; an empty column stands for a table of which no column is read.
  case read = 20
  case select = 21
  /// BEGIN, COMMIT or ROLLBACK.
  case transaction = 22
  /// Table, column.
  case update = 23
  /// File, where it is written as a text.
  case attach = 24
  case detach = 25
  /// Database, table.
  case alterTable = 26
  /// Index.
  case reindex = 27
  /// Table.
  case analyze = 28
  /// Table, module.
  case createVirtualTable = 29
  case dropVirtualTable = 30
  /// nothing, function.
  case function = 31
  /// BEGIN, RELEASE or ROLLBACK; name.
  case savepoint = 32
  case recursive = 33
}

/// What an authorizer says to an action.
public enum Authorization: Int32, Sendable {
  case allow = 0
  /// The statement is refused.
  case deny = 1
  /// A column that is read, or a function that is called, is NULL; a column that is updated stays;
  /// rows are deleted all the same; any other statement does nothing.
  case ignore = 2
  /// Not an answer: the statement is refused, and the authorizer is blamed.
  case malfunction = -1
}

/// Asks the application whether statements may do what they say, while they are compiled.
struct Authorizer {
  /// Told the action, two details as the action says, the database and the innermost view or common
  /// table expression that the access comes from.
  typealias Function = @Sendable (
    _ action: AuthorizerAction, _ first: String?, _ second: String?, _ database: String?,
    _ view: String?
  ) -> Authorization

  let function: Function

  /// Asks about an action. False if it is to be ignored.
  func allows(
    _ action: AuthorizerAction, _ first: String? = nil, _ second: String? = nil,
    database: String? = nil, view: String? = nil
  ) throws(SQLError) -> Bool {
    switch function(action, first, second, database, view) {
    case .allow: return true
    case .ignore: return false
    case .deny: throw SQLError(.authorization, "not authorized")
    case .malfunction: throw .authorizerMalfunction
    }
  }

  /// The same for what makes the whole statement do nothing where it is ignored.
  func require(
    _ action: AuthorizerAction, _ first: String? = nil, _ second: String? = nil,
    database: String? = nil, view: String? = nil
  ) throws(SQLError) {
    guard try allows(action, first, second, database: database, view: view) else {
      throw .statementIgnored
    }
  }

  /// Asks whether a function may be called.
  ///
  /// - Parameter written: Its name in the statement, for the message.
  func allowsCalling(
    _ name: String, written: String? = nil, view: String?
  ) throws(SQLError) -> Bool {
    switch function(.function, nil, name, nil, view) {
    case .allow: return true
    case .ignore: return false
    case .deny: throw .sql("not authorized to use function: \(written ?? name)")
    case .malfunction: throw .authorizerMalfunction
    }
  }

  /// Asks whether a column may be read.
  func allowsReading(
    _ column: String, of table: String, in catalog: Catalog, database index: Int, view: String?
  ) throws(SQLError) -> Bool {
    let database = catalog.databases[index].name.string
    switch function(.read, table, column, database, view) {
    case .allow: return true
    case .ignore: return false
    case .deny:
      let isQualified = index != 0 || catalog.databases.count > 2
      let place = isQualified ? "\(database).\(table).\(column)" : "\(table).\(column)"
      throw SQLError(.authorization, "access to \(place) is prohibited")
    case .malfunction: throw .authorizerMalfunction
    }
  }
}

extension SQLError {
  /// Not an error of the statement: its program is to be empty.
  static var statementIgnored: SQLError { SQLError(.ok) }

  static var authorizerMalfunction: SQLError { .sql("authorizer malfunction") }

  var isStatementIgnored: Bool { code == .ok }
}

extension Table {
  /// The name that authorizers are told: the schema tables have their old ones.
  var authorizedName: String {
    guard rootPage.rawValue == 1, view == nil else { return name.string }
    return Table.schemaTableName(ofDatabase: databaseIndex)
  }

  static func schemaTableName(ofDatabase index: Int) -> String {
    index == 1 ? "sqlite_temp_master" : "sqlite_master"
  }
}
