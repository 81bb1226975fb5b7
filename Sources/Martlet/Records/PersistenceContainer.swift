import MartletEngine

/// The columns that a record writes, and their values.
///
/// ```swift
/// func encode(to container: inout PersistenceContainer) {
///   container["id"] = id
///   container[Columns.name] = name
/// }
/// ```
public struct PersistenceContainer: Sendable {
  private(set) var columns: [String] = []
  private(set) var values: [DatabaseValue] = []

  /// An empty container.
  public init() {}

  /// What a record writes.
  init(_ record: some EncodableRecord) throws {
    columns.reserveCapacity(8)
    values.reserveCapacity(8)
    try record.encode(to: &self)
  }

  /// Where a column is; nil if the record does not write it.
  func index(of column: String) -> Int? {
    // What Unicode takes as equal may be another column.
    if let index = columns.firstIndex(of: column), columns[index].hasSameBytes(as: column) {
      return index
    }
    return columns.firstIndex { $0.isSameName(as: column) }
  }

  /// The value of a column, in any case. Nil is NULL.
  public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
    get { index(of: column).flatMap { values[$0].storage.value } }
    set { set(newValue?.databaseValue ?? .null, column) }
  }

  /// The value of a column. Nil is NULL.
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { self[column.name] }
    set { self[column.name] = newValue }
  }

  mutating func set(_ value: DatabaseValue, _ column: String) {
    if let index = index(of: column) {
      values[index] = value
    } else {
      columns.append(column)
      values.append(value)
    }
  }

  /// Sets a column whose name is that of a coding key: another case is another key.
  mutating func set(_ value: DatabaseValue, codingKey column: String) {
    if let index = columns.firstIndex(where: { $0.hasSameBytes(as: column) }) {
      values[index] = value
    } else {
      columns.append(column)
      values.append(value)
    }
  }

  /// The value of a column; nil if the record does not write it.
  func value(ofColumn column: String) -> DatabaseValue? { index(of: column).map { values[$0] } }

  /// Values of columns; NULL for those that the record does not write.
  func values(ofColumns columns: [String]) -> [DatabaseValue] {
    columns.map { value(ofColumn: $0) ?? .null }
  }
}

extension PersistenceContainer: RandomAccessCollection {
  /// The position of the first column.
  public var startIndex: Int { 0 }

  /// The position behind the last column.
  public var endIndex: Int { columns.count }

  /// Name and value of a column.
  public subscript(position: Int) -> (String, DatabaseValue) {
    (columns[position], values[position])
  }
}

extension Row {
  /// The row that a record writes.
  public convenience init<Record: EncodableRecord>(_ record: Record) throws {
    self.init(pairs: Array(try PersistenceContainer(record)))
  }
}
