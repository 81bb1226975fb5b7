// Past states of a database in WAL mode (c3ref snapshot).

/// A state of a database in WAL mode, as one transaction has read it. It can be read again while the
/// log still has it.
public struct Snapshot: Sendable, Comparable {
  let header: WALIndexHeader

  /// What C programs hold: 48 bytes that mean nothing to them.
  public static let byteCount = WALIndexHeader.byteCount

  init(_ header: WALIndexHeader) { self.header = header }

  public init(copying bytes: UnsafeRawPointer) { header = WALIndexHeader(bytes) }

  public func store(to bytes: UnsafeMutableRawPointer) { header.store(to: bytes) }

  /// Whether it is the older one, of two of the same log.
  public static func < (left: Snapshot, right: Snapshot) -> Bool {
    let leftStart = UInt32(bigEndian: left.header.salt.0)
    let rightStart = UInt32(bigEndian: right.header.salt.0)
    return (leftStart, left.header.frameCount) < (rightStart, right.header.frameCount)
  }

  public static func == (left: Snapshot, right: Snapshot) -> Bool {
    left.header.salt.0 == right.header.salt.0
      && left.header.frameCount == right.header.frameCount
  }
}

extension Connection {
  /// What the transaction reads; one that has not read yet begins to (`sqlite3_snapshot_get`). Until
  /// it ends, others can read it too, unless somebody has written between its first read and now.
  ///
  /// - Throws: `error` outside of BEGIN, while the transaction writes, for a database that is not in
  ///   WAL mode, and where nothing was ever written to the log.
  public func snapshot(ofDatabase name: String = "main") throws(SQLError) -> Snapshot {
    lock.lock()
    defer { lock.unlock() }
    let index = try indexForSnapshot(name)
    busyWaiter.startOver()
    let isNew = readingDatabases & (1 << UInt64(index)) == 0
    try beginReading(index)
    guard let log = databases[index].tree?.pager.writeAheadLog else { throw SQLError(.error) }
    var attempts = 0
    while try !log.holdState(&attempts), isNew {
      endReading(index)
      try beginReading(index)
    }
    guard let header = log.currentSnapshot() else { throw SQLError(.error) }
    return Snapshot(header)
  }

  /// Lets the transaction read a past state (`sqlite3_snapshot_open`).
  ///
  /// - Throws: `errorSnapshot` when the state is gone; then, and with `busy` and `error`, the
  ///   transaction reads what it read before. `error` outside of BEGIN, while the transaction
  ///   writes, while statements run, and for a database that is not known to be in WAL mode.
  public func open(
    _ snapshot: Snapshot, ofDatabase name: String = "main"
  ) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    let index = try indexForSnapshot(name)
    guard let log = databases[index].tree?.pager.writeAheadLog else { throw SQLError(.error) }
    busyWaiter.startOver()
    let wasReading = readingDatabases & (1 << UInt64(index)) != 0
    if wasReading {
      guard runningStatements.isEmpty else { throw SQLError(.error) }
      try log.lockSnapshot(snapshot.header)
      endReading(index)
    }
    defer { if wasReading { log.unlockSnapshot() } }
    log.snapshot = snapshot.header
    defer { log.snapshot = nil }
    try beginReading(index)
  }

  /// Makes the states readable that a log has from before it was last opened
  /// (`sqlite3_snapshot_recover`).
  ///
  /// - Throws: `error` while the database is read, and when it is not in WAL mode.
  public func recoverSnapshots(ofDatabase name: String = "main") throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }),
      let pager = databases[index].tree?.pager, readingDatabases & (1 << UInt64(index)) == 0
    else { throw SQLError(.error) }
    busyWaiter.startOver()
    try pager.beginRead()
    defer { pager.endRead() }
    guard let log = pager.writeAheadLog else { throw SQLError(.error) }
    try log.recoverSnapshots()
  }

  private func indexForSnapshot(_ name: String) throws(SQLError) -> Int {
    guard !commitsAutomatically,
      let index = databases.indices.first(where: { isDatabase($0, named: name) }),
      writingDatabases & (1 << UInt64(index)) == 0
    else { throw SQLError(.error) }
    return index
  }
}
