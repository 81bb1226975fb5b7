/// The terms of a SELECT's WHERE and ON clauses, or the parts of one OR or AND among them, analysed
/// for index use (optoverview §1; SQLite's WhereClause).
///
/// Terms are in the order in which they are written: what a merged subquery says, WHERE, then its
/// ON clauses, the same of the SELECT around it, and last what the arguments of table-valued
/// functions say. Analysis goes from the last to the first, as SQLite's, and appends the terms that
/// follow: where two terms serve an index equally well, the first in this order is taken. What an
/// equality of row values says of each item comes behind all other terms that are written.
typealias WhereClause = TreeNode<WhereContent>

struct WhereContent: BitwiseCopyable {
  fileprivate(set) var terms = TreeList<WhereTerm>()
  let sources: TreeList<BoundSource>
  /// Terms before this one were written; the others follow from them.
  fileprivate(set) var writtenCount = 0
  /// For a part of an OR: the clause around it, whose terms serve its loops too.
  var outer: WhereClause?
  /// The terms are the parts of an OR.
  let isDisjunction: Bool
  /// Some term may be served by several indexes.
  var hasIndexableOr = false
  /// Sources that stand left of a RIGHT or FULL JOIN.
  let leftOfRightJoin: SourceMask
  /// Some source has an index on expressions.
  let hasIndexedExpressions: Bool
  /// Some source is a virtual table.
  let hasVirtualTables: Bool
  /// Equalities of row values whose items are still to become terms.
  fileprivate var rowEqualities = TreeList<RowEquality>()

  fileprivate struct RowEquality: BitwiseCopyable {
    let expression: BoundExpression
    let onSource: Int
    let isOuterOn: Bool
  }

  fileprivate init(
    _ sources: TreeList<BoundSource>, leftOfRightJoin: SourceMask, hasIndexedExpressions: Bool,
    hasVirtualTables: Bool
  ) {
    self.sources = sources
    isDisjunction = false
    self.leftOfRightJoin = leftOfRightJoin
    self.hasIndexedExpressions = hasIndexedExpressions
    self.hasVirtualTables = hasVirtualTables
  }

  /// A clause in the clause around it.
  fileprivate init(in parent: WhereClause, isDisjunction: Bool) {
    sources = parent.sources
    self.isDisjunction = isDisjunction
    leftOfRightJoin = parent.leftOfRightJoin
    hasIndexedExpressions = parent.hasIndexedExpressions
    hasVirtualTables = parent.hasVirtualTables
  }
}

extension WhereClause {
  init(select: BoundSimpleSelect) throws(SQLError) {
    let sources = select.sources
    var leftOfRightJoin: SourceMask = []
    var hasIndexedExpressions = false, hasVirtualTables = false
    for (index, source) in sources.enumerated() {
      if source.join.contains(.right) { leftOfRightJoin = .before(index) }
      if source.indexExpressions.contains(where: \.hasExpressions) { hasIndexedExpressions = true }
      if case .table(let table) = source.kind, table.isVirtual { hasVirtualTables = true }
    }
    self.init(
      WhereContent(
        sources, leftOfRightJoin: leftOfRightJoin, hasIndexedExpressions: hasIndexedExpressions,
        hasVirtualTables: hasVirtualTables),
      in: select.memory)
    if select.isMerged {
      for conditions in select.conditionLevels {
        for condition in conditions {
          split(condition.expression, onSource: condition.source)
        }
      }
    } else {
      if let condition = select.whereClause { split(condition, onSource: -1) }
      for (index, source) in sources.enumerated() {
        if let condition = source.on { split(condition, onSource: index) }
      }
    }
    if hasVirtualTables, let memory = self.terms.first?.expression.memory {
      let ordered = self.terms.filter { !isArgument($0) } + self.terms.filter(isArgument)
      self.terms = TreeList(ordered, in: memory)
    }
    addRowItems()
    try analyzeTerms()
  }

  /// The term gives an argument to a table-valued function.
  private func isArgument(_ term: WhereTerm) -> Bool {
    guard case .comparison(let comparison, let left, let right) = term.expression.kind,
      comparison.operator == .equal, case .plus = right.kind,
      case .column(let id, let column) = left.kind, column >= 0
    else { return false }
    let source = index(of: id)
    guard source >= 0, case .table(let table) = self.sources[source].kind else { return false }
    return table.isVirtual && table.columns[Int(column)].isHidden
  }

  /// The parts of `condition`, which is an OR or a part of one, in `parent`.
  init(
    parts condition: BoundExpression, of parent: WhereClause, isDisjunction: Bool, onSource: Int,
    isOuterOn: Bool
  ) throws(SQLError) {
    self.init(
      WhereContent(in: parent, isDisjunction: isDisjunction), in: condition.memory)
    split(condition, onSource: onSource, isOuterOn: isOuterOn)
    addRowItems()
    try analyzeTerms()
  }

