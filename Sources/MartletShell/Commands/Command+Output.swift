#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What the options of `.output` and `.once` say.
private struct Redirection {
  var name: String?
  var hasByteOrderMark = false
  var isPlain = false
  var keeps = false
  var shows = false
  /// `e` edits what was printed, `w` shows it in a browser, `x` in a spreadsheet.
  var viewer: Character?
}

extension Command {
  func redirect(in session: Session) -> Result {
    redirect(in: session, commandCount: 0)
  }

  func redirectOnce(in session: Session, viewer: Character? = nil) -> Result {
    // This command and the next.
    redirect(in: session, commandCount: 2, viewer: viewer)
  }

  private func redirect(
    in session: Session, commandCount: Int, viewer: Character? = nil
  ) -> Result {
    var wanted = Redirection(viewer: viewer)
    var index = 1
    while index < words.count {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        if wanted.name != nil { return complain(index, "surplus argument", session) }
        if word.hasPrefix("|") {
          // The command has all words that follow.
          wanted.name = words[index...].map(\.text).joined(separator: " ")
          break
        }
        wanted.name = word
        index += 1
        continue
      }
      switch optionName(at: index) {
      case "bom": wanted.hasByteOrderMark = true
      case "plain": wanted.isPlain = true
      case "e", "x", "w": wanted.viewer = words[index].text.last
      case "keep": wanted.keeps = true
      case "show": wanted.shows = true
      case "error-prefix":
        guard index + 1 < words.count else { return complain(index, "missing argument", session) }
        session.errorPrefix = words[index + 1].text
        index += 1
      default: return complain(index, "unknown option", session)
      }
      index += 1
    }
    if wanted.shows { session.console(String(decoding: session.captured, as: UTF8.self)) }
    if wanted.keeps { return .done }
    session.endRedirection()
    return start(wanted, commandCount, in: session)
  }

  private func start(_ wanted: Redirection, _ commandCount: Int, in session: Session) -> Result {
    if let viewer = wanted.viewer {
      guard view(with: viewer, isPlain: wanted.isPlain, in: session) else { return .failed }
    } else {
      guard let name = wanted.name, name != "stdout" else { return .done }
      if name == "memory" {
        session.keepOutput()
      } else if !session.redirect(to: name) {
        let reason = name.hasPrefix("|") ? "open pipe" : "write to"
        let open = name.hasPrefix("|") ? "" : "Error: cannot open \"\(name)\"\n"
        session.printError("\(open)Error: cannot \(reason) \"\(name.drop { $0 == "|" })\"\n")
        return .failed
      }
    }
    if wanted.hasByteOrderMark { session.output.write("\u{feff}") }
    session.redirectedCommandCount = commandCount
    return .done
  }

  /// Gathers what is printed in a file, and opens that when the redirection ends.
  private func view(with viewer: Character, isPlain: Bool, in session: Session) -> Bool {
    let kind = viewer == "x" ? "csv" : viewer == "w" && !isPlain ? "html" : "txt"
    let folder = environment("TMPDIR") ?? "/tmp"
    let path = "\(folder)/martlet-\(getpid())-\(RunTime.now.real).\(kind)"
    let descriptor = path.withFileName { Self.create($0) }
    guard descriptor >= 0 else {
      session.printError("Error: cannot open \"\(path)\"\n")
      return false
    }
    Self.close(descriptor)
    guard session.redirect(to: path) else { return false }
    let settings = session.settings
    if kind == "csv" { session.settings.change(to: .csv) }
    if kind == "html" {
      session.settings.change(to: .html)
      session.output.write("<!DOCTYPE html>\n<HTML><BODY>\n<TABLE border='1'>\n")
    }
    let opener = Self.program(for: viewer)
    session.afterRedirection = { [unowned session] in
      session.settings = settings
      let status = "\(opener) '\(path)'".withFileName { system($0) }
      if status != 0 { session.printError("Failed: [\(opener) '\(path)']\n") }
      // What a viewer in the background has yet to read stays.
      if viewer == "e" { _ = path.withFileName { unlink($0) } }
    }
    return true
  }

  private static func program(for viewer: Character) -> String {
    if viewer == "e" { return environment("VISUAL") ?? environment("EDITOR") ?? "vi" }
    #if canImport(Darwin)
      return "open"
    #else
      return "xdg-open"
    #endif
  }

  /// A file that nobody else has or may read.
  private static func create(_ path: UnsafePointer<CChar>) -> Int32 {
    #if canImport(Darwin)
      return Darwin.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    #elseif canImport(Musl)
      return Musl.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    #else
      return Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    #endif
  }

  private static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }
}
