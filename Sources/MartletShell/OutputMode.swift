/// The output modes that `.mode` names (climode §3).
enum OutputMode: String, CaseIterable {
  case ascii, box, c, column, count, csv, html, insert, jatom, jobject, json, line, list, markdown
  case off, psql, qbox, quote, split, table, tabs, tcl

  /// `batch` and `tty` name the modes that a script and a terminal start with.
  static let aliases = ["batch", "tty"]

  static var listing: String {
    "available modes: " + (allCases.map(\.rawValue) + aliases).joined(separator: " ")
  }
}

/// How text is quoted; decides with it how blobs look (climode §6.2, §6.13).
enum Quoting: String {
  case off, sql, relaxed, csv, json, tcl, html
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
    case .box, .column, .count, .list, .markdown, .off, .psql, .split, .table: break
    }
  }

  private mutating func set(_ quoting: Quoting, _ separator: String, null: String = "") {
    self.quoting = quoting
    columnSeparator = separator
    nullText = null
  }

  /// Whether column names are printed.
  var showsTitles: Bool {
    if let titles { return titles }
    return switch mode {
    case .box, .column, .html, .markdown, .psql, .qbox, .table: true
    default: false
    }
  }

  /// What a session on a terminal starts with (climode §2).
  static var terminal: OutputSettings {
    var settings = OutputSettings(.qbox)
    settings.quoting = .relaxed
    return settings
  }

  /// Changes the mode; separators, quoting and NULL text become the mode's own. Where a mode has no
  /// separators they stay: `.import` uses them.
  mutating func change(to mode: OutputMode) {
    var fresh = OutputSettings(mode)
    fresh.titles = titles
    if !fresh.hasSeparators {
      fresh.columnSeparator = columnSeparator
      if mode != .jobject { fresh.rowSeparator = rowSeparator }
    }
    if mode == .count || mode == .off { fresh.nullText = nullText }
    self = fresh
  }

  private var hasSeparators: Bool {
    switch mode {
    case .ascii, .c, .csv, .jatom, .line, .list, .quote, .tabs, .tcl: true
    case .box, .column, .count, .html, .insert, .jobject, .json, .markdown, .off, .psql, .qbox,
      .split, .table:
      false
    }
  }

  /// The settings as a command that restores them (`.mode` without arguments).
  var command: String {
    let usual = OutputSettings(mode)
    var text = ".mode \(mode.rawValue)"
    if hasBorder != usual.hasBorder { text += " --border " + (hasBorder ? "on" : "off") }
    if mode == .tcl || mode == .c { text += " --blob-quote tcl" }
    if hasSeparators, columnSeparator != usual.columnSeparator {
      text += " --colsep " + escapedString(columnSeparator)
    }
    if nullText != usual.nullText { text += " --null " + escapedString(nullText) }
    if quoting != usual.quoting { text += " --quote " + quoting.rawValue }
    if hasSeparators, rowSeparator != usual.rowSeparator {
      text += " --rowsep " + escapedString(rowSeparator)
    }
    if mode == .insert {
      text += " --tablename " + escapedString(tableName == "tab" ? "" : tableName)
    }
    if showsTitles != usual.showsTitles { text += " --titles " + (showsTitles ? "on" : "off") }
    return text
  }
}

/// A string as `.show` prints it: in double quotes, control characters as C escapes.
func escapedString(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    case "\r": result += "\\r"
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    default: result += scalar.value < 0x20 ? "\\" + octal(UInt8(scalar.value)) : String(scalar)
    }
  }
  return result + "\""
}

/// Three octal digits.
func octal(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 8)
  return String(repeating: "0", count: 3 - digits.count) + digits
}
