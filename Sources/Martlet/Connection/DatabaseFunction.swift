import Foundation
import MartletEngine

/// A function or an aggregate of SQL that is written in Swift.
///
/// ```swift
/// let successor = DatabaseFunction("succ", argumentCount: 1, pure: true) { values in
///   Int.fromDatabaseValue(values[0]).map { $0 + 1 }
/// }
/// db.add(function: successor)
/// let three = try Int.fetchOne(db, sql: "SELECT succ(2)")
/// ```
public final class DatabaseFunction: Identifiable, Sendable {
  /// What a function is known by: its name and how many arguments it takes.
  public struct ID: Hashable, Sendable {
    let name: String
    let argumentCount: Int
  }

  /// The name in SQL.
  public var name: String { id.name }

  /// Name and argument count.
  public let id: ID

  private let isPure: Bool
  private let kind: Kind

  private enum Kind: Sendable {
    case function(@Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?)
    case aggregate(@Sendable () -> any DatabaseAggregate)
  }

  /// Makes a function.
  ///
  /// - Parameters:
  ///   - name: The name of the function in SQL.
  ///   - argumentCount: How many arguments it takes; nil for any number.
  ///   - isPure: Equal arguments give equal results, so it may stand in indexes.
  ///   - function: Makes the result. The statement fails with what it throws: a `DatabaseError`
  ///     keeps its code.
  public init(
    _ name: String, argumentCount: Int? = nil, pure isPure: Bool = false,
    function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
  ) {
    id = ID(name: name, argumentCount: argumentCount ?? -1)
    self.isPure = isPure
    kind = .function(function)
  }

  /// Makes an aggregate, which has one value of the type for each group of rows.
  public init<Aggregate: DatabaseAggregate>(
    _ name: String, argumentCount: Int? = nil, pure isPure: Bool = false,
    aggregate: Aggregate.Type
  ) {
    id = ID(name: name, argumentCount: argumentCount ?? -1)
    self.isPure = isPure
    kind = .aggregate { Aggregate() }
  }

  /// A call of the function in a query.
  ///
  /// ```swift
  /// Player.select(successor(Column("score")))
  /// ```
  public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
    let arguments = arguments.map { $0.sqlExpression }
    switch kind {
    case .function: return SQLExpression(.function(name, arguments))
    case .aggregate: return SQLExpression(.aggregate(.init(name: name, arguments: arguments)))
    }
  }

  func install(on connection: Connection) throws(SQLError) {
    let options: FunctionOptions = isPure ? .deterministic : []
    switch kind {
    case .function(let function):
      try connection.createFunction(
        name, argumentCount: id.argumentCount, options: options
      ) { call throws(SQLError) in
        let values = try DatabaseFunction.arguments(of: call)
        try call.setResult(DatabaseFunction.result { try function(values) })
      }
    case .aggregate(let makeAggregate):
      try connection.createAggregate(
        name, argumentCount: id.argumentCount, options: options, initial: { makeAggregate() },
        step: { aggregate, call throws(SQLError) in
          let values = try DatabaseFunction.arguments(of: call)
          _ = try DatabaseFunction.result {
            try aggregate.step(values)
            return nil
          }
        },
        result: { aggregate, call throws(SQLError) in
          try call.setResult(DatabaseFunction.result { try aggregate.finalize() })
        })
    }
  }

  private static func arguments(
    of call: borrowing FunctionInvocation
  ) throws(SQLError) -> [DatabaseValue] {
    var values: [DatabaseValue] = []
    values.reserveCapacity(call.count)
    for index in 0..<call.count { values.append(DatabaseValue(try call.value(index))) }
    return values
  }

  private static func result(
    _ body: () throws -> (any DatabaseValueConvertible)?
  ) throws(SQLError) -> Value {
    do {
      return try body()?.databaseValue.engineValue ?? .null
    } catch let error as DatabaseError {
      throw SQLError(error.extendedResultCode.engineCode, error.message ?? "")
    } catch {
      throw SQLError(.error, "\(error)")
    }
  }
}

/// The state of an aggregate function while it goes through a group of rows.
///
/// ```swift
/// struct LongestText: DatabaseAggregate {
///   var longest: String?
///   mutating func step(_ values: [DatabaseValue]) {
///     guard let text = String.fromDatabaseValue(values[0]) else { return }
///     if text.count > (longest?.count ?? -1) { longest = text }
///   }
///   func finalize() -> (any DatabaseValueConvertible)? { longest }
/// }
/// ```
public protocol DatabaseAggregate: SendableMetatype {
  /// The state before the first row.
  init()

  /// Takes the arguments of a row.
  mutating func step(_ dbValues: [DatabaseValue]) throws

  /// The result of the group.
  func finalize() throws -> (any DatabaseValueConvertible)?
}

extension Database {
  /// Makes a function known to the connection's SQL. One with the same name and argument count is
  /// replaced.
  public func add(function: DatabaseFunction) {
    stopOutsideAccess()
    do {
      try function.install(on: connection)
    } catch {
      preconditionFailure("function \(function.name): \(error)")
    }
  }

  /// Takes a function back.
  public func remove(function: DatabaseFunction) {
    stopOutsideAccess()
    do {
      try connection.removeFunction(function.name, argumentCount: function.id.argumentCount)
    } catch {
      preconditionFailure("function \(function.name): \(error)")
    }
  }
}

extension DatabaseFunction {
  /// `capitalized` of Swift.
  public static let capitalize = text("swiftCapitalizedString") { $0.capitalized }
  /// `lowercased()` of Swift.
  public static let lowercase = text("swiftLowercaseString") { $0.lowercased() }
  /// `uppercased()` of Swift.
  public static let uppercase = text("swiftUppercaseString") { $0.uppercased() }
  /// `capitalized(with:)` of Foundation, for the current locale.
  public static let localizedCapitalize = text("swiftLocalizedCapitalizedString") {
    $0.capitalized(with: .current)
  }
  /// `lowercased(with:)` of Foundation, for the current locale.
  public static let localizedLowercase = text("swiftLocalizedLowercaseString") {
    $0.lowercased(with: .current)
  }
  /// `uppercased(with:)` of Foundation, for the current locale.
  public static let localizedUppercase = text("swiftLocalizedUppercaseString") {
    $0.uppercased(with: .current)
  }

  static let builtIn = [
    capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase, localizedUppercase,
  ]

  private static func text(
    _ name: String, _ transform: @escaping @Sendable (String) -> String
  ) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map(transform)
    }
  }
}
