extension Command {
  /// `.mode`: its words from left to right (climode §6); those before a wrong one take effect.
  func setMode(in session: Session) -> Result {
    guard !arguments.isEmpty else { return showMode(isVerbose: false, in: session) }
    var plainWords = 0
    var index = 1
    while index < words.count {
      let word = words[index].text
      if word.hasPrefix("-") {
        let option = String(optionName(at: index))
        if takesNothing(option, in: session) {
          index += 1
          continue
        }
        guard let result = set(option, at: index, session) else {
          index += 2
          continue
        }
        return result
      }
      switch plainWords {
      case 0:
        guard selectMode(word, session) else {
          return complain(index, "unknown mode", session, hint: true)
        }
      case 1: session.settings.tableName = word
      default: return complain(index, "bad argument", session, hint: true)
      }
      plainWords += 1
      index += 1
    }
    // What changes nothing asks how things are.
    let isQuestion = arguments.allSatisfy { ["once", "reset"].contains($0.drop { $0 == "-" }) }
    return isQuestion ? showMode(isVerbose: false, in: session) : .done
  }

  private func showMode(isVerbose: Bool, in session: Session) -> Result {
    let text = session.settings.command(isVerbose: isVerbose).dropFirst(".mode".count)
    let start = session.settingsAfterStatement == nil ? ".mode" : ".mode --once"
    return show("\(start)\(text)\n", in: session)
  }

  private func selectMode(_ name: String, _ session: Session) -> Bool {
    switch name {
    case "tty": session.settings = .terminal
    case "batch": session.settings = OutputSettings(.list)
    default:
      if let tagged = session.modes.first(where: { $0.name == name }) {
        session.settings = tagged.settings
      } else if let mode = OutputMode(rawValue: name) {
        session.settings.change(to: mode)
      } else {
        return false
      }
    }
    return true
  }

  /// Options without an argument; false where there is one, or no such option.
  private func takesNothing(_ option: String, in session: Session) -> Bool {
    switch option {
    case "list":
      let names =
        OutputMode.allCases.map(\.rawValue) + session.modes.map(\.name) + OutputMode.aliases
      session.output.write("available modes: \(names.joined(separator: " "))\n")
    case "once": session.settingsAfterStatement = session.settings
    case "reset": session.settings = OutputSettings(session.settings.mode)
    case "v", "verbose": _ = showMode(isVerbose: true, in: session)
    case "ww": session.settings.fit.wrapsWords = true
    default: return false
    }
    return true
  }

  private static let options: Set = [
    "align", "blob", "blob-quote", "border", "charlimit", "colsep", "escape", "linelimit", "limits",
    "multiinsert", "null", "quote", "rowsep", "screenwidth", "sw", "tablename", "tag", "textjsonb",
    "title", "titlelimit", "titles", "widths", "width", "wordwrap", "wrap",
  ]

  /// Sets one option; nil when all is well.
  private func set(_ option: String, at index: Int, _ session: Session) -> Result? {
    guard Self.options.contains(option) else {
      return complain(index, "bad option", session, hint: true)
    }
    guard index + 1 < words.count else { return complain(index, "missing argument", session) }
    let value = words[index + 1].text
    switch option {
    case "border": session.settings.hasBorder = value == "auto" || boolean(value, in: session)
    case "colsep": session.settings.columnSeparator = value
    case "null": session.settings.nullText = value
    case "rowsep": session.settings.rowSeparator = value
    case "tablename": session.settings.tableName = value
    case "multiinsert": session.settings.multiInsert = integer(value)
    case "textjsonb": session.settings.showsJSONB = boolean(value, in: session)
    case "charlimit": session.settings.fit.characters = integer(value)
    case "linelimit": session.settings.fit.lines = integer(value)
    case "titlelimit": session.settings.fit.titleCharacters = integer(value)
    case "wrap": session.settings.fit.wrap = integer(value)
    case "wordwrap": session.settings.fit.wrapsWords = boolean(value, in: session)
    case "sw", "screenwidth":
      let columns = integer(value)
      session.settings.fit.screen =
        value == "auto" ? .automatic : columns > 0 ? .columns(columns) : .off
    default: return setChoice(option, value, at: index + 1, session)
    }
    return nil
  }

