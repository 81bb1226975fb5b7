// What Tab offers: it looks at what stands before the cursor, not behind it.

/// What the word before the cursor may become.
struct Completion {
  /// How many characters before the cursor are replaced.
  var replacedCount = 0
  /// What they may be replaced by, in order.
  var candidates: [String] = []

  /// What all candidates begin with, letters of either case being equal.
  var commonPrefix: String {
    guard let first = candidates.first else { return "" }
    var common = Array(first)
    for candidate in candidates.dropFirst() {
      var length = 0
      for (one, other) in zip(common, candidate) {
        guard one.lowercased() == other.lowercased() else { break }
        length += 1
      }
      common = Array(common.prefix(length))
    }
    return String(common)
  }
}

/// Names out of the database, as they are needed.
protocol CompletionSource {
  func tables(in schema: String?) -> [String]
  func columns(of table: String?) -> [String]
  func functions() -> [String]
  func pragmas() -> [String]
  func databases() -> [String]
  func indexes() -> [String]
  func files(startingWith path: String) -> [String]
  var keywords: [String] { get }
}

struct Completer {
  let source: any CompletionSource

  func complete(_ text: String) -> Completion {
    let line = text.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
    if text.hasPrefix("."), !text.contains("\n") { return dotCommand(String(line)) }
    let words = SQLWords(text)
    guard !words.endsInText else { return Completion() }
    return sql(words)
  }

  // MARK: SQL

  private func sql(_ words: SQLWords) -> Completion {
    let typed = words.partial
    if let owner = words.owner {
      var names = columns(of: owner, words)
      if names.isEmpty { names = source.tables(in: owner) }
      return completion(typed, names.map { identifier($0) })
    }
    if words.isQuoted { return completion(typed, (objects + source.columns(of: nil)).map(quotedName)) }
    switch words.last(1).first {
    case "PRAGMA": return completion(typed, source.pragmas())
    case "FROM", "JOIN", "INTO", "UPDATE", "TABLE", "VIEW", "REINDEX", "ANALYZE":
      return completion(typed, objects.map { identifier($0) }, keywords(typed))
    case "ON" where words.isDefinition:
      return completion(typed, objects.map { identifier($0) })
    case "INDEX" where words.isDefinition: return completion(typed, source.indexes())
    case "ATTACH", "DETACH": return completion(typed, source.databases(), keywords(typed))
    default: break
    }
    let tables = words.tables
    let columns =
      tables.isEmpty
      ? source.columns(of: nil) : tables.flatMap { source.columns(of: $0.table) }
    let names = (columns + tables.map(\.alias) + objects).map { identifier($0) }
    let functions = source.functions().map { $0 + "(" }
    return completion(typed, names, functions + keywords(typed))
  }

  private var objects: [String] { source.tables(in: nil) + source.databases() }

  /// Keywords in the letters that were begun with.
  private func keywords(_ typed: String) -> [String] {
    let isLower = typed.first?.isLowercase ?? false
    return isLower ? source.keywords.map { $0.lowercased() } : source.keywords
  }

  private func columns(of owner: String, _ words: SQLWords) -> [String] {
    let named = words.tables.first { $0.alias.lowercased() == owner.lowercased() }
    return source.columns(of: named?.table ?? owner)
  }

  /// The names that begin with what was typed. Others come in only where something was typed, or
  /// there would be hundreds.
  private func completion(
    _ typed: String, _ names: [String], _ others: [String] = []
  ) -> Completion {
    let all = typed.isEmpty && !names.isEmpty ? names : names + others
    let wanted = typed.lowercased()
    let found = all.filter { $0.lowercased().hasPrefix(wanted) && $0 != typed }
    var seen: Set<String> = []
    let unique = found.filter { seen.insert($0).inserted }
    return Completion(
      replacedCount: typed.count, candidates: unique.sorted { $0.lowercased() < $1.lowercased() })
  }

  // MARK: Dot-commands

  private func dotCommand(_ line: String) -> Completion {
    guard let blank = line.firstIndex(of: " ") else {
      return completion(line, Command.names.map { "." + $0 + " " })
    }
    let name = Command.fullName(String(line[line.index(after: line.startIndex)..<blank]))
    let start = line.lastIndex(of: " ").map { line.index(after: $0) } ?? line.startIndex
    let typed = String(line[start...])
    return completion(typed, arguments(of: name ?? "", typed))
  }

  private func arguments(of command: String, _ typed: String) -> [String] {
    switch command {
    case "mode": return OutputMode.allCases.map(\.rawValue) + OutputMode.aliases
    case "help": return Command.names
    case "tables", "dump", "sha3sum": return source.tables(in: nil)
    case "schema", "fullschema": return source.tables(in: nil) + source.indexes()
    case "indexes", "indices": return source.tables(in: nil)
    case "dbinfo": return source.databases()
    case "import", "open", "read", "output", "once", "backup", "restore", "save", "clone", "cd",
      "log", "trace", "archive", "excel", "system", "shell":
      return source.files(startingWith: typed)
    case "bail", "changes", "echo", "headers", "auth", "crlf": return ["on", "off"]
    case "timer": return ["on", "off", "once"]
    case "eqp": return ["on", "off", "full", "trigger", "trace", "measured"]
    case "explain": return ["on", "off", "auto"]
    case "stats": return ["on", "off", "stmt", "vmstep"]
    case "scanstats": return ["on", "off", "est"]
    case "parameter": return ["clear", "init", "list", "set", "unset"]
    case "lint": return ["fkey-indexes"]
    case "session":
      return [
        "attach", "changeset", "close", "enable", "filter", "indirect", "isempty", "list", "open",
        "patchset",
      ]
    case "limit": return Command.limits.map(\.name)
    case "dbconfig": return Command.configurations.map(\.name)
    default: return []
    }
  }
}
