import Foundation
import MartletEngine

// Properties that are no plain columns: dates and bytes with their strategies, JSON, and records in
// scopes, in prefetched rows, or in the row itself.

extension RowContainer {
  func decodeColumn<T: Decodable>(_ type: T.Type, _ column: Int, _ key: Key) throws -> T {
    switch plan(type, column) {
    case .date: return try decodeDate(column, key, as: type)
    case .data: return try decodeData(column, key, as: type)
    case .live(let convertible): return try decodeLive(convertible, column, as: type)
    case .value(let convertible): return try decodeValue(convertible, column, as: type)
    case .codable, .unknown: return try decodeCodable(type, column, key)
    }
  }

  private func plan(_ type: Any.Type, _ column: Int) -> ColumnPlan {
    decoder._withUnsafeGuaranteedRef { decoder in
      if case .unknown = decoder.plans[column] { decoder.plans[column] = ColumnPlan(type) }
      return decoder.plans[column]
    }
  }

  private var record: any FetchableRecord.Type { decoder._withUnsafeGuaranteedRef { $0.record } }

  /// A column is asked for as one type as a rule; where it is not, the plan is made again.
  private func recast<T>(_ value: Any, _ column: Int, as type: T.Type) throws -> T {
    if let value = value as? T { return value }
    throw row.mismatch(type, column)
  }

  /// The two types are one.
  @inline(__always)
  private func same<A, B>(_ value: A, as type: B.Type) -> B? {
    guard A.self == B.self else { return nil }
    return withUnsafePointer(to: value) {
      $0.withMemoryRebound(to: type, capacity: 1) { $0.pointee }
    }
  }

  private func decodeDate<T: Decodable>(_ column: Int, _ key: Key, as type: T.Type) throws -> T {
    let date = try self.date(column, key)
    return try same(date, as: type) ?? recast(date, column, as: type)
  }

  private func decodeData<T: Decodable>(_ column: Int, _ key: Key, as type: T.Type) throws -> T {
    let data = try self.data(column, key)
    return try same(data, as: type) ?? recast(data, column, as: type)
  }

  private func date(_ column: Int, _ key: Key) throws -> Date {
    switch record.databaseDateDecodingStrategy(for: key.stringValue) {
    case .deferredToDate:
      return try row.decode(Date.self, atIndex: column)
    case let strategy:
      guard let decoded = strategy.date(row.databaseValue(at: column)) else {
        throw row.mismatch(Date.self, column)
      }
      return decoded
    }
  }

  private func data(_ column: Int, _ key: Key) throws -> Data {
    switch record.databaseDataDecodingStrategy(for: key.stringValue) {
    case .deferredToData:
      return try row.decode(Data.self, atIndex: column)
    case .custom(let decode):
      guard let decoded = decode(row.databaseValue(at: column)) else {
        throw row.mismatch(Data.self, column)
      }
      return decoded
    }
  }

  private func decodeLive<Value: DatabaseValueConvertible & StatementColumnConvertible, T>(
    _ convertible: Value.Type, _ column: Int, as type: T.Type
  ) throws -> T {
    let value = try row.decode(convertible, atIndex: column)
    return try same(value, as: type) ?? recast(value, column, as: type)
  }

  private func decodeValue<Value: DatabaseValueConvertible, T>(
    _ convertible: Value.Type, _ column: Int, as type: T.Type
  ) throws -> T {
    let value = try row.decode(convertible, atIndex: column)
    return try same(value, as: type) ?? recast(value, column, as: type)
  }

  private func decodeCodable<T: Decodable>(
    _ type: T.Type, _ column: Int, _ key: Key
  ) throws -> T {
    let record = record
    // A type that decodes itself from a date or from bytes gets those of the column's strategy.
    let context = SingleValueContext(
      codingPath: codingPath + [key], userInfo: record.databaseDecodingUserInfo,
      decoded: { type, _ in
        if type == Date.self { return try self.date(column, key) }
        if type == Data.self { return try self.data(column, key) }
        return nil
      })
    return try SingleValueReader.decode(type, from: row.databaseValue(at: column), context) {
      record.databaseJSONDecoder(for: key.stringValue)
    }
  }

  // MARK: Records inside records