  /// Options whose argument may be wrong.
  private func setChoice(
    _ option: String, _ value: String, at index: Int, _ session: Session
  ) -> Result? {
    switch option {
    case "align":
      guard value.allSatisfy({ "LCRlcr".contains($0) }) else {
        return complain(
          index, "bad alignment string", session,
          detail: "Should contain only characters L, C, and R.")
      }
      session.settings.fit.alignment = value.uppercased()
    case "blob", "blob-quote":
      guard let quoting = BlobQuoting(rawValue: value) else {
        return complain(
          index, "unknown", session,
          detail: "should be auto, text, sql, hex, tcl, json, or size")
      }
      session.settings.blobQuoting = quoting
    case "escape":
      guard let escape = ControlEscape(rawValue: value), escape != .auto else {
        return complain(
          index, "unknown escape type", session, detail: "should be off, ascii, or symbol")
      }
      session.settings.escape = escape
    case "quote":
      guard let quoting = Quoting(rawValue: value == "on" ? "sql" : value) else {
        return complain(
          index, "unknown", session,
          detail: "should be off, on, sql, csv, html, tcl, json, or relaxed")
      }
      session.settings.quoting = quoting
      if value == "on" { session.settings.nullText = "NULL" }
    case "tag":
      let isKnown =
        OutputMode(rawValue: value) != nil || OutputMode.aliases.contains(value)
        || session.modes.contains { $0.name == value }
      if isKnown { return complain(index, "mode already exists", session) }
      session.modes.append((value, session.settings))
    case "limits": return setLimits(value, at: index, session)
    case "widths", "width": return setWidths(value, at: index, session)
    default: return setTitles(value, at: index, session)
    }
    return nil
  }

  private func setTitles(_ value: String, at index: Int, _ session: Session) -> Result? {
    func setTitles(_ isOn: Bool) {
      (session.settings.titles, session.settings.modeTitles) = (nil, isOn)
    }
    switch value {
    case "off", "on", "plain":
      setTitles(value != "off")
      session.settings.titleQuoting = value == "plain" ? .off : nil
    case "sql", "csv", "html", "tcl", "json":
      setTitles(true)
      session.settings.titleQuoting = Quoting(rawValue: value)
    default:
      guard ["yes", "no", "true", "false", "0", "1"].contains(value.lowercased()) else {
        return complain(
          index, "bad --titles value", session,
          detail: "should be off, on, plain, sql, csv, html, tcl, or json")
      }
      setTitles(boolean(value, in: session))
      session.settings.titleQuoting = nil
    }
    return nil
  }

  private func setLimits(_ value: String, at index: Int, _ session: Session) -> Result? {
    let parts = value.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    switch value {
    case "on": session.settings.fit.setStandardLimits()
    case "off":
      session.settings.fit.lines = 0
      session.settings.fit.characters = 0
      session.settings.fit.titleCharacters = 0
    default:
      guard (2...3).contains(parts.count), let lines = parts[0], let characters = parts[1],
        lines >= 0, characters >= 0, parts.count == 2 || parts[2] ?? -1 >= 0
      else {
        return complain(
          index, "bad argument", session,
          detail: "Should be \"L,C,T\" where L, C and T are unsigned integers")
      }
      session.settings.fit.lines = lines
      session.settings.fit.characters = characters
      if parts.count == 3, let title = parts[2] { session.settings.fit.titleCharacters = title }
    }
    return nil
  }

  private func setWidths(_ value: String, at index: Int, _ session: Session) -> Result? {
    let parts = value.split { $0 == "," || $0 == " " }.map { Int($0) }
    let widths = parts.compactMap { $0 }
    guard widths.count == parts.count, widths.allSatisfy({ abs($0) < 1 << 24 }) else {
      session.printError("\(place): should be a comma-separated list if integers\n")
      return .failed
    }
    session.settings.fit.widths = widths
    return nil
  }
}
