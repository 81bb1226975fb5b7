/// What the command line asks for.
struct ShellOptions {
  var path = ":memory:"
  var isReadOnly = false
  var isBatch = false
  var stopsAtError = false
  var echoes = false
  var showsHelp = false
  var showsVersion = false
  /// Commands to run before all else (`-cmd`), with their places on the command line.
  var preparation: [(text: String, index: Int)] = []
  /// Commands to run in place of reading standard input.
  var commands: [(text: String, index: Int)] = []

  private var settings: OutputSettings?
  private var titles: Bool?

  static let usage = """
    Usage: martlet [OPTIONS] [FILENAME [SQL...]]
    FILENAME is the name of an SQLite database; ":memory:" by default.
    OPTIONS include:
       --                   treat no subsequent arguments as options
       -bail                stop after hitting an error
       -batch               force batch I/O
       -cmd COMMAND         run "COMMAND" before reading stdin
       -echo                print inputs before execution
       -[no]header          turn headers on or off
       -help                show this message
       -newline SEP         set output row separator. Default: '\\n'
       -nullvalue TEXT      set text string for NULL values. Default ''
       -readonly            open the database read-only
       -separator SEP       set output column separator. Default: '|'
       -version             show the versions of the shell and its SQL
       -ascii -box -column -csv -html -json -line -list -markdown -quote -table -tabs
                            set the output mode

    """

  private static let modes: Set<OutputMode> = [
    .ascii, .box, .column, .csv, .html, .json, .line, .list, .markdown, .quote, .table, .tabs,
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
      if ["cmd", "separator", "newline", "nullvalue"].contains(name) {
        guard index < words.count else { return "missing argument to -\(name)" }
        set(name, to: words[index], index: index + 1)
        index += 1
      } else if !set(name) {
        return "unknown option: \(word)"
      }
    }
    return nil
  }

  private mutating func set(_ name: String, to value: String, index: Int) {
    if name == "cmd" {
      preparation.append((value, index))
      return
    }
    var changed = settings ?? OutputSettings(.list)
    switch name {
    case "separator": changed.columnSeparator = value
    case "newline": changed.rowSeparator = value
    default: changed.nullText = value
    }
    settings = changed
  }

  private mutating func set(_ name: String) -> Bool {
    if let mode = OutputMode(rawValue: name), Self.modes.contains(mode) {
      settings = OutputSettings(mode)
      return true
    }
    switch name {
    case "readonly": isReadOnly = true
    case "batch": isBatch = true
    case "bail": stopsAtError = true
    case "echo": echoes = true
    case "header": titles = true
    case "noheader": titles = false
    case "help": showsHelp = true
    case "version": showsVersion = true
    default: return false
    }
    return true
  }

  /// The settings to start with; a terminal has its own unless a mode was asked for.
  func settings(isTerminal: Bool) -> OutputSettings {
    var settings = self.settings ?? (isTerminal ? .terminal : OutputSettings(.list))
    settings.titles = titles
    return settings
  }
}
