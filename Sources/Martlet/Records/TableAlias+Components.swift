extension TableAlias {
  /// Whether the table has a row: in an outer join, a row that is missing has no key.
  public var exists: SQLExpression { SQLExpression(.rowExists(self, isNegated: false)) }
}

extension TableAlias where RowDecoder: TableRecord {
  /// A column of the record type, of this table.
  public subscript<T>(
    dynamicMember keyPath: KeyPath<RowDecoder.DatabaseComponents, T>
  ) -> SQLExpression where T: SQLSpecificExpressible {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// A selection of the record type, of this table.
  public subscript<T>(
    dynamicMember keyPath: KeyPath<RowDecoder.DatabaseComponents, T>
  ) -> SQLSelection where T: SQLSelectable {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// An ordering of the record type, of this table.
  public subscript<T>(
    dynamicMember keyPath: KeyPath<RowDecoder.DatabaseComponents, T>
  ) -> SQLOrdering where T: SQLOrderingTerm {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

// What the closures of requests get, under the name that GRDB has for it.

extension TypedRequest where RowDecoder: TableRecord {
  /// What closures get: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}

extension Table where RowDecoder: TableRecord {
  /// What closures get: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}

extension TableAlias where RowDecoder: TableRecord {
  /// What the alias has as members: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}