  /// One part of an OR as a clause of its own, in the clause around the OR.
  init(part: WhereTerm, of parent: WhereClause) {
    self.init(WhereContent(in: parent, isDisjunction: false), in: part.expression.memory)
    append(part)
    self.writtenCount = 1
    self.outer = parent
  }

  private func analyzeTerms() throws(SQLError) {
    self.writtenCount = self.terms.count
    var index = self.writtenCount
    while index > 0 {
      index -= 1
      try analyze(index)
    }
  }

  // MARK: What expressions refer to

  /// The sources of this FROM that an expression needs. Sources of outer queries do not count.
  func mask(of expression: BoundExpression) -> SourceMask {
    if case .column(let id, _) = expression.kind {
      let index = self.index(of: id)
      return index < 0 ? [] : SourceMask(index: index)
    }
    guard !expression.traits.isDisjoint(with: [.hasColumn, .hasSubquery]) else { return [] }
    var mask: SourceMask = []
    expression.forEachSource { id in
      let index = self.index(of: id)
      if index >= 0 { mask.insert(SourceMask(index: index)) }
    }
    return mask
  }

  func mask(ofSelect select: BoundSelect) -> SourceMask {
    var mask: SourceMask = []
    select.forEachSource { id in
      let index = self.index(of: id)
      if index >= 0 { mask.insert(SourceMask(index: index)) }
    }
    return mask
  }

  @inline(__always)
  func index(of id: SourceID) -> Int {
    for index in 0..<self.sources.count where self.sources[index].id == id { return index }
    return -1
  }

  /// The expression looks at no source of an outer query.
  func isLocal(_ expression: BoundExpression) -> Bool {
    var isLocal = true
    expression.forEachSource { id in if self.index(of: id) < 0 { isLocal = false } }
    return isLocal
  }

  /// The column that an expression is, if it is a bare column of this FROM.
  func columnReference(_ expression: BoundExpression) -> (source: Int, column: Int32)? {
    switch expression.withoutCollate.kind {
    case .column(let id, let column), .fixedColumn(let id, let column, _):
      let index = self.index(of: id)
      return index < 0 ? nil : (index, column)
    default: return nil
    }
  }

  /// As `columnReference`; also an expression that is a column of an index, with column -2.
  func indexableReference(_ expression: BoundExpression) -> (source: Int, column: Int32)? {
    if let reference = columnReference(expression) { return reference }
    guard self.hasIndexedExpressions else { return nil }
    let bare = expression.withoutCollate
    // Where its columns are known to equal constants, it is still what the index has.
    guard !bare.traits.isDisjoint(with: [.hasColumn, .hasFixedColumn]) else { return nil }
    for (position, source) in self.sources.enumerated() {
      for entry in source.indexExpressions {
        for case let candidate? in entry.columns
        where candidate.isSame(as: bare, ignoringCollate: true) {
          return (position, -2)
        }
      }
    }
    return nil
  }

  // MARK: Terms

  /// Adds the parts of `condition`, the leftmost first. Chains lean left and can be long.
  /// Adds the terms of WHERE (`onSource` is -1), or of the ON of a source.
  private func split(_ condition: BoundExpression, onSource: Int) {
    split(
      condition, onSource: onSource, isOuterOn: onSource >= 0 && self.sources[onSource].hasOuterOn)
  }

  private func split(_ condition: BoundExpression, onSource: Int, isOuterOn: Bool) {
    var rest = condition
    var reversed: [BoundExpression] = []
    while let (left, right) = parts(rest) {
      reversed.append(right)
      rest = left
    }
    addTerm(rest, onSource, isOuterOn)
    for expression in reversed.reversed() {
      if parts(expression) != nil {
        split(expression, onSource: onSource, isOuterOn: isOuterOn)
      } else {
        addTerm(expression, onSource, isOuterOn)
      }
    }
  }

  private func parts(
    _ expression: BoundExpression
  ) -> (BoundExpression, BoundExpression)? {
    switch expression.kind {
    case .and(let left, let right):
      // The parts of a comparison of rows come behind all terms that were written.
      self.isDisjunction || expression.traits.contains(.isRowComparison) ? nil : (left, right)
    case .or(let left, let right):
      // What a comparison of row values is made of is one part.
      self.isDisjunction && !expression.traits.contains(.isRowComparison) ? (left, right) : nil
    default: nil
    }
  }

  /// Adds a term for each item of the equalities of row values, the last equality first.
  private func addRowItems() {
    if self.rowEqualities.isEmpty { return }
    for row in self.rowEqualities.reversed() {
      for item in row.expression.itemEqualities { addTerm(item, row.onSource, row.isOuterOn) }
    }
    self.rowEqualities = []
  }

