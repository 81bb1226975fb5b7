/// A value that is made of all rows of associations to many: how many books an author has, for
/// example.
///
/// ```swift
/// let request = Author
///   .annotated(with: Author.books.count)
///   .having(Author.books.max(Column("year")) >= 2_000)
/// ```
///
/// Operators and functions make other aggregates of it. As a column it has the name that its
/// documentation says, or that of `forKey(_:)`.
public struct AssociationAggregate<RowDecoder> {
  /// The associations that must be joined, and the expression over them. They are made anew for
  /// each request, so that each has aliases of its own.
  let make: () -> (associations: [_SQLAssociation], expression: SQLExpression)

  /// The name of the column; nil for the expression's text.
  var key: String?

  init(
    key: String? = nil,
    _ make: @escaping () -> (associations: [_SQLAssociation], expression: SQLExpression)
  ) {
    self.make = make
    self.key = key
  }

  /// Gives the column a name.
  public func forKey(_ key: String) -> Self { Self(key: key, make) }

  /// Gives the column a name.
  public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }

  func map(_ transform: @escaping (SQLExpression) -> SQLExpression) -> Self {
    Self {
      let parts = make()
      return (parts.associations, transform(parts.expression))
    }
  }

  func combined(
    with other: Self, _ transform: @escaping (SQLExpression, SQLExpression) -> SQLExpression
  ) -> Self {
    Self {
      let (left, right) = (make(), other.make())
      return (
        left.associations + right.associations, transform(left.expression, right.expression)
      )
    }
  }
}

// MARK: - Aggregates of associations

extension AssociationToMany {
  private func aggregate(
    _ expression: SQLExpression, key: String?
  ) -> AssociationAggregate<OriginRowDecoder> {
    AssociationAggregate(key: key) {
      let alias = TableAlias<RowDecoder>()
      return (
        [aliased(alias)._sqlAssociation.withoutSelection], .init(.qualified(expression, alias))
      )
    }
  }

  private func call(
    _ function: String, _ expression: some SQLSpecificExpressible,
    _ name: (String, String) -> String
  ) -> AssociationAggregate<OriginRowDecoder> {
    let column = (expression as? any ColumnExpression)?.name
    return aggregate(
      SQLExpression(.aggregate(.init(name: function, arguments: [expression.sqlExpression]))),
      key: column.map { name(key.name(isSingular: true), $0.withCapital) })
  }

  private var distinctCount: SQLExpression {
    SQLExpression(.countDistinct(SQLExpression(.fastPrimaryKey)))
  }

  /// How many rows there are: the column `bookCount`.
  public var count: AssociationAggregate<OriginRowDecoder> {
    aggregate(distinctCount, key: key.name(isSingular: true) + "Count")
  }

  /// Whether there is no row: the column `hasNoBook`.
  public var isEmpty: AssociationAggregate<OriginRowDecoder> {
    aggregate(
      SQLExpression(.isZero(distinctCount, isNegated: false)),
      key: "hasNo" + key.name(isSingular: true).withCapital)
  }

  /// The average of the rows: of a column, the column `averageBookPrice`.
  public func average(
    _ expression: some SQLSpecificExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    call("AVG", expression) { "average" + $0.withCapital + $1 }
  }

  /// The average of the rows: of a column, the column `averageBookPrice`.
  public func average(
    _ expression: (RowDecoder.DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    try average(expression(RowDecoder.databaseComponents))
  }

  /// The largest value of the rows: of a column, the column `maxBookPrice`.
  public func max(
    _ expression: some SQLSpecificExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    call("MAX", expression) { "max" + $0.withCapital + $1 }
  }

  /// The largest value of the rows: of a column, the column `maxBookPrice`.
  public func max(
    _ expression: (RowDecoder.DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    try max(expression(RowDecoder.databaseComponents))
  }

  /// The smallest value of the rows: of a column, the column `minBookPrice`.
  public func min(
    _ expression: some SQLSpecificExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    call("MIN", expression) { "min" + $0.withCapital + $1 }
  }

  /// The smallest value of the rows: of a column, the column `minBookPrice`.
  public func min(
    _ expression: (RowDecoder.DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    try min(expression(RowDecoder.databaseComponents))
  }

  /// The sum of the rows, NULL without rows: of a column, the column `bookPriceSum`.
  public func sum(
    _ expression: some SQLSpecificExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    call("SUM", expression) { $0 + $1 + "Sum" }
  }

  /// The sum of the rows, NULL without rows: of a column, the column `bookPriceSum`.
  public func sum(
    _ expression: (RowDecoder.DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    try sum(expression(RowDecoder.databaseComponents))
  }

  /// The sum of the rows, zero without rows: of a column, the column `bookPriceSum`.
  public func total(
    _ expression: some SQLSpecificExpressible
  ) -> AssociationAggregate<OriginRowDecoder> {
    call("TOTAL", expression) { $0 + $1 + "Sum" }
  }

  /// The sum of the rows, zero without rows: of a column, the column `bookPriceSum`.
  public func total(
    _ expression: (RowDecoder.DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    try total(expression(RowDecoder.databaseComponents))
  }
}

extension String {
  /// The text with a capital at its start.
  fileprivate var withCapital: String { prefix(1).uppercased() + dropFirst() }
}

// MARK: - Functions

/// The absolute value of an aggregate.
public func abs<RowDecoder>(
  _ aggregate: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
  aggregate.map { abs($0) }
}

/// An aggregate converted to a storage class: CAST. The column keeps its name.
public func cast<RowDecoder>(
  _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
  var result = aggregate.map { cast($0, as: storageClass) }
  result.key = aggregate.key
  return result
}

/// How many characters the text of an aggregate has, or bytes its blob.
public func length<RowDecoder>(
  _ aggregate: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
  aggregate.map { length($0) }
}

extension AssociationAggregate {
  /// The aggregate, or the right value where it is NULL: IFNULL. The column keeps its name.
  public static func ?? (left: Self, right: some SQLExpressible) -> Self {
    var result = left.map { $0 ?? right }
    result.key = left.key
    return result
  }
}
