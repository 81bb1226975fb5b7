/// What one connection does at one step.
enum InterleaveAction: Equatable {
  /// Runs a statement to its end: the one that is kept for the text, if that does not run.
  case run(String)
  /// Runs a statement to its first row, and leaves it there.
  case open(String)
  /// Reads on in a statement that was left; the number is taken modulo how many there are.
  case fetch(Int, rows: Int)
  /// Resets a statement that was left.
  case close(Int)
  /// Closes the connection and opens it again.
  case reopen
}

struct InterleaveStep: Equatable, CustomStringConvertible {
  let connection: Int
  let action: InterleaveAction

  /// The text, where a statement is run from its start.
  var sql: String? {
    switch action {
    case .run(let sql), .open(let sql): sql
    case .fetch, .close, .reopen: nil
    }
  }

  var description: String {
    switch action {
    case .run(let sql): "\(connection): \(sql)"
    case .open(let sql): "\(connection): (first row of) \(sql)"
    case .fetch(let index, let rows): "\(connection): (\(rows) rows more of statement \(index))"
    case .close(let index): "\(connection): (reset statement \(index))"
    case .reopen: "\(connection): (close and open)"
    }
  }
}

/// The steps of one seed.
struct InterleaveScript: CustomStringConvertible {
  var steps: [InterleaveStep]
  /// Run by each connection when it is opened.
  let settings: [[String]]

  init(seed: UInt64, count: Int) {
    var maker = InterleaveStatements(random: RandomSource(seed: seed))
    let connections = maker.random.pick([1, 2, 2, 3])
    let pageSize = maker.random.pick([512, 1024, 4096, 4096])
    settings = (0..<connections).map { _ in
      var settings = ["PRAGMA page_size = \(pageSize)", "PRAGMA synchronous = OFF"]
      if maker.random.chance(35) { settings.append("PRAGMA foreign_keys = ON") }
      if maker.random.chance(25) { settings.append("PRAGMA recursive_triggers = ON") }
      if maker.random.chance(20) {
        let mode = maker.random.pick(["TRUNCATE", "PERSIST", "MEMORY"])
        settings.append("PRAGMA journal_mode = \(mode)")
      }
      return settings
    }
    var history: [String] = []
    steps = []
    for _ in 0..<count {
      let connection = maker.random.below(connections)
      let action: InterleaveAction
      switch maker.random.below(100) {
      case 0..<7: action = .fetch(maker.random.below(4), rows: maker.random.pick([1, 2, 50]))
      case 7..<10: action = .close(maker.random.below(4))
      case 10: action = maker.random.chance(30) ? .reopen : .close(0)
      case 11..<35 where !history.isEmpty: action = .run(maker.random.pick(history))
      default:
        let sql = maker.statement()
        history.append(sql)
        if history.count > 40 { history.removeFirst() }
        // The rows of a pragma are all there with the first; SQLite's keep the lock.
        let isQuery = sql.hasPrefix("SELECT") && !sql.contains("pragma_") || sql.hasPrefix("WITH")
        action = isQuery && maker.random.chance(15) ? .open(sql) : .run(sql)
      }
      steps.append(InterleaveStep(connection: connection, action: action))
    }
  }

  var description: String {
    let head = settings.enumerated().map { "\($0): \($1.joined(separator: "; "))" }
    return (head + steps.map(\.description)).joined(separator: "\n") + "\n"
  }

  /// Reads what `description` gives; nil where a line is none of its.
  init?(_ text: String) {
    var settings: [[String]] = []
    steps = []
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let connection = Int(parts[0]) else { return nil }
      let rest = parts[1].dropFirst()
      if steps.isEmpty, connection == settings.count, rest.hasPrefix("PRAGMA page_size") {
        settings.append(rest.split(separator: ";").map(String.init))
      } else if connection < settings.count, let action = InterleaveAction(String(rest)) {
        steps.append(InterleaveStep(connection: connection, action: action))
      } else {
        return nil
      }
    }
    self.settings = settings
  }
}

extension InterleaveAction {
  /// Reads what a step's description says behind its connection.
  fileprivate init?(_ text: String) {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    if text.hasPrefix("(first row of) ") {
      self = .open(String(text.dropFirst("(first row of) ".count)))
    } else if text == "(close and open)" {
      self = .reopen
    } else if text.hasPrefix("(reset statement ") {
      guard numbers.count == 1 else { return nil }
      self = .close(numbers[0])
    } else if text.hasPrefix("(") {
      guard numbers.count == 2 else { return nil }
      self = .fetch(numbers[1], rows: numbers[0])
    } else {
      self = .run(text)
    }
  }
}
