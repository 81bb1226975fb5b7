import Foundation
import MartletEngine

/// A row of a result: values by index or by name.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
/// while let row = try rows.next() {
///   let name: String = row["name"]
///   let score: Int? = row["score"]
/// }
/// ```
///
/// The rows of a cursor are one row, which shows the statement's current one: `copy()` keeps it.
/// `fetchAll`, `fetchSet` and `fetchOne` give copies.
///
/// Names are found in any case; of several columns of one name, the leftmost is. Reading by index
/// is faster.
public final class Row {
  let shape: RowShape
  /// The statement whose current row it shows.
  let live: SQLiteStatement?
  /// Its current row where the columns are the statement's, in order: the fast path.
  @usableFromInline let direct: ResultRow?
  /// Of a copy.
  let packed: PackedRow?
  /// Of a row that no statement gave.
  let values: [DatabaseValue]
  /// Where the row comes from, for errors.
  let statement: Statement?

  /// How many columns the row has.
  public let count: Int

  /// The rows that were fetched for associations to many, by key.
  public internal(set) var prefetchedRows = PrefetchedRowsView()

  /// The column after the one that was last found by name.
  @exclusivity(unchecked) private var hint = 0

  /// What decodes records from the row, kept from one row of a cursor to the next.
  @exclusivity(unchecked) var decoder: RowDecoder?

  init(
    shape: RowShape, live: SQLiteStatement? = nil, packed: PackedRow? = nil,
    values: [DatabaseValue] = [], statement: Statement? = nil
  ) {
    self.shape = shape
    self.live = live
    direct = shape.indexes == nil ? live?.currentRow : nil
    self.packed = packed
    self.values = values
    self.statement = statement
    count = shape.names.count
  }

  /// A row that shows the current row of a statement.
  convenience init(live statement: Statement, shape: RowShape? = nil) {
    self.init(
      shape: shape ?? statement.shape, live: statement.sqliteStatement, statement: statement)
  }

  convenience init(copyingRowOf statement: Statement, shape: RowShape? = nil) {
    self.init(
      shape: shape ?? statement.shape, packed: PackedRow.copy(statement.sqliteStatement),
      statement: statement)
  }

  /// A row without columns.
  public convenience init() { self.init(shape: RowShape(names: [])) }

  /// A row with the values of a dictionary, in no order.
  public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    self.init(pairs: dictionary.map { ($0.key, $0.value?.databaseValue ?? .null) })
  }

  /// A row with the values of a dictionary; nil if a key is no string, or a value has no database
  /// value.
  public convenience init?(_ dictionary: [AnyHashable: Any]) {
    var pairs: [(String, DatabaseValue)] = []
    for (key, element) in dictionary {
      guard let name = key.base as? String, let value = DatabaseValue(value: element) else {
        return nil
      }
      pairs.append((name, value))
    }
    self.init(pairs: pairs)
  }

  convenience init(pairs: [(String, DatabaseValue)]) {
    self.init(shape: RowShape(names: pairs.map { $0.0 }), values: pairs.map { $0.1 })
  }

  /// A row that stays as it is when its cursor goes on.
  public func copy() -> Row {
    guard let live else { return self }
    let row = Row(shape: shape, packed: PackedRow.copy(live), statement: statement)
    row.prefetchedRows = prefetchedRows
    return row
  }

  /// The same values under other columns.
  func reshaped(_ shape: RowShape) -> Row {
    Row(shape: shape, live: live, packed: packed, values: values, statement: statement)
  }
}

@available(*, unavailable)
extension Row: Sendable {}

extension Row: ExpressibleByDictionaryLiteral {
  /// A row with the values of the literal, in its order.
  public convenience init(
    dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...
  ) {
    self.init(pairs: elements.map { ($0.0, $0.1?.databaseValue ?? .null) })
  }
}

// MARK: - Columns

extension Row {
  /// The names of the columns, from left to right.
  public var columnNames: LazyMapCollection<Row, String> { lazy.map { $0.0 } }

