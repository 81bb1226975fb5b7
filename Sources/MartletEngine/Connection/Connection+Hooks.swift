// What the application is told about changes and the ends of transactions.

/// A row that is about to be inserted, updated or deleted.
///
/// It is lent to the preupdate hook and cannot be kept.
public struct PreupdateChange: ~Copyable {
  private let row: RowUnderChange
  /// Insert, update or delete.
  public let kind: Connection.ChangeKind
  /// The rowid before the change, or that of a new row; 0 for a table without rowids.
  public let oldRowID: Int64
  /// The rowid after the change, or that of a row that goes; 0 for a table without rowids.
  public let newRowID: Int64
  /// Where `Blob` writes, the column: `kind` is delete, for only the row as it was is known
  /// (`sqlite3_preupdate_blobwrite`).
  public let writtenColumn: Int?

  init(_ row: RowUnderChange) throws(SQLError) {
    self.row = row
    kind = Connection.ChangeKind(row.change)
    oldRowID = try row.oldRowid()
    newRowID = row.change == .delete ? oldRowID : row.newRowid
    writtenColumn = row.writtenColumn
  }

  /// The name of the database.
  public var database: String { row.table.databaseName.string }
  public var table: String { row.table.name.string }

  /// The table's name in UTF-8, for the call: to find again what is kept for the table without
  /// making a String for each row.
  public var tableBytes: UnsafeRawBufferPointer { row.table.name.rawBytes }
  /// The same of the database.
  public var databaseBytes: UnsafeRawBufferPointer { row.table.databaseName.rawBytes }

  /// Columns of the table (`sqlite3_preupdate_count`).
  public var columnCount: Int { row.table.columns.count }

  /// 0 for what a statement changes itself, more for what triggers do
  /// (`sqlite3_preupdate_depth`).
  public var depth: Int { row.vm.root.activeFrameCount }

  /// A column before the change (`sqlite3_preupdate_old`).
  ///
  /// - Throws: `misuse` for an insert, `misuse` or `range` for a column that is not there.
  public func oldValue(_ column: Int) throws(SQLError) -> Value {
    let value = try oldReference(column)
    defer { value.deallocate() }
    return try Value(copying: value.register.pointee, encoding: value.encoding)
  }

  /// A column after the change (`sqlite3_preupdate_new`).
  ///
  /// - Throws: `misuse` for a delete, `misuse` or `range` for a column that is not there.
  public func newValue(_ column: Int) throws(SQLError) -> Value {
    let value = try newReference(column)
    defer { value.deallocate() }
    return try Value(copying: value.register.pointee, encoding: value.encoding)
  }

  /// The same as `oldValue`, as it is: a copy that lives until `deallocate()`.
  public func oldReference(_ column: Int) throws(SQLError) -> ValueReference {
    if kind == .insert { throw SQLError(.misuse) }
    try check(column)
    var value = Register()
    defer { value.deinitialize() }
    try readOld(column, into: &value)
    return try ValueReference.copy(of: value, encoding: row.vm.encoding)
  }

  /// The same as `newValue`, as it is: a copy that lives until `deallocate()`.
  public func newReference(_ column: Int) throws(SQLError) -> ValueReference {
    if kind == .delete { throw SQLError(.misuse) }
    try check(column, isNew: true)
    var value = Register()
    defer { value.deinitialize() }
    row.readNew(column, into: &value)
    return try ValueReference.copy(of: value, encoding: row.vm.encoding)
  }

  /// A column that is younger than the row has its DEFAULT.
  private func readOld(_ column: Int, into value: inout Register) throws(SQLError) {
    guard try !row.readOld(column, into: &value) else { return }
    let definition = row.table.columns[column], encoding = row.vm.encoding
    guard let expression = definition.defaultValue,
      let constant = try DefaultValue.register(of: expression, encoding: encoding)
    else { return }
    value.deinitialize()
    value = constant
    try definition.affinity.apply(to: &value, encoding: encoding)
  }

  /// Lends a column without copying it: before the change, or after it.
  ///
  /// - Parameter place: A value of the caller's, which takes what is lent: it is good until the row
  ///   changes, or the place is used again.
  /// - Throws: As `oldValue` and `newValue`.
  public func value(
    _ column: Int, beforeChange: Bool, in place: ValueReference
  ) throws(SQLError) -> ValueReference {
    if kind == (beforeChange ? .insert : .delete) { throw SQLError(.misuse) }
    try check(column, isNew: !beforeChange)
    if beforeChange {
      try readOld(column, into: &place.register.pointee)
    } else {
      row.readNew(column, into: &place.register.pointee)
    }
    return ValueReference(place.register, encoding: row.vm.encoding)
  }

  /// The column is part of the row as it is stored: SQLite tells of no others.
  package func isStored(_ column: Int) -> Bool {
    !row.table.columns.indices.contains(column) || !row.table.columns[column].isVirtual
  }

  private func check(_ column: Int, isNew: Bool = false) throws(SQLError) {
    guard column >= 0 else { throw SQLError(.range) }
    guard column < row.table.columns.count else {
      // Of a table without rowids, SQLite looks for the column in the key, but for new values of an
      // update, which are not in a row yet.
      let isSoughtInKey = row.table.isWithoutRowid && !(isNew && kind == .update)
      throw SQLError(isSoughtInKey ? .range : .misuse)
    }
  }
}

extension Connection {
  /// What happens to a row. The raw values are SQLite's.
  public enum ChangeKind: Int32, Sendable {
    case delete = 9
    case insert = 18
    case update = 23

