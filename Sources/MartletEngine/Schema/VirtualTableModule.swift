/// What makes virtual tables: tables whose rows the application, or the engine itself, gives
/// (vtab; `sqlite3_module`). A module is registered under a name by `Connection.createModule`.
///
/// The hot part, one call a row and one a column, is `VirtualTableCursor`, a class; what is called
/// once a statement are protocols. All calls come with the connection's lock held, and may run SQL
/// on the connection.
public protocol VirtualTableModule: AnyObject, Sendable {
  /// What the module's tables can do beside being read.
  var abilities: VirtualTableAbilities { get }

  /// Makes a new table for CREATE VIRTUAL TABLE (`xCreate`). Without a definition of its own it is
  /// `connect`.
  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable

  /// Makes the table that an earlier CREATE VIRTUAL TABLE, perhaps of another connection, has
  /// described, or an eponymous one (`xConnect`). The object is released when the table is dropped
  /// or its schema forgotten (`xDisconnect`).
  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable

  /// Whether the table `name_suffix` keeps content of the virtual table `name` (`xShadowName`).
  func isShadowName(_ suffix: String) -> Bool
}

extension VirtualTableModule {
  public var abilities: VirtualTableAbilities { [] }

  public func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try connect(request)
  }

  public func isShadowName(_ suffix: String) -> Bool { false }
}

/// What tables of a module can do: which members of `VirtualTable` there are for SQL. A member
/// without its ability is never called.
public struct VirtualTableAbilities: OptionSet, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The module's name is a table without any CREATE, and a table-valued function (vtab §1.1.2).
  public static let eponymous = VirtualTableAbilities(rawValue: 1)
  /// There is no CREATE VIRTUAL TABLE for the module.
  public static let eponymousOnly = VirtualTableAbilities(rawValue: 3)
  /// `update` (`xUpdate`).
  public static let writing = VirtualTableAbilities(rawValue: 4)
  /// `begin`, `sync`, `commit`, `rollback` (`xBegin` …).
  public static let transactions = VirtualTableAbilities(rawValue: 8)
  /// `openSavepoint`, `release`, `rollback(to:)` (`xSavepoint` …).
  public static let savepoints = VirtualTableAbilities(rawValue: 16)
  /// `rename` (`xRename`).
  public static let renaming = VirtualTableAbilities(rawValue: 32)
  /// `checkIntegrity` (`xIntegrity`).
  public static let integrity = VirtualTableAbilities(rawValue: 64)
}

/// A virtual table of a connection.
///
/// One object stands for the table as long as the connection knows its schema.
public protocol VirtualTable: AnyObject {
  /// Says how the table would answer a query (`xBestIndex`). Called several times for a query, with
  /// different constraints usable.
  ///
  /// - Throws: `constraint` where this set of usable constraints leads to no plan at all; anything
  ///   else fails the statement.
  func planScan(_ plan: VirtualTablePlan) throws(SQLError)

  /// A new cursor over the rows (`xOpen`).
  func makeCursor() throws(SQLError) -> VirtualTableCursor

  /// Changes a row (`xUpdate`).
  ///
  /// - Returns: The rowid of a row that was inserted; what it is otherwise does not matter.
  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64

  /// DROP TABLE (`xDestroy`): what the table keeps goes.
  func destroy() throws(SQLError)

  /// The table is about to be changed in a transaction (`xBegin`).
  func begin() throws(SQLError)
  /// First phase of a commit, which may still fail (`xSync`).
  func sync() throws(SQLError)
  func commit()
  func rollback()
  /// A savepoint of that number opens; those of higher numbers are inside it (`xSavepoint`).
  func openSavepoint(_ number: Int) throws(SQLError)
  /// Savepoints of that and higher numbers close (`xRelease`).
  func release(_ number: Int) throws(SQLError)
  /// The state of when the savepoint was opened comes back (`xRollbackTo`).
  func rollback(to number: Int) throws(SQLError)

  /// ALTER TABLE RENAME gives the table another name (`xRename`).
  func rename(to name: String) throws(SQLError)

  /// For PRAGMA integrity_check, and quick_check if `isQuick`: what is wrong with the table, or nil
  /// (`xIntegrity`).
  func checkIntegrity(schema: String, table: String, isQuick: Bool) throws(SQLError) -> String?
}

extension VirtualTable {
  public func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    throw SQLError(.readOnly)
  }

  public func destroy() throws(SQLError) {}
  public func begin() throws(SQLError) {}
  public func sync() throws(SQLError) {}
  public func commit() {}
  public func rollback() {}
  public func openSavepoint(_ number: Int) throws(SQLError) {}
  public func release(_ number: Int) throws(SQLError) {}
  public func rollback(to number: Int) throws(SQLError) {}
  public func rename(to name: String) throws(SQLError) {}

  public func checkIntegrity(
    schema: String, table: String, isQuick: Bool
  ) throws(SQLError) -> String? { nil }
}

/// What a module is told when it makes a table, and where it declares the table's columns.
public final class VirtualTableRequest {
  public let moduleName: String
  public let databaseName: String
  public let tableName: String
  /// What stands between the commas of CREATE VIRTUAL TABLE.
  public let arguments: [String]
  /// The connection; `Any` because it stands in a higher room.
  let owner: AnyObject
  private(set) var declaration: String?
  private(set) var settings: VirtualTableSettings = []
  private let check: (String) throws(SQLError) -> Void

  init(
    moduleName: String, databaseName: String, tableName: String, arguments: [String],
    owner: AnyObject, check: @escaping (String) throws(SQLError) -> Void
  ) {
    self.moduleName = moduleName
    self.databaseName = databaseName
    self.tableName = tableName
    self.arguments = arguments
    self.owner = owner
    self.check = check
  }

  /// Declares the table's columns by a CREATE TABLE statement, whose table name does not matter
  /// (`sqlite3_declare_vtab`). HIDDEN in a column's type hides the column from `*`; the hidden
  /// columns are the arguments of an eponymous table (vtab §2.1.2).
  public func declare(_ sql: String) throws(SQLError) {
    if declaration != nil { throw SQLError(.misuse) }
    try check(sql)
    declaration = sql
  }

  /// Settings that the table has, or has no more (`sqlite3_vtab_config`).
  public func configure(_ settings: VirtualTableSettings, _ isOn: Bool = true) {
    if isOn { self.settings.formUnion(settings) } else { self.settings.subtract(settings) }
  }
}

/// `sqlite3_vtab_config`.
public struct VirtualTableSettings: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The table leaves itself as it was when `update` throws a constraint error, and heeds
  /// `VirtualTableChange.conflictPolicy`.
  public static let constraintSupport = VirtualTableSettings(rawValue: 1)
  /// Not to be used in triggers and views.
  public static let directOnly = VirtualTableSettings(rawValue: 2)
  /// Harmless also where the schema is not trusted.
  public static let innocuous = VirtualTableSettings(rawValue: 4)
  /// Statements on the table read all databases of the connection.
  public static let usesAllSchemas = VirtualTableSettings(rawValue: 8)
}
