import Foundation
import MartletEngine

/// The columns of a row as properties.
///
/// It is plain data: the standard library copies a container for every property.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// It lives while the record is decoded.
  let decoder: Unmanaged<RowDecoder>

  @inline(__always)
  private func lend<Result>(_ body: (RowDecoder) throws -> Result) rethrows -> Result {
    try decoder._withUnsafeGuaranteedRef(body)
  }

  var row: Row { lend { $0.row.takeUnretainedValue() } }
  var codingPath: [any CodingKey] { lend { $0.codingPath } }

  var allKeys: [Key] {
    let strategy = lend { $0.strategy }
    let columns = row.shape.names.map { strategy.key(ofColumn: $0) }
    let scopes = row.scopesTree.names
    let names = columns + scopes.filter { row.scopesTree[$0]?.containsNonNullValue ?? false }
      + row.prefetchedRows.keys
    return names.compactMap { Key(stringValue: $0) }
  }

  func index(of key: Key) -> Int? { lend { $0.column(ofKey: key.stringValue) } }

  func contains(_ key: Key) -> Bool {
    let name = key.stringValue
    return index(of: key) != nil || row.scopesTree[name] != nil || row.prefetchedRows[name] != nil
  }

  func decodeNil(forKey key: Key) -> Bool {
    if let column = index(of: key) { return row.hasNull(atIndex: column) }
    let name = key.stringValue
    if let scope = row.scopesTree[name] { return !scope.containsNonNullValue }
    return row.prefetchedRows[name] == nil
  }

  @inline(__always)
  private func column<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value {
    let name = key.stringValue
    return try lend { decoder in
      guard let column = decoder.column(ofKey: name) else { throw decoder.missing(key) }
      return try decoder.value(type, column)
    }
  }

  @inline(__always)
  private func columnIfPresent<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value? {
    let name = key.stringValue
    return try lend { decoder in
      guard let column = decoder.column(ofKey: name) else { return nil }
      return try decoder.value(Value?.self, column)
    }
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try column(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try column(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try column(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try column(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try column(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try column(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try column(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try column(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try column(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try column(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try column(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try column(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try column(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try column(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try columnIfPresent(type, key)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try columnIfPresent(type, key)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    if let column = index(of: key) { return try decodeColumn(type, column, key) }
    return try decodeNested(type, key)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    if let column = index(of: key) {
      return row.hasNull(atIndex: column) ? nil : try decodeColumn(type, column, key)
    }
    let name = key.stringValue
    if let scope = row.scopesTree[name] {
      return scope.containsNonNullValue ? try decodeNested(type, key) : nil
    }
    return row.prefetchedRows[name] == nil ? nil : try decodeNested(type, key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    if let nested = nestedScope(type, key) { return nested }
    throw DecodingError.typeMismatch(
      [String: Any].self,
      .init(codingPath: codingPath + [key], debugDescription: "a column has no keys"))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    if let nested = nestedRows(key) { return nested }
    throw DecodingError.typeMismatch(
      [Any].self,
      .init(codingPath: codingPath + [key], debugDescription: "a column is no sequence"))
  }

  func superDecoder() throws -> any Decoder { decoder.takeUnretainedValue() }
  func superDecoder(forKey key: Key) throws -> any Decoder { decoder.takeUnretainedValue() }
}
