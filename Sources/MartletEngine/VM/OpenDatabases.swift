/// What every statement asks of its connection when it begins, as plain memory that the connection
/// keeps alive and up to date: asking calls nothing and counts no references.
final class OpenDatabases {
  typealias Base = UnsafePointer<Place>

  struct Place {
    var tree: Unmanaged<BTree>?
    /// Of the schema, while it is known; its generation is never negative.
    var version = Place.noVersion

    static let noVersion = SchemaVersion(cookie: 0, generation: -1)
  }

  struct Transaction {
    /// Databases on which a read transaction is open: a bit each.
    var reading: UInt64 = 0
    /// Databases on which a write transaction is open.
    var writing: UInt64 = 0
    /// Statements between their first step and their end.
    var statementCount = 0
    var hasSavepoints = false
    /// PRAGMA query_only.
    var isReadOnly = false
    /// The open transaction has met a damaged page.
    var hasMetDamage = false

    /// A write transaction is open on a database, and a statement that goes on with it has nothing
    /// to look after: no other statement and no savepoint.
    @inline(__always)
    func isPlainlyWriting(_ bit: UInt64) -> Bool {
      reading & writing & bit != 0 && statementCount == 1 && !hasSavepoints && !isReadOnly
        && !hasMetDamage
    }
  }

  /// Databases have a bit each in words of 64.
  static let capacity = 64
  private let places: UnsafeMutablePointer<Place>
  let transaction: UnsafeMutablePointer<Transaction>

  /// The databases, by their number.
  var base: Base { Base(places) }

  init() {
    places = .allocate(capacity: OpenDatabases.capacity)
    places.initialize(repeating: Place(), count: OpenDatabases.capacity)
    transaction = .allocate(capacity: 1)
    transaction.initialize(to: Transaction())
  }

  deinit {
    places.deallocate()
    transaction.deallocate()
  }

  func set(_ tree: BTree?, _ version: SchemaVersion? = nil, ofDatabase index: Int) {
    guard index < OpenDatabases.capacity else { return }
    places[index] = Place(
      tree: tree.map { .passUnretained($0) }, version: version ?? Place.noVersion)
  }
}
