import MartletEngine

/// One function or operator, called with values of the input: alone, as an aggregate over three rows,
/// or over a window.
enum FunctionTarget {
  private static let operators = [
    "?1 + ?2", "?1 - ?2", "?1 * ?2", "?1 / ?2", "?1 % ?2", "?1 << ?2", "?1 >> ?2", "?1 & ?2",
    "?1 | ?2", "~?1", "-?1", "?1 || ?2", "?1 < ?2", "?1 = ?2 COLLATE NOCASE",
    "?1 IN (?2, ?3, ?1)", "?1 BETWEEN ?2 AND ?3", "?1 LIKE ?2", "?1 LIKE ?2 ESCAPE ?3",
    "?1 GLOB ?2", "CAST(?1 AS INTEGER)", "CAST(?1 AS REAL)", "CAST(?1 AS TEXT)",
    "CAST(?1 AS BLOB)", "CAST(?1 AS NUMERIC)", "?1 COLLATE RTRIM < ?2", "?1 IS NOT ?2",
    "CASE ?1 WHEN ?2 THEN ?3 ELSE ?2 END", "CAST(CAST(?1 AS TEXT) AS NUMERIC) + ?2",
    "strftime('%Y %J %s %f', ?1, ?2, ?3)", "date(?1, ?2, ?3)", "printf(?1, ?2, ?3)",
  ]

  private struct Function: Sendable {
    let name: String
    let isAggregate: Bool
    let isWindow: Bool
    let arity: Int
  }

  private final class Prepared {
    let session: Session
    private var statements: [String: Statement] = [:]

    init(encoding: String) throws(SQLError) {
      session = try Session(path: ":memory:")
      try session.connection.execute("PRAGMA encoding = '\(encoding)'")
    }

    /// nil for what does not compile: a call with too few arguments.
    func statement(_ sql: String) -> Statement? {
      if let known = statements[sql] { return known }
      guard let made = try? session.connection.prepare(sql) else { return nil }
      statements[sql] = made
      return made
    }
  }

  nonisolated(unsafe) private static let connections: [Prepared] = {
    ["UTF-8", "UTF-16le"].compactMap { try? Prepared(encoding: $0) }
  }()

  private static let functions: [Function] = {
    guard let connection = try? Connection(path: ":memory:"),
      let list = try? connection.prepare(
        "SELECT DISTINCT name, type, narg FROM pragma_function_list ORDER BY 1, 2, 3")
    else { return [] }
    var functions: [Function] = []
    while (try? list.step()) == true {
      let name = list.columnText(0), type = list.columnText(1)
      if name == "load_extension" { continue }
      functions.append(
        Function(
          name: name, isAggregate: type == "a", isWindow: type == "w",
          arity: Int(list.columnInt64(2))))
    }
    return functions
  }()

  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    var input = Input(bytes)
    let form = input.byte(), count = Int(form >> 4) % 5
    let number = Int(input.integer(bytes: 2)) % (functions.count + operators.count)
    let prepared = connections[Int(form) % connections.count]
    guard let statement = prepared.statement(text(number, form >> 1 & 3, count)) else { return }
    prepared.session.limitRun()
    for place in 0..<statement.parameterCount { bind(&input, to: statement, at: place + 1) }
    Session.read(statement)
    try? statement.reset()
    statement.clearBindings()
  }

  private static func text(_ number: Int, _ form: UInt8, _ count: Int) -> String {
    guard number < functions.count else {
      return "SELECT \(operators[number - functions.count])"
    }
    let function = functions[number]
    let count = function.arity < 0 ? count : function.arity
    guard function.isAggregate || function.isWindow else {
      return "SELECT \"\(function.name)\"(\(list(count, "?")))"
    }
    let call = "\"\(function.name)\"(\(list(count, "c")))"
    let columns = max(count, 1)
    let first = (0..<columns).map { "?\($0 + 1) AS c\($0 + 1)" }.joined(separator: ",")
    let second = (0..<columns).map { "?\(columns - $0)" }.joined(separator: ",")
    let third = (0..<columns).map { "?\($0 + columns + 1)" }.joined(separator: ",")
    let rows = "(SELECT \(first) UNION ALL SELECT \(second) UNION ALL SELECT \(third))"
    switch form {
    case 0 where function.isAggregate || function.isWindow:
      return "SELECT \(call) OVER (ORDER BY c1 ROWS 1 PRECEDING) FROM \(rows)"
    case 1: return "SELECT \(call) OVER (ORDER BY c1 RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING"
      + " EXCLUDE TIES) FROM \(rows)"
    case 2: return "SELECT c1, \(call) FROM \(rows) GROUP BY c1"
    default: return "SELECT \(call) FROM \(rows)"
    }
  }

  private static func list(_ count: Int, _ prefix: String) -> String {
    (0..<count).map { "\(prefix)\($0 + 1)" }.joined(separator: ",")
  }

  private static let awkward: [Int64] = [
    0, 1, -1, 2, 9, 64, 255, 1_000, .max, .min, .max - 1, .min + 1, 1 << 31, 1 << 32, -1 << 31,
    1 << 53, 49_999, 50_000, 253_402_300_799, -62_167_219_200,
  ]

  private static func bind(_ input: inout Input, to statement: Statement, at place: Int) {
    switch input.below(9) {
    case 0: try? statement.bindNull(at: place)
    case 1: try? statement.bind(awkward[input.below(awkward.count)], at: place)
    case 2: try? statement.bind(Int64(bitPattern: input.integer(bytes: 8)), at: place)
    case 3: try? statement.bind(Int64(Int8(bitPattern: input.byte())), at: place)
    case 4: try? statement.bind(Double(bitPattern: input.integer(bytes: 8)), at: place)
    case 5: try? statement.bind(Double(Int8(bitPattern: input.byte())) / 4, at: place)
    case 6:
      let bytes = input.take(input.below(256))
      bytes.withUnsafeBytes { bytes in try? statement.bind(blob: bytes, at: place) }
    default:
      let bytes = input.take(input.below(256))
      bytes.withUnsafeBytes { bytes in try? statement.bind(text: bytes, at: place) }
    }
  }
}
