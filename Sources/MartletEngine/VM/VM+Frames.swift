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
  /// The machine of the sub-program that has called this one; nil where it is the statement's.
  var caller: Unmanaged<VM>? = nil
  /// Another machine of the same sub-program that does not run.
  var nextIdle: Unmanaged<VM>? = nil
}

/// The machines of a statement's sub-programs. They are there as long as the statement is, and
/// known without counting references: a call would cost more than a small trigger otherwise.
final class FrameStack {
  private var machines: [VM] = []
  /// How many run.
  @exclusivity(unchecked) private(set) var depth = 0
  /// The one that runs, and was called by that of its link, and so on.
  @exclusivity(unchecked) private(set) var innermost: Unmanaged<VM>?
  @exclusivity(unchecked) private(set) var outermost: Unmanaged<VM>?
  /// Those that have run, by the number of their sub-program.
  private let idle: UnsafeMutablePointer<Unmanaged<VM>?>
  /// The triggers, by the number of the sub-program.
  private let triggers: [ObjectIdentifier]

  init(_ subprograms: SubprogramTable) {
    triggers = subprograms.all.map { ObjectIdentifier($0.token) }
    idle = .allocate(capacity: triggers.count)
    idle.initialize(repeating: nil, count: triggers.count)
  }

  deinit { idle.deallocate() }

  func keep(_ machine: VM) -> Unmanaged<VM> {
    machines.append(machine)
    return .passUnretained(machine)
  }

  func takeIdle(_ number: Int) -> Unmanaged<VM>? {
    guard let machine = idle[number] else { return nil }
    idle[number] = machine._withUnsafeGuaranteedRef { $0.link?.nextIdle }
    return machine
  }

  func putBack(_ machine: Unmanaged<VM>, _ number: Int) {
    machine._withUnsafeGuaranteedRef { $0.link?.nextIdle = idle[number] }
    idle[number] = machine
  }

  func push(_ machine: Unmanaged<VM>) {
    machine._withUnsafeGuaranteedRef { $0.link?.caller = innermost }
    if depth == 0 { outermost = machine }
    innermost = machine
    depth &+= 1
  }

  func pop() -> Unmanaged<VM>? {
    guard let machine = innermost else { return nil }
    innermost = machine._withUnsafeGuaranteedRef { $0.link?.caller }
    depth &-= 1
    if depth == 0 { outermost = nil }
    return machine
  }

  /// Whether the trigger of the sub-program runs already.
  func runsTrigger(of number: Int) -> Bool {
    var machine = innermost
    while let running = machine {
      let link = running._withUnsafeGuaranteedRef { ($0.link?.number, $0.link?.caller) }
      if link.0.map({ triggers[$0] }) == triggers[number] { return true }
      machine = link.1
    }
    return false
  }

  func forEachActive<Failure: Error>(_ body: (VM) throws(Failure) -> Void) throws(Failure) {
    var machine = innermost
    while let running = machine?.takeUnretainedValue() {
      try body(running)
      machine = running.link?.caller
    }
  }
}

extension VM {
  /// The machine of the statement.
  var root: VM { rootReference._withUnsafeGuaranteedRef { $0 } }

  private var rootReference: Unmanaged<VM> { link?.root ?? .passUnretained(self) }

  /// Makes the machine of a sub-program the one to go on with. False where recursion is off and the
  /// trigger runs already.
  @inline(never)
  func callSubprogram(_ op: Operation, _ next: Int) throws(SQLError) -> Bool {
    let frames = rootReference._withUnsafeGuaranteedRef { $0.framesForCalls() }
    return try frames.lend { (frames) throws(SQLError) -> Bool in
      if op.pointee.p5 != 0, frames.runsTrigger(of: op.p4) { return false }
      try call(op.p4, with: registers + op.p1, frames)
      address = next
      return true
    }
  }

  @inline(__always)
  private func call(
    _ number: Int, with values: UnsafeMutablePointer<Register>, _ frames: FrameStack
  ) throws(SQLError) {
    guard frames.depth < functionMemory.pointee.triggerDepthLimit else {
      throw .sql("too many levels of trigger recursion")
    }
    // The sub-program may write to the pages that values were borrowed from.
    try ownRegisters()
    var machine = frames.takeIdle(number)
    if machine == nil { machine = try makeMachine(number, frames) }
    guard let machine else { return }
    machine._withUnsafeGuaranteedRef { $0.begin(with: values) }
    frames.push(machine)
    if functionMemory.pointee.tracesSubprograms { traceStart(of: root.program.subprograms.all[number]) }
  }

