/// Makes statements, one after the other, from a seed and from what has come of the earlier ones.
///
/// Nothing but the seed and C's answers goes in, so that a seed makes the same statements again.
struct Generator {
  var random: RandomSource
  /// What has been created under a name; it may have gone since.
  var known: [String: TableModel] = [:]
  /// What is there now.
  var tables: [TableModel] = []
  var indexes: [String] = []
  let isUTF16: Bool
  /// Few long rows in small pages, or many rows: what a seed is about.
  let isBulky: Bool
  /// What is written stands in VALUES, or goes into a table: not everything is said there.
  var isWriting = false
  private let setup: [String]
  private var nextName = 0

  init(seed: UInt64) {
    random = RandomSource(seed: seed)
    let pageSize = random.pick([512, 512, 1_024, 4_096, 8_192, 65_536])
    let encoding = random.pick(["UTF-8", "UTF-8", "UTF-8", "UTF-16le", "UTF-16be"])
    isUTF16 = encoding != "UTF-8"
    isBulky = random.chance(30)
    setup = [
      "PRAGMA page_size = \(pageSize)",
      "PRAGMA encoding = '\(encoding)'",
      "PRAGMA auto_vacuum = \(random.pick([0, 0, 1, 2]))",
      "PRAGMA synchronous = OFF",
      random.pick([
        "PRAGMA case_sensitive_like = OFF", "PRAGMA case_sensitive_like = ON",
        "PRAGMA journal_mode = TRUNCATE", "PRAGMA journal_mode = MEMORY",
        "PRAGMA journal_mode = PERSIST", "PRAGMA foreign_keys = OFF",
        "PRAGMA cache_size = 10", "PRAGMA cell_size_check = ON",
      ]),
    ]
  }

  /// The statements that a seed begins with: settings, then tables.
  mutating func opening() -> [String] {
    var statements = setup
    for _ in 0..<random.within(2...4) {
      let table = makeTable()
      statements.append(table)
      for _ in 0..<random.below(3) { statements.append(makeIndex()) }
    }
    return statements
  }

  mutating func freshName(_ prefix: String) -> String {
    nextName += 1
    return "\(prefix)\(nextName)"
  }

  /// Tells what is there now, as C sees it.
  mutating func refresh(objects: [(type: String, name: String)]) {
    let present = Set(objects.map(\.name))
    tables = known.values.filter { present.contains($0.name) }.sorted { $0.name < $1.name }
    indexes = objects.filter { $0.type == "index" && !$0.name.hasPrefix("sqlite_") }.map(\.name)
  }

  /// The next statement.
  mutating func statement() -> String {
    guard !tables.isEmpty else { return makeTable() }
    let sql = wellFormedStatement()
    return random.chance(4) ? broken(sql) : sql
  }

  private mutating func wellFormedStatement() -> String {
    switch random.below(100) {
    case 0..<45: query()
    case 45..<66: insert()
    case 66..<77: update()
    case 77..<83: delete()
    case 83..<89: transaction()
    case 89..<93: definition()
    case 93..<95: pragma()
    default: "SELECT " + expression(ExpressionScope(), depth: 4)
    }
  }
}
