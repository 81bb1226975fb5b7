// SQLite's functions as the API of 2015 had them: not as methods.

/// `lower`.
@available(*, deprecated, message: "use lowercaseString")
public func lower<A: ColumnType>(_ expression: Expression<A>) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.lowercaseString
}

/// `upper`.
@available(*, deprecated, message: "use uppercaseString")
public func upper<A: ColumnType>(_ expression: Expression<A>) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.uppercaseString
}

/// `length`.
@available(*, deprecated, message: "use length")
public func length<V: Value>(_ expression: Expression<V>) -> Expression<Int> {
  expression.length
}

/// `length`.
@available(*, deprecated, message: "use length")
public func length<V: Value>(_ expression: Expression<V?>) -> Expression<Int?> {
  expression.length
}

/// `abs`.
@available(*, deprecated, message: "use absoluteValue")
public func abs<A: ColumnType>(_ expression: Expression<A>) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  expression.absoluteValue
}

/// `round`.
@available(*, deprecated, message: "use round(_:)")
public func round<A: ColumnType>(
  _ expression: Expression<A>, _ precision: Int? = nil
) -> Expression<A>
where A.ColumnValue == Double {
  expression.round(precision)
}

/// `ltrim`.
@available(*, deprecated, message: "use ltrim(_:)")
public func ltrim<A: ColumnType>(
  _ expression: Expression<A>, _ characters: String? = nil
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.ltrim(characters.map { Set($0) })
}

/// `rtrim`.
@available(*, deprecated, message: "use rtrim(_:)")
public func rtrim<A: ColumnType>(
  _ expression: Expression<A>, _ characters: String? = nil
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.rtrim(characters.map { Set($0) })
}

/// `trim`.
@available(*, deprecated, message: "use trim(_:)")
public func trim<A: ColumnType>(
  _ expression: Expression<A>, _ characters: String? = nil
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.trim(characters.map { Set($0) })
}

/// `replace`.
@available(*, deprecated, message: "use replace(_:with:)")
public func replace<A: ColumnType>(
  _ expression: Expression<A>, _ match: String, _ replacement: String
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.replace(match, with: replacement)
}

/// `substr`.
@available(*, deprecated, message: "use substring(_:length:)")
public func substr<A: ColumnType>(
  _ expression: Expression<A>, _ location: Int, _ length: Int? = nil
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.substring(location, length: length)
}

/// `LIKE`.
@available(*, deprecated, message: "use like(_:escape:)")
public func like<A: ColumnType>(
  _ pattern: String, _ expression: Expression<A>, escape: Character? = nil
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype == String {
  expression.like(pattern, escape: escape)
}

/// `GLOB`.
@available(*, deprecated, message: "use glob(_:)")
public func glob<A: ColumnType>(
  _ pattern: String, _ expression: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype == String {
  expression.glob(pattern)
}

/// `REGEXP`.
@available(*, deprecated, message: "use regexp(_:)")
public func regexp<A: ColumnType>(
  _ pattern: String, _ expression: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype == String {
  expression.regexp(pattern)
}

/// `MATCH`.
@available(*, deprecated, message: "use match(_:)")
public func match<A: ColumnType>(
  _ expression: Expression<A>, _ pattern: String
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype == String {
  expression.match(pattern)
}

/// `COLLATE`.
@available(*, deprecated, message: "use collate(_:)")
public func collate<A: ColumnType>(
  _ collation: Collation, _ expression: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  expression.collate(collation)
}

/// `IN`.
@available(*, deprecated, message: "use Collection.contains(_:)")
public func contains<C: Collection, A: ColumnType>(
  _ values: C, _ column: Expression<A>
) -> Expression<A.ColumnCondition>
where C.Element == A.ColumnValue {
  values.contains(column)
}

/// `CAST`.
@available(*, deprecated, message: "use cast()")
public func cast<V: Value, Other: Value>(_ expression: Expression<V>) -> Expression<Other> {
  expression.cast()
}

/// `CAST`.
@available(*, deprecated, message: "use cast()")
public func cast<V: Value, Other: Value>(_ expression: Expression<V?>) -> Expression<Other?> {
  expression.cast()
}

/// `coalesce`: the first one that is not NULL.
@available(*, deprecated, message: "use the operator ??")
public func coalesce<V: Value>(_ expressions: Expression<V?>...) -> Expression<V?> {
  "coalesce".wrap(expressions)
}

/// `ifnull`.
@available(*, deprecated, message: "use the operator ??")
public func ifnull<V: Value>(_ expression: Expression<V?>, _ defaultValue: V) -> Expression<V> {
  expression ?? defaultValue
}

/// `ifnull`.
@available(*, deprecated, message: "use the operator ??")
public func ifnull<V: Value>(
  _ expression: Expression<V?>, _ defaultValue: Expression<V>
) -> Expression<V> {
  expression ?? defaultValue
}

/// `ifnull`.
@available(*, deprecated, message: "use the operator ??")
public func ifnull<V: Value>(
  _ expression: Expression<V?>, _ defaultValue: Expression<V?>
) -> Expression<V?> {
  expression ?? defaultValue
}

/// `count`.
@available(*, deprecated, message: "use count")
public func count<A: ColumnType>(_ expression: Expression<A>) -> Expression<Int> {
  expression.count
}

/// `count` of different values.
@available(*, deprecated, message: "use distinct.count")
public func count<A: ColumnType>(distinct expression: Expression<A>) -> Expression<Int> {
  expression.distinct.count
}

/// `max`.
@available(*, deprecated, message: "use max")
public func max<A: ColumnType>(_ expression: Expression<A>) -> Expression<A.ColumnValue?>
where A.ColumnValue.Datatype: Comparable {
  expression.max
}

/// `min`.
@available(*, deprecated, message: "use min")
public func min<A: ColumnType>(_ expression: Expression<A>) -> Expression<A.ColumnValue?>
where A.ColumnValue.Datatype: Comparable {
  expression.min
}

/// `avg`.
@available(*, deprecated, message: "use average")
public func average<A: ColumnType>(_ expression: Expression<A>) -> Expression<Double?>
where A.ColumnValue.Datatype: Number {
  expression.average
}

/// `avg` of different values.
@available(*, deprecated, message: "use distinct.average")
public func average<A: ColumnType>(distinct expression: Expression<A>) -> Expression<Double?>
where A.ColumnValue.Datatype: Number {
  expression.distinct.average
}

/// `sum`.
@available(*, deprecated, message: "use sum")
public func sum<A: ColumnType>(_ expression: Expression<A>) -> Expression<A.ColumnValue?>
where A.ColumnValue.Datatype: Number {
  expression.sum
}

/// `sum` of different values.
@available(*, deprecated, message: "use distinct.sum")
public func sum<A: ColumnType>(distinct expression: Expression<A>) -> Expression<A.ColumnValue?>
where A.ColumnValue.Datatype: Number {
  expression.distinct.sum
}

/// `total`.
@available(*, deprecated, message: "use total")
public func total<A: ColumnType>(_ expression: Expression<A>) -> Expression<Double>
where A.ColumnValue.Datatype: Number {
  expression.total
}

/// `total` of different values.
@available(*, deprecated, message: "use distinct.total")
public func total<A: ColumnType>(distinct expression: Expression<A>) -> Expression<Double>
where A.ColumnValue.Datatype: Number {
  expression.distinct.total
}

/// `random`.
@available(*, deprecated, message: "use Expression<Int64>.random()")
@_disfavoredOverload
public func random() -> Expression<Int64> { Expression<Int64>.random() }