  /// The values, from left to right.
  public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map { $0.1 } }

  /// Whether there is a column of that name, in any case.
  public func hasColumn(_ columnName: String) -> Bool { index(ofColumn: columnName) != nil }

  func index(ofColumn name: String) -> Int? {
    guard let index = shape.index(ofColumn: name, hint: hint) else { return nil }
    hint = index + 1
    return index
  }

  /// The column of the statement that a column is.
  @inline(__always)
  func statementColumn(_ index: Int) -> Int { shape.indexes?[index] ?? index }

  func checkIndex(_ index: Int) {
    precondition(index >= 0 && index < count, "row index out of range: \(index)")
  }

  func databaseValue(at index: Int) -> DatabaseValue {
    let column = statementColumn(index)
    if let live { return DatabaseValue(sqliteStatement: live, index: CInt(column)) }
    if let packed { return packed.value(column) }
    return values[column]
  }

  /// The column is NULL.
  public func hasNull(atIndex index: Int) -> Bool {
    checkIndex(index)
    let column = statementColumn(index)
    if let live { return live.columnType(column) == .null }
    if let packed { return packed.isNull(column) }
    return values[column].isNull
  }

  /// A column of the row, or of one of its scopes, is not NULL.
  public var containsNonNullValue: Bool {
    (0..<count).contains { !hasNull(atIndex: $0) }
      || shape.scopes.contains { reshaped($0.shape).containsNonNullValue }
  }

  /// Calls a function with the bytes of a blob or text, which are not copied: they are valid for
  /// the call only. It is called with nil for NULL.
  public func withUnsafeData<T>(
    atIndex index: Int, _ body: (Data?) throws -> T
  ) throws -> T {
    checkIndex(index)
    if let live {
      let column = statementColumn(index)
      guard live.columnType(column) != .null else { return try body(nil) }
      let bytes = live.columnBytes(column)
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return try body(Data()) }
      return try body(
        Data(
          bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
          deallocator: .none))
    }
    return try body(decode(Data?.self, atIndex: index))
  }

  /// Calls a function with the bytes of a blob or text, which are not copied: they are valid for
  /// the call only. It is called with nil for NULL and where there is no such column.
  public func withUnsafeData<T>(
    named columnName: String, _ body: (Data?) throws -> T
  ) throws -> T {
    guard let index = index(ofColumn: columnName) else { return try body(nil) }
    return try withUnsafeData(atIndex: index, body)
  }

  /// Calls a function with the bytes of a blob or text, which are not copied: they are valid for
  /// the call only. It is called with nil for NULL and where there is no such column.
  public func withUnsafeData<T>(
    at column: some ColumnExpression, _ body: (Data?) throws -> T
  ) throws -> T {
    try withUnsafeData(named: column.name, body)
  }
}

extension Row {
  /// The bytes of a blob or text; nil for NULL.
  @available(*, deprecated, message: "Use withUnsafeData(atIndex:_:) instead.")
  public func dataNoCopy(atIndex index: Int) -> Data? { self[index] }

  /// The bytes of a blob or text; nil for NULL and where there is no such column.
  @available(*, deprecated, message: "Use withUnsafeData(named:_:) instead.")
  public func dataNoCopy(named columnName: String) -> Data? { self[columnName] }

  /// The bytes of a blob or text; nil for NULL and where there is no such column.
  @available(*, deprecated, message: "Use withUnsafeData(at:_:) instead.")
  public func dataNoCopy(_ column: some ColumnExpression) -> Data? { self[column.name] }
}

// MARK: - Collection

extension Row: RandomAccessCollection {
  /// A position in a row. It is no `Int`, so that `row[0]` is a value.
  public struct Index: Sendable, Comparable, Strideable {
    let value: Int

    /// Whether a position is left of another.
    public static func < (left: Index, right: Index) -> Bool { left.value < right.value }

    /// How many columns are between two positions.
    public func distance(to other: Index) -> Int { other.value - value }

    /// The position so many columns to the right.
    public func advanced(by count: Int) -> Index { Index(value: value + count) }
  }

  /// The position of the first column.
  public var startIndex: Index { Index(value: 0) }

  /// The position behind the last column.
  public var endIndex: Index { Index(value: count) }

  /// Name and value of a column.
  public subscript(position: Index) -> (String, DatabaseValue) {
    checkIndex(position.value)
    return (shape.names[position.value], databaseValue(at: position.value))
  }
}

extension Row: Hashable {
  /// Rows are equal that have the same columns in the same order with equal values, and equal
  /// scopes and prefetched rows.
  public static func == (left: Row, right: Row) -> Bool {
    if left === right { return true }
    guard left.count == right.count, left.shape.names == right.shape.names,
      (0..<left.count).allSatisfy({ left.databaseValue(at: $0) == right.databaseValue(at: $0) }),
      left.shape.scopes.count == right.shape.scopes.count,
      left.prefetchedRows == right.prefetchedRows
    else { return false }
    return left.shape.scopes.allSatisfy { name, shape in
      guard let other = right.shape.scope(name) else { return false }
      return left.reshaped(shape) == right.reshaped(other)
    }
  }

  /// Hashes columns and values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for (name, value) in self {
      hasher.combine(name)
      hasher.combine(value)
    }
  }
}

extension Row: CustomStringConvertible, CustomDebugStringConvertible {
  /// Columns and values.
  public var description: String {
    "[" + map { "\($0.0):\($0.1)" }.joined(separator: " ") + "]"
  }

  /// Columns and values, with those of scopes and prefetched rows on lines of their own.
  public var debugDescription: String { describe(level: 0) }

  private func describe(level: Int) -> String {
    guard !shape.scopes.isEmpty || !prefetchedRows.isEmpty || shape.unadapted != nil else {
      return description
    }
    let margin = String(repeating: "  ", count: level)
    var text = level == 0 ? "▿ \(description)" : description
    if level == 0, let all = shape.unadapted { text += "\n  unadapted: \(reshaped(all))" }
    for (name, shape) in shape.scopes.sorted(by: { $0.name < $1.name }) {
      text += "\n\(margin)  - \(name): \(scope(shape, name).describe(level: level + 1))"
    }
    for key in prefetchedRows.keys.sorted() {
      let count = prefetchedRows[key]?.count ?? 0
      text += "\n\(margin)  + \(key): \(count) row\(count > 1 ? "s" : "")"
    }
    return text
  }
}
