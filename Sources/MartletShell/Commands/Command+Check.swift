import MartletEngine

/// A test that a script has begun: what is printed is kept until `.check` compares it.
struct TestCase {
  var name: String
  var failures = 0
}

extension Command {
  func beginTestCase(in session: Session) -> Result {
    var name: String?
    var index = 1
    while index < words.count {
      let word = words[index].text
      if word.hasPrefix("-"), optionName(at: index) == "error-prefix", index + 1 < words.count {
        session.errorPrefix = words[index + 1].text
        index += 2
        continue
      }
      guard name == nil, !word.hasPrefix("-") else {
        return complain(index, "unknown option", session)
      }
      name = word
      index += 1
    }
    session.endRedirection()
    session.testCase = TestCase(name: name ?? "?")
    session.keepOutput()
    return .done
  }

  /// `.check`: compares what was printed since `.testcase`.
  func check(in session: Session) -> Result {
    var isExact = false
    var isGlob = false
    var isReversed = false
    var keeps = false
    var shows = false
    var pattern: String?
    guard session.testCase != nil else {
      return complain(0, "no .testcase is active", session)
    }
    for index in words.indices.dropFirst() {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        if pattern != nil { return complain(index, "unknown option", session) }
        pattern = word
        continue
      }
      switch optionName(at: index) {
      case "exact": isExact = true
      case "glob": isGlob = true
      case "notglob": (isGlob, isReversed) = (true, true)
      case "keep": keeps = true
      case "show": shows = true
      default: return complain(index, "unknown option", session)
      }
    }
    let input = session.input
    let line = input?.lineCount ?? 0
    if let word = pattern, word.hasPrefix("<<") { pattern = following(word.dropFirst(2), input) }
    let expected = pattern ?? ""
    let output = String(decoding: session.captured, as: UTF8.self)
    if shows { session.console(output) }
    let fits =
      isGlob
      ? fitsGlob(
        Array(Self.trimmed(output).utf8)[...], Array("*\(Self.trimmed(expected))*".utf8)[...])
        != isReversed
      : isExact ? output == expected : Self.trimmed(output) == Self.trimmed(expected)
    let name = session.testCase?.name ?? "?"
    if !fits {
      session.failedCheckCount += 1
      session.errors.write(
        """
        \(input?.name ?? "<stdin>"):\(line): .check failed for testcase \(name)
        Expected: [\(expected)]
        Got:      [\(output)]\n
        """)
      session.errors.flush()
    }
    session.checkCount += 1
    if !keeps, !shows {
      session.testCase = nil
      session.endRedirection()
    }
    return fits ? .done : .failed
  }

  private func following(_ mark: Substring, _ input: (any LineSource)?) -> String {
    var text = ""
    while let line = input?.next() {
      let line = String(decoding: line, as: UTF8.self)
      if line.hasPrefix(mark) { break }
      text += line + "\n"
    }
    return text
  }

  private static func trimmed(_ text: String) -> String {
    var bytes = Array(text.utf8.drop(while: isSpace))
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
