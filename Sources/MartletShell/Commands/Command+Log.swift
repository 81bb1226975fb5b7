extension Command {
  /// `.log`: errors of statements, as sqlite3's log has them.
  func setLog(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".log FILENAME", in: session) }
    let name = arguments[0]
    if session.isSafe, name != "on", name != "off" {
      session.output.write("cannot set .log to anything other than \"on\" or \"off\"\n")
      return .done
    }
    switch name {
    case "off": session.log = nil
    case "on", "stdout": session.log = session.output
    case "stderr": session.log = session.errors
    default:
      session.log = Output.named(name)
      guard session.log != nil else {
        session.printError("Error: cannot open \"\(name)\"\n")
        return .done
      }
    }
    return .done
  }
}
