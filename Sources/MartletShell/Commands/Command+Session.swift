import MartletEngine
import MartletSession

/// A recorder of changes, and what it was called.
struct NamedRecorder {
  let name: String
  let recorder: MartletSession.Session
  let filter = TableFilter()
}

/// Patterns of tables whose changes are not recorded.
final class TableFilter {
  var patterns: [String] = []
}

extension Command {
  func manageSessions(in session: Session) -> Result {
    guard session.open() != nil else { return .failed }
    var words = arguments
    var place = session.recorders.isEmpty ? nil : 0
    if let first = words.first,
      let named = session.recorders.firstIndex(where: { $0.name == first })
    {
      place = named
      words.removeFirst()
    }
    guard let command = words.first else { return showHelp(of: "session", in: session) }
    switch (command, words.count) {
    case ("list", _):
      for (index, named) in session.recorders.enumerated() {
        session.output.write("\(index) \(named.name)\n")
      }
      return .done
    case ("open", 3): return openSession(words[1], words[2], in: session)
    default: break
    }
    let known: Set = [
      "attach", "changeset", "patchset", "close", "enable", "indirect", "isempty", "filter",
    ]
    guard known.contains(command) else { return showHelp(of: "session", in: session) }
    guard let place else {
      let hasArgument = command == "close" || words.count > 1 || command == "isempty"
      if hasArgument || words.count == 1 && ["enable", "indirect"].contains(command) {
        return .done
      }
      return showHelp(of: "session", in: session)
    }
    return run(command, words, session.recorders[place], at: place, in: session)
  }

  private func openSession(_ database: String, _ name: String, in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    guard !name.isEmpty else { return showHelp(of: "session", in: session) }
    if session.recorders.contains(where: { $0.name == name }) {
      session.printError("Session \"\(name)\" already exists\n")
      return .done
    }
    guard connection.databaseNames.contains(database) else {
      session.printError("Cannot open session: error code=1\n")
      return .failed
    }
    let recorder = MartletSession.Session(connection, database: database)
    let named = NamedRecorder(name: name, recorder: recorder)
    let filter = named.filter
    recorder.attach(where: { table in
      !filter.patterns.contains { fitsGlob(Array(table.utf8)[...], Array($0.utf8)[...]) }
    })
    session.recorders.append(named)
    return .done
  }

  private func run(
    _ command: String, _ words: [String], _ named: NamedRecorder, at place: Int,
    in session: Session
  ) -> Result {
    let recorder = named.recorder
    func flag(_ label: String, _ isOn: Bool) -> Result {
      session.output.write("session \(named.name) \(label) flag = \(isOn ? 1 : 0)\n")
      return .done
    }
    switch (command, words.count) {
    case ("attach", 2): recorder.attach(words[1])
    case ("changeset", 2), ("patchset", 2):
      return write(isPatchset: command == "patchset", recorder, to: words[1], in: session)
    case ("close", 1): session.recorders.remove(at: place)
    case ("enable", 1...2):
      if words.count == 2 { recorder.isEnabled = boolean(words[1], in: session) }
      return flag("enable", recorder.isEnabled)
    case ("indirect", 1...2):
      if words.count == 2 { recorder.isIndirect = boolean(words[1], in: session) }
      return flag("indirect", recorder.isIndirect)
    case ("isempty", 1): return flag("isempty", recorder.isEmpty)
    case ("filter", 2...): named.filter.patterns = Array(words.dropFirst())
    default: return showHelp(of: "session", in: session)
    }
    return .done
  }

  private func write(
    isPatchset: Bool, _ recorder: MartletSession.Session, to path: String, in session: Session
  ) -> Result {
    guard let output = Output.named(path) else {
      session.printError("ERROR: cannot open \"\(path)\" for writing\n")
      return .failed
    }
    return attempt(in: session) { () throws(SQLError) in
      let changes = isPatchset ? try recorder.patchset() : try recorder.changeset()
      output.write(changes.bytes)
      output.flush()
    }
  }
}
