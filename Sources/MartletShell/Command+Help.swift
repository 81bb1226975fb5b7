extension Command {
  /// A command, its line in `.help`, and whether `.help` without arguments shows it.
  struct HelpEntry {
    let name: String
    let usage: String
    let summary: String

    var line: String {
      let gap = usage.utf8.count < 24 ? 25 - usage.utf8.count : 1
      return usage + String(repeating: " ", count: gap) + summary + "\n"
    }
  }

  func showHelp(in session: Session) -> Result {
    let words = arguments
    guard let first = words.first else {
      return show(Self.help.map(\.line).joined(), in: session)
    }
    if first == "-all" || first == "--all" || first == "-a" {
      guard words.count > 1 else {
        let all = Self.help.map { $0.line + Self.options(of: $0.name) }
        return show(all.joined(), in: session)
      }
    }
    let pattern = String((words.count > 1 ? words[1] : first).drop { $0 == "." })
    let found = Self.help.filter { $0.name.hasPrefix(pattern) }
    let exact = found.first { $0.name == pattern }
    if let only = exact ?? (found.count == 1 ? found[0] : nil) {
      return show(only.line + Self.options(of: only.name), in: session)
    }
    guard !found.isEmpty else { return show("Nothing matches '\(pattern)'\n", in: session) }
    return show(found.map(\.line).joined(), in: session)
  }

  /// What a command that was not understood gets.
  func showHelp(of name: String, in session: Session) -> Result {
    for entry in Self.help where entry.name == name {
      session.printError(entry.line + Self.options(of: name))
    }
    return .failed
  }
}
