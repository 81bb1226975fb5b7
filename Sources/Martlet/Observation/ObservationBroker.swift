import MartletEngine

/// Tells the observers of a connection what happens: it stands between the engine's hooks, the
/// statements that begin and end, and the observers.
///
/// A transaction has ended when the statement that ends it has; the hooks, which are called in the
/// middle of it, only note how.
final class ObservationBroker {
  private unowned let db: Database
  private var observations: [Observation] = []
  /// With so many, those whose observer is gone are looked for.
  private var pruningCount = 64
  /// The statements that run and may change something, in the order in which they have begun: a
  /// function of the application may run one in the middle of another, and cursors are read in any
  /// order.
  private var running: [RunningStatement] = []
  private var savepoints = SavepointEvents()
  private var end = TransactionEnd.none
  /// What the observers of the thread ask for is meant for this broker; set by `CurrentBrokers`.
  var isCurrent = false
  /// An observer has asked for silence until the end of the transaction.
  private var hasSilent = false
  /// Rows are announced before they change.
  private var announcesRows = false
  /// An observer has turned out to have no use for that.
  private var isLessWanted = false

  private enum TransactionEnd {
    case none
    case commit
    case rollback
    /// An observer has refused the commit.
    case refusal(any Error)
  }

  init(_ db: Database) { self.db = db }

  var hasObservers: Bool { !observations.isEmpty }

  func forget() {
    observations = []
    running = []
    CurrentBrokers.forget(self)
  }

  // MARK: Observers

  func add(_ observer: some TransactionObserver, _ extent: Database.TransactionObservationExtent) {
    if observations.isEmpty { installCommitHook() }
    // Observers go without a word; whoever makes many of them does not wait for a transaction.
    if observations.count >= pruningCount {
      observations.removeAll { $0.observer == nil }
      pruningCount = max(64, 2 * observations.count)
    }
    let observation = Observation(observer, extent)
    observations.append(observation)
    if observation.wantsValues { updatePreupdateHook() }
  }

  private func index(of observer: some TransactionObserver) -> Int? {
    observations.firstIndex { $0.isOf(observer) }
  }

  func remove(_ observer: some TransactionObserver) {
    if let index = index(of: observer) { observations.remove(at: index) }
    removeHooksIfUnused()
  }

  func disable(_ observer: some TransactionObserver) {
    guard let index = index(of: observer) else { return }
    let observation = observations[index]
    observation.isEnabled = false
    hasSilent = true
    for index in running.indices {
      running[index].listeners.removeAll { $0.observation === observation }
    }
  }

  func notifyChanges(of kinds: [DatabaseEventKind]) {
    CurrentBrokers.during(self) {
      for observation in observations where observation.isEnabled {
        guard let observer = observation.observer else { continue }
        if kinds.contains(where: { observer.observes(eventsOfKind: $0) }) {
          observer.databaseDidChange()
        }
      }
    }
  }

  // MARK: Hooks

  private func installCommitHook() {
    nonisolated(unsafe) unowned let broker = self
    db.connection.commitHook = { broker.willCommit() }
  }

  /// Nothing is told to nobody.
  private func removeHooksIfUnused() {
    if announcesRows { updatePreupdateHook() }
    guard observations.isEmpty else { return }
    db.connection.commitHook = nil
    db.connection.deletesRowByRow = false
    endStatements { _ in true }
  }

  /// A statement begins that announces changes. Nothing is asked of the engine before somebody wants
  /// to know of them.
  private func beginStatement(_ new: RunningStatement) {
    endStatements { $0.statement == new.statement }
    if running.isEmpty {
      if new.listeners.isEmpty { return }
      listen()
    }
    running.append(new)
  }

  private func endStatements(_ isEnded: (RunningStatement) -> Bool) {
    if running.isEmpty { return }
    running.removeAll(where: isEnded)
    guard running.isEmpty else { return }
    CurrentBrokers.leave(self)
    db.connection.updateHook = nil
    if isLessWanted { updatePreupdateHook() }
  }

  /// The access to the connection ends. Statements whose rows were not read to their end go no
  /// further.
  func accessWillEnd() { endStatements { _ in true } }

  private func listen() {
    CurrentBrokers.enter(self)
    nonisolated(unsafe) unowned let broker = self
    db.connection.updateHook = { kind, database, table, rowID in
      guard let kind = DatabaseEvent.Kind(rawValue: kind.rawValue) else { return }
      broker.didChange(
        DatabaseEvent(kind: kind, databaseName: database, tableName: table, rowID: rowID))
    }
  }

  /// Announcing rows makes statements slower, and all are compiled again when it begins or ends: it
  /// goes on as long as there is somebody who wants their values.
  private func updatePreupdateHook() {
    isLessWanted = false
    let isWanted = observations.contains { $0.wantsValues }
    guard isWanted != announcesRows else { return }
    announcesRows = isWanted
    guard isWanted else {
      db.connection.preupdateHook = nil
      return
    }
    nonisolated(unsafe) unowned let broker = self
    db.connection.preupdateHook = { broker.willChange($0) }
  }

