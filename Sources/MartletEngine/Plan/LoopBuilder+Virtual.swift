// Candidates for virtual tables, which are asked how they would answer (SQLite's
// whereLoopAddVirtual).
//
// A table is asked with all values at hand; if its answer needs other sources, or has a scan for
// each value of an IN, also without IN, for each set of sources that some value needs, and with no
// source at all, until there is an answer that needs nothing.

/// How a virtual table answered: what a loop needs to know of it.
final class VirtualLoop {
  let number: Int32
  let text: String?
  let keptText: VirtualTablePlanText?
  let showsNumberInHex: Bool
  /// Bit n: the constraint of argument n needs no test.
  var omitted: UInt64 = 0
  /// Bit n: argument n is the whole list of an IN.
  var wholeLists: UInt64 = 0
  /// The table skips the rows of OFFSET itself.
  var omitsOffset = false

  init(_ plan: VirtualTablePlan) {
    number = plan.number
    text = plan.text
    keptText = plan.keptText
    showsNumberInHex = plan.showsNumberInHex
  }

  /// As EXPLAIN QUERY PLAN has it.
  var explanation: String {
    let shown =
      showsNumberInHex
      ? "0x" + String(UInt32(bitPattern: number), radix: 16) : String(number)
    return " VIRTUAL TABLE INDEX \(shown):\(text ?? "")"
  }
}

extension LoopBuilder {
  func addVirtualLoops(
    _ source: Int, _ table: Table, _ prerequisites: SourceMask, unusable: SourceMask
  ) throws(SQLError) {
    guard let object = table.virtual?.object else {
      throw SQLError(.internal, "virtual table without its object")
    }
    let question = VirtualQuestion(self, source, table, object, prerequisites, unusable)
    var answer = try question.ask(usable: .all, without: [], allowsLimit: true)
    if question.mustAskWithoutLimit { answer = try question.ask(usable: .all, without: []) }
    let best = answer.prerequisites.subtracting(prerequisites)
    if best.isEmpty && !answer.usesIn { return }
    var isFree = false, isFreeWithoutIn = false
    var bestWithoutIn: SourceMask = []
    if answer.usesIn {
      answer = try question.ask(usable: .all, without: .in)
      bestWithoutIn = answer.prerequisites.subtracting(prerequisites)
      if bestWithoutIn.isEmpty {
        isFree = true
        isFreeWithoutIn = true
      }
    }
    for mask in question.valueSources
    where mask != best && mask != bestWithoutIn && !isExhausted {
      answer = try question.ask(usable: mask.union(prerequisites), without: [])
      if answer.prerequisites == prerequisites {
        isFree = true
        if !answer.usesIn { isFreeWithoutIn = true }
      }
    }
    if !isFree {
      answer = try question.ask(usable: prerequisites, without: [])
      if !answer.usesIn { isFreeWithoutIn = true }
    }
    if !isFreeWithoutIn { _ = try question.ask(usable: prerequisites, without: .in) }
  }

  func isVirtual(_ source: Int) -> Bool {
    if case .table(let table) = sources[source].kind { return table.isVirtual }
    return false
  }
}

/// What is asked of a virtual table about one loop.
private final class VirtualQuestion {
  private let builder: LoopBuilder
  private let source: Int
  private let table: Table
  private let object: any VirtualTable
  private let prerequisites: SourceMask
  private let plan = VirtualTablePlan()
  /// The term of each constraint.
  private var terms: [WhereTerm] = []
  /// LIMIT cannot be left to the table: it has to be asked again without.
  private(set) var mustAskWithoutLimit = false

  struct Answer {
    var prerequisites: SourceMask
    /// There is a scan for each value of an IN.
    var usesIn = false
  }

  init(
    _ builder: LoopBuilder, _ source: Int, _ table: Table, _ object: any VirtualTable,
    _ prerequisites: SourceMask, _ unusable: SourceMask
  ) {
    self.builder = builder
    self.source = source
    self.table = table
    self.object = object
    self.prerequisites = prerequisites
    findConstraints(unusable)
    findOrdering()
    // OR and RIGHT JOIN tell the rows of a table WITHOUT ROWID from each other by their keys.
    let used = builder.sources[source]
    plan.usedColumns = used.usedColumns | used.columnsOfRowKey
    let terms = terms, clause = builder.clause
    plan.constants = { index in
      guard terms.indices.contains(index), !clause.isPartOfRow(terms[index]) else { return nil }
      return terms[index].right?.literalValue
    }
  }

