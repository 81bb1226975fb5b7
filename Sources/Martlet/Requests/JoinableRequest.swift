/// A request that can be joined with associations.
public protocol JoinableRequest<RowDecoder>: TypedRequest {
  /// Joins an association whose rows are fetched by a statement of their own.
  func _including(all association: _SQLAssociation) -> Self

  /// Joins an association that may have no row.
  func _including(optional association: _SQLAssociation) -> Self

  /// Joins an association that must have a row.
  func _including(required association: _SQLAssociation) -> Self

  /// Joins an association that may have no row, without its columns.
  func _joining(optional association: _SQLAssociation) -> Self

  /// Joins an association that must have a row, without its columns.
  func _joining(required association: _SQLAssociation) -> Self
}

extension JoinableRequest {
  /// Fetches the rows of an association beside each row: `row["books"]` has them.
  ///
  /// They are fetched by one more statement for all rows at once, so that cursors cannot have them.
  public func including<A: AssociationToMany>(
    all association: A
  ) -> Self where A.OriginRowDecoder == RowDecoder {
    _including(all: association._sqlAssociation)
  }

  /// Adds the row of an association where there is one: `row["author"]` has it.
  public func including<A: Association>(
    optional association: A
  ) -> Self where A.OriginRowDecoder == RowDecoder {
    _including(optional: association._sqlAssociation)
  }

  /// Adds the row of an association, and keeps only rows that have one: `row["author"]` has it.
  public func including<A: Association>(
    required association: A
  ) -> Self where A.OriginRowDecoder == RowDecoder {
    _including(required: association._sqlAssociation)
  }

  /// Joins the row of an association where there is one, for conditions: its columns are not
  /// selected.
  public func joining<A: Association>(
    optional association: A
  ) -> Self where A.OriginRowDecoder == RowDecoder {
    _joining(optional: association._sqlAssociation)
  }

  /// Keeps only rows that have a row of an association, whose columns are not selected.
  public func joining<A: Association>(
    required association: A
  ) -> Self where A.OriginRowDecoder == RowDecoder {
    _joining(required: association._sqlAssociation)
  }
}

extension JoinableRequest where Self: SelectionRequest {
  /// Adds the columns of an association to those of the row, where there is a row of it.
  public func annotated<A: Association>(
    withOptional association: A
  ) -> Self where A.OriginRowDecoder == RowDecoder {
    let alias = TableAlias<A.RowDecoder>()
    return joining(optional: association.aliased(alias))
      .annotatedWhenConnected { try association.selection($0, of: alias) }
  }

  /// Adds the columns of an association to those of the row, and keeps only rows that have one.
  public func annotated<A: Association>(
    withRequired association: A
  ) -> Self where A.OriginRowDecoder == RowDecoder {
    let alias = TableAlias<A.RowDecoder>()
    return joining(required: association.aliased(alias))
      .annotatedWhenConnected { try association.selection($0, of: alias) }
  }
}

extension Association {
  fileprivate func selection(_ db: Database, of alias: TableAliasBase) throws -> [SQLSelection] {
    try _sqlAssociation.destination.query.selection.flatMap { try $0.resolved(db) }
      .map { SQLSelection(.qualified($0, alias)) }
  }
}

// MARK: - Requests that can do all of it

/// A request that can do all of it.
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest,
  OrderedRequest, SelectionRequest, TableRequest, TypedRequest
{
  /// Drops duplicate rows.
  func distinct() -> Self

  /// Makes a common table expression known to the request.
  func with<T>(_ cte: CommonTableExpression<T>) -> Self
}

extension DerivableRequest {
  /// Adds aggregates of associations to the columns: how many books an author has, for example.
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self {
    annotated(with: aggregates)
  }

  /// Adds aggregates of associations to the columns: how many books an author has, for example.
  public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
    aggregates.reduce(self) { request, aggregate in
      let (joined, expression) = request.joined(with: aggregate)
      guard let key = aggregate.key else { return joined.annotated(with: expression) }
      return joined.annotated(with: expression.forKey(key))
    }
  }

  /// Keeps only rows whose associations fulfil a condition.
  public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
    let (joined, expression) = joined(with: predicate)
    return joined.having(expression)
  }

  /// An aggregate is one of the rows that are joined with one row: the request is grouped by that.
  private func joined(
    with aggregate: AssociationAggregate<RowDecoder>
  ) -> (Self, SQLExpression) {
    let parts = aggregate.make()
    let request = parts.associations.reduce(self) {
      $0._joining(optional: $1).groupByPrimaryKey()
    }
    return (request, parts.expression)
  }
}