  /// True takes the transaction back.
  private func willCommit() -> Bool {
    do {
      try notifyWillCommit()
      end = .commit
      return false
    } catch {
      end = .refusal(error)
      return true
    }
  }

  /// The engine has taken a transaction back.
  func noteRollback() {
    if case .refusal = end { return }
    end = .rollback
  }

  private func willChange(_ change: borrowing PreupdateChange) {
    guard running.contains(where: { $0.wantsValues }),
      let kind = DatabasePreUpdateEvent.Kind(rawValue: change.kind.rawValue)
    else { return }
    note(.willChange(DatabasePreUpdateEvent(kind, change)))
  }

  private func didChange(_ event: DatabaseEvent) { note(.didChange(event)) }

  private func note(_ event: RowEvent) {
    // The statement that has announced it; virtual tables make changes that none has.
    let source =
      running.count == 1
      ? running[0]
      : running.last { $0.announced.contains { event.isAnnounced(by: $0) } } ?? running.last
    guard let listeners = source?.listeners else { return }
    guard savepoints.isEmpty else { return savepoints.keep(event, listeners) }
    tell(event, to: listeners)
  }

  private func tell(_ event: RowEvent, to listeners: [Listener]) {
    // In the middle of the statement another database's may have begun, and be half done.
    guard isCurrent else {
      return CurrentBrokers.during(self) { tell(event, to: listeners) }
    }
    for listener in listeners where listener.wants(event) {
      if listener.observation.take(event) { isLessWanted = true }
    }
  }

  // MARK: Statements

  func statementWillExecute(_ statement: Statement) throws {
    end = .none
    guard !observations.isEmpty, !statement.isReadOnly, !db.isReadOnly else { return }
    let kinds = try statement.effects().eventKinds
    let new = observations.compactMap { observation -> Listener? in
      guard observation.isEnabled, let observer = observation.observer else { return nil }
      let wanted = kinds.filter { observer.observes(eventsOfKind: $0) }
      return wanted.isEmpty
        ? nil : Listener(observation: observation, wanted: wanted, announced: kinds)
    }
    if new.contains(where: { $0.wantsDeletions }) { db.connection.deletesRowByRow = true }
    beginStatement(
      RunningStatement(
        statement: ObjectIdentifier(statement), announced: kinds, listeners: new))
  }

  /// - Returns: What an observer has thrown to refuse the commit.
  func statementDidFail(_ statement: Statement) -> (any Error)? {
    endStatements { $0.statement == ObjectIdentifier(statement) }
    let end = end
    self.end = .none
    switch end {
    case .none, .commit: return nil
    case .rollback:
      // The implicit transaction of a statement that has failed is none of the application's.
      savepoints = SavepointEvents()
      didEndTransaction()
      return nil
    case .refusal(let error):
      notifyRollback()
      return error
    }
  }

  func statementDidExecute(_ statement: Statement) throws {
    endStatements { $0.statement == ObjectIdentifier(statement) }
    if statement.mayMoveSavepoints, try moveSavepoints(statement) { return }
    let end = end
    self.end = .none
    switch end {
    case .none, .refusal: break
    case .commit: notifyCommit()
    case .rollback: notifyRollback()
    }
  }

  /// - Returns: A transaction has ended that the engine has never begun.
  private func moveSavepoints(_ statement: Statement) throws -> Bool {
    guard let effect = try statement.effects().transactionEffect else { return false }
    var endsTransaction = false
    switch effect {
    case .begin, .rollback: break
    case .commit: endsTransaction = true
    case .beginSavepoint(let name): savepoints.begin(name)
    case .rollbackSavepoint(let name): savepoints.rollBack(name)
    case .releaseSavepoint(let name):
      savepoints.release(name)
      endsTransaction = db.connection.isAutocommit
    }
    if endsTransaction, case .none = end {
      try notifyEmptyTransaction()
      return true
    }
    if savepoints.isEmpty { notifyKeptEvents() }
    return false
  }

  /// A deferred transaction that has changed nothing is a transaction of the application's all the
  /// same.
  private func notifyEmptyTransaction() throws {
    do {
      try notifyWillCommit()
      notifyCommit()
    } catch {
      notifyRollback()
      throw error
    }
  }

  // MARK: Ends of transactions

  private func notifyWillCommit() throws {
    notifyKeptEvents()
    guard !db.isReadOnly else { return }
    for observation in observations { try observation.observer?.databaseWillCommit() }
  }

  private func notifyKeptEvents() {
    let events = savepoints.take()
    guard !events.isEmpty else { return }
    CurrentBrokers.during(self) {
      for (event, listeners) in events { tell(event, to: listeners) }
    }
  }

  private func notifyCommit() { notifyEnd { $0.databaseDidCommit($1) } }

  private func notifyRollback() { notifyEnd { $0.databaseDidRollback($1) } }

