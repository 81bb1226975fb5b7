import Foundation

/// Makes setters of a value's properties.
final class RowEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  let userInfo: [CodingUserInfoKey: Any]
  fileprivate var setters: [Setter] = []
  fileprivate let writesNull: Bool

  private init(_ userInfo: [CodingUserInfoKey: Any], writesNull: Bool) {
    self.userInfo = userInfo
    self.writesNull = writesNull
  }

  static func setters(
    of value: any Encodable, _ userInfo: [CodingUserInfoKey: Any], writesNull: Bool = false
  ) throws -> [Setter] {
    let encoder = RowEncoder(userInfo, writesNull: writesNull)
    try value.encode(to: encoder)
    if let failure = encoder.failure { throw failure }
    return encoder.setters
  }

  /// What the value has asked for and a row cannot be.
  private var failure: EncodingError?

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RowEncodingContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    refuse("a list")
    return DroppedContainer()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    refuse("a single value")
    return DroppedContainer()
  }

  fileprivate func refuse(_ what: String) {
    failure = EncodingError.invalidValue(
      what, EncodingError.Context(codingPath: [], debugDescription: "a row is not \(what)"))
  }

  fileprivate func set(_ key: any CodingKey, _ value: (any Binding)?) {
    setters.append(Setter(Expression<Void>(key.stringValue), binding: value))
  }
}

private struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { [] }

  private func setIfPresent(_ key: Key, _ value: (any Binding)?) {
    if value != nil || encoder.writesNull { encoder.set(key, value) }
  }

  func encodeNil(forKey key: Key) { encoder.set(key, nil) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    encoder.set(key, try ColumnEncoding.binding(of: value, encoder.userInfo))
  }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    guard let value else { return setIfPresent(key, nil) }
    encoder.set(key, try ColumnEncoding.binding(of: value, encoder.userInfo))
  }

  func encode(_ value: Bool, forKey key: Key) { encoder.set(key, value) }
  func encode(_ value: String, forKey key: Key) { encoder.set(key, value) }
  func encode(_ value: Double, forKey key: Key) { encoder.set(key, value) }
  func encode(_ value: Float, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: Int, forKey key: Key) { encoder.set(key, value) }
  func encode(_ value: Int8, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: Int16, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: Int32, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: Int64, forKey key: Key) { encoder.set(key, value) }
  func encode(_ value: UInt, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: UInt8, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: UInt16, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: UInt32, forKey key: Key) { encoder.set(key, value.datatypeValue) }
  func encode(_ value: UInt64, forKey key: Key) { encoder.set(key, value) }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) { setIfPresent(key, value) }
  func encodeIfPresent(_ value: String?, forKey key: Key) { setIfPresent(key, value) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) { setIfPresent(key, value) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) { setIfPresent(key, value?.datatypeValue) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) { setIfPresent(key, value) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) { setIfPresent(key, value?.datatypeValue) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) { setIfPresent(key, value?.datatypeValue) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) { setIfPresent(key, value?.datatypeValue) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) { setIfPresent(key, value) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) { setIfPresent(key, value?.datatypeValue) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) { setIfPresent(key, value?.datatypeValue) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
    setIfPresent(key, value?.datatypeValue)
  }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
    setIfPresent(key, value?.datatypeValue)
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) { setIfPresent(key, value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.refuse("nested")
    return KeyedEncodingContainer(RowEncodingContainer<NestedKey>(encoder: encoder))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.refuse("nested")
    return DroppedContainer()
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// How a property that is no number or text of its own becomes a column.
enum ColumnEncoding {
  static func binding<T: Encodable>(
    of value: T, _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> (any Binding)? {
    if let value = value as? any Value { return value.datatypeValue }
    let data = try encoder.encode(Wrapped(value: value))
    let text = String(decoding: data, as: UTF8.self)
    // The list that the value was wrapped in, as not every version writes single values.
    let json = String(text.dropFirst().dropLast())
    if userInfo[.encodesSingleValuesAsJSON] as? Bool == true { return json }
    if json.utf8.first == UInt8(ascii: "\"") {
      return try JSONDecoder().decode([String].self, from: data).first
    }
    return json
  }

  private struct Wrapped<T: Encodable>: Encodable {
    let value: T

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      try list.encode(value)
    }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

/// Takes what a row has no place for, before the error is thrown.
private struct DroppedContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  func encodeNil() {}
  func encode<T: Encodable>(_ value: T) {}

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(DroppedKeys<NestedKey>())
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { DroppingEncoder() }
}

private struct DroppedKeys<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) {}
  func encode<T: Encodable>(_ value: T, forKey key: Key) {}

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(DroppedKeys<NestedKey>())
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    DroppedContainer()
  }

  func superEncoder() -> any Encoder { DroppingEncoder() }
  func superEncoder(forKey key: Key) -> any Encoder { DroppingEncoder() }
}

private struct DroppingEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(DroppedKeys<Key>())
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { DroppedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { DroppedContainer() }
}
