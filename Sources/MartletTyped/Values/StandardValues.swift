extension Int64: Value {
  /// `INTEGER`.
  public static var declaredDatatype: String { "INTEGER" }
  /// The number itself.
  @inlinable public static func fromDatatypeValue(_ value: Int64) -> Int64 { value }
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { self }
}

extension Double: Value {
  /// `REAL`.
  public static var declaredDatatype: String { "REAL" }
  /// The number itself.
  @inlinable public static func fromDatatypeValue(_ value: Double) -> Double { value }
  /// The number itself.
  @inlinable public var datatypeValue: Double { self }
}

extension String: Value {
  /// `TEXT`.
  public static var declaredDatatype: String { "TEXT" }
  /// The text itself.
  @inlinable public static func fromDatatypeValue(_ value: String) -> String { value }
  /// The text itself.
  @inlinable public var datatypeValue: String { self }
}

extension Blob: Value {
  /// `BLOB`.
  public static var declaredDatatype: String { "BLOB" }
  /// The bytes themselves.
  @inlinable public static func fromDatatypeValue(_ value: Blob) -> Blob { value }
  /// The bytes themselves.
  @inlinable public var datatypeValue: Blob { self }
}

extension Bool: Value {
  /// `INTEGER`.
  public static var declaredDatatype: String { "INTEGER" }
  /// All but 0 are true.
  @inlinable public static func fromDatatypeValue(_ value: Int64) -> Bool { value != 0 }
  /// 0 or 1.
  @inlinable public var datatypeValue: Int64 { self ? 1 : 0 }
}

extension Float: Value {
  /// `REAL`.
  public static var declaredDatatype: String { "REAL" }
  /// The nearest number.
  @inlinable public static func fromDatatypeValue(_ value: Double) -> Float { Float(value) }
  /// The number itself.
  @inlinable public var datatypeValue: Double { Double(self) }
}

/// An integer that is stored as INTEGER.
public protocol StoredInteger: FixedWidthInteger, Value
where Datatype == Int64, ValueType == Self {}

extension StoredInteger {
  /// `INTEGER`.
  public static var declaredDatatype: String { "INTEGER" }

  /// The number.
  ///
  /// - Throws: `Result.error` where the type has no room for it.
  @inlinable
  public static func fromDatatypeValue(_ value: Int64) throws -> Self {
    guard let number = Self(exactly: value) else {
      throw Result.misuse("the number \(value) does not fit in \(Self.self)")
    }
    return number
  }
}

extension Int: StoredInteger {
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { Int64(self) }
}

extension Int8: StoredInteger {
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { Int64(self) }
}

extension Int16: StoredInteger {
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { Int64(self) }
}

extension Int32: StoredInteger {
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { Int64(self) }
}

extension UInt8: StoredInteger {
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { Int64(self) }
}

extension UInt16: StoredInteger {
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { Int64(self) }
}

extension UInt32: StoredInteger {
  /// The number itself.
  @inlinable public var datatypeValue: Int64 { Int64(self) }
}

extension UInt64: Value {
  /// `INTEGER`.
  public static var declaredDatatype: String { "INTEGER" }
  /// The number itself.
  public static func fromDatatypeValue(_ value: UInt64) -> UInt64 { value }
  /// The number itself; above 2^63 - 1 the statement throws.
  public var datatypeValue: UInt64 { self }
}

extension UInt: Value {
  /// `INTEGER`.
  public static var declaredDatatype: String { "INTEGER" }
  /// The number itself.
  public static func fromDatatypeValue(_ value: UInt64) throws -> UInt {
    guard let number = UInt(exactly: value) else {
      throw Result.misuse("the number \(value) does not fit in UInt")
    }
    return number
  }
  /// The number itself; above 2^63 - 1 the statement throws.
  public var datatypeValue: UInt64 { UInt64(self) }
}
