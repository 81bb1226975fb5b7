/// Values for the parameters of statements, in order or by name.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: ["Arthur", 100])
/// try db.execute(sql: "INSERT INTO player VALUES (:name, :score)",
///                arguments: ["name": "Barbara", "score": 200])
/// ```
public struct StatementArguments: Hashable, Sendable {
  private(set) var values: [DatabaseValue] = []
  private(set) var namedValues: [String: DatabaseValue] = [:]

  /// There are no values.
  public var isEmpty: Bool { values.isEmpty && namedValues.isEmpty }

  /// No values.
  public init() {}

  init(values: [DatabaseValue]) { self.values = values }

  /// Values in order; nil is NULL.
  public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
    self.values = values.map { $0?.databaseValue ?? .null }
  }

  /// Values in order.
  public init(_ values: some Sequence<some DatabaseValueConvertible>) {
    self.values = values.map { $0.databaseValue }
  }

  /// Values in order; nil if one of them has no database value.
  public init?(_ array: [Any]) {
    for element in array {
      guard let value = DatabaseValue(value: element) else { return nil }
      values.append(value)
    }
  }

  /// Values by name, without the `:`, `@` or `$`.
  public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    namedValues = dictionary.mapValues { $0?.databaseValue ?? .null }
  }

  /// Values by name. Of two values with one name the last is taken.
  public init(_ keysAndValues: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
    for (name, value) in keysAndValues { namedValues[name] = value?.databaseValue ?? .null }
  }

  /// Values by name; nil if a key is no string, or a value has no database value.
  public init?(_ dictionary: [AnyHashable: Any]) {
    for (key, element) in dictionary {
      guard let name = key.base as? String, let value = DatabaseValue(value: element) else {
        return nil
      }
      namedValues[name] = value
    }
  }

  /// Adds values.
  ///
  /// - Returns: Values whose names were there before, and which are replaced.
  public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
    values.append(contentsOf: arguments.values)
    var replaced: [String: DatabaseValue] = [:]
    for (name, value) in arguments.namedValues {
      if let old = namedValues.updateValue(value, forKey: name) { replaced[name] = old }
    }
    return replaced
  }

  mutating func append(_ value: DatabaseValue) { values.append(value) }

  /// Both. Two values of one name stop the program: use `&+`, which takes the second.
  public static func + (left: StatementArguments, right: StatementArguments) -> StatementArguments {
    var sum = left
    sum += right
    return sum
  }

  /// Both; of two values of one name, the second.
  public static func &+ (
    left: StatementArguments, right: StatementArguments
  ) -> StatementArguments {
    var sum = left
    _ = sum.append(contentsOf: right)
    return sum
  }

  /// Adds values. Two values of one name stop the program.
  public static func += (left: inout StatementArguments, right: StatementArguments) {
    let replaced = left.append(contentsOf: right)
    precondition(
      replaced.isEmpty,
      "already defined statement argument: \(replaced.keys.sorted().joined(separator: ", "))")
  }

  /// The values for a statement's parameters, taken out of the values in order.
  ///
  /// - Parameter takesRest: Whether values that are left over are an error.
  mutating func takeValues(
    for statement: Statement, refusingRest refusesRest: Bool
  ) throws -> [DatabaseValue] {
    if namedValues.isEmpty && refusesRest && values.count == statement.parameterCount {
      defer { values = [] }
      return values
    }
    var taken: [DatabaseValue] = []
    var next = 0
    var missing: [String] = []
    for name in statement.parameterNames {
      if let name, let value = namedValues[name] {
        taken.append(value)
      } else if next < values.count {
        taken.append(values[next])
        next += 1
      } else if let name {
        missing.append(name)
      } else {
        throw wrongCount(statement)
      }
    }
    if !missing.isEmpty {
      if namedValues.isEmpty && !values.isEmpty { throw wrongCount(statement) }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "missing statement argument(s): \(missing.joined(separator: ", "))",
        sql: statement.sql)
    }
    if refusesRest && next < values.count { throw wrongCount(statement) }
    values.removeFirst(next)
    return taken
  }

  private func wrongCount(_ statement: Statement) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(values.count)",
      sql: statement.sql)
  }
}

extension StatementArguments: ExpressibleByArrayLiteral {
  /// Values in order; nil is NULL.
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) { self.init(elements) }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
  /// Values by name; nil is NULL.
  public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
    self.init(elements)
  }
}

extension StatementArguments: CustomStringConvertible {
  /// The values as an array literal, with names where they have some.
  public var description: String {
    let named = namedValues.sorted { $0.key < $1.key }.map {
      "\(String(reflecting: $0.key)): \($0.value)"
    }
    return "[\((named + values.map { $0.description }).joined(separator: ", "))]"
  }
}