  /// What the values of constraints need beside what is there in any case, each once, as SQLite
  /// counts them.
  var valueSources: [SourceMask] {
    var masks = Set<UInt64>()
    for term in terms {
      masks.insert(term.rightPrerequisites.subtracting(prerequisites).rawValue)
    }
    return masks.subtracting([0]).sorted().map { SourceMask(rawValue: $0) }
  }

  private func findConstraints(_ unusable: SourceMask) {
    var next: WhereClause? = builder.active
    while let clause = next {
      next = clause.outer
      for term in clause.terms {
        let operators = term.operators.subtracting(.equivalence)
        guard term.source == source, !operators.isEmpty, !term.isNotNullBound,
          term.rightPrerequisites.isDisjoint(with: unusable),
          builder.clause.isCompatible(term, withJoinOf: source)
        else { continue }
        terms.append(term)
        let isSlice =
          if case .select(let select)? = term.inOperand {
            select.operands.count > 1
          } else {
            false
          }
        plan.constraints.append(
          VirtualTablePlan.Constraint(
            column: Int(term.column), operator: term.constraintOperator, isUsable: false,
            collation: isSlice ? "BINARY" : term.comparison?.collation.name ?? "BINARY",
            isInList: operators == .in && !isSlice))
      }
    }
  }

  /// The order that is wanted, where it is of columns of this table only.
  private func findOrdering() {
    let goal = builder.goal
    var ordering: [VirtualTablePlan.OrderingTerm] = []
    for term in goal.ordering where !term.expression.isFixed {
      guard !term.hasBigNulls,
        let known = builder.clause.columnReference(term.expression), known.source == source,
        known.column < 0
          || term.collation.isNamed(table.columns[Int(known.column)].collation)
      else { return }
      ordering.append(
        VirtualTablePlan.OrderingTerm(
          column: Int(known.column), isDescending: term.isDescending))
    }
    plan.ordering = ordering
    if ordering.isEmpty { return }
    switch goal.kind {
    case .distinct:
      if !builder.sources[source].usesRowid {
        plan.orderingPurpose = goal.ordersGroups ? .distinctOrder : .distinct
      }
    case .groupBy: if !goal.ordersGroups { plan.orderingPurpose = .group }
    case .orderBy: if goal.isDistinct { plan.orderingPurpose = .distinctOrder }
    }
  }

  // MARK: Asking

  /// Asks with the constraints usable whose values need no other sources than `usable`, and adds
  /// the loop of the answer.
  func ask(
    usable: SourceMask, without excluded: WhereTerm.Operators, allowsLimit: Bool = false
  ) throws(SQLError) -> Answer {
    mustAskWithoutLimit = false
    for (position, term) in terms.enumerated() {
      plan.constraints[position].isUsable =
        term.rightPrerequisites.isSubset(of: usable)
        && term.operators.isDisjoint(with: excluded) && (allowsLimit || !term.isLimit)
    }
    plan.startOver()
    var answer = Answer(prerequisites: prerequisites)
    do {
      try object.planScan(plan)
    } catch {
      guard error.code == .constraint else {
        throw error.code == .outOfMemory ? error : .sql(error.message)
      }
      return answer
    }
    let loop = LoopCandidate(source: source, in: builder.sources[source].memory)
    let virtual = VirtualLoop(plan)
    guard try take(virtual, loop, &answer) else { return answer }
    loop.prerequisites = answer.prerequisites
    loop.flags = .virtual
    if answer.usesIn { loop.flags.insert(.inOperator) }
    if plan.isOrdered && !plan.ordering.isEmpty { loop.flags.insert(.ordered) }
    if plan.isUnique { loop.flags.insert(.oneRow) }
    loop.runCost = LogEst(real: plan.estimatedCost)
    loop.rowCount = LogEst(count: UInt64(max(0, plan.estimatedRowCount)))
    loop.virtual = virtual
    builder.insert(loop)
    return answer
  }

