import Foundation
import MartletEngine

/// The columns of a row as properties.
@usableFromInline
struct RowContainer<Record: FetchableRecord, Key: CodingKey>: KeyedDecodingContainerProtocol {
  @usableFromInline let decoder: RowDecoder<Record>

  @inlinable
  init(decoder: RowDecoder<Record>) { self.decoder = decoder }

  @inlinable var row: Row { decoder.row }
  @usableFromInline var codingPath: [any CodingKey] { decoder.codingPath }

  @usableFromInline
  var allKeys: [Key] {
    let columns = row.shape.names.map { decoder.strategy.key(ofColumn: $0) }
    let scopes = row.scopesTree.names
    let names = columns + scopes.filter { row.scopesTree[$0]?.containsNonNullValue ?? false }
      + row.prefetchedRows.keys
    return names.compactMap { Key(stringValue: $0) }
  }

  @usableFromInline
  func contains(_ key: Key) -> Bool {
    let name = key.stringValue
    return decoder.column(ofKey: name) >= 0 || row.scopesTree[name] != nil
      || row.prefetchedRows[name] != nil
  }

  @usableFromInline
  func decodeNil(forKey key: Key) -> Bool {
    let name = key.stringValue
    let column = decoder.column(ofKey: name)
    if column >= 0 { return row.hasNull(atIndex: column) }
    if let scope = row.scopesTree[name] { return !scope.containsNonNullValue }
    return row.prefetchedRows[name] == nil
  }

  @usableFromInline
  func missing(_ key: Key) -> RowDecodingError {
    let name = key.stringValue
    guard decoder.renamesColumns else {
      return .keyNotFound(.columnName(name), in: row)
    }
    let column = SnakeCase.snake(name)
    return .keyNotFound(
      .columnName(name), in: row,
      detail: "key not found: \(String(reflecting: name)), "
        + "converted from column \(String(reflecting: column))")
  }

  @inlinable @inline(__always)
  func column<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value {
    let column = decoder.column(ofKey: key.stringValue)
    if column < 0 { throw missing(key) }
    return try row.decode(type, atIndex: column)
  }

  @inlinable @inline(__always)
  func columnIfPresent<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value? {
    let column = decoder.column(ofKey: key.stringValue)
    if column < 0 { return nil }
    return try row.decode(Value?.self, atIndex: column)
  }

  @inlinable
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try column(type, key) }
  @inlinable
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try column(type, key) }
  @inlinable
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try column(type, key) }
  @inlinable
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try column(type, key) }
  @inlinable
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try column(type, key) }
  @inlinable
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try column(type, key) }
  @inlinable
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try column(type, key) }
  @inlinable
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try column(type, key) }
  @inlinable
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try column(type, key) }
  @inlinable
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try column(type, key) }
  @inlinable
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try column(type, key) }
  @inlinable
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try column(type, key) }
  @inlinable
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try column(type, key) }
  @inlinable
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try column(type, key) }

  @inlinable
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try columnIfPresent(type, key)
  }
  @inlinable
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try columnIfPresent(type, key)
  }

  @usableFromInline
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let column = decoder.column(ofKey: key.stringValue)
    if column >= 0 { return try decodeColumn(type, column, key) }
    return try decodeNested(type, key)
  }

  @usableFromInline
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let column = decoder.column(ofKey: key.stringValue)
    if column >= 0 {
      return row.hasNull(atIndex: column) ? nil : try decodeColumn(type, column, key)
    }
    let name = key.stringValue
    if let scope = row.scopesTree[name] {
      return scope.containsNonNullValue ? try decodeNested(type, key) : nil
    }
    return row.prefetchedRows[name] == nil ? nil : try decodeNested(type, key)
  }

  @usableFromInline
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw DecodingError.typeMismatch(
      [String: Any].self,
      .init(codingPath: codingPath + [key], debugDescription: "a column has no keys"))
  }

  @usableFromInline
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw DecodingError.typeMismatch(
      [Any].self,
      .init(codingPath: codingPath + [key], debugDescription: "a column is no sequence"))
  }

  @usableFromInline
  func superDecoder() throws -> any Decoder { decoder }
  @usableFromInline
  func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}
