import Synchronization

/// What running programs need of their connection (implemented by `Connection`).
protocol SQLHost: AnyObject {
  /// Looked at by every loop of a running program.
  var attention: AttentionFlag { get }

  /// Bytes that sorters and hash tables of a statement may use before they spill.
  var workMemoryBudget: Int { get }

  /// Where temporary files are made; nil if nothing may spill (`PRAGMA temp_store = MEMORY`).
  var temporaryVFS: (any VFS)? { get }

  /// The trees of an attached database; 0 is main, 1 temp.
  func tree(ofDatabase index: Int) throws(SQLError) -> BTree

  /// BEGIN, COMMIT and ROLLBACK.
  func changeTransaction(_ change: TransactionChange) throws(SQLError)

  /// A number of a database's header, as the running transaction sees it.
  func headerValue(ofDatabase index: Int, _ field: HeaderField) throws(SQLError) -> Int64

  /// The schema table of a database has changed: makes the new schema the connection's.
  ///
  /// - Parameters:
  ///   - firstRow: the rowid of the first new row, where rows were added only, all about one table;
  ///     nil where everything may have changed.
  ///   - reading: what is read where that is nil.
  func schemaChanged(
    ofDatabase index: Int, firstRow: Int64?, reading: SchemaReading
  ) throws(SQLError)

  /// An object was dropped.
  func objectDropped(
    _ object: DroppedObject, named name: String, fromDatabase index: Int
  ) throws(SQLError)

  /// Called from loops while `attention` is raised. Throws `interrupt` to end the statement.
  func attend() throws(SQLError)
}

/// Says that a running statement should ask its connection whether to go on: `interrupt` was
/// called, perhaps on another thread, or there is a progress handler.
final class AttentionFlag: Sendable {
  private let reasons = Atomic<UInt8>(0)

  struct Reason {
    fileprivate let bit: UInt8
    static let interrupt = Reason(bit: 1)
    static let progressHandler = Reason(bit: 2)
  }

  @inline(__always)
  var isRaised: Bool { reasons.load(ordering: .relaxed) != 0 }

  func isRaised(for reason: Reason) -> Bool {
    reasons.load(ordering: .relaxed) & reason.bit != 0
  }

  func raise(_ reason: Reason) { reasons.bitwiseOr(reason.bit, ordering: .relaxed) }

  func lower(_ reason: Reason) { reasons.bitwiseAnd(~reason.bit, ordering: .relaxed) }
}

/// What of a schema is read again.
enum SchemaReading: UInt8 {
  case all
  /// All, as ALTER TABLE leaves it when it has looked at all definitions once more.
  case renaming
  /// The objects are those that were there.
  case statistics
  /// The objects are those that were there but one; so are their estimates.
  case dropping
  /// Nothing: the new text of a table cannot be read, and all schemas are read again when the change
  /// has been taken back.
  case failing
}
