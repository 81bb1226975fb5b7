/// A module of virtual tables, whose tables are defined in Swift.
///
/// ```swift
/// try db.create(virtualTable: "book", using: Vocabulary()) { t in
///   t.column("title")
/// }
/// ```
public protocol VirtualTableModule {
  /// What the closure of `Database.create(virtualTable:options:using:_:)` is given.
  associatedtype TableDefinition

  /// The name under which the engine knows the module.
  var moduleName: String { get }

  /// Makes what the closure is given.
  func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

  /// The arguments of the module in CREATE VIRTUAL TABLE.
  func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

  /// Does what must be done when the table was created, in the same transaction.
  func database(
    _ db: Database, didCreate tableName: String, using definition: TableDefinition
  ) throws
}

/// How a virtual table is being created.
public struct VirtualTableConfiguration: Sendable {
  /// A table that is there already is kept.
  let ifNotExists: Bool
  /// The table is created in the temp schema.
  let temporary: Bool
}

extension Database {
  /// Creates a virtual table.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - options: What else the definition says.
  ///   - module: The name of the module, with its arguments in parentheses.
  public func create(
    virtualTable name: String, options: VirtualTableOptions = [], using module: String
  ) throws {
    let head =
      options.contains(.ifNotExists) ? "CREATE VIRTUAL TABLE IF NOT EXISTS" : "CREATE VIRTUAL TABLE"
    let table = (options.contains(.temporary) ? "temp." : "") + name.quotedIdentifier
    try execute(sql: "\(head) \(table) USING \(module)")
  }

  /// Creates a virtual table.
  @_disfavoredOverload
  public func create(
    virtualTable name: String, ifNotExists: Bool = false, using module: String
  ) throws {
    try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
  }

  /// Creates a virtual table that a closure defines.
  public func create<Module: VirtualTableModule>(
    virtualTable tableName: String, options: VirtualTableOptions = [], using module: Module,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
  ) throws {
    let definition = module.makeTableDefinition(
      configuration: VirtualTableConfiguration(
        ifNotExists: options.contains(.ifNotExists), temporary: options.contains(.temporary)))
    try body?(definition)
    let arguments = try module.moduleArguments(for: definition, in: self)
    let list = arguments.isEmpty ? "" : "(" + arguments.joined(separator: ", ") + ")"
    try inSavepoint {
      try create(virtualTable: tableName, options: options, using: module.moduleName + list)
      try module.database(self, didCreate: tableName, using: definition)
      return .commit
    }
  }

  /// Creates a virtual table that a closure defines.
  @_disfavoredOverload
  public func create<Module: VirtualTableModule>(
    virtualTable tableName: String, ifNotExists: Bool = false, using module: Module,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
  ) throws {
    try create(
      virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module, body)
  }
}
