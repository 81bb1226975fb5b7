import Foundation
import MartletEngine

extension FetchableRecord where Self: Decodable {
  /// Decodes the record.
  public init(row: Row) throws { self = try RowDecoder<Self>.decode(row) }
}

/// Decodes `Decodable` records from rows, for types that have an `init(row:)` of their own.
///
/// ```swift
/// init(row: Row) throws {
///   self = try FetchableRecordDecoder().decode(Player.self, from: row)
///   isSelected = false
/// }
/// ```
public class FetchableRecordDecoder {
  /// Makes a decoder.
  public init() {}

  /// Decodes a record.
  public func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
    try RowDecoder<T>.decode(row)
  }
}

/// Decodes a record of a type from a row.
final class RowDecoder<Record: FetchableRecord>: Decoder {
  /// The row owns its decoder.
  unowned(unsafe) let row: Row
  let codingPath: [any CodingKey]
  let strategy = Record.databaseColumnDecodingStrategy
  /// Columns by the names of their properties, where these differ.
  private(set) lazy var columnsByKey: [String: Int] = {
    let pairs = row.shape.names.enumerated().map { (strategy.key(ofColumn: $1), $0) }
    return Dictionary(pairs) { left, _ in left }
  }()
  let renamesColumns: Bool
  /// How the column of an index is decoded, once it was found out.
  var plans: [ColumnPlan]
  /// The base row was given to a property already.
  var hasDecodedBase = false

  init(row: Row, codingPath: [any CodingKey]) {
    self.row = row
    self.codingPath = codingPath
    if case .useDefaultKeys = strategy { renamesColumns = false } else { renamesColumns = true }
    plans = Array(repeating: .unknown, count: row.count)
  }

  /// The row of a cursor keeps its decoder from one row to the next.
  static func decode(_ row: Row) throws -> Record where Record: Decodable {
    if let known = row.decoder, type(of: known) == RowDecoder<Record>.self {
      return try Record(from: unsafeDowncast(known, to: RowDecoder<Record>.self))
    }
    let decoder = RowDecoder<Record>(row: row, codingPath: [])
    row.decoder = decoder
    return try Record(from: decoder)
  }

  var userInfo: [CodingUserInfoKey: Any] { Record.databaseDecodingUserInfo }

  func column(ofKey key: String) -> Int? {
    renamesColumns ? columnsByKey[key] : row.index(ofColumn: key)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    hasDecodedBase = false
    return KeyedDecodingContainer(RowContainer<Record, Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DecodingError.typeMismatch(
      [Any].self,
      .init(codingPath: codingPath, debugDescription: "a row is no sequence of values"))
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw DecodingError.typeMismatch(
      Record.self,
      .init(codingPath: codingPath, debugDescription: "a row is no single value"))
  }
}

/// How values of a type are decoded from a column.
enum ColumnPlan {
  case unknown
  case date
  case data
  case live(any (DatabaseValueConvertible & StatementColumnConvertible).Type)
  case value(any DatabaseValueConvertible.Type)
  case codable

  init(_ type: Any.Type) {
    if type == Date.self {
      self = .date
    } else if type == Data.self {
      self = .data
    } else if let type = type as? any (DatabaseValueConvertible & StatementColumnConvertible).Type {
      self = .live(type)
    } else if let type = type as? any DatabaseValueConvertible.Type {
      self = .value(type)
    } else {
      self = .codable
    }
  }
}
