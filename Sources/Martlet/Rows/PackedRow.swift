import Foundation
import MartletEngine

/// The values of a row in one piece of memory: copying a row makes no Swift values.
///
///     | cell | cell | … | bytes of texts and blobs |
final class PackedRow: ManagedBuffer<Int, PackedRow.Cell> {
  /// 16 bytes for each column.
  struct Cell {
    var type: StorageClass
    /// Bytes of text or blob.
    var count: Int32 = 0
    /// The integer, the bits of the real number, or where the bytes are, counted from the first
    /// cell.
    var payload: UInt64 = 0
  }

  /// Copies the current row of a statement.
  static func copy(_ statement: SQLiteStatement) -> PackedRow {
    let columnCount = statement.columnCount
    var byteCount = 0
    for column in 0..<columnCount {
      let type = statement.columnType(column)
      if type == .text || type == .blob { byteCount += statement.columnBytes(column).count }
    }
    let stride = MemoryLayout<Cell>.stride
    let buffer = PackedRow.create(
      minimumCapacity: columnCount + (byteCount + stride - 1) / stride
    ) { _ in columnCount }
    let row = unsafeDowncast(buffer, to: PackedRow.self)
    row.withUnsafeMutablePointerToElements { row.fill($0, statement, columnCount) }
    return row
  }

  private func fill(
    _ cells: UnsafeMutablePointer<Cell>, _ statement: SQLiteStatement, _ columnCount: Int
  ) {
    let memory = UnsafeMutableRawPointer(cells)
    var offset = columnCount * MemoryLayout<Cell>.stride
    for column in 0..<columnCount {
      var cell = Cell(type: statement.columnType(column))
      switch cell.type {
      case .null: break
      case .integer: cell.payload = UInt64(bitPattern: statement.columnInt64(column))
      case .real: cell.payload = statement.columnDouble(column).bitPattern
      case .text, .blob:
        let bytes = statement.columnBytes(column)
        if let start = bytes.baseAddress {
          (memory + offset).copyMemory(from: start, byteCount: bytes.count)
        }
        cell.count = Int32(truncatingIfNeeded: bytes.count)
        cell.payload = UInt64(offset)
        offset += bytes.count
      }
      (cells + column).initialize(to: cell)
    }
  }

  func isNull(_ column: Int) -> Bool {
    withUnsafeMutablePointerToElements { $0[column].type == .null }
  }

  func value(_ column: Int) -> DatabaseValue {
    withUnsafeMutablePointerToElements { cells in
      let cell = cells[column]
      switch cell.type {
      case .null: return .null
      case .integer: return DatabaseValue(storage: .int64(Int64(bitPattern: cell.payload)))
      case .real: return DatabaseValue(storage: .double(Double(bitPattern: cell.payload)))
      case .text:
        let bytes = PackedRow.bytes(cells, cell)
        return DatabaseValue(
          storage: .string(String(decoding: bytes[..<bytes.cStringLength], as: UTF8.self)))
      case .blob: return DatabaseValue(storage: .blob(Data(PackedRow.bytes(cells, cell))))
      }
    }
  }

  private static func bytes(
    _ cells: UnsafeMutablePointer<Cell>, _ cell: Cell
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: UnsafeRawPointer(cells) + Int(cell.payload), count: Int(cell.count))
  }
}
