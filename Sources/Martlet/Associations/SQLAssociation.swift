/// What an association is made of: the way from the origin's table to the destination's, table by
/// table.
///
/// Applications see it only as the requirement of `Association`.
public struct _SQLAssociation: Sendable {
  /// From the table that the origin is joined with first to the destination; never empty.
  private(set) var steps: [Step]

  /// A table, and how it is joined with the one before.
  struct Step: Sendable {
    var key: AssociationKey
    var condition: JoinCondition
    var query: SQLQuery
    /// There is one row at most.
    var isSingular: Bool

    var name: String { key.name(isSingular: isSingular) }
  }

  init(steps: [Step]) { self.steps = steps }

  /// One step by a foreign key.
  init(
    to query: SQLQuery, key: String?, using foreignKey: ForeignKey?, isLeftOrigin: Bool,
    isSingular: Bool
  ) {
    let table = query.sourceName ?? ""
    let condition = ForeignKeyCondition(
      table: table, foreignKey: foreignKey, isLeftOrigin: isLeftOrigin)
    let name: AssociationKey =
      key.map { isSingular ? .singular($0) : .plural($0) } ?? .inflected(table)
    self.init(
      steps: [
        Step(key: name, condition: .foreignKey(condition), query: query, isSingular: isSingular)
      ])
  }

  var pivot: Step {
    get { steps[0] }
    set { steps[0] = newValue }
  }

  var destination: Step {
    get { steps[steps.count - 1] }
    set { steps[steps.count - 1] = newValue }
  }

  /// Where prefetched rows are found in a row: the keys of the steps.
  var keyPath: [String] { steps.map { $0.name } }

  func through(_ other: _SQLAssociation) -> _SQLAssociation {
    _SQLAssociation(steps: other.steps + steps)
  }

  /// The rows of the destination, for origins that conditions on the pivot choose: the way
  /// backwards.
  var destinationQuery: SQLQuery {
    guard steps.count > 1 else { return destination.query }
    let steps = zip(self.steps, self.steps.dropFirst()).map { step, next in
      Step(
        // Keys of the application must not meet these.
        key: step.key.prefixed("grdb_"),
        condition: next.condition.reversed(to: step.query.sourceName ?? ""),
        query: step.query.selectingOnly([]).withoutPrefetching, isSingular: true)
    }
    var query = destination.query
    query.addChild(_SQLAssociation(steps: steps.reversed()), .required)
    return query
  }
}

/// The name of an association in rows, of which joins take the singular and prefetched rows the
/// plural.
enum AssociationKey: Sendable {
  /// The name of a table, in any number.
  case inflected(String)
  case singular(String)
  case plural(String)
  /// The same in both numbers.
  case fixed(String)

  func name(isSingular: Bool) -> String {
    switch self {
    case .fixed(let name): name
    case .inflected(let name): isSingular ? name.singularized : name.pluralized
    case .singular(let name): isSingular ? name : name.pluralized
    case .plural(let name): isSingular ? name.singularized : name
    }
  }

  func prefixed(_ prefix: String) -> AssociationKey {
    switch self {
    case .fixed(let name): .fixed(prefix + name)
    case .inflected(let name): .inflected(prefix + name)
    case .singular(let name): .singular(prefix + name)
    case .plural(let name): .plural(prefix + name)
    }
  }
}
