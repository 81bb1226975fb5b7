import MartletEngine

/// What can stand in a statement as an expression: expressions, values, queries.
public protocol Expressible {
  /// The expression, without its type.
  var expression: Expression<Void> { get }
}

/// SQL with its values, and a type.
public protocol ExpressionType: Expressible, CustomStringConvertible {
  /// The type of what the expression gives.
  associatedtype UnderlyingType = Void

  /// The SQL, with `?` for each value.
  var template: String { get }

  /// The values, from left to right.
  var bindings: [(any Binding)?] { get }

  /// An expression of SQL and the values of its `?`.
  init(_ template: String, _ bindings: [(any Binding)?])
}

/// SQL that gives a value of a type: a column, or what is computed of columns and values.
///
/// ```swift
/// let id = Expression<Int64>("id")
/// let name = Expression<String?>("name")
/// ```
///
/// `Expression<T>` promises that there is a value, `Expression<T?>` may be NULL. Where Foundation
/// is imported too, the name is `MartletTyped.Expression`, or `SQLite.Expression`.
public struct Expression<Datatype>: ExpressionType, Sendable {
  /// The type of what the expression gives.
  public typealias UnderlyingType = Datatype

  /// The SQL, with `?` for each value.
  public let template: String

  /// The values, from left to right.
  public let bindings: [(any Binding)?]

  /// Its operator binds less than others that may come around it, and it has no parentheses.
  @usableFromInline let isLoose: Bool

  /// An expression of SQL and the values of its `?`.
  @inlinable
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.init(template, bindings, isLoose: false)
  }

  /// Gives an expression its type.
  @inlinable
  init(part: Expression<Void>) {
    self.init(part.template, part.bindings, isLoose: part.isLoose)
  }

  /// Another expression with another type.
  @inlinable
  public init<Other>(_ expression: Expression<Other>) { self.init(part: expression.expression) }

  @inlinable
  init(_ template: String, _ bindings: [(any Binding)?], isLoose: Bool) {
    self.template = template
    self.bindings = bindings
    self.isLoose = isLoose
  }

  /// The expression without its type.
  @inlinable
  public var expression: Expression<Void> {
    Expression<Void>(template, bindings, isLoose: isLoose)
  }
}

extension ExpressionType {
  /// An expression of SQL as it stands. It must not come from outside.
  public init(literal: String) { self.init(literal, []) }

  /// A column by its name, which is quoted.
  public init(_ identifier: String) { self.init(literal: identifier.quotedIdentifier) }

  /// Another expression with another type.
  public init<Other: ExpressionType>(_ expression: Other) {
    self.init(expression.template, expression.bindings)
  }

  /// The expression without its type.
  public var expression: Expression<Void> { Expression(template, bindings) }

  /// The SQL with its values in it.
  public var description: String { asSQL() }

  /// Sorts from the smallest to the largest.
  public var asc: Expressible { " ".join([self, Expression<Void>(literal: "ASC")]) }

  /// Sorts from the largest to the smallest.
  public var desc: Expressible { " ".join([self, Expression<Void>(literal: "DESC")]) }
}

extension ExpressionType where UnderlyingType: ColumnType {
  /// A value as an expression.
  public init(value: UnderlyingType) { self.init("?", [value.columnBinding]) }
}

extension ExpressionType where UnderlyingType: ExpressibleByNilLiteral {
  /// NULL.
  public static var null: Self { Self("?", [nil]) }
}

extension Expressible {
  /// The SQL with its values in it, to look at, and for statements that cannot have parameters.
  public func asSQL() -> String {
    let expression = expression
    return SQLTemplate.expand(expression.template, expression.bindings)
  }
}
