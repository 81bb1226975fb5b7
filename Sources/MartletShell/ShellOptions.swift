/// What the command line asks for.
struct ShellOptions {
  var path = ":memory:"
  var isReadOnly = false
  var isBatch = false
  var isInteractive = false
  var stopsAtError = false
  var echoes = false
  var showsHelp = false
  var showsVersion = false
  var isSafe = false
  var nonce: String?
  var opensExistingOnly = false
  var followsLinks = true
  var isDeserialized = false
  var showsStatistics = false
  var vfsName: String?
  /// `.sqliterc` in the home, another file (`-init`), or none (`-noinit`).
  var startFile: String?
  var readsStartFile = true
  /// Commands to run before all else (`-cmd`), with their places on the command line.
  var preparation: [(text: String, index: Int)] = []
  /// Commands to run in place of reading standard input.
  var commands: [(text: String, index: Int)] = []

  /// What `-A` gives to `.archive`.
  var archiveWords: [String]?
  var newFileKind = FileKind.database
  var sizeLimit: Int?

  private var settings: OutputSettings?
  private var titles: Bool?
  private var screenWidth: Int?
  private var escape: ControlEscape?

  static let usage = """
    Usage: martlet [OPTIONS] [FILENAME [SQL...]]
    FILENAME is the name of an SQLite database; ":memory:" by default.
    OPTIONS include:
       --                   treat no subsequent arguments as options
       -A ARGS...           run ".archive ARGS" and end
       -append              put a new database at the end of the file
       -bail                stop after hitting an error
       -batch               force batch I/O
       -cmd COMMAND         run "COMMAND" before reading stdin
       -deserialize         open a copy of the file in memory
       -echo                print inputs before execution
       -escape T            what control characters become: ascii, symbol or off
       -[no]header          turn headers on or off
       -help                show this message
       -ifexists            only open a database that exists
       -init FILENAME       run this file first, and not ~/.sqliterc
       -interactive         prompt even where the input is no terminal
       -maxsize N           how long a database that is opened in memory may become
       -newline SEP         set output row separator. Default: '\\n'
       -nofollow            refuse symbolic links to database files
       -noinit              do not run ~/.sqliterc
       -nonce STRING        what lifts safe mode for a command
       -nullvalue TEXT      set text string for NULL values. Default ''
       -readonly            open the database read-only
       -safe                refuse what reaches out of the database
       -screenwidth N       take the screen for N columns wide
       -separator SEP       set output column separator. Default: '|'
       -stats               show what statements cost
       -version             show the versions of the shell and its SQL
       -vfs NAME            open databases with this VFS
       -zip                 open the file as a zip archive
       -ascii -box -column -csv -html -json -line -list -markdown -quote -table -tabs
                            set the output mode

    """

  private static let modes: Set<OutputMode> = [
    .ascii, .box, .column, .csv, .html, .json, .line, .list, .markdown, .quote, .table, .tabs,
  ]
  /// What takes a word, and what takes two that mean nothing here.
  private static let valued: Set = [
    "cmd", "separator", "newline", "nullvalue", "init", "nonce", "vfs", "escape", "screenwidth",
    "maxsize",
  ]
  /// Options of sqlite3's shell that this one does not have, with how many words they take.
  private static let missing = [
    "heap": 1, "lookaside": 2, "memtrace": 0, "mmap": 1,
    "no-rowid-in-view": 0, "pagecache": 2, "pcachetrace": 0, "unsafe-testing": 0, "vfstrace": 0,
  ]

  /// Reads the words; gives what is wrong with them.
  mutating func parse(_ words: [String]) -> String? {
    var index = 0
    var hasPath = false
    var takesOptions = true
    while index < words.count {
      let word = words[index]
      index += 1
      guard takesOptions, word.hasPrefix("-"), word.count > 1 else {
        if hasPath {
          commands.append((word, index))
        } else {
          path = word
          hasPath = true
        }
        continue
      }
      if word == "--" {
        takesOptions = false
        continue
      }
      let name = String(word.drop { $0 == "-" })
      if name.hasPrefix("A") {
        // All that follows is meant for the archive.
        archiveWords = (name.count > 1 ? ["-" + name.dropFirst()] : []) + words[index...]
        return nil
      }
      if Self.valued.contains(name) {
        guard index < words.count else { return "missing argument to -\(name)" }
        if let problem = set(name, to: words[index], index: index + 1) { return problem }
        index += 1
      } else if Self.missing[name] != nil {
        return "not supported by Martlet: -\(name)"
      } else if !set(name) {
        return "unknown option: \(word)"
      }
    }
    return nil
  }

  private mutating func set(_ name: String, to value: String, index: Int) -> String? {
    switch name {
    case "cmd": preparation.append((value, index))
    case "init": startFile = value
    case "nonce": nonce = value
    case "vfs": vfsName = value
    case "maxsize": sizeLimit = Int(value)
    case "screenwidth": screenWidth = Int(value) ?? 0
    case "escape":
      guard let known = ControlEscape(rawValue: value), known != .auto else {
        return "unknown control character escape mode \"\(value)\" - choices: ascii symbol off"
      }
      escape = known
    default:
      var changed = settings ?? OutputSettings(.list)
      switch name {
      case "separator": changed.columnSeparator = value
      case "newline": changed.rowSeparator = value
      default: changed.nullText = value
      }
      settings = changed
    }
    return nil
  }

  private mutating func set(_ name: String) -> Bool {
    if let mode = OutputMode(rawValue: name), Self.modes.contains(mode) {
      settings = OutputSettings(mode)
      return true
    }
    switch name {
    case "readonly": isReadOnly = true
    case "batch": isBatch = true
    case "interactive": isInteractive = true
    case "bail": stopsAtError = true
    case "echo": echoes = true
    case "header": titles = true
    case "noheader": titles = false
    case "help": showsHelp = true
    case "version": showsVersion = true
    case "safe": isSafe = true
    case "ifexists": opensExistingOnly = true
    case "nofollow": followsLinks = false
    case "deserialize": isDeserialized = true
    case "stats": showsStatistics = true
    case "noinit": readsStartFile = false
    case "append": newFileKind = .appended
    case "zip": newFileKind = .zip
    default: return false
    }
    return true
  }

  /// The settings to start with; a terminal has its own unless a mode was asked for.
  func settings(isTerminal: Bool) -> OutputSettings {
    var settings = self.settings ?? (isTerminal ? .terminal : OutputSettings(.list))
    settings.titles = titles
    if let escape { settings.escape = escape }
    if let screenWidth, screenWidth > 0 { settings.fit.automaticColumns = screenWidth }
    return settings
  }
}