  private func notifyEnd(_ tell: (any TransactionObserver, Database) -> Void) {
    savepoints = SavepointEvents()
    if !db.isReadOnly {
      db.settled { db in
        for observation in observations {
          if let observer = observation.takeForEnd() { tell(observer, db) }
        }
      }
    }
    didEndTransaction()
  }

  private func didEndTransaction() {
    // Each read of a queue is a transaction.
    guard !observations.isEmpty, hasSilent || !db.isReadOnly else { return }
    hasSilent = false
    observations.removeAll { $0.observer == nil }
    for observation in observations { observation.isEnabled = true }
    removeHooksIfUnused()
  }
}

extension ObservationBroker {
  /// An observer, and how long it is told.
  fileprivate final class Observation {
    private let extent: Database.TransactionObservationExtent
    /// Whose observer it is, or was: reading a weak reference takes long where there are many.
    private let id: ObjectIdentifier
    private weak var weakObserver: (any TransactionObserver)?
    private var strongObserver: (any TransactionObserver)?
    /// The observer is told of rows before they change.
    private(set) var wantsValues: Bool
    /// It has been, and has a use for it.
    private var usesValues = false
    /// The observer has not asked for silence until the end of the transaction.
    var isEnabled = true

    init(_ observer: some TransactionObserver, _ extent: Database.TransactionObservationExtent) {
      self.extent = extent
      id = ObjectIdentifier(observer)
      wantsValues = PreUpdateInterest.exists(in: observer)
      if extent == .observerLifetime { weakObserver = observer } else { strongObserver = observer }
    }

    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    /// A new observer may be where another one was that is gone.
    func isOf(_ other: some TransactionObserver) -> Bool {
      id == ObjectIdentifier(other) && observer === other
    }

    /// - Returns: The observer has turned out to have no use for values.
    func take(_ event: RowEvent) -> Bool {
      guard isEnabled, let observer else { return false }
      switch event {
      case .didChange(let event): observer.databaseDidChange(with: event)
      case .willChange(let event):
        guard wantsValues else { return false }
        observer.databaseWillChange(with: event)
        if usesValues { return false }
        usesValues = PreUpdateInterest.exists(in: observer)
        wantsValues = usesValues
        return !usesValues
      }
      return false
    }

    /// The observer, to be told of the end of a transaction: perhaps its last one.
    func takeForEnd() -> (any TransactionObserver)? {
      let observer = observer
      if extent == .nextTransaction { strongObserver = nil }
      return observer
    }
  }

  /// A statement that may change something, and who wants to know of that.
  fileprivate struct RunningStatement {
    let statement: ObjectIdentifier
    let announced: [DatabaseEventKind]
    var listeners: [Listener]

    var wantsValues: Bool { listeners.contains { $0.observation.wantsValues } }
  }

  /// An observer that is interested in what a statement changes.
  fileprivate struct Listener {
    let observation: Observation
    /// The kinds of changes that it wants, and all that the statement has announced.
    let wanted: [DatabaseEventKind]
    let announced: [DatabaseEventKind]

    var wantsDeletions: Bool {
      wanted.contains {
        if case .delete = $0 { return true }
        return false
      }
    }

    /// Virtual tables make changes that no statement has announced: everybody gets them.
    func wants(_ event: RowEvent) -> Bool {
      announced.count == 1 || wanted.contains { event.isAnnounced(by: $0) }
        || !announced.contains { event.isAnnounced(by: $0) }
    }
  }

  /// What observers are told of a row.
  fileprivate enum RowEvent {
    case willChange(DatabasePreUpdateEvent)
    case didChange(DatabaseEvent)

    func isAnnounced(by kind: DatabaseEventKind) -> Bool {
      switch self {
      case .willChange(let event): kind.announces(event.kind.rawValue, in: event.tableName)
      case .didChange(let event): kind.announces(event.kind.rawValue, in: event.tableName)
      }
    }
  }

  /// Changes inside savepoints, which may be taken back.
  fileprivate struct SavepointEvents {
    private var events: [(RowEvent, [Listener])] = []
    /// Their names, and how many events there were before.
    private var savepoints: [(name: ExactText, count: Int)] = []

    var isEmpty: Bool { savepoints.isEmpty }

    mutating func keep(_ event: RowEvent, _ listeners: [Listener]) {
      events.append((event, listeners))
    }

    mutating func take() -> [(RowEvent, [Listener])] {
      let taken = events
      self = SavepointEvents()
      return taken
    }

    mutating func begin(_ name: String) { savepoints.append((name.nameKey, events.count)) }

    /// The savepoint stays.
    mutating func rollBack(_ name: String) {
      dropSavepoints(above: name)
      if let last = savepoints.last { events.removeLast(events.count - last.count) }
    }

    mutating func release(_ name: String) {
      dropSavepoints(above: name)
      _ = savepoints.popLast()
    }

    private mutating func dropSavepoints(above name: String) {
      let name = name.nameKey
      while let last = savepoints.last, last.name != name { savepoints.removeLast() }
    }
  }
}
