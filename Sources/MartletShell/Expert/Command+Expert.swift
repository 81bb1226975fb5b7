import MartletEngine

/// What `.expert` was asked for.
struct ExpertOptions {
  var isVerbose = false
  var percent = 0
}

extension Command {
  /// `.expert`: which indexes the next statement would use.
  func suggestIndexes(in session: Session) -> Result {
    if session.isSafe {
      session.printError(
        "Cannot run experimental commands such as \"expert\" in safe mode\n")
      return .failed
    }
    var options = ExpertOptions()
    var index = 1
    while index < words.count {
      let word = words[index].text
      let name = word.hasPrefix("-") ? optionName(at: index) : ""
      if !name.isEmpty, "verbose".hasPrefix(name) {
        options.isVerbose = true
      } else if !name.isEmpty, "sample".hasPrefix(name) {
        guard index + 1 < words.count else {
          session.printError("option requires an argument: -sample\n")
          return .done
        }
        index += 1
        options.percent = integer(words[index].text)
        guard (0...100).contains(options.percent) else {
          session.printError("value out of range: \(words[index].text)\n")
          return .done
        }
      } else {
        session.printError("unknown option: \(word)\n")
        return .done
      }
      index += 1
    }
    session.expert = options
    return .done
  }
}

extension Session {
  /// Shows which indexes statements would use, in place of running them.
  func advise(on sql: [UInt8], _ options: ExpertOptions, _ source: SQLSource) -> Bool {
    guard let connection = open() else { return false }
    do throws(SQLError) {
      var advisor = try IndexAdvisor(for: connection, percent: options.percent)
      let advice = try advisor.advise(on: sql[...], percent: options.percent)
      if options.isVerbose {
        output.write("-- Candidates -----------------------------\n")
        let list = advisor.candidates.map { $0.definition + ";\n" }
        output.write(list.isEmpty ? "(null)\n" : list.joined() + "\n")
      }
      for (number, part) in advice.enumerated() {
        if options.isVerbose {
          let rule = String(repeating: "-", count: 33 - String(number + 1).utf8.count)
          output.write("-- Query \(number + 1) \(rule)\n\(part.sql)\n\n")
        }
        let indexes = part.indexes.map { $0.definition + ";\n" }
        output.write((indexes.isEmpty ? ["(no new indexes)\n"] : indexes).joined() + "\n")
        output.write(part.plan.map { $0 + "\n" }.joined() + "\n")
      }
      return true
    } catch {
      printError(errorText(error, isParseError: false, sql: [], source: source))
      return false
    }
  }
}