  private func addTerm(_ expression: BoundExpression, _ onSource: Int, _ isOuterOn: Bool) {
    if !self.isDisjunction && expression.isEqualityOfItems {
      let row = WhereContent.RowEquality(
        expression: expression, onSource: onSource, isOuterOn: isOuterOn)
      return self.rowEqualities.append(row, in: expression.memory)
    }
    let expression = isNeverMet(expression, isOuterOn) ? never(expression) : expression
    var prerequisites = mask(of: expression)
    if isOuterOn { prerequisites.insert(SourceMask(index: onSource)) }
    var condition = expression
    var probability: LogEst = 1
    if case .function(let call) = expression.withoutCollate.kind,
      let estimate = call.likelihoodEstimate
    {
      probability = estimate
      condition = call.arguments[0].withoutLikelihood
    }
    let term = WhereTerm(
      expression: condition, isVirtual: false, parent: -1, onSource: onSource,
      isOuterOn: isOuterOn, prerequisites: prerequisites)
    term.truthProbability = probability
    append(term)
  }

  /// `x IS NULL` of a column that is NOT NULL, and that no outer join fills up: the binder sees it
  /// where the table is named, and here it shows behind views, subqueries and joins that have become
  /// inner ones.
  private func isNeverMet(_ expression: BoundExpression, _ isOuterOn: Bool) -> Bool {
    guard !isOuterOn, case .nullTest(let operand, isNegated: false) = expression.kind,
      case .column(let id, let column) = operand.withoutSigns.kind
    else { return false }
    let position = index(of: id)
    guard position >= 0, case .table(let table) = self.sources[position].kind, !table.isVirtual,
      !self.sources[position].join.contains(.left),
      !self.sources.dropFirst(position + 1).contains(where: { $0.join.contains(.right) })
    else { return false }
    return column < 0 || table.columns[Int(column)].isNotNull
  }

  private func never(_ expression: BoundExpression) -> BoundExpression {
    BoundExpression(.integer(0), affinity: .none, traits: [], in: expression.memory)
  }

  func append(_ term: WhereTerm) { self.terms.append(term, in: term.expression.memory) }

  /// Adds a term that is only for an index to use. Unless `isOfWhere` it counts as written where
  /// `original` is.
  func addVirtual(
    _ expression: BoundExpression, from original: WhereTerm, isOfWhere: Bool = false
  ) -> WhereTerm {
    let term = WhereTerm(
      expression: expression, isVirtual: true, parent: -1,
      onSource: isOfWhere ? -1 : original.onSource, isOuterOn: original.isOuterOn,
      prerequisites: original.prerequisites)
    term.truthProbability = original.truthProbability
    append(term)
    return term
  }

  /// Once all children of a term are taken by loops, it needs no test.
  func markChild(_ child: WhereTerm, of parent: Int) {
    child.parent = parent
    child.truthProbability = self.terms[parent].truthProbability
    self.terms[parent].childCount += 1
  }

  /// A loop took the term, or its test is emitted: no test of it is needed any more, nor of the
  /// term that it follows from once all of that one's children are done. `ready` are the sources
  /// whose loops are open; in the loop of an outer join only its own ON counts.
  func markDone(_ term: WhereTerm, ready: SourceMask, inOuterJoin: Bool) {
    var term = term
    var isChild = false
    while !term.isCoded && (!inOuterJoin || term.isOuterOn)
      && term.prerequisites.isSubset(of: ready)
    {
      if isChild && term.mustTestLike { return }
      term.isCoded = true
      guard term.parent >= 0 else { return }
      term = self.terms[term.parent]
      term.childCount -= 1
      if term.childCount != 0 { return }
      isChild = true
    }
  }
}

extension BoundExpression {
  /// An equality of row values that are no subqueries both: each item may serve an index.
  fileprivate var isEqualityOfItems: Bool {
    guard case .and(_, let last) = kind, traits.contains(.isRowComparison) else { return false }
    if case .comparison(_, let left, let right) = last.kind, case .subqueryColumn = left.kind,
      case .subqueryColumn = right.kind
    {
      return false
    }
    return true
  }

  /// What is joined by AND, from left to right.
  fileprivate var itemEqualities: [BoundExpression] {
    var reversed: [BoundExpression] = []
    var rest = self
    while case .and(let left, let right) = rest.kind {
      reversed.append(right)
      rest = left
    }
    return [rest] + reversed.reversed()
  }

  /// Without COLLATE, likely(), unlikely() and likelihood() around it, which change no truth.
  var withoutLikelihood: BoundExpression {
    var expression = withoutCollate
    while case .function(let call) = expression.kind, call.likelihoodEstimate != nil {
      expression = call.arguments[0].withoutCollate
    }
    return expression
  }
}
