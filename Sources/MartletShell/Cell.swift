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
      return Cell(
        bytes: fit.limited(Array(statement.columnText(column).utf8)), isNumber: true)
    case .text:
      let all = ArraySlice(statement.columnBytes(column))
      return Cell(bytes: fit.limited(quotedText(all.prefix { $0 != 0 })), isNumber: false)
    case .blob:
      let blob = statement.columnBytes(column)
      if showsJSONB == true, let json = jsonText?(blob) {
        let literal = quotedText(json[...])
        let call = textQuoting == .sql ? Array("jsonb(".utf8) + literal + [0x29] : literal
        return Cell(bytes: fit.limited(call), isNumber: false)
      }
      return Cell(bytes: fit.limited(quotedBlob(ArraySlice(blob))), isNumber: false)
    }
  }

  private func quotedText(_ text: ArraySlice<UInt8>) -> [UInt8] {
    switch textQuoting {
    case .off: escaped(text)
    case .sql:
      escape == .off ? plainLiteral(text) : sqlLiteral(text)
    case .relaxed: relaxedLiteral(text, nullText: nullText)
    case .csv: csvField(text, separator: columnSeparator, escaped: escaped)
    case .json: jsonString(text, isBlob: false)
    case .tcl: cString(text, isBlob: false)
    case .html: htmlText(escaped(text)[...])
    }
  }

  private func quotedBlob(_ blob: ArraySlice<UInt8>) -> [UInt8] {
    switch (blobQuoting, textQuoting) {
    case (.sql, _), (.auto, .sql), (.auto, .relaxed): blobLiteral(blob)
    case (.json, _), (.auto, .json): jsonString(blob, isBlob: true)
    case (.tcl, _), (.auto, .tcl): cString(blob, isBlob: true)
    case (.hex, _): blob.flatMap { hexadecimalDigits($0) }
    case (.size, _): Array("(\(blob.count)-byte blob)".utf8)
    case (.text, _), (.auto, .off), (.auto, .csv), (.auto, .html):
      quotedText(blob.prefix { $0 != 0 })
    }
  }

  /// A literal in which control characters stand as they are.
  private func plainLiteral(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let quote = UInt8(ascii: "'")
    return [quote] + text.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }

  /// Control characters as it was asked for.
  private func escaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    switch escape {
    case .off: Array(text)
    case .symbol: symbolEscaped(text)
    case .ascii, .auto: caretEscaped(text)
    }
  }

  /// A column name as it stands above the rows.
  func title(_ name: String) -> [UInt8] {
    let bytes = ArraySlice(name.utf8)
    if let titleQuoting, mode != .html {
      var settings = self
      settings.quoting = titleQuoting
      return settings.quotedText(bytes)
    }
    return switch mode {
    case .box, .column, .line, .markdown, .psql, .qbox, .split, .table: caretEscaped(bytes)
    default:
      quoting == .relaxed && mode != .html ? caretEscaped(bytes) : quotedText(bytes)
    }
  }
}
