// Sub-programs: triggers and foreign key actions.
//
// A sub-program has a machine of its own, which is kept for the next call. Machines do not call
// each other: one that wants a sub-program run returns, and the loop in `runCalled` goes on with
// the one that is called. So triggers may be nested as deep as SQLITE_LIMIT_TRIGGER_DEPTH allows on
// any stack.

/// What the machine of a sub-program belongs to.
struct FrameLink {
  /// The statement's own machine.
  let root: Unmanaged<VM>
  unowned(unsafe) let subprogram: Subprogram
  let number: Int
  /// What `changes()` and `last_insert_rowid()` say again when the sub-program has ended.
  var changeCount: Int64 = 0
  var lastInsertRowID: Int64 = 0
}

/// The machines of a statement's sub-programs.
final class FrameStack {
  /// Those that run, the outermost first.
  @exclusivity(unchecked) var active: [VM] = []
  /// Those that have run, by the number of their sub-program.
  @exclusivity(unchecked) private var idle: [[VM]]

  init(subprogramCount: Int) {
    idle = Array(repeating: [], count: subprogramCount)
  }

  func takeIdle(_ number: Int) -> VM? { idle[number].popLast() }

  func putBack(_ machine: VM, _ number: Int) { idle[number].append(machine) }
}

extension VM {
  /// The machine of the statement.
  var root: VM { link?.root._withUnsafeGuaranteedRef { $0 } ?? self }

  /// Makes the machine of a sub-program the one to go on with. False where recursion is off and the
  /// trigger runs already.
  @inline(never)
  func callSubprogram(_ op: Operation, _ next: Int) throws(SQLError) -> Bool {
    let root = root, frames = root.framesForCalls()
    let subprogram = root.program.subprograms.all[op.p4]
    if op.pointee.p5 != 0 {
      for machine in frames.active where machine.link?.subprogram.token === subprogram.token {
        return false
      }
    }
    guard frames.active.count < host.triggerDepthLimit else {
      throw .sql("too many levels of trigger recursion")
    }
    // The sub-program may write to the pages that values were borrowed from.
    try ownRegisters()
    let machine: VM
    if let idle = frames.takeIdle(op.p4) {
      machine = idle
    } else {
      machine = try root.makeMachine(subprogram, op.p4)
    }
    machine.link?.changeCount = frame.host.changeCount
    machine.link?.lastInsertRowID = frame.host.lastInsertRowID
    machine.outerValues = registers + op.p1
    machine.begin()
    address = next
    frames.active.append(machine)
    if frame.host.tracesSubprograms { traceStart(of: subprogram) }
    return true
  }

  private func traceStart(of subprogram: Subprogram) {
    guard let trigger = subprogram.token as? Trigger else { return }
    host.subprogramRuns(trigger, step: nil, of: root)
  }

  /// A statement of the trigger whose program this is begins.
  func traceStep(_ op: Operation) {
    guard frame.host.tracesSubprograms, let trigger = link?.subprogram.token as? Trigger else {
      return
    }
    host.subprogramRuns(trigger, step: op.p1, of: root)
  }

  private func framesForCalls() -> FrameStack {
    if let frames { return frames }
    let frames = FrameStack(subprogramCount: program.subprograms.count)
    self.frames = frames
    return frames
  }

  private func makeMachine(_ subprogram: Subprogram, _ number: Int) throws(SQLError) -> VM {
    guard let program = subprogram.program else { throw SQLError(.internal) }
    let machine = try VM(program: program, host: host, parameterCount: 0)
    machine.link = FrameLink(
      root: .passUnretained(self), subprogram: subprogram, number: number)
    return machine
  }

  /// Runs what was called, and goes on with this program as often as that has ended.
  @inline(never)
  func runCalled() throws(SQLError) -> StepResult {
    guard let frames else { throw SQLError(.internal) }
    do {
      while true {
        let machine = frames.active.last ?? self
        let result = try machine.execute()
        if result == .call { continue }
        guard result == .done, let ended = frames.active.popLast() else { return result }
        let isIgnored = ended.endedByIgnore
        ended.leave(to: frames)
        if isIgnored { (frames.active.last ?? self).jumpBehindIgnored() }
      }
    } catch {
      abandonFrames()
      throw error
    }
  }

  /// RAISE(IGNORE) has ended the program.
  private var endedByIgnore: Bool {
    program.instructions[address].p2 == Int32(ConflictPolicy.ignore.rawValue)
  }

  private func jumpBehindIgnored() {
    address = Int(program.instructions[address - 1].p2)
  }

  /// Ends a sub-program that ran to its end.
  private func leave(to frames: FrameStack) {
    noteChangeCount()
    restoreCounts()
    guard let link else { return }
    root.stepCounts.add(stepCounts)
    reset()
    frames.putBack(self, link.number)
  }

  private func restoreCounts() {
    guard let link else { return }
    frame.host.changeCount = link.changeCount
    frame.host.lastInsertRowID = link.lastInsertRowID
  }

  /// An error ends all sub-programs at once: nothing of what they counted remains.
  func abandonFrames() {
    guard let frames, let outermost = frames.active.first else { return }
    if let innermost = frames.active.last { errorPolicy = innermost.errorPolicy }
    outermost.restoreCounts()
    while let machine = frames.active.popLast() {
      guard let link = machine.link else { continue }
      machine.reset()
      frames.putBack(machine, link.number)
    }
  }

  /// Makes the changes that were counted what `changes()` says.
  func noteChangeCount() {
    frame.host.changeCount = changeCount
    frame.host.totalChangeCount &+= changeCount
    changeCount = 0
  }

  /// Does something to this machine and to those of the sub-programs that run.
  func forEachFrame(_ body: (VM) throws(SQLError) -> Void) throws(SQLError) {
    try body(self)
    guard let frames else { return }
    for machine in frames.active { try body(machine) }
  }
}
