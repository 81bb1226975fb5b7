import Synchronization

@testable import MartletEngine

/// Tables that keep their rows in memory, take part in transactions, and note what they are told.
final class NotesModule: VirtualTableModule {
  struct State: Sendable {
    var rows: [Int64: [Value]] = [:]
    var saved: [Int: [Int64: [Value]]] = [:]
    var calls: [String] = []
    var fails: String?
  }

  final class Store: Sendable {
    let state = Mutex(State())

    func calls() -> [String] {
      state.withLock { state in
        defer { state.calls = [] }
        return state.calls
      }
    }

    func note(_ call: String) throws(SQLError) {
      let fails = state.withLock { state in
        state.calls.append(call)
        return state.fails == call
      }
      if fails { throw SQLError(.constraint, "\(call) fails") }
    }
  }

  let store = Store()
  let settings: VirtualTableSettings
  let columns: String
  let abilities: VirtualTableAbilities

  init(
    _ columns: String = "CREATE TABLE x(a, b)", settings: VirtualTableSettings = [],
    abilities: VirtualTableAbilities = [
      .writing, .transactions, .savepoints, .renaming, .integrity,
    ]
  ) {
    self.settings = settings
    self.columns = columns
    self.abilities = abilities
  }

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try store.note("create")
    return try makeTable(request)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try store.note("connect")
    return try makeTable(request)
  }

  private func makeTable(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    if request.arguments.first != "mute" { try request.declare(columns) }
    request.configure(settings)
    return NotesTable(store)
  }

  func isShadowName(_ suffix: String) -> Bool { suffix == "content" }
}

final class NotesTable: VirtualTable {
  private let store: NotesModule.Store

  init(_ store: NotesModule.Store) { self.store = store }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.isUsable && constraint.column == -1 && constraint.operator == .equal {
      plan.take(index, asArgument: 0, omittingTest: true)
      plan.number = 1
      plan.isUnique = true
      plan.estimatedCost = 1
      return
    }
    plan.estimatedCost = 1_000
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { NotesCursor(store) }

  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    var shown = "\(change.kind)"
    var values: [Value] = []
    for column in 0..<change.columnCount {
      values.append(try change[column].value())
      if change[column].isUnchanged { shown += " =\(column)" }
    }
    if change.conflictPolicy != .abort { shown += " \(change.conflictPolicy)" }
    try store.note(shown)
    let old = change.oldRowid.isNull ? nil : change.oldRowid.int64
    let new = change.newRowid.isNull ? nil : change.newRowid.int64
    let policy = change.conflictPolicy
    let unchanged = (0..<values.count).map { change[$0].isUnchanged }
    let kind = change.kind
    let result: Int64? = store.state.withLock { state in
      if kind == .delete {
        state.rows[old ?? 0] = nil
        return 0
      }
      let rowid = new ?? (state.rows.keys.max() ?? 0) + 1
      if rowid != old, state.rows[rowid] != nil, policy != .replace { return nil }
      let before = old.flatMap { state.rows[$0] } ?? []
      if let old { state.rows[old] = nil }
      for column in values.indices where unchanged[column] { values[column] = before[column] }
      state.rows[rowid] = values
      return rowid
    }
    guard let result else { throw SQLError(.constraintRowID, "rowid is taken") }
    return result
  }

  func destroy() throws(SQLError) { try store.note("destroy") }
  func begin() throws(SQLError) {
    try store.note("begin")
    save(-1)
  }
  func sync() throws(SQLError) { try store.note("sync") }
  func commit() { store.state.withLock { $0.calls.append("commit") } }
  func rollback() {
    store.state.withLock { $0.calls.append("rollback") }
    restore(-1)
  }
  func openSavepoint(_ number: Int) throws(SQLError) {
    try store.note("savepoint \(number)")
    save(number)
  }
  func release(_ number: Int) throws(SQLError) { try store.note("release \(number)") }
  func rollback(to number: Int) throws(SQLError) {
    try store.note("rollback to \(number)")
    restore(number)
  }
  func rename(to name: String) throws(SQLError) { try store.note("rename \(name)") }

  func checkIntegrity(
    schema: String, table: String, isQuick: Bool
  ) throws(SQLError) -> String? {
    if store.state.withLock({ $0.rows.isEmpty }) { return nil }
    return "\(schema).\(table) has rows\(isQuick ? "" : "!")"
  }

  private func save(_ number: Int) {
    store.state.withLock { $0.saved[number] = $0.rows }
  }

  private func restore(_ number: Int) {
    store.state.withLock { $0.rows = $0.saved[number] ?? $0.rows }
  }
}

private final class NotesCursor: VirtualTableCursor {
  private let store: NotesModule.Store
  private var rows: [(key: Int64, value: [Value])] = []
  private var position = 0

  init(_ store: NotesModule.Store) { self.store = store }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    rows = store.state.withLock { $0.rows.sorted { $0.key < $1.key } }
    if scan.number == 1 {
      let wanted = scan[0].int64
      rows.removeAll { $0.key != wanted }
    }
    position = 0
  }

  override func advance() throws(SQLError) { position += 1 }
  override var isAtEnd: Bool { position >= rows.count }
  override func rowid() throws(SQLError) -> Int64 { rows[position].key }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    if value.isUnchanged { return }
    let values = rows[position].value
    if values.indices.contains(column) { try value.set(values[column]) }
  }
}
