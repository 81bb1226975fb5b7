import MartletEngine

extension Command {
  func setTrace(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    let watch = session.watch
    var events: TraceEvents = []
    var isOff = arguments.isEmpty
    for index in words.indices.dropFirst() {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        guard let output = traceOutput(word, in: session) else {
          session.printError("Error: cannot open \"\(word)\"\n")
          return .failed
        }
        watch.traceOutput = word == "off" ? nil : output
        isOff = word == "off"
        continue
      }
      switch optionName(at: index) {
      case "expanded": watch.expandsParameters = true
      case "plain": watch.expandsParameters = false
      case "profile": events.insert(.profile)
      case "row": events.insert(.row)
      case "stmt": events.insert(.statement)
      case "close": events.insert(.close)
      default:
        session.printError("Unknown option \"\(word)\" on \".trace\"\n")
        return .failed
      }
    }
    watch.traced =
      isOff || watch.traceOutput == nil ? [] : events.isEmpty ? .statement : events
    watch.install(on: connection)
    return .done
  }

  private func traceOutput(_ name: String, in session: Session) -> Output? {
    switch name {
    case "stdout": session.output
    case "stderr": session.errors
    default: Output.named(name)
    }
  }

  func setProgress(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    let watch = session.watch
    (watch.isQuiet, watch.resets, watch.isOnce) = (false, false, false)
    (watch.progressLimit, watch.progressTimeout) = (0, 0)
    var interval = 0
    var index = 1
    while index < words.count {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        interval = integer(word)
        index += 1
        continue
      }
      switch optionName(at: index) {
      case "quiet", "q": watch.isQuiet = true
      case "reset": watch.resets = true
      case "once": watch.isOnce = true
      case "limit", "timeout":
        guard index + 1 < words.count else {
          session.printError("Error: missing argument on \(word)\n")
          return .failed
        }
        if optionName(at: index) == "limit" {
          watch.progressLimit = integer(words[index + 1].text)
        } else {
          watch.progressTimeout = Double(words[index + 1].text) ?? 0
        }
        index += 1
      default:
        session.printError("Error: unknown option: \"\(word)\"\n")
        return .failed
      }
      index += 1
    }
    watch.progressInterval = max(interval, 0)
    watch.resetProgress()
    watch.install(on: connection)
    return .done
  }

  func setAuthorizer(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".auth ON|OFF", in: session) }
    guard let connection = session.open() else { return .failed }
    session.watch.showsAuthorization = boolean(arguments[0], in: session)
    session.watch.install(on: connection)
    return .done
  }

  // MARK: .stats

  func setStatistics(in session: Session) -> Result {
    guard arguments.count <= 1 else { return fail(".stats ?on|off|stmt|vmstep?", in: session) }
    guard let word = arguments.first else {
      session.showStatistics(of: nil)
      return .done
    }
    switch word {
    case "stmt": session.statistics = .statement
    case "vmstep": session.statistics = .steps
    default: session.statistics = boolean(word, in: session) ? .on : .off
    }
    return .done
  }
}

/// What `.stats` shows after each statement.
enum StatisticsMode: String {
  case off, on
  case statement = "stmt"
  case steps = "vmstep"
}

extension Session {
  /// The counters that the engine keeps, under the names that sqlite3's shell gives them.
  func showStatistics(of statement: Statement?) {
    guard let connection else { return }
    func line(_ label: String, _ value: some BinaryInteger, _ unit: String = "") {
      let padding = String(repeating: " ", count: max(36 - label.count, 0))
      output.write("\(label)\(padding) \(value)\(unit)\n")
    }
    if let statement, statistics == .steps {
      output.write("VM-steps: \(statement.count(of: .machineSteps))\n")
      return
    }
    if let statement, statistics == .statement {
      line("Number of output columns:", statement.columnCount)
      for column in 0..<statement.columnCount {
        func text(_ part: String, _ value: String?) {
          let label = "Column \(column) \(part):"
          let padding = String(repeating: " ", count: max(36 - label.count, 0))
          output.write("\(label)\(padding) \(value ?? "(null)")\n")
        }
        let origin = statement.columnOrigin(column)
        text("name", statement.columnName(column))
        text("declared type", statement.columnDeclaredType(column))
        text("database name", origin?.database)
        text("table name", origin?.table)
        text("origin name", origin?.column)
      }
    }
    line("Pager Heap Usage:", connection.count(of: .cacheUsed), " bytes")
    line("Page cache hits:", connection.count(of: .cacheHits))
    line("Page cache misses:", connection.count(of: .cacheMisses))
    line("Page cache writes:", connection.count(of: .cacheWrites))
    line("Page cache spills:", connection.count(of: .cacheSpills))
    line("Schema Heap Usage:", connection.count(of: .schemaUsed), " bytes")
    line("Statement Heap/Lookaside Usage:", connection.count(of: .statementsUsed), " bytes")
    guard let statement else { return }
    line("Fullscan Steps:", statement.count(of: .fullScanSteps))
    line("Sort Operations:", statement.count(of: .sorts))
    line("Autoindex Inserts:", statement.count(of: .automaticIndexRows))
    line("Virtual Machine Steps:", statement.count(of: .machineSteps))
    line("Reprepare operations:", statement.count(of: .reprepares))
    line("Number of times run:", statement.count(of: .runs))
    line("Memory used by prepared stmt:", statement.count(of: .memory))
  }
}
