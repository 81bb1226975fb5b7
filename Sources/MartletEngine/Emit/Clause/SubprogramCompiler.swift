/// Makes the programs of the triggers that a statement fires: one for each trigger and policy for
/// conflicts that it is run with (SQLite's TriggerPrg).
///
/// A program is made when the first change that fires the trigger is emitted, so that mistakes are
/// reported, and the authorizer is asked, in SQLite's order. Where triggers fire triggers very
/// deep, the rest waits until the statement's own program is done, because this is recursion.
final class SubprogramCompiler {
  let list = SubprogramTable.List()
  private let binder: Binder
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

  /// What foreign keys do, so that each has one trigger in a statement.
  @exclusivity(unchecked) private var actions:
    [(link: ForeignKeyLink, isUpdate: Bool, trigger: Trigger?)] = []

  /// Triggers may fire themselves.
  var allowsRecursion: Bool { binder.environment.hasRecursiveTriggers }

  init(_ binder: Binder, root: Emitter) {
    self.binder = binder
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
    let isTrigger = trigger.name.count > 0
    list.all.append(
      Subprogram(
        name: isTrigger ? "-- TRIGGER \(trigger.name.string)" : "-- FOREIGN KEY",
        isTrigger: isTrigger, token: trigger))
    if depth < SubprogramCompiler.deepestRecursion {
      depth += 1
      defer { depth -= 1 }
      try compile(number, key)
    } else {
      waiting.append((number, key))
    }
    return number
  }

  /// The trigger that stands for an action of a foreign key.
  func action(
    _ link: ForeignKeyLink, _ key: ForeignKeyLink.ParentKey, isUpdate: Bool
  ) throws(SQLError) -> Trigger? {
    if binder.environment.ignoresForeignKeyActions { return nil }
    for known in actions
    where known.link.child === link.child && known.link.number == link.number
      && known.isUpdate == isUpdate
    {
      return known.trigger
    }
    let trigger = try Binder.action(
      link, key, isUpdate: isUpdate, isDeferred: binder.environment.defersForeignKeys)
    actions.append((link, isUpdate, trigger))
    return trigger
  }

  /// The program that was begun last sets the columns of this very foreign key to NULL. SQLite then
  /// does not look for parents: also where it is not that program that is being made.
  func isSettingNull(_ link: ForeignKeyLink) -> Bool {
    guard let trigger = known.last?.trigger else { return false }
    return actions.contains {
      $0.trigger === trigger && $0.link.child === link.child && $0.link.number == link.number
        && ($0.isUpdate ? link.clause.onUpdate : link.clause.onDelete) == .setNull
    }
  }

  /// Makes the programs that wait.
  func finish() throws(SQLError) {
    while let next = waiting.popLast() { try compile(next.number, next.key) }
  }

  private func compile(_ number: Int, _ key: Key) throws(SQLError) {
    let binder = Binder.binder(for: key.trigger, on: key.table, firedBy: self.binder)
    binder.overridingPolicy = key.policy
    let emitter = Emitter(
      catalog: root.catalog, collations: root.collations,
      explain: root.explainsTriggers ? root.explain : .none)
    emitter.trees = root.trees
    emitter.builder.longest = root.builder.longest
    emitter.builder.subprograms = list
    emitter.builder.isSubprogram = true
    emitter.subprograms = self
    emitter.announcesChanges = root.announcesChanges
    emitter.deletesRowByRow = root.deletesRowByRow
    emitter.planOptions = root.planOptions
    emitter.functionHost = root.functionHost
    let program: Program
    do throws(SQLError) {
      program = try emitter.triggerProgram(key.trigger, binder, key.table)
    } catch {
      throw error.inStoredText
    }
    if emitter.builder.isTooLong { throw .outOfMemory }
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
