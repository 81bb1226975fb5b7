import MartletEngine

// Queries with the tables of associations: trees of queries, joined in one statement as far as each
// row has one row of the other table at most, and fetched by statements of their own where it has
// many.

extension SQLQuery {
  /// The table of an association.
  struct Child: Sendable {
    /// The name of the scope of its columns, or of the rows that are fetched for it.
    let key: String
    var kind: Kind
    var condition: JoinCondition
    var query: SQLQuery
  }

  /// How a table is joined.
  enum Kind: Sendable {
    case optional
    case required
    /// Its rows are fetched by a statement of their own.
    case prefetched
    /// It stands between the table and another one whose rows are fetched so.
    case bridge

    var isJoin: Bool { self == .optional || self == .required }
  }

  var hasJoins: Bool { children.contains { $0.kind.isJoin } }

  /// The common tables of all joined queries. Of one name, the last stays, at the place of the
  /// first.
  var allCommonTables: [CommonTable] {
    children.filter { $0.kind.isJoin }.reduce(commonTables) {
      $0.adding($1.query.allCommonTables)
    }
  }

  // MARK: Children

  /// Joins the table of an association, through those that stand between.
  mutating func addChild(_ association: _SQLAssociation, _ kind: Kind) {
    let destination = association.destination
    // What is joined is one row, whatever the association is; what lies on the way to prefetched
    // rows keeps the name that the association gives it.
    let isSingular =
      switch kind {
      case .optional, .required: true
      case .prefetched: false
      case .bridge: destination.isSingular
      }
    let child = Child(
      key: destination.key.name(isSingular: isSingular), kind: kind,
      condition: destination.condition, query: destination.query)
    if kind != .prefetched { mistake = mistake ?? child.query.mistakeOfJoin }
    guard association.steps.count > 1 else { return addChild(child) }
    var way = _SQLAssociation(steps: Array(association.steps.dropLast()))
    way.destination.query.selection = []
    way.destination.query.addChild(child)
    addChild(way, kind == .prefetched ? .bridge : kind)
  }

  /// Joins a table; of one that has the same key already, both make one.
  mutating func addChild(_ child: Child) {
    guard let index = children.firstIndex(where: { $0.key == child.key }) else {
      return children.append(child)
    }
    let known = children.remove(at: index)
    if let merged = known.merged(with: child) { return children.append(merged) }
    mistake = """
      The association key "\(child.key)" is ambiguous. Use the Association.forKey(_:) method in \
      order to disambiguate.
      """
  }

  private var mistakeOfJoin: String? {
    if isDistinct { return "Not implemented: join an association that selects DISTINCT rows" }
    if !groups.isEmpty || !havings.isEmpty {
      return "Not implemented: join an association with a GROUP BY clause"
    }
    if limit != nil { return "Not implemented: join an association with a LIMIT clause" }
    return nil
  }

  func removingChild(_ key: String) -> SQLQuery {
    var query = self
    query.children.removeAll { $0.key == key }
    return query
  }

  /// Without what is fetched by statements of its own.
  var withoutPrefetching: SQLQuery {
    var query = self
    query.children = children.filter { $0.kind.isJoin }.map { child in
      var child = child
      child.query = child.query.withoutPrefetching
      return child
    }
    return query
  }

  /// The associations whose rows are fetched by statements of their own, seen from this query.
  var prefetchedAssociations: [_SQLAssociation] {
    children.flatMap { child -> [_SQLAssociation] in
      if child.kind == .prefetched { return [child.association] }
      return child.query.prefetchedAssociations.map { association in
        var way = child
        way.query = child.query.removingChild(association.pivot.name)
        return association.through(way.association)
      }
    }
  }

  // MARK: Merging

