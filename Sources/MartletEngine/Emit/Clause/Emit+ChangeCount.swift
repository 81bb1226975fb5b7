// PRAGMA count_changes: the last row of a change is the number of rows that it was about. Those that
// an upsert updates, and those that triggers and foreign keys change, are not counted.

/// The register that counts, and one that holds the number one.
struct ChangeCounter {
  let count: RegisterIndex
  let one: RegisterIndex
  /// What the one result column is called.
  let label: Name
}

extension Emitter {
  /// To be called before the loops of a change.
  func beginCounting(_ label: StaticString, _ returning: TreeList<BoundResultColumn>) {
    guard showsCount, returning.isEmpty else { return }
    let counter = ChangeCounter(count: newRegister(), one: newRegister(), label: Name(label))
    emitInteger(0, into: counter.count)
    emitInteger(1, into: counter.one)
    count = counter
  }

  /// A row was changed.
  func emitCount() {
    guard let count else { return }
    emit(.add, count.count.rawValue, count.one.rawValue, count.count.rawValue)
  }

  /// Emits what changes rows that are not counted.
  func withoutCounting(_ body: () throws(SQLError) -> Void) throws(SQLError) {
    let counter = count
    count = nil
    defer { count = counter }
    try body()
  }

  /// The row with the number.
  func emitCountRow() {
    guard let count else { return }
    emitResultRow(count.count, count: 1)
  }
}
