/// Knows about the schema what SQLite does not.
public protocol DatabaseSchemaSource: Sendable {
  /// The columns that identify the rows of a view; nil if the source does not know.
  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
  /// Nothing is known.
  public func columnsForPrimaryKey(
    _ db: Database, inView view: DatabaseObjectID
  ) throws -> [String]? {
    nil
  }

  /// A source that asks another one where this one does not know.
  public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
    ChainedSchemaSource(first: self, second: other)
  }
}

private struct ChainedSchemaSource<
  First: DatabaseSchemaSource, Second: DatabaseSchemaSource
>: DatabaseSchemaSource {
  let first: First
  let second: Second

  func columnsForPrimaryKey(
    _ db: Database, inView view: DatabaseObjectID
  ) throws -> [String]? {
    try first.columnsForPrimaryKey(db, inView: view)
      ?? second.columnsForPrimaryKey(db, inView: view)
  }
}

extension Database {
  /// Runs a block in which another source knows about the schema, or none.
  public func withSchemaSource<T>(
    _ source: (any DatabaseSchemaSource)?, execute: () throws -> T
  ) rethrows -> T {
    stopOutsideAccess()
    let outer = schemaSource
    schemaSource = source
    schemaCache.removeAll()
    defer {
      schemaSource = outer
      schemaCache.removeAll()
    }
    return try execute()
  }
}
