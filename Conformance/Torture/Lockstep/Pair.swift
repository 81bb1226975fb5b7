import Engines

/// Two databases, one of each engine, that are told the same.
final class Pair {
  /// What came of running a statement on both.
  enum Step {
    case same(Outcome)
    /// Martlet names the construct as missing; C has not been asked.
    case skipped(String)
    case different(Difference, Outcome)
  }

  let oracle: any Database
  private var martlet: (any Database)?
  /// Connections that only read, in WAL mode.
  private var readers: (oracle: any Database, martlet: any Database)?
  private var stepCount = 0
  private let library: OracleLibrary
  private let oraclePath = Scratch.path("c")
  private let martletPath = Scratch.path("m")

  init(_ library: OracleLibrary, isWAL: Bool) throws(EngineError) {
    self.library = library
    oracle = try Engine.oracle(library).open(path: oraclePath, readOnly: false)
    let martlet = try Engine.martlet.open(path: martletPath, readOnly: false)
    self.martlet = martlet
    guard isWAL else { return }
    for database in [oracle, martlet] { _ = database.outcome(of: "PRAGMA journal_mode = wal") }
    let readers = (
      oracle: try Engine.oracle(library).open(path: oraclePath, readOnly: false),
      martlet: try Engine.martlet.open(path: martletPath, readOnly: false)
    )
    // Who has the log open keeps the databases in WAL mode.
    for database in [readers.oracle, readers.martlet] {
      _ = database.outcome(of: "SELECT count(*) FROM sqlite_schema")
    }
    self.readers = readers
  }

  deinit {
    Files.removeDatabase(oraclePath)
    Files.removeDatabase(martletPath)
  }

  /// Statements that would run for longer are no difference, as long as C has not ended either.
  private static let limit = Duration.seconds(5)
  private static let interrupted: Int32 = 9
  /// Why such a statement is skipped.
  static let interruption = "interrupted"

  func run(_ sql: String) -> Step {
    guard let martlet else { return .skipped("the connection is closed") }
    martlet.interrupt(after: Self.limit)
    let mine = martlet.outcome(of: sql)
    if let error = mine.error, error.isUnsupported { return .skipped(error.message) }
    oracle.interrupt(after: Self.limit)
    let expected = oracle.outcome(of: sql)
    if expected.error?.code == Self.interrupted { return .skipped(Pair.interruption) }
    if let difference = expected.difference(from: mine, sql: sql) {
      return .different(difference, expected)
    }
    if let difference = readBeside(sql) { return .different(difference, expected) }
    return .same(expected)
  }

  /// To be called where C is asked for its schema: in a transaction that begins a read, which would
  /// keep its snapshot of a log that others write, and Martlet's transaction would not.
  func readSchemaOnMartlet() {
    _ = martlet?.outcome(of: "SELECT count(*) FROM sqlite_schema")
  }

  /// What other connections see of the same, and checkpoints under way.
  private func readBeside(_ sql: String) -> Difference? {
    guard let readers else { return nil }
    stepCount += 1
    if stepCount % 16 == 0 {
      let mode = ["passive", "full", "restart", "truncate"][stepCount / 16 % 4]
      // How many frames there are is each engine's own.
      for database in [readers.oracle, readers.martlet] {
        _ = database.outcome(of: "PRAGMA wal_checkpoint(\(mode))")
      }
    }
    guard ["SELECT", "VALUES", "WITH"].contains(where: sql.hasPrefix),
      !["INSERT", "UPDATE", "DELETE", "REPLACE INTO"].contains(where: sql.contains)
    else { return nil }
    readers.martlet.interrupt(after: Self.limit)
    let mine = readers.martlet.outcome(of: sql)
    readers.oracle.interrupt(after: Self.limit)
    let expected = readers.oracle.outcome(of: sql)
    if expected.error?.code == Self.interrupted { return nil }
    return expected.difference(from: mine, sql: sql)
  }

  /// The schema's text, every table's rows and the file's integrity, as C reads them in both, each
  /// on a connection of its own: what the engines still know of the statistics that were, and of
  /// settings, would show in the order of rows.
  ///
  /// Closes Martlet's connection first: from then on its file belongs to C.
  func checkFiles() -> Difference? {
    for sql in ["COMMIT", "ROLLBACK"] where !oracle.state.isAutocommit {
      if case .different(let found, _) = run(sql) { return found }
    }
    martlet = nil
    readers = nil
    return Self.difference(between: oraclePath, martletPath, library)
  }

  /// What C reads otherwise in the file that Martlet has made.
  static func difference(
    between oraclePath: String, _ martletPath: String, _ library: OracleLibrary
  ) -> Difference? {
    guard let original = try? Engine.oracle(library).open(path: oraclePath, readOnly: true),
      let copy = try? Engine.oracle(library).open(path: martletPath, readOnly: true)
    else {
      return Difference(kind: .integrity, sql: "", oracle: "", martlet: "C cannot open the file")
    }
    let files = (original, copy)
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    if let found = compare(schema, files, as: .schema) { return found }
    if let found = compare("PRAGMA integrity_check", files, as: .integrity) { return found }
    let names = original.outcome(of: "SELECT quote(name) FROM sqlite_schema WHERE type = 'table'")
    for name in names.rows {
      // The outcome is a literal of a literal.
      let quoted = name.dropFirst().dropLast().split(separator: "''").joined(separator: "'")
      let sql = "SELECT * FROM main.\(quoted)"
      if let found = compare(sql, files, as: .content) { return found }
    }
    return nil
  }

  private static func compare(
    _ sql: String, _ files: (original: any Database, copy: any Database), as kind: DifferenceKind
  ) -> Difference? {
    var expected = files.original.outcome(of: sql)
    var mine = files.copy.outcome(of: sql)
    expected.state = nil
    mine.state = nil
    return expected.difference(from: mine, sql: sql).map {
      Difference(kind: kind, sql: sql, oracle: $0.oracle, martlet: $0.martlet)
    }
  }
}
