import MartletEngine
import Synchronization

/// What a statement reads and changes, as the engine says while it compiles the statement.
struct StatementEffects {
  /// What it reads.
  var region = DatabaseRegion()
  /// What it changes, also by triggers and actions of foreign keys.
  var eventKinds: [DatabaseEventKind] = []
  var transactionEffect: TransactionEffect?

  /// What it does to transactions and savepoints.
  enum TransactionEffect {
    case begin
    case commit
    case rollback
    case beginSavepoint(String)
    case releaseSavepoint(String)
    case rollbackSavepoint(String)
  }

  /// The text is compiled once more, for what the engine asks an authorizer about it.
  init(of sql: String, on db: Database) throws {
    let notes = Mutex(StatementNotes())
    try translatingErrors { () throws(SQLError) in
      try db.connection.inspect(sql) { action, first, second, _, _ in
        notes.withLock { $0.add(action, first ?? "", second) }
        return .allow
      }
    }
    self = notes.withLock { $0.effects }
  }

  fileprivate init() {}
}

/// Effects while they are found out.
private struct StatementNotes {
  private(set) var effects = StatementEffects()
  private var isRemoval = false

  mutating func add(_ action: AuthorizerAction, _ first: String, _ second: String?) {
    switch action {
    case .read:
      // No column is read of a table whose rows are counted.
      let columns = second.flatMap { $0.isEmpty ? nil : Set([$0]) }
      effects.region.formUnion(DatabaseRegion(table: first, columns: columns))
    case .insert: effects.eventKinds.append(.insert(tableName: first))
    case .delete:
      if !isRemoval, !first.lowercased().hasSuffix("_master") {
        effects.eventKinds.append(.delete(tableName: first))
      }
    case .update: if let second { addUpdate(of: second, in: first) }
    case .dropTable, .dropVirtualTable, .dropTempTable, .dropIndex, .dropTempIndex, .dropView,
      .dropTempView, .dropTrigger, .dropTempTrigger:
      isRemoval = true
    case .transaction:
      switch first {
      case "BEGIN": effects.transactionEffect = .begin
      case "COMMIT": effects.transactionEffect = .commit
      default: effects.transactionEffect = .rollback
      }
    case .savepoint:
      guard let name = second else { return }
      switch first {
      case "BEGIN": effects.transactionEffect = .beginSavepoint(name)
      case "RELEASE": effects.transactionEffect = .releaseSavepoint(name)
      default: effects.transactionEffect = .rollbackSavepoint(name)
      }
    default: break
    }
  }

  /// All columns of a table are one kind.
  private mutating func addUpdate(of column: String, in table: String) {
    for (index, kind) in effects.eventKinds.enumerated() {
      guard case .update(let name, let columns) = kind, name.hasSameBytes(as: table) else {
        continue
      }
      effects.eventKinds[index] = .update(tableName: table, columnNames: columns.union([column]))
      return
    }
    effects.eventKinds.append(.update(tableName: table, columnNames: [column]))
  }
}

extension Statement {
  /// What the statement reads and changes.
  func effects() throws -> StatementEffects {
    // What moves transactions has to do with no schema.
    if let knownEffects,
      knownEffects.schemaGeneration == database.schemaCache.generation
        || knownEffects.effects.transactionEffect != nil
    {
      return knownEffects.effects
    }
    let effects = try StatementEffects(of: sql, on: database)
    knownEffects = (effects, database.schemaCache.generation)
    return effects
  }

  /// What the statement reads: of a statement that a request has made, the rows that its conditions
  /// say. Of a statement that does not compile any more, as the schema has changed, it is all.
  public var databaseRegion: DatabaseRegion {
    do {
      return try region()
    } catch {
      return .fullDatabase
    }
  }

  /// What the statement reads.
  func region() throws -> DatabaseRegion {
    guard let requestRegion else { return try effects().region }
    let (arguments, bindings) = (arguments, bindingCount)
    let region = try requestRegion(self)
    // A request for associated rows can have the same text, and so the same statement.
    if bindingCount != bindings {
      self.requestRegion = requestRegion
      try setArguments(arguments)
    }
    return region
  }
}
