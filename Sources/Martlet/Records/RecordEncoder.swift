import Foundation

extension EncodableRecord where Self: Encodable {
  /// Encodes the properties: values as they are, dates, bytes and UUIDs by their strategies,
  /// everything else as JSON.
  public func encode(to container: inout PersistenceContainer) throws {
    let encoder = RecordEncoder<Self>(container)
    try encode(to: encoder)
    container = encoder.container
  }
}

/// Gathers the properties of a record.
private final class RecordEncoder<Record: EncodableRecord>: Encoder {
  var container: PersistenceContainer
  let strategy = Record.databaseColumnEncodingStrategy
  let codingPath: [any CodingKey] = []

  init(_ container: PersistenceContainer) { self.container = container }

  var userInfo: [CodingUserInfoKey: Any] { Record.databaseEncodingUserInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RecordContainer<Record, Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("a record is no sequence of values")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { RecordPart(encoder: self) }
}

/// Another value that writes columns of the record: one that the record wraps.
private struct RecordPart<Record: EncodableRecord>: SingleValueEncodingContainer {
  let encoder: RecordEncoder<Record>

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws {}

  func encode<Value: Encodable>(_ value: Value) throws {
    if let record = value as? any EncodableRecord {
      return try record.encode(to: &encoder.container)
    }
    if value is any DatabaseValueConvertible {
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "a record is no single value"))
    }
    try value.encode(to: encoder)
  }
}

/// The properties of a record as columns.
private struct RecordContainer<Record: EncodableRecord, Key: CodingKey>:
  KeyedEncodingContainerProtocol
{
  let encoder: RecordEncoder<Record>

  var codingPath: [any CodingKey] { encoder.codingPath }

  @inline(__always)
  private func set(_ value: DatabaseValue, _ key: Key) {
    encoder.container.set(value, codingKey: encoder.strategy.column(forKey: key))
  }

  /// SQLite's integers have 64 bits and a sign.
  private func set(integer value: some UnsignedInteger, _ key: Key) throws {
    guard let value = Int64(exactly: value) else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: [key], debugDescription: "\(value) is no 64-bit integer of SQLite"))
    }
    set(value.databaseValue, key)
  }

  func encodeNil(forKey key: Key) { set(.null, key) }

  func encode(_ value: Bool, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: Int, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: Int8, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: Int16, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: Int32, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: Int64, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: UInt, forKey key: Key) throws { try set(integer: value, key) }
  func encode(_ value: UInt8, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: UInt16, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: UInt32, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try set(integer: value, key) }
  func encode(_ value: Float, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: Double, forKey key: Key) { set(value.databaseValue, key) }
  func encode(_ value: String, forKey key: Key) { set(value.databaseValue, key) }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: Int?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
    if let value { try set(integer: value, key) } else { set(.null, key) }
  }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    if let value { try set(integer: value, key) } else { set(.null, key) }
  }
  func encodeIfPresent(_ value: Float?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: Double?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }
  func encodeIfPresent(_ value: String?, forKey key: Key) {
    set(value?.databaseValue ?? .null, key)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    set(try databaseValue(of: value, key.stringValue), key)
  }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    guard let value else { return set(.null, key) }
    try encode(value, forKey: key)
  }

  private func databaseValue<T: Encodable>(of value: T, _ name: String) throws -> DatabaseValue {
    if let value = try Self.plainValue(of: value, name) { return value }
    let context = SingleValueContext(
      codingPath: [AnyKey(name)], userInfo: encoder.userInfo,
      plainValue: { try Self.plainValue(of: $0, name) })
    return try SingleValueWriter.databaseValue(of: value, context) {
      Record.databaseJSONEncoder(for: name)
    }
  }

  /// The value by the record's strategies; nil for a type that encodes itself.
  private static func plainValue(of value: Any, _ name: String) throws -> DatabaseValue? {
    switch value {
    case let date as Date: Record.databaseDateEncodingStrategy(for: name).encode(date)
    case let data as Data: try Record.databaseDataEncodingStrategy(for: name).encode(data)
    case let uuid as UUID: Record.databaseUUIDEncodingStrategy(for: name).encode(uuid)
    case let value as any DatabaseValueConvertible: value.databaseValue
    default: nil
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    preconditionFailure("a record has no nested keys: \(key.stringValue)")
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    preconditionFailure("a record has no nested sequences: \(key.stringValue)")
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
