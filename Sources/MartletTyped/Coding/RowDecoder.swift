import Foundation
import MartletEngine

/// Reads properties from the columns of a row. It knows no type of keys, so that reading is
/// compiled for each type of values.
final class RowDecoder: Decoder {
  let row: Row
  let userInfo: [CodingUserInfoKey: Any]
  var codingPath: [any CodingKey] { [] }

  init(row: Row, userInfo: [CodingUserInfoKey: Any]) {
    self.row = row
    self.userInfo = userInfo
  }

  fileprivate func value(_ key: String) throws -> MartletEngine.Value {
    guard let place = row.columns.place(ofKey: key) else {
      // Says why there is none.
      _ = try row.columns.place(of: key.quotedIdentifier)
      return .null
    }
    return place < row.values.count ? row.values[place] : .null
  }

  fileprivate func read<V: Value>(_ key: String) throws -> V {
    guard let stored = V.Datatype.fromStored(try value(key)),
      let value = try V.fromDatatypeValue(stored) as? V
    else { throw QueryError.unexpectedNullValue(name: key) }
    return value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowDecodingContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw mismatch("a row is not a list")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    WholeRowContainer(decoder: self)
  }

  fileprivate func mismatch(_ message: String, _ key: (any CodingKey)? = nil) -> DecodingError {
    DecodingError.typeMismatch(
      Row.self,
      DecodingError.Context(
        codingPath: codingPath + (key.map { [$0] } ?? []), debugDescription: message))
  }
}

private struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  /// The last name of each column that is a key.
  var allKeys: [Key] {
    decoder.row.columns.names.compactMap { Key(stringValue: $0.lastIdentifier.unquotedIdentifier) }
  }

  func contains(_ key: Key) -> Bool { decoder.row.columns.place(ofKey: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder.value(key.stringValue) == .null }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder.read(key.stringValue) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try decoder.read(key.stringValue)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try decoder.read(key.stringValue)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    if let type = type as? any Value.Type {
      guard let value = try stored(type, key) as? T else {
        throw decoder.mismatch("not a \(type)", key)
      }
      return value
    }
    switch try decoder.value(key.stringValue) {
    case .null: throw QueryError.unexpectedNullValue(name: key.stringValue)
    case .text(let text): return try decodeJSON(type, text, key)
    case .integer(let number): return try decodeJSON(type, String(number), key)
    case .real(let number): return try decodeJSON(type, String(number), key)
    case .blob(let bytes): return try decodeJSON(type, String(decoding: bytes, as: UTF8.self), key)
    }
  }

  private func stored<V: Value>(_ type: V.Type, _ key: Key) throws -> V {
    try decoder.read(key.stringValue)
  }

  /// JSON, or a text that would be JSON with quotes.
  private func decodeJSON<T: Decodable>(_ type: T.Type, _ text: String, _ key: Key) throws -> T {
    do {
      return try JSONDecoder().decode(Wrapped<T>.self, from: Data("[\(text)]".utf8)).value
    } catch {
      let quoted = try JSONEncoder().encode([text])
      if let wrapped = try? JSONDecoder().decode(Wrapped<T>.self, from: quoted) {
        return wrapped.value
      }
      throw error
    }
  }

  private struct Wrapped<T: Decodable>: Decodable {
    let value: T

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      value = try list.decode(T.self)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    throw decoder.mismatch("a column is not nested", key)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw decoder.mismatch("a column is not a list", key)
  }

  func superDecoder() -> any Decoder { decoder }
  func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

/// The whole row, for types that wrap another one, as optionals do.
private struct WholeRowContainer: SingleValueDecodingContainer {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: decoder) }

  private func refuse<T>() throws -> T { throw decoder.mismatch("a row is not a single value") }

  func decode(_ type: Bool.Type) throws -> Bool { try refuse() }
  func decode(_ type: String.Type) throws -> String { try refuse() }
  func decode(_ type: Double.Type) throws -> Double { try refuse() }
  func decode(_ type: Float.Type) throws -> Float { try refuse() }
  func decode(_ type: Int.Type) throws -> Int { try refuse() }
  func decode(_ type: Int8.Type) throws -> Int8 { try refuse() }
  func decode(_ type: Int16.Type) throws -> Int16 { try refuse() }
  func decode(_ type: Int32.Type) throws -> Int32 { try refuse() }
  func decode(_ type: Int64.Type) throws -> Int64 { try refuse() }
  func decode(_ type: UInt.Type) throws -> UInt { try refuse() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try refuse() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try refuse() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try refuse() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try refuse() }
}
