extension Command {
  func dump(in session: Session) -> Result {
    var options = DumpOptions()
    for index in words.indices.dropFirst() {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        options.patterns.append(word)
        continue
      }
      switch optionName(at: index) {
      case "data-only": options.isDataOnly = true
      case "preserve-rowids": options.preservesRowIDs = true
      case "nosys": options.omitsSystemTables = true
      // Control characters are written as escapes always.
      case "newlines": break
      default: return complain(index, "unknown option", session)
      }
    }
    guard let connection = session.open() else { return .failed }
    var dump = Dump(options, of: connection, in: session)
    return dump.write() ? .done : .failed
  }

  /// The name of the option at `index`, which one or two dashes may introduce.
  func optionName(at index: Int) -> Substring {
    let word = words[index].text
    return word.dropFirst(word.hasPrefix("--") ? 2 : 1)
  }
}