  /// The query that both make; nil if they do not fit.
  func merged(with other: SQLQuery) -> SQLQuery? {
    guard sourceName.map({ ExactText($0) }) == other.sourceName.map({ ExactText($0) }) else {
      return nil
    }
    var query = self
    if let alias, let second = other.alias {
      guard let merged = alias.merged(with: second) else { return nil }
      query.alias = merged
    } else {
      query.alias = alias ?? other.alias
    }
    query.children = []
    for child in children {
      guard let second = other.children.first(where: { $0.key == child.key }) else {
        query.children.append(child)
        continue
      }
      guard let merged = child.merged(with: second) else { return nil }
      query.children.append(merged)
    }
    query.children += other.children.filter { child in !children.contains { $0.key == child.key } }
    query.selection = selection.replaced(by: other.selection)
    query.filters += other.filters
    query.havings += other.havings
    query.isDistinct = isDistinct || other.isDistinct
    query.commonTables = commonTables.adding(other.commonTables)
    query.mistake = mistake ?? other.mistake
    if !other.groups.isEmpty { query.groups = other.groups }
    if !other.ordering.isEmpty {
      query.ordering = other.ordering
      query.isReversed = other.isReversed
    }
    if other.limit != nil {
      query.limit = other.limit
      query.offset = other.offset
    }
    return query
  }
}

extension SQLQuery.Child {
  /// The step from the parent to the table.
  fileprivate var association: _SQLAssociation {
    _SQLAssociation(
      steps: [
        .init(key: .fixed(key), condition: condition, query: query, isSingular: kind.isJoin)
      ])
  }

  fileprivate func merged(with other: SQLQuery.Child) -> SQLQuery.Child? {
    guard let condition = condition.merged(with: other.condition),
      var query = query.merged(with: other.query)
    else { return nil }
    let kind: SQLQuery.Kind
    switch (self.kind, other.kind) {
    case (let left, let right) where left == right: kind = left
    case (.required, .optional), (.optional, .required): kind = .required
    case (.prefetched, .bridge), (.bridge, .prefetched):
      kind = .bridge
      query.mistake = """
        Not implemented: merging a direct association and an indirect one with including(all:)
        """
    default: return nil
    }
    return SQLQuery.Child(key: key, kind: kind, condition: condition, query: query)
  }
}

extension [SQLQuery.CommonTable] {
  func adding(_ others: [SQLQuery.CommonTable]) -> [SQLQuery.CommonTable] {
    others.reduce(into: self) { tables, other in
      if let index = tables.firstIndex(where: { $0.name.hasSameBytes(as: other.name) }) {
        tables[index] = other
      } else {
        tables.append(other)
      }
    }
  }
}

extension [SQLSelection] {
  /// Another selection, unless that is empty.
  fileprivate func replaced(by other: [SQLSelection]) -> [SQLSelection] {
    if other.isEmpty { return self }
    if !other.contains(where: { $0.isDeferred }) { return other }
    let selection = self
    return [
      SQLSelection(
        .deferred { db in
          let resolved = try other.flatMap { try $0.resolved(db) }
          return resolved.isEmpty ? selection : resolved
        })
    ]
  }
}

extension SQLSelection {
  fileprivate var isDeferred: Bool {
    if case .deferred = node { return true }
    return false
  }
}

// MARK: - Conditions

/// Which rows of two tables belong together.
enum JoinCondition: Sendable {
  case foreignKey(ForeignKeyCondition)
  /// Nil joins every row with every row.
  case expression(@Sendable (_ left: TableAliasBase, _ right: TableAliasBase) -> SQLExpression?)

  func reversed(to table: String) -> JoinCondition {
    switch self {
    case .foreignKey(let condition): .foreignKey(condition.reversed(to: table))
    case .expression(let make): .expression { make($1, $0) }
    }
  }

  /// Functions cannot be compared: the last one stays.
  func merged(with other: JoinCondition) -> JoinCondition? {
    switch (self, other) {
    case (.foreignKey(let left), .foreignKey(let right)): left == right ? self : nil
    case (.expression, .expression): other
    default: nil
    }
  }

  func expression(
    _ db: Database, left: TableAliasBase, right: TableAliasBase
  ) throws -> SQLExpression? {
    switch self {
    case .expression(let make): return make(left, right)
    case .foreignKey(let condition):
      let columns = try condition.columns(db, from: left.tableName ?? "")
      return .joined(.and, columns.map { .compare(.equal, right[$0.right], left[$0.left]) })
    }
  }
}
