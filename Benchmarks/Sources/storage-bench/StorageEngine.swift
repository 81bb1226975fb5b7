/// What is measured: one phase follows the other on the same file, each in one transaction.
enum StoragePhase: String, CaseIterable {
  case insertInOrder = "insert rows in order"
  case insertAtRandom = "insert rows at random"
  case appendToIndex = "append to an index"
  case insertIntoIndex = "insert into an index"
  case seekRows = "seek rows"
  case seekIndex = "seek in an index"
  case scanRows = "scan rows"
  case scanIndex = "scan an index"
  case deleteRows = "delete half, at random"
  case deleteFromIndex = "delete half of an index"
  case commits = "commit one row each"
}

/// An engine that runs the phases. Trees: rows in order and at random (an integer and a text of 80
/// bytes), and index entries of two integers, in order and at random.
protocol StorageEngine {
  init(path: String, cacheSize: Int) throws
  /// Returns a sum over what was read or changed, which all engines must agree on.
  func run(_ phase: StoragePhase, rows: Int) throws -> UInt64
  func close()
}

/// The rows that every engine writes and asks for.
enum StorageRows {
  static let text = [UInt8]((0..<80).map { 97 + $0 % 26 })

  /// A permutation of `0..<rows`, the same in every run: the factor is prime.
  @inline(__always)
  static func shuffled(_ step: Int, _ rows: Int) -> Int64 {
    Int64(truncatingIfNeeded: step &* 2_654_435_761 % rows)
  }

  static func commitCount(_ rows: Int) -> Int { max(rows / 50, 1) }
}
