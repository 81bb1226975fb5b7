extension Command {
  /// `.mode`: its words from left to right (climode §6); those before a wrong one take effect.
  func setMode(in session: Session) -> Result {
    guard !arguments.isEmpty else {
      return show(session.settings.command + "\n", in: session)
    }
    var plainWords = 0
    var index = 1
    while index < words.count {
      let word = words[index].text
      if word.hasPrefix("-") {
        let option = String(word.drop { $0 == "-" })
        if option == "list" {
          session.output.write(OutputMode.listing + "\n")
          index += 1
          continue
        }
        guard let result = set(option, at: index, in: &session.settings, session) else {
          index += 2
          continue
        }
        return result
      }
      switch plainWords {
      case 0:
        guard selectMode(word, in: &session.settings) else {
          return complain(index, "unknown mode", session, hint: true)
        }
      case 1: session.settings.tableName = word
      default: return complain(index, "bad argument", session, hint: true)
      }
      plainWords += 1
      index += 1
    }
    return .done
  }

  private func selectMode(_ name: String, in settings: inout OutputSettings) -> Bool {
    if name == "tty" {
      let titles = settings.titles
      settings = .terminal
      settings.titles = titles
      return true
    }
    guard let mode = name == "batch" ? .list : OutputMode(rawValue: name) else { return false }
    settings.change(to: mode)
    return true
  }

  /// Sets one option; nil when all is well.
  private func set(
    _ option: String, at index: Int, in settings: inout OutputSettings, _ session: Session
  ) -> Result? {
    let known = ["border", "colsep", "null", "quote", "rowsep", "tablename", "title", "titles"]
    let unsupported = [
      "align", "blob-quote", "blob", "charlimit", "escape", "linelimit", "limits", "multiinsert",
      "once", "reset", "sw", "screenwidth", "tag", "textjsonb", "titlelimit", "v", "verbose",
      "widths", "wordwrap", "wrap", "ww",
    ]
    if unsupported.contains(option) {
      return refuse("mode --\(option)", in: session)
    }
    guard known.contains(option) else { return complain(index, "bad option", session, hint: true) }
    guard index + 1 < words.count else {
      return complain(index, "missing argument", session)
    }
    let value = words[index + 1].text
    switch option {
    case "border": settings.hasBorder = boolean(value, in: session)
    case "colsep": settings.columnSeparator = value
    case "null": settings.nullText = value
    case "rowsep": settings.rowSeparator = value
    case "tablename": settings.tableName = value
    case "quote":
      let name = value == "on" ? "sql" : value
      guard let quoting = Quoting(rawValue: name) else {
        return complain(index + 1, "bad argument", session, hint: true)
      }
      settings.quoting = quoting
      if value == "on" { settings.nullText = "NULL" }
    default: settings.titles = boolean(value, in: session)
    }
    return nil
  }
}
