// Looking at statements while they run: trace, profile, progress.

/// What of its statements a connection reports (`sqlite3_trace_v2`). The raw values are SQLite's.
public struct TraceEvents: OptionSet, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let statement = TraceEvents(rawValue: 1)
  public static let profile = TraceEvents(rawValue: 2)
  public static let row = TraceEvents(rawValue: 4)
  public static let close = TraceEvents(rawValue: 8)
}

public enum TraceEvent {
  /// A statement starts to run.
  case statement(TracedStatement)
  /// A statement has ended, or was reset, after so much time.
  case profile(TracedStatement, nanoseconds: Int64)
  /// A statement gives a row.
  case row(TracedStatement)
  /// A trigger, or a statement of one, starts to run for a statement: its name or its text as a
  /// comment of SQL.
  case comment(String, TracedStatement)
  /// The connection closes.
  case close
}

/// A statement as trace handlers see it.
public struct TracedStatement {
  let source: StatementSource
  let values: [BoundValue]
  /// What `Statement.owner` is.
  public let owner: UnsafeMutableRawPointer?
  /// A function runs the statement while another statement is at work.
  public let isNested: Bool

  /// The text of the statement.
  public var sql: String { source.text.legible(source.range) }

  /// The text with the values of the parameters in their places (`sqlite3_expanded_sql`).
  public var expandedSQL: String { ExpandedSQL(source, values).text }
}

extension Connection {
  /// Reports events to a handler, which must not use the connection; nil ends it.
  public func trace(
    _ events: TraceEvents, _ handler: (@Sendable (TraceEvent) -> Void)?
  ) {
    locked {
      hooks.trace = handler
      hooks.tracedEvents = handler == nil ? [] : events
      functionHost.memory.pointee.tracesSubprograms = hooks.tracedEvents.contains(.statement)
    }
  }

  func subprogramRuns(_ trigger: Trigger, step: Int?, of vm: VM) {
    guard let statement = statement(thatRuns: vm) else { return }
    // The actions of foreign keys have no names: they are told as the statement again.
    guard trigger.name.count > 0 else {
      hooks.trace?(.statement(statement.traced()))
      return
    }
    let text =
      if let step {
        trigger.text.string(trigger.definition.steps[step].range)
      } else {
        "TRIGGER \(trigger.name.string)"
      }
    hooks.trace?(.comment("-- \(text)", statement.traced()))
  }

  private func statement(thatRuns vm: VM) -> Statement? {
    var next = newestStatement
    while let statement = next?.takeUnretainedValue() {
      if statement.isRun(by: vm) { return statement }
      next = statement.older
    }
    return nil
  }

  /// How many statements are at work: more than one where functions run statements.
  var workingStatementCount: Int {
    var count = 0, next = newestStatement
    while let statement = next?.takeUnretainedValue() {
      if statement.isStepping { count += 1 }
      next = statement.older
    }
    return count
  }

  /// Calls a handler about every so many instructions of running statements; true ends the
  /// statement with `interrupt` (`sqlite3_progress_handler`). It must not use the connection. An
  /// interval below 1, or nil, ends it.
  public func setProgressHandler(
    every instructionCount: Int, _ handler: (@Sendable () -> Bool)?
  ) {
    locked {
      let isOn = instructionCount > 0 && handler != nil
      hooks.progress = isOn ? handler : nil
      hooks.progressInterval = isOn ? instructionCount : 0
      hooks.progressCountdown = hooks.progressInterval
      if isOn {
        attentionFlag.raise(.progressHandler)
      } else {
        attentionFlag.lower(.progressHandler)
      }
    }
  }

  /// `interrupt` was called, and statements that it is to end still run
  /// (`sqlite3_is_interrupted`).
  public var isInterrupted: Bool { attentionFlag.isRaised(for: .interrupt) }

  /// Runs what neither an interrupt nor the progress handler ends: a transaction that cannot be taken
  /// back because somebody interrupts all the time would stay open.
  package func ignoringInterrupts(_ body: () throws -> Void) rethrows {
    ignoresInterrupts = true
    defer { ignoresInterrupts = false }
    try body()
  }

  /// An interrupt ends what runs when it comes: not what is begun later.
  func forgetOldInterrupt() {
    if runningStatements.isEmpty { attentionFlag.lower(.interrupt) }
  }

  /// Instructions are not counted one by one: this is how many a turn of a loop has in the mean.
  private static let instructionsPerTurn = 8

  func askProgressHandler() throws(SQLError) {
    guard let progress = hooks.progress else { return }
    hooks.progressCountdown -= Connection.instructionsPerTurn
    guard hooks.progressCountdown <= 0 else { return }
    hooks.progressCountdown = hooks.progressInterval
    if progress() { throw SQLError(.interrupt) }
  }
}