  private func begin(with values: UnsafeMutablePointer<Register>) {
    link?.changeCount = functionMemory.pointee.changeCount
    link?.lastInsertRowID = functionMemory.pointee.lastInsertRowID
    outerValues = values
    begin()
  }

  private func traceStart(of subprogram: Subprogram) {
    guard let trigger = subprogram.token as? Trigger else { return }
    host.subprogramRuns(trigger, step: nil, of: root)
  }

  /// A statement of the trigger whose program this is begins.
  func traceStep(_ op: Operation) {
    guard functionMemory.pointee.tracesSubprograms, let trigger = link?.subprogram.token as? Trigger else {
      return
    }
    host.subprogramRuns(trigger, step: op.p1, of: root)
  }

  private func framesForCalls() -> Unmanaged<FrameStack> {
    if let frames { return frames }
    let made = Unmanaged.passRetained(FrameStack(program.subprograms))
    frames = made
    return made
  }

  private func makeMachine(
    _ number: Int, _ frames: FrameStack
  ) throws(SQLError) -> Unmanaged<VM> {
    let subprogram = root.program.subprograms.all[number]
    guard let program = subprogram.program else { throw SQLError(.internal) }
    let machine = try VM(program: program, host: host, parameterCount: 0)
    machine.link = FrameLink(root: rootReference, subprogram: subprogram, number: number)
    return frames.keep(machine)
  }

  /// Runs what was called, and goes on with this program as often as that has ended.
  @inline(never)
  func runCalled() throws(SQLError) -> StepResult {
    guard let frames else { throw SQLError(.internal) }
    do throws(SQLError) {
      return try frames.lend { (frames) throws(SQLError) -> StepResult in
        let own = Unmanaged.passUnretained(self)
        while true {
          let result = try (frames.innermost ?? own).lend { (machine) throws(SQLError) in
            try machine.execute()
          }
          if result == .call { continue }
          guard result == .done, let ended = frames.pop() else { return result }
          if ended._withUnsafeGuaranteedRef({ $0.end(in: frames) }) {
            (frames.innermost ?? own)._withUnsafeGuaranteedRef { $0.jumpBehindIgnored() }
          }
        }
      }
    } catch {
      abandonFrames()
      throw error
    }
  }

  /// Ends a sub-program that ran to its end. Whether RAISE(IGNORE) has ended it.
  private func end(in frames: FrameStack) -> Bool {
    let isIgnored =
      program.instructions[address].p2 == Int32(ConflictPolicy.ignore.rawValue)
    noteChangeCount()
    restoreCounts()
    guard let number = link?.number else { return isIgnored }
    rootReference._withUnsafeGuaranteedRef { $0.stepCounts.add(stepCounts) }
    reset()
    frames.putBack(.passUnretained(self), number)
    return isIgnored
  }

  private func jumpBehindIgnored() {
    address = Int(program.instructions[address - 1].p2)
  }

  private func restoreCounts() {
    guard let changeCount = link?.changeCount, let rowid = link?.lastInsertRowID else { return }
    functionMemory.pointee.changeCount = changeCount
    functionMemory.pointee.lastInsertRowID = rowid
  }

  /// An error ends all sub-programs at once: nothing of what they counted remains.
  func abandonFrames() {
    guard let frames = frames?.takeUnretainedValue(), let outermost = frames.outermost else {
      return
    }
    if let innermost = frames.innermost {
      errorPolicy = innermost.takeUnretainedValue().errorPolicy
    }
    outermost.takeUnretainedValue().restoreCounts()
    while let machine = frames.pop() {
      let ended = machine.takeUnretainedValue()
      guard let link = ended.link else { continue }
      ended.reset()
      frames.putBack(machine, link.number)
    }
  }

  /// Makes the changes that were counted what `changes()` says.
  func noteChangeCount() {
    functionMemory.pointee.changeCount = changeCount
    functionMemory.pointee.totalChangeCount &+= changeCount
    changeCount = 0
  }

  /// Does something to this machine and to those of the sub-programs that run.
  func forEachFrame<Failure: Error>(_ body: (VM) throws(Failure) -> Void) throws(Failure) {
    try body(self)
    if let frames { try frames.takeUnretainedValue().forEachActive(body) }
  }

  /// How many sub-programs run.
  var activeFrameCount: Int { frames?.takeUnretainedValue().depth ?? 0 }
}
