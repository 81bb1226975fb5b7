/// Makes the programs of the triggers that a statement fires: one for each trigger and policy for
/// conflicts that it is run with (SQLite's TriggerPrg).
///
/// A program is made when the first change that fires the trigger is emitted, so that mistakes are
/// reported, and the authorizer is asked, in SQLite's order. Where triggers fire triggers very deep,
/// the rest waits until the statement's own program is done, because this is recursion.
final class SubprogramCompiler {
  let list = SubprogramTable.List()
  private let source: TriggerSource
  /// The emitter of the statement's own program.
  unowned(unsafe) let root: Emitter
  @exclusivity(unchecked) private var known: [Key] = []
  @exclusivity(unchecked) private var waiting: [(number: Int, key: Key)] = []
  @exclusivity(unchecked) private var depth = 0

  private static let deepestRecursion = 24

  /// What a program is made of.
  private struct Key {
    let trigger: Trigger
    let table: Table
    let policy: ConflictPolicy?
  }

  /// Triggers may fire themselves.
  var allowsRecursion: Bool { source.environment.hasRecursiveTriggers }

  init(_ source: TriggerSource, root: Emitter) {
    self.source = source
    self.root = root
    root.builder.subprograms = list
  }

  /// The number of the program of a trigger.
  func number(
    of trigger: Trigger, on table: Table, _ policy: ConflictPolicy?
  ) throws(SQLError) -> Int {
    for (number, key) in known.enumerated()
    where key.trigger === trigger && key.policy == policy {
      return number
    }
    let key = Key(trigger: trigger, table: table, policy: policy), number = known.count
    known.append(key)
    list.all.append(
      Subprogram(name: "-- TRIGGER \(trigger.name.string)", token: trigger))
    if depth < SubprogramCompiler.deepestRecursion {
      depth += 1
      defer { depth -= 1 }
      try compile(number, key)
    } else {
      waiting.append((number, key))
    }
    return number
  }

  /// Makes the programs that wait.
  func finish() throws(SQLError) {
    while let next = waiting.popLast() { try compile(next.number, next.key) }
  }

  private func compile(_ number: Int, _ key: Key) throws(SQLError) {
    let binder = Binder.binder(for: key.trigger, on: key.table, source)
    binder.overridingPolicy = key.policy
    let emitter = Emitter(
      catalog: root.catalog, collations: root.collations, explain: .none)
    emitter.builder.subprograms = list
    emitter.builder.isSubprogram = true
    emitter.subprograms = self
    emitter.announcesChanges = root.announcesChanges
    let program = try emitter.triggerProgram(key.trigger, binder, key.table)
    let made = list.all[number]
    made.program = program
    made.oldColumns = binder.triggerRows?.old?.usedColumns ?? 0
    made.newColumns = binder.triggerRows?.new?.usedColumns ?? 0
    root.databases |= emitter.databases
    root.writtenDatabases |= emitter.writtenDatabases
    if emitter.builder.isMultiWrite { root.builder.isMultiWrite = true }
    if emitter.builder.mayAbort { root.builder.mayAbort = true }
  }
}