  /// Takes over which constraints are arguments. False if the plan is of no use.
  private func take(
    _ virtual: VirtualLoop, _ loop: LoopCandidate, _ answer: inout Answer
  ) throws(SQLError) -> Bool {
    var arguments: [WhereTerm?] = []
    for (constraint, use) in plan.uses.enumerated() where use.argument >= 0 {
      let term = terms[constraint], position = use.argument
      while arguments.count <= min(position, terms.count) { arguments.append(nil) }
      guard position < terms.count, arguments[position] == nil,
        plan.constraints[constraint].isUsable
      else { throw malfunction }
      arguments[position] = term
      answer.prerequisites.formUnion(term.rightPrerequisites)
      if use.isOmitted {
        if constraint < 16 { virtual.omitted |= 1 << UInt64(position) }
        if term.constraintOperator == .offset { virtual.omitsOffset = true }
      }
      if use.takesWholeList && position < 64 {
        virtual.wholeLists |= 1 << UInt64(position)
      } else if term.operators.contains(.in) {
        // Each value of the IN has its own scan, so that nothing is ordered or unique as a whole.
        plan.isOrdered = false
        plan.isUnique = false
        answer.usesIn = true
      }
      let isAlone = plan.uses[..<constraint].allSatisfy { $0.argument >= 0 }
      if term.isLimit && (answer.usesIn || !isAlone) {
        mustAskWithoutLimit = true
        return false
      }
    }
    if arguments.contains(where: { $0 == nil }) { throw malfunction }
    loop.setTerms(arguments)
    return true
  }

  private var malfunction: SQLError { .sql("\(table.name.string).xBestIndex malfunction") }
}

extension WhereClause {
  /// The term was made of a comparison of row values by their order.
  fileprivate func isPartOfRow(_ term: WhereTerm) -> Bool {
    term.parent >= 0 && term.parent < self.terms.count
      && self.terms[term.parent].expression.traits.contains(.isRowComparison)
  }
}

extension WhereTerm {
  /// LIMIT or OFFSET, left to a virtual table.
  var isLimit: Bool { constraintOperator == .limit || constraintOperator == .offset }

  /// How the term compares, for a virtual table.
  var constraintOperator: VirtualTableOperator {
    if operators.contains(.auxiliary) { return VirtualTableOperator(rawValue: matchOperator) }
    if operators.contains(.isNull) { return .isNull }
    if operators.contains(.is) { return .is }
    if operators.contains(.less) { return .less }
    if operators.contains(.lessOrEqual) { return .lessOrEqual }
    if operators.contains(.greater) { return .greater }
    if operators.contains(.greaterOrEqual) { return .greaterOrEqual }
    return .equal
  }
}

extension BoundExpression {
  /// The value of a literal.
  fileprivate var literalValue: Value? {
    switch kind {
    case .null: return .null
    case .integer(let value): return .integer(value)
    case .real(let value, _): return .real(value)
    case .text(let text): return .text(text.string)
    case .blob(let bytes): return .blob(Array(bytes.buffer))
    case .plus(let inner): return inner.literalValue
    case .cast(let inner, let affinity): return inner.literalValue?.cast(to: affinity)
    case .negate(let inner):
      switch inner.literalValue {
      case .integer(let value): return value == .min ? nil : .integer(-value)
      case .real(let value): return .real(-value)
      default: return nil
      }
    default: return nil
    }
  }
}

extension Value {
  /// As CAST converts it; nil without memory.
  fileprivate func cast(to affinity: Affinity) -> Value? {
    var register = Register()
    defer { register.deinitialize() }
    do throws(SQLError) {
      try withUnsafeMutablePointer(to: &register) { target throws(SQLError) in
        try VirtualTableValue(target, encoding: .utf8, isUnchanged: false).set(self)
      }
      try Cast.apply(affinity, to: &register, encoding: .utf8)
      return try Value(copying: register, encoding: .utf8)
    } catch {
      return nil
    }
  }
}
