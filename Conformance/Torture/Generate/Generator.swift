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
  var triggers: [String] = []
  /// The same of virtual tables that search.
  var searchKnown: [String: SearchModel] = [:]
  var searchTables: [SearchModel] = []
  /// How many of a hundred statements are about these.
  let searchShare: Int
  /// The values of the parameters of the statement that is being made; nil where it has none.
  var parameters: [String]?
  let usesForeignKeys: Bool
  /// The statement is so simple that both engines compute the same values, so that one of them may
  /// be an error.
  var mayFail = false
  /// ALTER TABLE writes the schema table in other steps than SQLite, so that its pages may differ.
  var hasAltered = false
  let isUTF16: Bool
  /// Few long rows in small pages, or many rows: what a seed is about.
  let isBulky: Bool
  /// What is written stands in VALUES, or goes into a table: not everything is said there.
  var isWriting = false
  private let setup: [String]
  private(set) var nextName = 0

  init(seed: UInt64, isSearch: Bool = false) {
    random = RandomSource(seed: seed)
    let pageSize = random.pick([512, 512, 1_024, 4_096, 8_192, 65_536])
    let encoding = random.pick(["UTF-8", "UTF-8", "UTF-8", "UTF-16le", "UTF-16be"])
    isUTF16 = encoding != "UTF-8"
    isBulky = random.chance(30)
    usesForeignKeys = random.chance(45)
    searchShare = isSearch ? 75 : random.chance(15) ? 40 : 0
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
    ] + (usesForeignKeys ? ["PRAGMA foreign_keys = ON"] : [])
      + (random.chance(30) ? ["PRAGMA recursive_triggers = ON"] : [])
  }

  /// The statements that a seed begins with: settings, then tables.
  mutating func opening() -> [String] {
    var statements = setup
    for _ in 0..<random.within(2...4) {
      statements.append(makeTable())
      tables = known.values.sorted { $0.name < $1.name }
      for _ in 0..<random.below(3) { statements.append(makeIndex()) }
    }
    if random.chance(40) { statements += (0..<random.within(1...4)).map { _ in makeTrigger() } }
    if searchShare > 0 {
      for _ in 0..<random.within(2...4) {
        statements.append(makeSearchTable())
        searchTables = searchKnown.values.sorted { $0.name < $1.name }
      }
    }
    return statements
  }

  mutating func freshName(_ prefix: String) -> String {
    nextName += 1
    return "\(prefix)\(nextName)"
  }

  /// Tells what is there now, as C sees it: the models have no keys but the primary one.
  mutating func refresh(objects: [(type: String, name: String)], models: [TableModel]) {
    tables = models.map { model in
      var model = model
      if let before = known[model.name] {
        let names = Set(model.columns.map(\.name))
        model.keys += before.keys.filter { names.isSuperset(of: $0) && !model.keys.contains($0) }
        model.parents = before.parents
      }
      known[model.name] = model
      return model
    }.sorted { $0.name < $1.name }
    let names = Set(objects.map(\.name))
    let present = searchKnown.values.filter { names.contains($0.name) }
    searchTables = present.sorted { $0.name < $1.name }
    indexes = objects.filter { $0.type == "index" && !$0.name.hasPrefix("sqlite_") }.map(\.name)
    triggers = objects.filter { $0.type == "trigger" }.map(\.name)
  }

  /// The next statement.
  mutating func statement() -> String {
    guard !tables.isEmpty else { return makeTable() }
    let isSearch = random.chance(searchShare)
    let sql = isSearch ? searchStatement() : wellFormedStatement()
    return random.chance(4) ? broken(sql) : sql
  }

  private mutating func wellFormedStatement() -> String {
    if random.chance(8) {
      return withParameters { generator in
        switch generator.random.below(6) {
        case 0..<3: generator.query()
        case 3: generator.insert()
        case 4: generator.update()
        default: generator.delete()
        }
      }
    }
    switch random.below(100) {
    case 0..<5: return windowQuery()
    case 5..<43: return query()
    case 43..<45: return changeWithCommonTables()
    case 45..<65: return insert()
    case 65..<76: return update()
    case 76..<82: return delete()
    case 82..<88: return transaction()
    case 88..<92: return definition()
    case 92..<95: return pragma()
    default:
      mayFail = true
      defer { mayFail = false }
      return "SELECT " + expression(ExpressionScope(), depth: 4)
    }
  }
}
