// What a connection lets statements have (limits, c3ref c_limit_attached).

/// A construct whose size a connection limits. The raw values are SQLite's.
public enum LimitCategory: Int32, CaseIterable, Sendable {
  /// Bytes of a text, blob or row.
  case length = 0
  /// Bytes of a statement's text.
  case sqlLength = 1
  /// Columns of a table, index, view or result, terms of SET, GROUP BY and ORDER BY.
  case columnCount = 2
  case expressionDepth = 3
  /// SELECTs of a compound.
  case compoundSelect = 4
  /// Instructions of a program, as many as SQLite would have room for.
  case programLength = 5
  case functionArgumentCount = 6
  case attachedCount = 7
  case likePatternLength = 8
  /// The highest number of a parameter.
  case variableNumber = 9
  case triggerDepth = 10
  /// Threads that may help a statement. Martlet only keeps the number.
  case workerThreads = 11
  /// What may be open at once in a statement's text.
  case parserDepth = 12

  /// What SQLite starts with.
  var standard: Int {
    switch self {
    case .length, .sqlLength: 1_000_000_000
    case .columnCount: 2_000
    case .expressionDepth, .functionArgumentCount, .triggerDepth: 1_000
    case .compoundSelect: 500
    case .programLength: 250_000_000
    case .attachedCount: 10
    case .likePatternLength: 50_000
    case .variableNumber: 32_766
    case .workerThreads: 0
    case .parserDepth: 2_500
    }
  }

  /// What `setLimit` sets at most.
  fileprivate var highest: Int { self == .workerThreads ? 8 : standard }
  fileprivate var lowest: Int { self == .length ? 30 : 0 }
}

/// The limits of one connection, by category.
final class ConnectionLimits {
  @exclusivity(unchecked) private var values = LimitCategory.allCases.map(\.standard)
  /// The same, as the parser takes them.
  @exclusivity(unchecked) private(set) var parser = ParserLimits()

  subscript(category: LimitCategory) -> Int { values[Int(category.rawValue)] }

  func set(_ category: LimitCategory, to value: Int) {
    apply(category, min(max(value, category.lowest), category.highest))
  }

  /// The parameters that the SQLite of Debian lets a statement have; that of Apple has twice as many.
  func allowManyVariables() { apply(.variableNumber, 250_000) }

  private func apply(_ category: LimitCategory, _ value: Int) {
    values[Int(category.rawValue)] = value
    parser.expressionDepth = Int32(truncatingIfNeeded: self[.expressionDepth])
    parser.compoundSelect = self[.compoundSelect]
    parser.functionArguments = self[.functionArgumentCount]
    parser.variableNumber = Int32(truncatingIfNeeded: self[.variableNumber])
    // The stack of SQLite's parser begins with 50 symbols, and one more than the limit fits.
    parser.parserDepth = Int32(truncatingIfNeeded: max(self[.parserDepth], 50)) + 1
  }
}

extension Connection {
  /// A limit of the connection (`sqlite3_limit`).
  public func limit(_ category: LimitCategory) -> Int { locked { limits[category] } }

  /// Sets a limit, and gives what it was. Numbers above SQLite's own limit set that; negative ones
  /// change nothing.
  @discardableResult
  public func setLimit(_ category: LimitCategory, to value: Int) -> Int {
    locked {
      let old = limits[category]
      guard value >= 0 else { return old }
      limits.set(category, to: value)
      functionHost.lengthLimit = limits[.length]
      functionHost.memory.pointee.triggerDepthLimit = limits[.triggerDepth]
      functionHost.likePatternLimit = limits[.likePatternLength]
      programs.removeAll()
      return old
    }
  }

  /// Lets a statement have 250,000 parameters: the layers are used in place of libraries that are
  /// linked with the SQLite of an operating system, where the limit is not SQLite's own 32,766.
  package func allowManyVariables() {
    locked {
      limits.allowManyVariables()
      programs.removeAll()
    }
  }

  /// A statement's text must not be longer than the limit.
  func checkLength(ofText byteCount: Int) throws(SQLError) {
    if byteCount > limits[.sqlLength] { throw SQLError(.tooBig, "statement too long") }
  }

  /// The same of a text that may end before its limit, at a zero, behind which nothing is read.
  func checkLength(ofText text: UnsafePointer<UInt8>, _ byteLimit: Int) throws(SQLError) {
    guard byteLimit > limits[.sqlLength] else { return }
    let bytes = UnsafeBufferPointer(start: text, count: byteLimit)
    if Memory.firstZero(in: bytes) == nil { try checkLength(ofText: byteLimit) }
  }
}