  /// A property for which there is no column: a scope, prefetched rows, or the row itself, once.
  func decodeNested<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
    let name = key.stringValue
    if let scope = row.scopesTree[name] {
      return try decodeRecord(type, from: scope, key)
    }
    if let rows = row.prefetchedRows[name] {
      return try T(from: RowsDecoder(rows: rows, record: record, codingPath: codingPath + [key]))
    }
    let decoder = decoder.takeUnretainedValue()
    // A value has a column, and a sequence has rows.
    if type is any DatabaseValueConvertible.Type || type is any Collection.Type {
      throw decoder.missing(key)
    }
    if let first = decoder.decodedBaseKey {
      let message = "No such key: \([first, name].sorted().joined(separator: " or "))"
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: message))
    }
    decoder.decodedBaseKey = name
    let base = row.reshaped(row.shape)
    base.prefetchedRows = row.prefetchedRows
    return try decodeRecord(type, from: base, key)
  }

  /// A type that is no record has the strategies of the record that it is a part of, and the names
  /// of its own properties.
  private func decodeRecord<T: Decodable>(
    _ type: T.Type, from row: Row, _ key: Key
  ) throws -> T {
    if let record = type as? any FetchableRecord.Type {
      guard let value = try record.init(row: row) as? T else {
        throw decoder.takeUnretainedValue().missing(key)
      }
      return value
    }
    let nested = RowDecoder(
      row: row, record: self.record, codingPath: codingPath + [key], strategy: .useDefaultKeys)
    return try withExtendedLifetime((row, nested)) { try T(from: nested) }
  }
}

extension RowContainer {
  /// The columns of a scope, for those who decode them without a type of their own.
  func nestedScope<Nested: CodingKey>(
    _ keys: Nested.Type, _ key: Key
  ) -> KeyedDecodingContainer<Nested>? {
    guard index(of: key) == nil, let scope = row.scopesTree[key.stringValue] else { return nil }
    return decoder._withUnsafeGuaranteedRef { decoder in
      let nested = RowDecoder(
        row: scope, record: decoder.record, codingPath: codingPath + [key],
        strategy: decoder.strategy)
      decoder.lent.append((scope, nested))
      return nested.container(keyedBy: keys)
    }
  }

  /// The rows that were fetched for a key.
  func nestedRows(_ key: Key) -> (any UnkeyedDecodingContainer)? {
    guard index(of: key) == nil, let rows = row.prefetchedRows[key.stringValue] else { return nil }
    return RowsContainer(rows: rows, record: record, codingPath: codingPath + [key])
  }
}

/// Decodes a sequence from prefetched rows.
private struct RowsDecoder: Decoder {
  let rows: [Row]
  /// The record whose property it is.
  let record: any FetchableRecord.Type
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { record.databaseDecodingUserInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw DecodingError.typeMismatch(
      [String: Any].self, .init(codingPath: codingPath, debugDescription: "rows have no keys"))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    RowsContainer(rows: rows, record: record, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw DecodingError.typeMismatch(
      Any.self, .init(codingPath: codingPath, debugDescription: "rows are no single value"))
  }
}

private struct RowsContainer: UnkeyedDecodingContainer {
  let rows: [Row]
  let record: any FetchableRecord.Type
  let codingPath: [any CodingKey]
  var currentIndex = 0

  var count: Int? { rows.count }
  var isAtEnd: Bool { currentIndex == rows.count }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let row = rows[currentIndex]
    currentIndex += 1
    if let record = type as? any FetchableRecord.Type, let value = try record.init(row: row) as? T {
      return value
    }
    if let convertible = type as? any DatabaseValueConvertible.Type {
      guard row.count > 0, let value = convertible.fromDatabaseValue(row.databaseValue(at: 0)) as? T
      else { throw row.mismatch(type, 0) }
      return value
    }
    let decoder = RowDecoder(
      row: row, record: record, codingPath: codingPath, strategy: .useDefaultKeys)
    return try withExtendedLifetime((row, decoder)) { try T(from: decoder) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    throw unsupported
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw unsupported
  }

  mutating func superDecoder() throws -> any Decoder { throw unsupported }

  private var unsupported: DecodingError {
    .typeMismatch(
      Any.self, .init(codingPath: codingPath, debugDescription: "rows are decoded as records"))
  }
}
