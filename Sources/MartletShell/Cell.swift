import MartletEngine

/// One value as it is printed.
struct Cell {
  let bytes: [UInt8]
  let isNumber: Bool
}

extension OutputSettings {
  /// The current row's value of `column`.
  func cell(_ statement: Statement, _ column: Int) -> Cell {
    switch statement.columnType(column) {
    case .null: return Cell(bytes: Array((mode == .html ? "null" : nullText).utf8), isNumber: false)
    case .integer, .real:
      return Cell(bytes: Array(statement.columnText(column).utf8), isNumber: true)
    case .text:
      let all = ArraySlice(statement.columnBytes(column))
      return Cell(bytes: quotedText(all.prefix { $0 != 0 }), isNumber: false)
    case .blob:
      return Cell(bytes: quotedBlob(ArraySlice(statement.columnBytes(column))), isNumber: false)
    }
  }

  private func quotedText(_ text: ArraySlice<UInt8>) -> [UInt8] {
    switch quoting {
    case .off: caretEscaped(text)
    case .sql: sqlLiteral(text)
    case .relaxed: relaxedLiteral(text, nullText: nullText)
    case .csv: csvField(text, separator: columnSeparator)
    case .json: jsonString(text, isBlob: false)
    case .tcl: cString(text, isBlob: false)
    case .html: htmlText(text)
    }
  }

  private func quotedBlob(_ blob: ArraySlice<UInt8>) -> [UInt8] {
    switch quoting {
    case .sql, .relaxed: blobLiteral(blob)
    case .json: jsonString(blob, isBlob: true)
    case .tcl: cString(blob, isBlob: true)
    case .off, .csv, .html: quotedText(blob.prefix { $0 != 0 })
    }
  }

  /// A column name as it stands above the rows.
  func title(_ name: String) -> [UInt8] {
    let bytes = ArraySlice(name.utf8)
    return switch mode {
    case .box, .column, .line, .markdown, .psql, .qbox, .split, .table: caretEscaped(bytes)
    default: quoting == .relaxed ? caretEscaped(bytes) : quotedText(bytes)
    }
  }
}
