// Associations that start from record types.

// MARK: - To record types

extension TableRecord {
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
  public static func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
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
  public static func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
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
  public static func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    .init(
      _sqlAssociation: .init(
        to: Destination.query, key: key, using: foreignKey, isLeftOrigin: false, isSingular: true))
  }
}

// MARK: - To tables

extension TableRecord {
  /// The row that rows of this table refer to.
  ///
  /// - Parameters:
  ///   - destination: The records at the other end.
  ///   - key: The name in rows; nil for the name of the destination's table.
  ///   - foreignKey: The columns; nil for the only foreign key of the schema between the tables.
  public static func belongsTo<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
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
  public static func hasMany<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
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
  public static func hasOne<Destination>(
    _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    .init(
      _sqlAssociation: .init(
        to: destination.query, key: key, using: foreignKey, isLeftOrigin: false, isSingular: true))
  }
}

// MARK: - To common table expressions

extension TableRecord {
  /// The rows of a common table expression that fulfil a condition.
  ///
  /// ```swift
  /// let best = Player.association(to: bestScores) { player, best in
  ///   player["teamId"] == best["teamId"]
  /// }
  /// let request = Player.with(bestScores).including(optional: best)
  /// ```
  public static func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<Self>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<Self, Destination> {
    JoinAssociation(to: cte.query) { left, right in
      condition(TableAlias(left), TableAlias(right)).sqlExpression
    }
  }

  /// All rows of a common table expression.
  public static func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<Self, Destination> {
    JoinAssociation(to: cte.query) { _, _ in nil }
  }
}

// MARK: - Through others

extension TableRecord {
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
  public static func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasManyThroughAssociation<Self, Target.RowDecoder>(
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
  public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
    key: String? = nil
  ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    let association = HasOneThroughAssociation<Self, Target.RowDecoder>(
      _sqlAssociation: target._sqlAssociation.through(pivot._sqlAssociation))
    return key.map { association.forKey($0) } ?? association
  }
}

// MARK: - Rows that belong to a record

extension TableRecord where Self: EncodableRecord {
  /// The rows that belong to this record.
  ///
  /// ```swift
  /// let books = try author.request(for: Author.books).fetchAll(db)
  /// ```
  public func request<A: Association>(
    for association: A
  ) -> QueryInterfaceRequest<A.RowDecoder> where A.OriginRowDecoder == Self {
    var association = association._sqlAssociation
    guard case .foreignKey(let foreignKey) = association.pivot.condition else {
      var query = association.destinationQuery
      query.mistake = "Not implemented: request association without any foreign key"
      return QueryInterfaceRequest(query)
    }
    // A record that cannot be encoded is an error of the request.
    let container = Result { try PersistenceContainer(self) }
    association.pivot.query.filter { db in
      let columns = try foreignKey.columns(db, from: Self.databaseTableName)
      return try SQLExpression.matching(
        columns, [container.get().values(ofColumns: columns.map { $0.left })])
    }
    return QueryInterfaceRequest(association.destinationQuery)
  }
}

// MARK: - Joined requests

extension TableRecord {
  /// All rows, with the rows of an association that are fetched beside them.
  public static func including<A: AssociationToMany>(
    all association: A
  ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
    all().including(all: association)
  }

  /// All rows, with the row of an association where there is one.
  public static func including<A: Association>(
    optional association: A
  ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
    all().including(optional: association)
  }

  /// The rows that have a row of an association, with it.
  public static func including<A: Association>(
    required association: A
  ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
    all().including(required: association)
  }

  /// All rows, joined with an association whose columns are not selected.
  public static func joining<A: Association>(
    optional association: A
  ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
    all().joining(optional: association)
  }

  /// The rows that have a row of an association, whose columns are not selected.
  public static func joining<A: Association>(
    required association: A
  ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
    all().joining(required: association)
  }

  /// All rows with the columns of an association behind their own.
  public static func annotated<A: Association>(
    withOptional association: A
  ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
    all().annotated(withOptional: association)
  }

  /// The rows that have a row of an association, with its columns behind their own.
  public static func annotated<A: Association>(
    withRequired association: A
  ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
    all().annotated(withRequired: association)
  }

  /// All rows with aggregates of associations.
  public static func annotated(
    with aggregates: AssociationAggregate<Self>...
  ) -> QueryInterfaceRequest<Self> {
    all().annotated(with: aggregates)
  }

  /// All rows with aggregates of associations.
  public static func annotated(
    with aggregates: [AssociationAggregate<Self>]
  ) -> QueryInterfaceRequest<Self> {
    all().annotated(with: aggregates)
  }

  /// The rows whose associations fulfil a condition.
  public static func having(
    _ predicate: AssociationAggregate<Self>
  ) -> QueryInterfaceRequest<Self> {
    all().having(predicate)
  }
}