    init(_ kind: RowChangeKind) {
      switch kind {
      case .insert: self = .insert
      case .update: self = .update
      case .delete: self = .delete
      }
    }
  }

  /// Told the change, the names of database and table, and the row's rowid.
  public typealias UpdateHook =
    @Sendable (_ kind: ChangeKind, _ database: String, _ table: String, _ rowID: Int64) -> Void

  public typealias PreupdateHook = @Sendable (borrowing PreupdateChange) -> Void

  /// Called after each row of a table with rowids was inserted, updated or deleted
  /// (`sqlite3_update_hook`), but not for rows that go because of REPLACE, nor where a DELETE
  /// without WHERE empties the table as a whole. It must not change the connection's databases.
  public var updateHook: UpdateHook? {
    get { locked { hooks.update } }
    set {
      locked {
        hooks.update = newValue
        functionHost.memory.pointee.updateHook = nil
        functionHost.memory.pointee.noticesChanges = newValue != nil
      }
    }
  }

  /// Takes the place of `updateHook` and is told the same, as C's programs are.
  public var rawUpdateHook: RawUpdateHook? {
    get { locked { functionHost.memory.pointee.updateHook } }
    set {
      locked {
        functionHost.memory.pointee.updateHook = newValue
        hooks.update = nil
        functionHost.memory.pointee.noticesChanges = newValue != nil
      }
    }
  }

  /// A DELETE without WHERE deletes row by row too, so that the update hook is told of each row.
  /// C's applications get this from an authorizer that ignores the deletion. Changing it lets all
  /// statements be compiled again before they run.
  public var deletesRowByRow: Bool {
    get { locked { hooks.deletesRowByRow } }
    set {
      locked {
        let isOther = hooks.deletesRowByRow != newValue
        hooks.deletesRowByRow = newValue
        if isOther { expireStatements() }
      }
    }
  }

  /// Called before each row of a table is inserted, updated or deleted, also by REPLACE
  /// (`sqlite3_preupdate_hook`). It must not use the connection.
  public var preupdateHook: PreupdateHook? {
    get { locked { hooks.preupdate } }
    set { changeAnnouncements { $0.preupdate = newValue } }
  }

  /// Tells somebody else of the same as `preupdateHook`, as long as the owner is not removed: what
  /// records changes beside the application's hook. Unlike that one it may read the schema.
  public func addChangeRecorder(_ owner: AnyObject, _ hook: @escaping PreupdateHook) {
    let owner = ObjectIdentifier(owner)
    changeAnnouncements { $0.changeRecorders.insert((owner, hook), at: 0) }
  }

  /// Undoes `addChangeRecorder`; it may be called while the owner is deinitialized.
  public func removeChangeRecorder(_ owner: ObjectIdentifier) {
    changeAnnouncements { $0.changeRecorders.removeAll { $0.owner == owner } }
  }

  /// Statements are compiled again where rows are announced now, or no longer.
  private func changeAnnouncements(_ change: (inout ConnectionHooks) -> Void) {
    locked {
      let wereAnnounced = hooks.announcesChanges
      change(&hooks)
      if hooks.announcesChanges != wereAnnounced { expireStatements() }
    }
  }

  /// Called before a transaction that has changed something is committed; true takes it back
  /// instead, and the statement fails (`sqlite3_commit_hook`). It must not use the connection.
  public var commitHook: (@Sendable () -> Bool)? {
    get { locked { hooks.commit } }
    set { locked { hooks.commit = newValue } }
  }

  /// Asked before full auto-vacuum shortens a file how many of its free pages shall go: told the
  /// database, its pages, the free ones among them, and the bytes of a page
  /// (`sqlite3_autovacuum_pages`). It must not use the connection.
  public typealias AutoVacuumHook =
    @Sendable (_ database: String, _ pageCount: UInt32, _ freeCount: UInt32, _ pageSize: UInt32)
    -> UInt32

  public var autoVacuumHook: AutoVacuumHook? {
    get { locked { hooks.autoVacuum } }
    set { locked { hooks.autoVacuum = newValue } }
  }

  func vacuumChoice(of tree: BTree) -> BTree.VacuumChoice? {
    guard let hook = hooks.autoVacuum else { return nil }
    let name = databases.first { $0.tree === tree }?.name ?? "main"
    return { pageCount, freeCount in
      hook(name, pageCount, freeCount, UInt32(tree.pager.pageSize))
    }
  }

  /// Called after a transaction was taken back, but not where closing the connection does it
  /// (`sqlite3_rollback_hook`).
  public var rollbackHook: (@Sendable () -> Void)? {
    get { locked { hooks.rollback } }
    set { locked { hooks.rollback = newValue } }
  }

  func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  func rowWillChange(_ row: RowUnderChange) throws(SQLError) {
    let change = try PreupdateChange(row)
    hooks.preupdate?(change)
    for recorder in hooks.changeRecorders { recorder.hook(change) }
  }

  func rowChanged(_ kind: RowChangeKind, _ table: Table, rowid: Int64) {
    hooks.update?(
      ChangeKind(kind), table.databaseName.string, table.name.string, rowid)
  }
}

// MARK: - Preparing again

extension Connection {
  public typealias PreparedAgainHook = @Sendable (_ hasFailed: Bool) -> Void

  /// Told when a statement was compiled again because what it was made for has changed. `hasFailed`
  /// says that it ran into that, in its first step.
  public var preparedAgain: PreparedAgainHook? {
    get { locked { hooks.preparedAgain } }
    set { locked { hooks.preparedAgain = newValue } }
  }
}
