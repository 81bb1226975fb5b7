/// The output modes that `.mode` names (climode §3).
enum OutputMode: String, CaseIterable {
  case ascii, box, c, column, count, csv, html, insert, jatom, jobject, json, line, list, markdown
  case off, psql, qbox, quote, split, table, tabs, tcl

  /// `batch` and `tty` name the modes that a script and a terminal start with.
  static let aliases = ["batch", "tty"]

  /// Whether rows stand in columns.
  var isTabular: Bool {
    switch self {
    case .box, .column, .markdown, .psql, .qbox, .split, .table: true
    default: false
    }
  }
}

/// How text is quoted; decides with it how blobs look (climode §6.2, §6.13).
enum Quoting: String {
  case off, sql, relaxed, csv, json, tcl, html
}

/// How blobs look where the quoting does not decide it (climode §6.2).
enum BlobQuoting: String {
  case auto, text, sql, hex, tcl, json, size
}

/// What control characters become (climode §4).
enum ControlEscape: String {
  case auto, ascii, symbol, off
}

/// How wide the screen is taken to be; `automatic` asks the terminal (climode §6.16).
enum ScreenWidth: Equatable {
  case off, automatic, columns(Int)
}

/// Everything that decides how rows are printed.
struct OutputSettings {
  var mode: OutputMode
  var quoting: Quoting
  var columnSeparator: String
  var rowSeparator: String
  var nullText: String
  var hasBorder: Bool
  var tableName = "tab"
  /// What `.headers` said; nil leaves it to the mode. A change of mode keeps it.
  var titles: Bool?
  /// What `--titles` said, until the mode changes.
  var modeTitles: Bool?
  /// How titles are quoted where that was said.
  var titleQuoting: Quoting?

  // What a change of mode keeps.
  var fit = FitSettings()
  var escape = ControlEscape.auto
  /// JSONB shown as JSON; nil where nothing was said.
  var showsJSONB: Bool?
  /// Bytes after which an INSERT statement ends; 0 gives each row its own.
  var multiInsert = 0

  var blobQuoting = BlobQuoting.auto
  /// The JSON of a blob that is JSONB.
  var jsonText: ((UnsafeRawBufferPointer) -> [UInt8]?)?

  init(_ mode: OutputMode) {
    self.mode = mode
    quoting = .off
    columnSeparator = "|"
    rowSeparator = "\n"
    nullText = ""
    hasBorder = mode != .psql
    switch mode {
    case .quote: set(.sql, ",", null: "NULL")
    case .csv:
      set(.csv, ",")
      rowSeparator = "\r\n"
    case .tabs: set(.csv, "\t")
    case .line: columnSeparator = ": "
    case .json, .jobject: set(.json, "|", null: "null")
    case .jatom: set(.json, ",", null: "null")
    case .html: set(.html, "|")
    case .insert, .qbox: set(.sql, "|", null: "NULL")
    case .tcl: set(.tcl, " ", null: "\"\"")
    case .c: set(.tcl, ",", null: "NULL")
    case .ascii:
      columnSeparator = "\u{1f}"
      rowSeparator = "\u{1e}"
    case .split: fit.screen = .automatic
    case .box, .column, .count, .list, .markdown, .off, .psql, .table: break
    }
  }

  private mutating func set(_ quoting: Quoting, _ separator: String, null: String = "") {
    self.quoting = quoting
    columnSeparator = separator
    nullText = null
  }

  /// How text is quoted in fact: some modes would make no sense with another quoting.
  var textQuoting: Quoting {
    switch mode {
    case .html: .html
    case .insert: .sql
    case .json, .jobject: .json
    default: quoting
    }
  }

  /// Whether column names are printed.
  var showsTitles: Bool {
    if let shown = modeTitles ?? titles { return shown }
    return switch mode {
    case .box, .column, .html, .markdown, .psql, .qbox, .table: true
    default: false
    }
  }

  /// What a session on a terminal starts with (climode §2).
  static var terminal: OutputSettings {
    var settings = OutputSettings(.qbox)
    settings.quoting = .relaxed
    settings.columnSeparator = ""
    settings.rowSeparator = ""
    settings.fit.setStandardLimits()
    settings.fit.screen = .automatic
    settings.showsJSONB = true
    settings.multiInsert = 3000
    return settings
  }

  /// Changes the mode; separators, quoting and NULL text become the mode's own. Where a mode has no
  /// separators they stay: `.import` uses them.
  mutating func change(to mode: OutputMode) {
    var fresh = OutputSettings(mode)
    fresh.titles = titles
    let screen = fresh.fit.screen
    fresh.fit = fit
    if mode == .split, fit.screen == .off { fresh.fit.screen = screen }
    fresh.escape = escape
    fresh.showsJSONB = showsJSONB
    fresh.multiInsert = multiInsert
    fresh.jsonText = jsonText
    if !fresh.hasSeparators {
      fresh.columnSeparator = columnSeparator
      if mode != .jobject { fresh.rowSeparator = rowSeparator }
    }
    if mode == .count || mode == .off { fresh.nullText = nullText }
    self = fresh
  }

  var hasSeparators: Bool {
    switch mode {
    case .ascii, .c, .csv, .jatom, .line, .list, .quote, .tabs, .tcl: true
    case .box, .column, .count, .html, .insert, .jobject, .json, .markdown, .off, .psql, .qbox,
      .split, .table:
      false
    }
  }
}
