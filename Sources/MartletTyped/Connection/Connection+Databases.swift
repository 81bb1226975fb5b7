import MartletEngine

extension Connection {
  /// Adds a database to the connection: its tables are `Table("name", database: schemaName)`.
  public func attach(_ location: Location, as schemaName: String) throws {
    try run("ATTACH DATABASE ? AS \(schemaName.quotedIdentifier)", location.description)
  }

  /// Takes a database from the connection.
  public func detach(_ schemaName: String) throws {
    try sync {
      forgetStatements()
      try run("DETACH DATABASE \(schemaName.quotedIdentifier)")
    }
  }

  /// Prepares to copy a database into another connection's.
  public func backup(
    databaseName: Backup.DatabaseName = .main, usingConnection targetConnection: Connection,
    andDatabaseName targetDatabaseName: Backup.DatabaseName = .main
  ) throws -> Backup {
    try Backup(
      sourceConnection: self, sourceName: databaseName, targetConnection: targetConnection,
      targetName: targetDatabaseName)
  }
}

/// Copies a database into another one, page by page.
public final class Backup {
  /// A database of a connection.
  public enum DatabaseName: Sendable {
    /// That it was opened with.
    case main
    /// That of temporary tables.
    case temp
    /// One that was attached.
    case attached(name: String)

    var name: String {
      switch self {
      case .main: "main"
      case .temp: "temp"
      case .attached(let name): name
      }
    }
  }

  /// How much is copied at once.
  public enum Pages: Sendable {
    /// All that is left.
    case all
    /// So many pages.
    case limited(number: Int32)

    var number: Int {
      switch self {
      case .all: -1
      case .limited(let number): Int(number)
      }
    }
  }

  private let core: MartletEngine.Backup
  private let source: Connection

  /// The pages of the source when the last step ended.
  public var pageCount: Int32 { Int32(clamping: core.pageCount) }

  /// The pages that were still to be copied then.
  public var remainingPages: Int32 { Int32(clamping: max(0, core.remainingPageCount)) }

  /// Prepares a copy; nothing is copied yet.
  public init(
    sourceConnection: Connection, sourceName: DatabaseName = .main,
    targetConnection: Connection, targetName: DatabaseName = .main
  ) throws {
    source = sourceConnection
    core = try sourceConnection.translating {
      try MartletEngine.Backup(
        from: sourceConnection.core, database: sourceName.name, to: targetConnection.core,
        database: targetName.name)
    }
  }

  /// Copies pages. The target has the source's content when all are copied.
  public func step(pagesToCopy pages: Pages = .all) throws {
    _ = try source.translating { try core.step(pageCount: pages.number) }
  }

  /// Gives up what is not finished.
  public func finish() { core.finish() }
}
