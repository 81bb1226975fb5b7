// Associations that start from tables without a record type.

// MARK: - To record types

extension Table {
  /// The row that rows of this table refer to.
  ///
  /// ```swift
  /// struct Book: TableRecord {
  ///   static let author = belongsTo(Author.self)
  /// }
  /// let request = Book.including(required: Book.author)
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - key: The name in rows; nil for the name of the destination's table.
  ///   - foreignKey: The columns; nil for the only foreign key of the schema between the tables.
  public func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    .init(
      _sqlAssociation: .init(
        to: Destination.query, key: key, using: foreignKey, isLeftOrigin: true, isSingular: true))
  }

  /// The rows that refer to rows of this table.
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - key: The name in rows; nil for the name of the destination's table.
  ///   - foreignKey: The columns; nil for the only foreign key of the schema between the tables.
  public func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    .init(
      _sqlAssociation: .init(
        to: Destination.query, key: key, using: foreignKey, isLeftOrigin: false, isSingular: false))
  }

  /// The row that refers to rows of this table: one at most.
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - key: The name in rows; nil for the name of the destination's table.
  ///   - foreignKey: The columns; nil for the only foreign key of the schema between the tables.
  public func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    .init(
      _sqlAssociation: .init(
        to: Destination.query, key: key, using: foreignKey, isLeftOrigin: false, isSingular: true))
  }
}

// MARK: - To tables

extension Table {
  /// The row that rows of this table refer to.
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - key: The name in rows; nil for the name of the destination's table.
  ///   - foreignKey: The columns; nil for the only foreign key of the schema between the tables.
  public func belongsTo<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    .init(
      _sqlAssociation: .init(
        to: destination.query, key: key, using: foreignKey, isLeftOrigin: true, isSingular: true))
  }

  /// The rows that refer to rows of this table.
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - key: The name in rows; nil for the name of the destination's table.
  ///   - foreignKey: The columns; nil for the only foreign key of the schema between the tables.
  public func hasMany<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    .init(
      _sqlAssociation: .init(
        to: destination.query, key: key, using: foreignKey, isLeftOrigin: false, isSingular: false))
  }

  /// The row that refers to rows of this table: one at most.
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - key: The name in rows; nil for the name of the destination's table.
  ///   - foreignKey: The columns; nil for the only foreign key of the schema between the tables.
  public func hasOne<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    .init(
      _sqlAssociation: .init(
        to: destination.query, key: key, using: foreignKey, isLeftOrigin: false, isSingular: true))
  }
}

// MARK: - To common table expressions

extension Table {
  /// The rows of a common table expression that fulfil a condition.
  ///
  /// ```swift
  /// let best = Player.association(to: bestScores) { player, best in
  ///   player["teamId"] == best["teamId"]
  /// }
  /// let request = Player.with(bestScores).including(optional: best)
  /// ```
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.query) { left, right in
      condition(TableAlias(left), TableAlias(right)).sqlExpression
    }
  }

  /// All rows of a common table expression.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.query) { _, _ in nil }
  }
}

// MARK: - Through others

extension Table {
  /// The rows that are found by one association behind another.
  ///
  /// ```swift
  /// struct Country: TableRecord {
  ///   static let passports = hasMany(Passport.self)
  ///   static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - pivot: The association that leads to the table between.
  ///   - target: The association that leads on from there.
  ///   - key: The name in rows; nil for that of the second association.
  public func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasManyThroughAssociation<RowDecoder, Target.RowDecoder>(
      _sqlAssociation: target._sqlAssociation.through(pivot._sqlAssociation))
    return key.map { association.forKey($0) } ?? association
  }

  /// The row that is found by one association behind another.
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - pivot: The association that leads to the table between.
  ///   - target: The association that leads on from there.
  ///   - key: The name in rows; nil for that of the second association.
  public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasOneThroughAssociation<RowDecoder, Target.RowDecoder>(
      _sqlAssociation: target._sqlAssociation.through(pivot._sqlAssociation))
    return key.map { association.forKey($0) } ?? association
  }
}

// MARK: - Joined requests

extension Table {
  /// All rows, with the rows of an association that are fetched beside them.
  public func including<A: AssociationToMany>(
    all association: A
  ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
    all().including(all: association)
  }

  /// All rows, with the row of an association where there is one.
  public func including<A: Association>(
    optional association: A
  ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
    all().including(optional: association)
  }

  /// The rows that have a row of an association, with it.
  public func including<A: Association>(
    required association: A
  ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
    all().including(required: association)
  }

  /// All rows, joined with an association whose columns are not selected.
  public func joining<A: Association>(
    optional association: A
  ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
    all().joining(optional: association)
  }

  /// The rows that have a row of an association, whose columns are not selected.
  public func joining<A: Association>(
    required association: A
  ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
    all().joining(required: association)
  }

  /// All rows with the columns of an association behind their own.
  public func annotated<A: Association>(
    withOptional association: A
  ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
    all().annotated(withOptional: association)
  }

  /// The rows that have a row of an association, with its columns behind their own.
  public func annotated<A: Association>(
    withRequired association: A
  ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
    all().annotated(withRequired: association)
  }

  /// All rows with aggregates of associations.
  public func annotated(
    with aggregates: AssociationAggregate<RowDecoder>...
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: aggregates)
  }

  /// All rows with aggregates of associations.
  public func annotated(
    with aggregates: [AssociationAggregate<RowDecoder>]
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: aggregates)
  }

  /// The rows whose associations fulfil a condition.
  public func having(
    _ predicate: AssociationAggregate<RowDecoder>
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().having(predicate)
  }
}
