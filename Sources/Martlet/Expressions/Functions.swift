// Functions of SQL as functions of Swift.

/// The absolute value.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("ABS", [value])
}

/// How many characters a text has, or bytes a blob.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("LENGTH", [value])
}

/// A value converted to a storage class: CAST.
public func cast(
  _ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass
) -> SQLExpression {
  SQLExpression(.cast(expression.sqlExpression, storageClass))
}

/// The first value that is not NULL.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
  guard let first = values.first else { return .null }
  return values.count == 1 ? first.sqlExpression : .call("COALESCE", Array(values))
}

extension SQLSpecificExpressible {
  /// The left value, or the right one where it is NULL: IFNULL.
  public static func ?? (left: Self, right: some SQLExpressible) -> SQLExpression {
    .call("IFNULL", [left, right])
  }

  /// The text with capital words, by Swift's rules.
  public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }

  /// The text in small letters, by Swift's rules.
  public var lowercased: SQLExpression { DatabaseFunction.lowercase(sqlExpression) }

  /// The text in capital letters, by Swift's rules.
  public var uppercased: SQLExpression { DatabaseFunction.uppercase(sqlExpression) }

  /// The text with capital words, by the rules of the current locale.
  public var localizedCapitalized: SQLExpression {
    DatabaseFunction.localizedCapitalize(sqlExpression)
  }

  /// The text in small letters, by the rules of the current locale.
  public var localizedLowercased: SQLExpression {
    DatabaseFunction.localizedLowercase(sqlExpression)
  }

  /// The text in capital letters, by the rules of the current locale.
  public var localizedUppercased: SQLExpression {
    DatabaseFunction.localizedUppercase(sqlExpression)
  }
}

/// The number of rows in which a value is not NULL; of `allColumns`, the number of rows.
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression {
  .aggregate("COUNT", counted, nil)
}

/// The number of rows.
public func count(_ all: AllColumns) -> SQLExpression { SQLExpression(.countAll) }

/// The number of different values, without NULL.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
  SQLExpression(.countDistinct(value.sqlExpression))
}

extension SQLExpression {
  static func call(_ name: String, _ arguments: [any SQLExpressible]) -> SQLExpression {
    SQLExpression(.function(name, arguments.map { $0.sqlExpression }))
  }

  static func aggregate(
    _ name: String, _ value: any SQLExpressible, _ filter: (any SQLExpressible)?,
    orderBy ordering: (any SQLOrderingTerm)? = nil
  ) -> SQLExpression {
    SQLExpression(
      .aggregate(
        Aggregate(
          name: name, arguments: [value.sqlExpression], ordering: ordering?.sqlOrdering,
          filter: filter?.sqlExpression)))
  }
}

/// The average value of a group.
///
/// - Parameters:
///   - value: The values.
///   - filter: Only rows that fulfil it count.
public func average(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  .aggregate("AVG", value, filter)
}

/// The greatest value of a group.
///
/// - Parameters:
///   - value: The values.
///   - filter: Only rows that fulfil it count.
public func max(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  .aggregate("MAX", value, filter)
}

/// The least value of a group.
///
/// - Parameters:
///   - value: The values.
///   - filter: Only rows that fulfil it count.
public func min(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  .aggregate("MIN", value, filter)
}

/// The sum of a group; NULL without values.
///
/// - Parameters:
///   - value: The values.
///   - ordering: The order in which values are added.
///   - filter: Only rows that fulfil it count.
public func sum(
  _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  .aggregate("SUM", value, filter, orderBy: ordering)
}

/// The sum of a group as a real number; 0 without values.
///
/// - Parameters:
///   - value: The values.
///   - ordering: The order in which values are added.
///   - filter: Only rows that fulfil it count.
public func total(
  _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
  filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
  .aggregate("TOTAL", value, filter, orderBy: ordering)
}

/// The greatest of several values of a row.
public func max(
  _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible,
  _ values: any SQLExpressible...
) -> SQLExpression {
  .call("MAX", [value1, value2] + values)
}

/// The least of several values of a row.
public func min(
  _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible,
  _ values: any SQLExpressible...
) -> SQLExpression {
  .call("MIN", [value1, value2] + values)
}
