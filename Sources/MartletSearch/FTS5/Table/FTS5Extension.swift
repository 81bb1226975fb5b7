import MartletEngine

/// What all FTS5 tables of a connection share (SQLite's Fts5Global).
public final class FTS5Extension {
  private lazy var functions = FTS5Extension.builtIn
  /// The tokenizers that `tokenize=` may name.
  public private(set) lazy var tokenizers = TokenizerRegistry()
  /// Those that `tokenize=` may name in FTS3 and FTS4.
  public let legacyTokenizers = LegacyTokenizerRegistry()
  /// Cursors by the number that the hidden column of a table has, which auxiliary functions are
  /// called with.
  @exclusivity(unchecked) private var cursors: [Int64: Unmanaged<FTS5Cursor>] = [:]
  @exclusivity(unchecked) private var lastNumber: Int64 = 0
  /// The tables that are connected.
  @exclusivity(unchecked) private var tables: [ObjectIdentifier: Unmanaged<FTS5Table>] = [:]

  /// They keep nothing of a connection; `FunctionSet.search` has their names.
  private nonisolated(unsafe) static let builtIn: [ExactText: any AuxiliaryFunction] = [
    "bm25": BM25Function(), "highlight": HighlightFunction(), "snippet": SnippetFunction(),
    "fts5_get_locale": GetLocaleFunction(),
  ]

  /// Adds an auxiliary function (fts5 §5, §7.2), in place of one of the same name.
  public func register(_ name: String, _ function: any AuxiliaryFunction) {
    // The end of the earlier one may register another one.
    let earlier = functions.updateValue(function, forKey: name.nameKey)
    withExtendedLifetime(earlier) {}
  }

  func function(named name: String) -> (any AuxiliaryFunction)? { functions[name.nameKey] }

  /// That of a connection.
  static func of(_ connection: Connection?) throws(SQLError) -> FTS5Extension {
    guard let shared = connection?.companion(FTS5Extension.self) else { throw SQLError(.misuse) }
    return shared
  }

  // MARK: Cursors and tables

  func add(_ cursor: FTS5Cursor) -> Int64 {
    lastNumber += 1
    cursors[lastNumber] = Unmanaged.passUnretained(cursor)
    return lastNumber
  }

  func removeCursor(_ number: Int64) { cursors[number] = nil }

  /// The cursor of a number, if it scans.
  func cursor(_ number: Int64) -> FTS5Cursor? {
    guard let cursor = cursors[number]?.takeUnretainedValue(), cursor.isScanning else { return nil }
    return cursor
  }

  /// A table has changed: scans of its index find their place anew.
  func trip(_ table: FTS5Table) {
    for cursor in cursors.values {
      cursor._withUnsafeGuaranteedRef { if $0.table === table { $0.needsSeek = true } }
    }
  }

  func isScanned(_ table: FTS5Table) -> Bool {
    cursors.values.contains { $0._withUnsafeGuaranteedRef { $0.table === table } }
  }

  func add(_ table: FTS5Table) {
    tables[ObjectIdentifier(table)] = Unmanaged.passUnretained(table)
  }

  func remove(_ table: FTS5Table) { tables[ObjectIdentifier(table)] = nil }
}

/// The module `fts5`.
final class FTS5Module: VirtualTableModule {
  let abilities: VirtualTableAbilities = [
    .writing, .transactions, .savepoints, .renaming, .integrity,
  ]

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try FTS5Table(request, FTS5Extension.of(request.connection), isNew: true)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try FTS5Table(request, FTS5Extension.of(request.connection), isNew: false)
  }

  func isShadowName(_ suffix: String) -> Bool {
    ["config", "content", "data", "docsize", "idx"].contains(suffix.lowercased())
  }
}
