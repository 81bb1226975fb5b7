import MartletEngine

extension Command {
  func recover(in session: Session) -> Result {
    var options = RecoveryOptions()
    var index = 1
    while index < words.count {
      let word = words[index].text
      switch optionName(at: index) {
      case "lost-and-found" where word.hasPrefix("-") && index + 1 < words.count:
        options.lostAndFound = words[index + 1].text
        index += 1
      case "ignore-freelist" where word.hasPrefix("-"): options.ignoresFreelist = true
      case "no-rowids" where word.hasPrefix("-"): options.keepsRowIDs = false
      // What is to be read from is said by nobody any more.
      case "freelist-corrupt" where word.hasPrefix("-"): break
      default:
        session.printError("unexpected option: \(word)\n")
        return showHelp(of: "recover", in: session)
      }
      index += 1
    }
    guard let connection = session.open() else { return .failed }
    session.output.write(
      """
      .dbconfig defensive off
      BEGIN;
      PRAGMA writable_schema = on;
      PRAGMA foreign_keys = off;\n
      """)
    do throws(SQLError) {
      let source = try PageSource(connection, path: session.path)
      var recovery = try Recovery(options, source, to: session.output)
      try recovery.write()
      return .done
    } catch {
      session.printError("sql error: \(error.message) (\(error.code.rawValue))\n")
      return .failed
    }
  }
}
