/// What expressions can be typed with: a `Value`, or an optional one for what may be NULL.
///
/// It is what makes one generic operator of the many that Swift would need otherwise. `Value` and
/// `Optional` conform; nothing else has to.
public protocol ColumnType {
  /// The type without its optional.
  associatedtype ColumnValue: Value
  /// What comparing gives: `Bool`, or `Bool?` where NULL may come out.
  associatedtype ColumnCondition: ColumnType

  /// Columns of the type may be NULL.
  static var isNullable: Bool { get }

  /// What is bound for the value; nil for NULL.
  var columnBinding: (any Binding)? { get }
}

extension ColumnType {
  /// A binding that was read, as the type.
  ///
  /// - Parameter name: What the error says.
  /// - Throws: `QueryError.unexpectedNullValue` where there is none and the type is not optional.
  @usableFromInline
  static func column(from binding: ColumnValue.Datatype?, name: String) throws -> Self {
    if let binding {
      if let value = try ColumnValue.fromDatatypeValue(binding) as? Self { return value }
    } else if isNullable, let null = ColumnValue?.none as? Self {
      return null
    }
    throw QueryError.unexpectedNullValue(name: name)
  }
}

/// A type that can be stored: one of SQLite's own, or one that is stored as one of them.
///
/// ```swift
/// struct Temperature: Value {
///   var celsius: Double
///   static var declaredDatatype: String { Double.declaredDatatype }
///   static func fromDatatypeValue(_ value: Double) -> Temperature { Temperature(celsius: value) }
///   var datatypeValue: Double { celsius }
/// }
/// ```
public protocol Value: Expressible, ColumnType {
  /// What reading gives: the type itself.
  associatedtype ValueType = Self
  /// The type as which it is stored.
  associatedtype Datatype: Binding
  associatedtype ColumnValue = Self
  associatedtype ColumnCondition = Bool

  /// The type of columns in CREATE TABLE.
  static var declaredDatatype: String { get }

  /// Makes a value of what is stored.
  ///
  /// - Throws: What is wrong with it; reading the column throws that.
  static func fromDatatypeValue(_ datatypeValue: Datatype) throws -> ValueType

  /// What is stored for the value.
  var datatypeValue: Datatype { get }
}

extension Value {
  /// Columns are NOT NULL.
  @inlinable public static var isNullable: Bool { false }

  /// What is stored for the value.
  @inlinable public var columnBinding: (any Binding)? { datatypeValue }

  /// The value as an expression: a parameter with what is stored for it.
  public var expression: Expression<Void> { Expression("?", [datatypeValue]) }
}

extension Optional: ColumnType where Wrapped: Value {
  /// The type without its optional.
  public typealias ColumnValue = Wrapped
  /// NULL compares as NULL.
  public typealias ColumnCondition = Bool?

  /// Columns may be NULL.
  @inlinable public static var isNullable: Bool { true }

  /// What is stored for the value; nil for NULL.
  @inlinable public var columnBinding: (any Binding)? { self?.datatypeValue }
}
