import Foundation
import MartletEngine

extension FetchableRecord where Self: Decodable {
  /// Decodes the record.
  @inlinable
  public init(row: Row) throws { try self.init(from: row.decoder(of: Self.self)) }
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
    try T(from: row.decoder(of: type))
  }
}

extension Row {
  /// What decodes records of a type from the row. The row of a cursor keeps it from one row to the
  /// next.
  @usableFromInline
  func decoder(of record: any FetchableRecord.Type) -> any Decoder {
    if let decoder, decoder.record == record {
      decoder.lent = []
      return decoder
    }
    let decoder = RowDecoder(row: self, record: record, codingPath: [])
    self.decoder = decoder
    return decoder
  }
}

/// Decodes a record of a type from a row.
///
/// What runs for each property knows neither the type of the record nor its keys, and counts no
/// references: the standard library calls it for types that it finds out at run time.
final class RowDecoder: Decoder {
  /// The row owns its decoder, or outlives it.
  let row: Unmanaged<Row>
  let record: any FetchableRecord.Type
  let codingPath: [any CodingKey]
  let strategy: DatabaseColumnDecodingStrategy
  let renamesColumns: Bool
  /// What the row reads its values from, if that is a statement's row.
  private let direct: ResultRow?
  private let shape: RowShape
  /// The column after the one that was last found.
  @exclusivity(unchecked) private var hint = 0
  /// Columns by the names of their properties, where these differ.
  private lazy var columnsByKey: [ExactText: Int] = {
    let pairs = shape.names.enumerated().map { (ExactText(strategy.key(ofColumn: $1)), $0) }
    return Dictionary(pairs) { left, _ in left }
  }()
  /// The same, where names that Unicode takes as equal are one.
  private lazy var columnsByUnicode: [String: Int] = {
    let pairs = columnsByKey.map { ($0.key.text, $0.value) }
    return Dictionary(pairs) { left, right in min(left, right) }
  }()
  /// How the column of an index is decoded, once it was found out.
  @exclusivity(unchecked) var plans: [ColumnPlan]
  /// The property that the base row was given to already.
  @exclusivity(unchecked) var decodedBaseKey: String?
  /// What the containers of scopes read, which own nothing: until the next record is decoded.
  @exclusivity(unchecked) var lent: [(row: Row, decoder: RowDecoder)] = []
  /// The container of the keys that were last asked for.
  @exclusivity(unchecked) private var container: AnyContainer?

  /// - Parameter strategy: Which columns properties are decoded from; nil takes the record's.
  init(
    row: Row, record: any FetchableRecord.Type, codingPath: [any CodingKey],
    strategy: DatabaseColumnDecodingStrategy? = nil
  ) {
    self.row = .passUnretained(row)
    self.record = record
    self.codingPath = codingPath
    let strategy = strategy ?? record.databaseColumnDecodingStrategy
    self.strategy = strategy
    if case .useDefaultKeys = strategy { renamesColumns = false } else { renamesColumns = true }
    direct = row.direct
    shape = row.shape
    plans = Array(repeating: .unknown, count: row.count)
  }

  var userInfo: [CodingUserInfoKey: Any] { record.databaseDecodingUserInfo }

  /// The column of a property.
  func column(ofKey key: String) -> Int? {
    if renamesColumns { return columnsByKey[ExactText(key)] ?? columnsByUnicode[key] }
    guard let index = shape.index(ofColumn: key, hint: hint) else { return nil }
    hint = index + 1
    return index
  }

  /// The value of a column.
  @inline(__always)
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type, _ column: Int
  ) throws -> Value {
    if let direct, let value = Value._fromRow(direct, atUncheckedIndex: column) { return value }
    return try row._withUnsafeGuaranteedRef { try $0.decode(type, atIndex: column) }
  }

  func missing(_ key: some CodingKey) -> RowDecodingError {
    let row = row.takeUnretainedValue()
    let name = key.stringValue
    guard renamesColumns else { return .keyNotFound(.columnName(name), in: row) }
    var detail = "key not found: \(key) (\(String(reflecting: name)))"
    if case .convertFromSnakeCase = strategy {
      let column = SnakeCase.snake(name)
      let found = SnakeCase.camel(column)
      // No column can be that of `userID`: `user_id` is that of `userId`.
      if found != name { detail += ", with divergent representation \(found)" }
      detail += ", converted to \(column)"
    }
    return .keyNotFound(.columnName(name), in: row, detail: detail)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    decodedBaseKey = nil
    if let container, container.keys == type {
      return unsafeDowncast(container, to: Container<Key>.self).container
    }
    let container = Container<Key>(RowContainer(decoder: .passUnretained(self)))
    self.container = container
    return container.container
  }

  /// A container for keys of some type.
  private class AnyContainer {
    let keys: any CodingKey.Type

    init(_ keys: any CodingKey.Type) { self.keys = keys }
  }

  private final class Container<Key: CodingKey>: AnyContainer {
    let container: KeyedDecodingContainer<Key>

    init(_ container: RowContainer<Key>) {
      self.container = KeyedDecodingContainer(container)
      super.init(Key.self)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DecodingError.typeMismatch(
      [Any].self,
      .init(codingPath: codingPath, debugDescription: "a row is no sequence of values"))
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    RowPart(decoder: self)
  }
}

/// Another value that is made of the row's columns: one that the record wraps.
private struct RowPart: SingleValueDecodingContainer {
  let decoder: RowDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let row = decoder.row.takeUnretainedValue()
    if let record = type as? any FetchableRecord.Type {
      if let value = try record.init(row: row) as? Value { return value }
    } else if !(type is any DatabaseValueConvertible.Type) {
      return try Value(from: decoder)
    }
    // A property that is a value has a column.
    if let key = codingPath.last { throw decoder.missing(key) }
    throw DecodingError.typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "a row is no single value"))
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
