package enum ValueKind { case null, integer, real, text, blob }

/// A prepared statement of either engine, seen through its current row.
package protocol PreparedStatement: AnyObject {
  var columnCount: Int { get }
  func columnName(_ column: Int) -> String
  /// True when a row is there.
  func step() throws(EngineError) -> Bool
  /// Ends the execution; the statement may run again from its start.
  func reset()
  func kind(_ column: Int) -> ValueKind
  func integer(_ column: Int) -> Int64
  func real(_ column: Int) -> Double
  /// Lends the bytes of a text or blob; of a number, its text.
  func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Void)
  /// Gives a parameter its value; without effect where there is none of this number.
  func bind(_ value: Int64, at index: Int)
  func bind(_ value: Double, at index: Int)
  func bind(text: [UInt8], at index: Int)
}

/// What a statement leaves behind in its connection.
package struct ConnectionState: Equatable, Sendable {
  package let changes: Int64
  package let totalChanges: Int64
  package let lastInsertRowID: Int64
  package let isAutocommit: Bool
}

/// A connection of either engine.
package protocol Database: AnyObject {
  var state: ConnectionState { get }

  /// Statements that run for longer from now on end with `interrupt`.
  func interrupt(after limit: Duration)

  /// Prepares the first statement and says how many bytes of SQL it took; nil for a blank one.
  func prepare(
    _ sql: UnsafeBufferPointer<UInt8>
  ) throws(EngineError) -> (statement: (any PreparedStatement)?, consumed: Int)
}

/// The engine that a run is about.
package enum Engine: Sendable {
  case martlet
  case oracle(OracleLibrary)

  package func open(path: String, readOnly: Bool) throws(EngineError) -> any Database {
    switch self {
    case .martlet: try MartletDatabase(path: path, readOnly: readOnly)
    case .oracle(let library): try OracleDatabase(library, path: path, readOnly: readOnly)
    }
  }
}

extension Database {
  /// Runs every statement of `sql`, giving each row to `onRow`; `first` stops after one statement.
  package func run(
    _ sql: String, firstOnly: Bool,
    onRow: (any PreparedStatement) -> Void
  ) throws(EngineError) -> (any PreparedStatement)? {
    let text = ContiguousArray(sql.utf8)
    let outcome = text.withUnsafeBufferPointer { buffer in
      Result<(any PreparedStatement)?, EngineError>.catching { () throws(EngineError) in
        try run(buffer, firstOnly: firstOnly, onRow: onRow)
      }
    }
    return try outcome.get()
  }

  /// The same for bytes.
  package func run(
    _ sql: UnsafeBufferPointer<UInt8>, firstOnly: Bool,
    onRow: (any PreparedStatement) -> Void
  ) throws(EngineError) -> (any PreparedStatement)? {
    var offset = 0
    var last: (any PreparedStatement)?
    while offset < sql.count {
      let (statement, consumed) = try prepare(UnsafeBufferPointer(rebasing: sql[offset...]))
      offset += max(consumed, 1)
      guard let statement else { continue }
      last = statement
      while try statement.step() { onRow(statement) }
      if firstOnly { break }
    }
    return last
  }
}

extension Result {
  package static func catching(_ body: () throws(Failure) -> Success) -> Self {
    do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
  }
}

extension PreparedStatement {
  /// A copy of what `withBytes` lends.
  package func bytes(_ column: Int) -> [UInt8] {
    var copy: [UInt8] = []
    withBytes(column) { copy = Array($0) }
    return copy
  }

  /// Binds a value that is written as an SQL literal; one that has no place is left out.
  package func bind(literal: String, at index: Int) {
    if literal.hasPrefix("'") {
      bind(text: Array(literal.dropFirst().dropLast().utf8), at: index)
    } else if let number = Int64(literal) {
      bind(number, at: index)
    } else if let number = Double(literal) {
      bind(number, at: index)
    }
  }
}
