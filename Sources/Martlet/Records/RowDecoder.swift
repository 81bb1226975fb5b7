import Foundation
import MartletEngine

extension FetchableRecord where Self: Decodable {
  /// Decodes the record.
  @inlinable
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
///
/// It is inlined into the program, where the type of the record and its keys are known: a property
/// then costs what a column by name costs.
@usableFromInline
final class RowDecoder<Record: FetchableRecord>: Decoder {
  /// The row owns its decoder.
  @usableFromInline unowned(unsafe) let row: Row
  @usableFromInline let codingPath: [any CodingKey]
  let strategy = Record.databaseColumnDecodingStrategy
  /// Columns by the names of their properties, where these differ.
  private(set) lazy var columnsByKey: [String: Int] = {
    let pairs = row.shape.names.enumerated().map { (strategy.key(ofColumn: $1), $0) }
    return Dictionary(pairs) { left, _ in left }
  }()
  @usableFromInline let renamesColumns: Bool
  /// How the column of an index is decoded, once it was found out.
  var plans: [ColumnPlan]
  /// The base row was given to a property already.
  @usableFromInline @exclusivity(unchecked) var hasDecodedBase = false

  @usableFromInline
  init(row: Row, codingPath: [any CodingKey]) {
    self.row = row
    self.codingPath = codingPath
    if case .useDefaultKeys = strategy { renamesColumns = false } else { renamesColumns = true }
    plans = Array(repeating: .unknown, count: row.count)
  }

  /// The row of a cursor keeps its decoder from one row to the next.
  @inlinable
  static func decode(_ row: Row) throws -> Record where Record: Decodable {
    if let known = row.decoder, type(of: known) == RowDecoder<Record>.self {
      return try Record(from: unsafeDowncast(known, to: RowDecoder<Record>.self))
    }
    let decoder = RowDecoder<Record>(row: row, codingPath: [])
    row.decoder = decoder
    return try Record(from: decoder)
  }

  @usableFromInline
  var userInfo: [CodingUserInfoKey: Any] { Record.databaseDecodingUserInfo }

  /// The column of a property; -1 where there is none.
  @inlinable
  func column(ofKey key: String) -> Int {
    renamesColumns ? renamedColumn(ofKey: key) : row.indexForDecoding(key)
  }

  @usableFromInline
  func renamedColumn(ofKey key: String) -> Int { columnsByKey[key] ?? -1 }

  @inlinable
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    hasDecodedBase = false
    return KeyedDecodingContainer(RowContainer<Record, Key>(decoder: self))
  }

  @usableFromInline
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DecodingError.typeMismatch(
      [Any].self,
      .init(codingPath: codingPath, debugDescription: "a row is no sequence of values"))
  }

  @usableFromInline
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
