/// Rows of one table that belong to rows of another.
///
/// Associations are requests, too: they can be filtered, ordered, and joined with others.
///
/// ```swift
/// struct Author: TableRecord {
///   static let books = hasMany(Book.self)
///   static let novels = books.filter(Column("kind") == "novel").forKey("novels")
/// }
/// let request = Author.including(all: Author.novels.order(Column("year")))
/// ```
public protocol Association: DerivableRequest, Sendable {
  /// What the rows are decoded as that the association starts from.
  associatedtype OriginRowDecoder

  /// What the association is made of.
  var _sqlAssociation: _SQLAssociation { get set }

  /// Gives the association another name in rows.
  func forKey(_ key: String) -> Self
}

extension Association {
  private func with(_ change: (inout SQLQuery) -> Void) -> Self {
    var association = self
    change(&association._sqlAssociation.destination.query)
    return association
  }

  var key: AssociationKey { _sqlAssociation.destination.key }

  /// Gives the association another name in rows.
  public func forKey(_ codingKey: some CodingKey) -> Self { forKey(codingKey.stringValue) }
}

// MARK: - Requests

extension Association {
  /// The name of the table of the destination.
  public var databaseTableName: String { _sqlAssociation.destination.query.sourceName ?? "" }

  /// Gives the table of the destination an alias.
  public func _aliased(_ alias: TableAliasBase) -> Self { with { $0.setAlias(alias) } }

  /// Joins an association of the destination whose rows are fetched by a statement of their own.
  public func _including(all association: _SQLAssociation) -> Self {
    with { $0.addChild(association, .prefetched) }
  }

  /// Joins an association of the destination that may have no row.
  public func _including(optional association: _SQLAssociation) -> Self {
    with { $0.addChild(association, .optional) }
  }

  /// Joins an association of the destination that must have a row.
  public func _including(required association: _SQLAssociation) -> Self {
    with { $0.addChild(association, .required) }
  }

  /// Joins an association of the destination that may have no row, without its columns.
  public func _joining(optional association: _SQLAssociation) -> Self {
    with { $0.addChild(association.withoutSelection, .optional) }
  }

  /// Joins an association of the destination that must have a row, without its columns.
  public func _joining(required association: _SQLAssociation) -> Self {
    with { $0.addChild(association.withoutSelection, .required) }
  }

  /// Replaces the selection.
  public func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self {
    with { $0.select(selection) }
  }

  /// Adds to the selection.
  public func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self {
    with { $0.annotate(selection) }
  }

  /// Adds a condition.
  public func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self {
    with { $0.filter(predicate) }
  }

  /// Replaces the order.
  public func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> Self {
    with { $0.order(orderings) }
  }

  /// Turns the order, and that of what is joined with the destination.
  public func reversed() -> Self { with { $0.isReversed.toggle() } }

  /// Drops the order, and that of what is joined with the destination.
  public func unordered() -> Self { with { $0.removeOrdering() } }

  /// Adds the primary key to the order.
  public func withStableOrder() -> Self { with { $0.addStableOrder() } }

  /// Replaces the grouping.
  public func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> Self {
    with { $0.group(expressions) }
  }

  /// Adds a condition upon groups.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self {
    with { $0.having(predicate) }
  }

  /// Drops duplicate rows. Only prefetched associations can.
  public func distinct() -> Self { with { $0.isDistinct = true } }

  /// Makes a common table expression known to the request.
  public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
    with { $0.commonTables = $0.commonTables.adding([cte.table]) }
  }
}

extension _SQLAssociation {
  /// The destination is joined for its conditions only.
  var withoutSelection: _SQLAssociation {
    var association = self
    association.destination.query.selection = []
    return association
  }
}

// MARK: - One and many

/// An association to one row at most.
public protocol AssociationToOne: Association {}

extension AssociationToOne {
  /// Gives the association another name in rows.
  public func forKey(_ key: String) -> Self {
    var association = self
    association._sqlAssociation.destination.key = .singular(key)
    return association
  }
}

/// An association to any number of rows.
public protocol AssociationToMany: Association {}

extension AssociationToMany {
  /// Gives the association another name in rows.
  public func forKey(_ key: String) -> Self {
    var association = self
    association._sqlAssociation.destination.key = .plural(key)
    return association
  }
}

/// The row that a row refers to by a foreign key: see `TableRecord.belongsTo(_:key:using:)`.
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows that refer.
  public typealias OriginRowDecoder = Origin
  /// The type of the rows that they refer to.
  public typealias RowDecoder = Destination
  /// What the association is made of.
  public var _sqlAssociation: _SQLAssociation
}

/// The one row that refers to a row: see `TableRecord.hasOne(_:key:using:)`.
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows that are referred to.
  public typealias OriginRowDecoder = Origin
  /// The type of the rows that refer to them.
  public typealias RowDecoder = Destination
  /// What the association is made of.
  public var _sqlAssociation: _SQLAssociation
}

/// All rows that refer to a row: see `TableRecord.hasMany(_:key:using:)`.
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
  /// The type of the rows that are referred to.
  public typealias OriginRowDecoder = Origin
  /// The type of the rows that refer to them.
  public typealias RowDecoder = Destination
  /// What the association is made of.
  public var _sqlAssociation: _SQLAssociation
}

/// One row behind another: see `TableRecord.hasOne(_:through:using:key:)`.
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows that the way starts from.
  public typealias OriginRowDecoder = Origin
  /// The type of the rows at its end.
  public typealias RowDecoder = Destination
  /// What the association is made of.
  public var _sqlAssociation: _SQLAssociation
}

/// All rows behind others: see `TableRecord.hasMany(_:through:using:key:)`.
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
  /// The type of the rows that the way starts from.
  public typealias OriginRowDecoder = Origin
  /// The type of the rows at its end.
  public typealias RowDecoder = Destination
  /// What the association is made of.
  public var _sqlAssociation: _SQLAssociation
}

/// The rows of a common table expression: see `TableRecord.association(to:on:)`.
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
  /// The type of the rows that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type of the rows of the common table expression.
  public typealias RowDecoder = Destination
  /// What the association is made of.
  public var _sqlAssociation: _SQLAssociation

  init(
    to query: SQLQuery,
    on condition: @escaping @Sendable (TableAliasBase, TableAliasBase) -> SQLExpression?
  ) {
    _sqlAssociation = _SQLAssociation(
      steps: [
        .init(
          key: .inflected(query.sourceName ?? ""), condition: .expression(condition), query: query,
          isSingular: true)
      ])
  }
}
