import Foundation

// Codable types as values: those that encode themselves as a single value are stored as that value,
// all others as JSON text.

extension DatabaseValueConvertible where Self: Encodable {
  /// The single value that the value encodes itself as, or JSON text.
  ///
  /// What the encoder refuses stops the program; `encodedDatabaseValue()` throws instead.
  public var databaseValue: DatabaseValue {
    do {
      return try encodedDatabaseValue()
    } catch {
      preconditionFailure("\(Self.self) could not be encoded: \(error)")
    }
  }

  /// What `databaseValue` is, for values that their encoder may refuse.
  public func encodedDatabaseValue() throws -> DatabaseValue {
    try SingleValueWriter.databaseValue(of: self) { Self.databaseJSONEncoder() }
  }
}

extension DatabaseValueConvertible where Self: Decodable {
  /// Decodes a single value, or JSON; nil if the value cannot be decoded.
  public static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> Self? {
    try? SingleValueReader.decode(Self.self, from: databaseValue) { Self.databaseJSONDecoder() }
  }
}

extension DatabaseValueConvertible
where Self: Encodable & RawRepresentable, Self.RawValue: DatabaseValueConvertible {
  /// The stored form of the raw value.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable & RawRepresentable, Self.RawValue: DatabaseValueConvertible {
  /// Makes a value of a stored raw value; nil if the type has no such value.
  public static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(databaseValue).flatMap { Self(rawValue: $0) }
  }
}

/// The type asks for a keyed or unkeyed container: it is stored as JSON.
struct NeedsJSON: Error {}

// MARK: - Encoding

/// What a value that encodes or decodes itself finds in its encoder or decoder.
struct SingleValueContext {
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] = [:]
  /// The stored form of a value that does not encode itself.
  var plainValue: (Any) throws -> DatabaseValue? = {
    ($0 as? any DatabaseValueConvertible)?.databaseValue
  }
  /// A value of a type that does not decode itself.
  var decoded: (Any.Type, DatabaseValue) throws -> Any? = { _, _ in nil }
}

/// The name of a property whose type of key is not known.
struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Lets a value encode itself as a single value.
struct SingleValueWriter: Encoder {
  final class Result {
    var value = DatabaseValue.null
    /// A container was asked for that is no single value; perhaps it stays empty.
    var needsJSON = false
  }

  let context: SingleValueContext
  let result = Result()

  var codingPath: [any CodingKey] { context.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  /// The single value that `value` encodes itself as, else what the JSON encoder makes of it.
  static func databaseValue<Value: Encodable>(
    of value: Value, _ context: SingleValueContext = SingleValueContext(),
    encoder: () -> JSONEncoder
  ) throws -> DatabaseValue {
    let writer = SingleValueWriter(context: context)
    do {
      try value.encode(to: writer)
      if !writer.result.needsJSON { return writer.result.value }
    } catch is NeedsJSON {}
    let data = try encoder().encode(value)
    return String(decoding: data, as: UTF8.self).databaseValue
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    result.needsJSON = true
    return KeyedEncodingContainer(RefusingKeyedWriter<Key>())
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    result.needsJSON = true
    return RefusingUnkeyedWriter()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension SingleValueWriter: SingleValueEncodingContainer {
  func encodeNil() { result.value = .null }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let plain = try context.plainValue(value) {
      result.value = plain
    } else {
      try value.encode(to: self)
    }
  }
}

/// Every attempt to encode ends in `NeedsJSON`.
private struct RefusingKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey] = []
  func encodeNil(forKey key: Key) throws { throw NeedsJSON() }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw NeedsJSON() }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeyedWriter<Nested>())
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingUnkeyedWriter()
  }
  func superEncoder() -> any Encoder { RefusingWriter() }
  func superEncoder(forKey key: Key) -> any Encoder { RefusingWriter() }
}

private struct RefusingUnkeyedWriter: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey] = []
  let count = 0
  func encodeNil() throws { throw NeedsJSON() }
  func encode<Value: Encodable>(_ value: Value) throws { throw NeedsJSON() }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeyedWriter<Nested>())
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { RefusingWriter() }
}

private struct RefusingWriter: Encoder, SingleValueEncodingContainer {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedWriter<Key>())
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingUnkeyedWriter() }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() throws { throw NeedsJSON() }
  func encode<Value: Encodable>(_ value: Value) throws { throw NeedsJSON() }
}

// MARK: - Decoding

/// Lets a type decode itself from a single value.
struct SingleValueReader: Decoder {
  let value: DatabaseValue
  let context: SingleValueContext

  var codingPath: [any CodingKey] { context.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

  /// What the type makes of the value, else what the JSON decoder makes of its text.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from value: DatabaseValue,
    _ context: SingleValueContext = SingleValueContext(), decoder: () -> JSONDecoder
  ) throws -> Value {
    do {
      return try Value(from: SingleValueReader(value: value, context: context))
    } catch is NeedsJSON {
      guard let data = Data.fromDatabaseValue(value) else {
        throw DecodingError.typeMismatch(
          type,
          .init(codingPath: context.codingPath, debugDescription: "\(value) is not JSON"))
      }
      return try decoder().decode(type, from: data)
    }
  }

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    throw NeedsJSON()
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NeedsJSON() }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SingleValueReader: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let decoded = try context.decoded(type, value) as? Value { return decoded }
    guard let convertible = type as? any DatabaseValueConvertible.Type else {
      return try Value(from: self)
    }
    guard let result = convertible.fromDatabaseValue(value) as? Value else {
      throw DecodingError.typeMismatch(
        type, .init(codingPath: codingPath, debugDescription: "\(value) is no \(type)"))
    }
    return result
  }
}
