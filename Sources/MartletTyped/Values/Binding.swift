import MartletEngine

/// A type that SQLite stores as it is: an integer, a real, a text or a blob.
///
/// Types of an application conform to `Value` instead, which names one of these as its `Datatype`.
public protocol Binding: Sendable {
  /// The value as the engine stores it.
  ///
  /// - Throws: `Result.error` for what no storage class can hold, as unsigned numbers above 2^63.
  var stored: MartletEngine.Value { get throws }

  /// A stored value; nil where it has another storage class.
  static func fromStored(_ value: MartletEngine.Value) -> Self?
}

/// A binding that counts: what arithmetic takes.
public protocol Number: Binding {}

extension Int64: Number {
  /// Stored as INTEGER.
  @inlinable public var stored: MartletEngine.Value { .integer(self) }

  /// Takes integers.
  @inlinable
  public static func fromStored(_ value: MartletEngine.Value) -> Int64? {
    guard case .integer(let number) = value else { return nil }
    return number
  }
}

extension Double: Number {
  /// Stored as REAL; NaN is NULL.
  @inlinable public var stored: MartletEngine.Value { .real(self) }

  /// Takes reals, and integers that a column without a type may hold.
  @inlinable
  public static func fromStored(_ value: MartletEngine.Value) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
}

extension String: Binding {
  /// Stored as TEXT, zero bytes included.
  @inlinable public var stored: MartletEngine.Value { .text(self) }

  /// Takes texts.
  @inlinable
  public static func fromStored(_ value: MartletEngine.Value) -> String? {
    guard case .text(let text) = value else { return nil }
    return text
  }
}

extension Blob: Binding {
  /// Stored as BLOB.
  @inlinable public var stored: MartletEngine.Value { .blob(bytes) }

  /// Takes blobs.
  @inlinable
  public static func fromStored(_ value: MartletEngine.Value) -> Blob? {
    guard case .blob(let bytes) = value else { return nil }
    return Blob(bytes: bytes)
  }
}

extension Int: Number {
  /// Stored as INTEGER.
  @inlinable public var stored: MartletEngine.Value { .integer(Int64(self)) }

  /// Takes integers.
  @inlinable
  public static func fromStored(_ value: MartletEngine.Value) -> Int? {
    guard case .integer(let number) = value else { return nil }
    return Int(exactly: number)
  }
}

extension Bool: Binding {
  /// Stored as the INTEGER 0 or 1.
  @inlinable public var stored: MartletEngine.Value { .integer(self ? 1 : 0) }

  /// Takes integers; all but 0 are true.
  @inlinable
  public static func fromStored(_ value: MartletEngine.Value) -> Bool? {
    guard case .integer(let number) = value else { return nil }
    return number != 0
  }
}

extension UInt64: Number {
  /// Stored as INTEGER.
  ///
  /// - Throws: `Result.error` above 2^63 - 1, which SQLite's integers do not reach.
  public var stored: MartletEngine.Value {
    get throws {
      guard let number = Int64(exactly: self) else {
        throw Result.misuse("the number \(self) is too large for an INTEGER")
      }
      return .integer(number)
    }
  }

  /// Takes integers that are not negative.
  public static func fromStored(_ value: MartletEngine.Value) -> UInt64? {
    guard case .integer(let number) = value else { return nil }
    return UInt64(exactly: number)
  }
}

extension MartletEngine.Value {
  /// The value as one of the four types of bindings; nil for NULL.
  var binding: (any Binding)? {
    switch self {
    case .null: nil
    case .integer(let number): number
    case .real(let number): number
    case .text(let text): text
    case .blob(let bytes): Blob(bytes: bytes)
    }
  }
}
