// SQLite's JSON functions (json1).

extension Database {
  /// Which kinds of JSON are valid.
  public struct JSONValidationOptions: OptionSet, Sendable {
    /// SQLite's number for the options.
    public let rawValue: Int

    /// Wraps a number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Text as RFC 8259 says.
    public static let json = JSONValidationOptions(rawValue: 1)
    /// Text with the extensions of JSON5.
    public static let json5 = JSONValidationOptions(rawValue: 2)
    /// A blob that looks like the binary form.
    public static let probablyJSONB = JSONValidationOptions(rawValue: 4)
    /// A blob that is the binary form.
    public static let jsonb = JSONValidationOptions(rawValue: 8)
  }

  /// Checked and shortened JSON: JSON.
  public static func json(_ value: some SQLExpressible) -> SQLExpression {
    .call("JSON", [value])
  }

  /// Checked and shortened JSON: JSON, in SQLite's binary form.
  public static func jsonb(_ value: some SQLExpressible) -> SQLExpression {
    .call("JSONB", [value])
  }

  /// An array: JSON_ARRAY.
  public static func jsonArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
    .json("JSON_ARRAY", values.map { $0.sqlExpression })
  }

  /// An array: JSON_ARRAY, in SQLite's binary form.
  public static func jsonbArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
    .json("JSONB_ARRAY", values.map { $0.sqlExpression })
  }

  /// An array: JSON_ARRAY.
  public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
    .json("JSON_ARRAY", values.map { $0.sqlExpression })
  }

  /// An array: JSON_ARRAY, in SQLite's binary form.
  public static func jsonbArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
    .json("JSONB_ARRAY", values.map { $0.sqlExpression })
  }

  /// How many elements an array has: JSON_ARRAY_LENGTH.
  public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
    .call("JSON_ARRAY_LENGTH", [value])
  }

  /// How many elements the array at a path has: JSON_ARRAY_LENGTH.
  public static func jsonArrayLength(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    .call("JSON_ARRAY_LENGTH", [value, path])
  }

  /// Where JSON is wrong, from 1 on; 0 if it is right: JSON_ERROR_POSITION.
  public static func jsonErrorPosition(_ value: some SQLExpressible) -> SQLExpression {
    .call("JSON_ERROR_POSITION", [value])
  }

  /// The part at a path: JSON_EXTRACT.
  public static func jsonExtract(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    .call("JSON_EXTRACT", [value, path.sqlExpression.jsonPath])
  }

  /// The part at a path: JSON_EXTRACT, in SQLite's binary form.
  public static func jsonbExtract(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    .call("JSONB_EXTRACT", [value, path.sqlExpression.jsonPath])
  }

  /// The parts at paths as an array: JSON_EXTRACT.
  public static func jsonExtract(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    .call("JSON_EXTRACT", [value] + paths.map { $0.sqlExpression.jsonPath })
  }

  /// The parts at paths as an array: JSON_EXTRACT, in SQLite's binary form.
  public static func jsonbExtract(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    .call("JSONB_EXTRACT", [value] + paths.map { $0.sqlExpression.jsonPath })
  }

  /// The JSON with values at paths where nothing is: JSON_INSERT.
  public static func jsonInsert(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSON_INSERT", of: value.sqlExpression, pairs: assignments)
  }

  /// The JSON with values at paths where nothing is: JSON_INSERT, in SQLite's binary form.
  public static func jsonbInsert(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSONB_INSERT", of: value.sqlExpression, pairs: assignments)
  }

  /// The JSON with values at paths where something is: JSON_REPLACE.
  public static func jsonReplace(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSON_REPLACE", of: value.sqlExpression, pairs: assignments)
  }

  /// The JSON with values at paths where something is: JSON_REPLACE, in SQLite's binary form.
  public static func jsonbReplace(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSONB_REPLACE", of: value.sqlExpression, pairs: assignments)
  }

  /// The JSON with values at paths: JSON_SET.
  public static func jsonSet(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSON_SET", of: value.sqlExpression, pairs: assignments)
  }

  /// The JSON with values at paths: JSON_SET, in SQLite's binary form.
  public static func jsonbSet(
    _ value: some SQLExpressible,
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSONB_SET", of: value.sqlExpression, pairs: assignments)
  }

  /// An object: JSON_OBJECT.
  public static func jsonObject(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSON_OBJECT", of: nil, pairs: elements)
  }

  /// An object: JSON_OBJECT, in SQLite's binary form.
  public static func jsonbObject(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .json("JSONB_OBJECT", of: nil, pairs: elements)
  }

  /// The JSON changed by a patch: JSON_PATCH.
  public static func jsonPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression {
    .call("JSON_PATCH", [value, patch])
  }

  /// The JSON changed by a patch: JSON_PATCH, in SQLite's binary form.
  public static func jsonbPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression {
    .call("JSONB_PATCH", [value, patch])
  }

  /// The JSON without the part at a path: JSON_REMOVE.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    .call("JSON_REMOVE", [value, path])
  }

  /// The JSON without the part at a path: JSON_REMOVE, in SQLite's binary form.
  public static func jsonbRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    .call("JSONB_REMOVE", [value, path])
  }

  /// The JSON without the parts at paths: JSON_REMOVE.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    .call("JSON_REMOVE", [value] + Array(paths))
  }

  /// The JSON without the parts at paths: JSON_REMOVE, in SQLite's binary form.
  public static func jsonbRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    .call("JSONB_REMOVE", [value] + Array(paths))
  }

  /// The type of JSON: JSON_TYPE.
  public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
    .call("JSON_TYPE", [value])
  }

  /// The type of the part at a path: JSON_TYPE.
  public static func jsonType(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression {
    .call("JSON_TYPE", [value, path])
  }

  /// Whether a value is JSON: JSON_VALID.
  public static func jsonIsValid(
    _ value: some SQLExpressible, options: JSONValidationOptions? = nil
  ) -> SQLExpression {
    .call("JSON_VALID", options.map { [value, $0.rawValue] } ?? [value])
  }

  /// A value as JSON: JSON_QUOTE.
  public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
    .json("JSON_QUOTE", [value.sqlExpression])
  }

  /// The values of a group as an array: JSON_GROUP_ARRAY.
  public static func jsonGroupArray(
    _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    .aggregate("JSON_GROUP_ARRAY", value.sqlExpression.jsonArgument, filter, orderBy: ordering)
  }

  /// The values of a group as an array: JSON_GROUP_ARRAY, in SQLite's binary form.
  public static func jsonbGroupArray(
    _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    .aggregate("JSONB_GROUP_ARRAY", value.sqlExpression.jsonArgument, filter, orderBy: ordering)
  }

  /// The values of a group by key as an object: JSON_GROUP_OBJECT.
  public static func jsonGroupObject(
    key: some SQLExpressible, value: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    SQLExpression(
      .aggregate(
        .init(
          name: "JSON_GROUP_OBJECT",
          arguments: [key.sqlExpression, value.sqlExpression.jsonArgument],
          filter: filter?.sqlExpression)))
  }

  /// The values of a group by key as an object: JSON_GROUP_OBJECT, in SQLite's binary form.
  public static func jsonbGroupObject(
    key: some SQLExpressible, value: some SQLExpressible,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    SQLExpression(
      .aggregate(
        .init(
          name: "JSONB_GROUP_OBJECT",
          arguments: [key.sqlExpression, value.sqlExpression.jsonArgument],
          filter: filter?.sqlExpression)))
  }
}

extension SQLExpression {
  fileprivate static func json(_ name: String, _ values: [SQLExpression]) -> SQLExpression {
    SQLExpression(.function(name, values.map { $0.jsonArgument }))
  }

  fileprivate static func json(
    _ name: String, of value: SQLExpression?,
    pairs: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    let pairs = pairs.flatMap { [$0.key.sqlExpression, $0.value.sqlExpression.jsonArgument] }
    return SQLExpression(.function(name, (value.map { [$0] } ?? []) + pairs))
  }
}
