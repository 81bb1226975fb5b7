import MartletEngine

/// The row that a statement is at, column by column.
///
/// A column that does not exist, or is read without a row, is NULL; NULL is 0, an empty text, or
/// no bytes where the type is not optional.
public struct Cursor: Sendable {
  let statement: Statement

  private func read<Content>(_ body: (ResultRow) -> Content) -> Content {
    statement.connection.sync { body(statement.core.currentRow) }
  }

  /// A column as a real.
  public subscript(index: Int) -> Double { read { $0.double(index) } }

  /// A column as an integer.
  public subscript(index: Int) -> Int64 { read { $0.int64(index) } }

  /// A column as a text.
  public subscript(index: Int) -> String {
    read { String(decoding: $0.bytes(index), as: UTF8.self) }
  }

  /// A column as bytes.
  public subscript(index: Int) -> Blob { read { Blob(bytes: Array($0.bytes(index))) } }

  /// Whether a column is an integer other than 0.
  public subscript(index: Int) -> Bool { read { $0.int64(index) != 0 } }

  /// A column as an integer.
  public subscript(index: Int) -> Int { Int(truncatingIfNeeded: read { $0.int64(index) }) }

  /// A column as it is stored; nil for NULL.
  public subscript(index: Int) -> (any Binding)? { read { $0.binding(index) } }
}

extension Cursor: Sequence {
  /// The columns from left to right.
  public func makeIterator() -> AnyIterator<(any Binding)?> {
    let count = read { $0.columnCount }
    var index = 0
    return AnyIterator {
      guard index < count else { return nil }
      defer { index += 1 }
      return .some(self[index] as (any Binding)?)
    }
  }
}
