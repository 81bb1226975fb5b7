import MartletEngine

/// Prints the rows of one statement. The tabular modes must see all rows first.
protocol RowPrinter {
  mutating func row(_ statement: Statement)
  /// Throws `interrupt` where Ctrl-C ends the printing.
  mutating func finish() throws(SQLError)
}

extension OutputSettings {
  func printer(for statement: Statement, to output: Output) -> any RowPrinter {
    switch mode {
    case .list, .quote, .csv, .tabs, .tcl, .c, .ascii, .jatom:
      ListPrinter(settings: self, output: output)
    case .line: LinePrinter(settings: self, output: output, statement)
    case .html: HTMLPrinter(settings: self, output: output)
    case .insert: InsertPrinter(settings: self, output: output)
    case .json, .jobject: JSONPrinter(settings: self, output: output, statement)
    case .count, .off: CountPrinter(output: output, isSilent: mode == .off)
    case .box, .qbox, .table, .psql, .column, .markdown, .split:
      TablePrinter(settings: self, output: output, statement)
    }
  }
}

/// One row a line, values between separators (climode §3.1 to §3.3).
private struct ListPrinter: RowPrinter {
  let settings: OutputSettings
  let output: Output
  var isFirst = true

  mutating func row(_ statement: Statement) {
    if isFirst, settings.showsTitles {
      write((0..<statement.columnCount).map { settings.title(statement.columnName($0)) })
    }
    isFirst = false
    write((0..<statement.columnCount).map { settings.cell(statement, $0).bytes })
  }

  private func write(_ fields: [[UInt8]]) {
    output.write(fields.joined(separator: Array(settings.columnSeparator.utf8)))
    output.write(settings.rowSeparator)
  }

  mutating func finish() {}
}

/// One value a line, after its column's name (climode §3.4).
private struct LinePrinter: RowPrinter {
  let settings: OutputSettings
  let output: Output
  private let titles: [[UInt8]]
  private let width: Int
  private var isFirst = true
  /// Values are not made narrower for the sake of the screen.
  private static let narrowest = 8

  init(settings: OutputSettings, output: Output, _ statement: Statement) {
    self.settings = settings
    self.output = output
    titles = (0..<statement.columnCount).map {
      settings.fit.limitedTitle(settings.title(statement.columnName($0)))
    }
    width = titles.map { displayWidth($0[...]) }.max() ?? 0
  }

  mutating func row(_ statement: Statement) {
    if !isFirst { output.write(settings.rowSeparator) }
    isFirst = false
    let screen = settings.fit.screenColumns
    let indent = width + displayWidth(Array(settings.columnSeparator.utf8)[...])
    for (column, title) in titles.enumerated() {
      output.write(repeatElement(UInt8(ascii: " "), count: width - displayWidth(title[...])))
      output.write(title)
      output.write(settings.columnSeparator)
      let room = screen > 0 ? max(screen - indent, Self.narrowest) : 0
      let lines = settings.fit.lines(
        of: settings.cell(statement, column).bytes, width: room, expandsTabs: false)
      for (index, line) in lines.enumerated() {
        if index > 0 { output.write(repeatElement(UInt8(ascii: " "), count: indent)) }
        output.write(line)
        output.write(settings.rowSeparator)
      }
    }
  }

  mutating func finish() {}
}

private struct HTMLPrinter: RowPrinter {
  let settings: OutputSettings
  let output: Output
  var isFirst = true

  mutating func row(_ statement: Statement) {
    let columns = 0..<statement.columnCount
    if isFirst, settings.showsTitles {
      write("TH", columns.map { settings.title(statement.columnName($0)) })
    }
    isFirst = false
    write("TD", columns.map { settings.cell(statement, $0).bytes })
  }

  private func write(_ tag: String, _ fields: [[UInt8]]) {
    output.write("<TR>\n")
    for field in fields {
      output.write("<\(tag)>")
      output.write(field)
      output.write("\n")
    }
    output.write("</TR>\n")
  }

  mutating func finish() {}
}

/// INSERT statements that put the rows into another table (climode §3.7).
private struct InsertPrinter: RowPrinter {
  let settings: OutputSettings
  let output: Output
  /// How long the statement is that is being written; 0 where none is.
  private var length = 0

  init(settings: OutputSettings, output: Output) {
    self.settings = settings
    self.output = output
  }

  mutating func row(_ statement: Statement) {
    let columns = 0..<statement.columnCount
    let fields = columns.map { settings.cell(statement, $0).bytes }
    let values = Array(fields.joined(separator: [UInt8(ascii: ",")]))
    if length > 0, length + 1 < settings.multiInsert {
      output.write(",\n  (")
      output.write(values)
      output.write(")")
      length += values.count + 6
      return
    }
    endStatement()
    output.write("INSERT INTO \(identifier(settings.tableName))")
    if settings.showsTitles {
      output.write(
        "(" + columns.map { identifier(statement.columnName($0)) }.joined(separator: ","))
      output.write(")")
    }
    output.write(" VALUES(")
    output.write(values)
    output.write(")")
    length = values.count + settings.tableName.utf8.count + 21
    if settings.multiInsert == 0 { endStatement() }
  }

  private mutating func endStatement() {
    if length > 0 { output.write(";\n") }
    length = 0
  }

  mutating func finish() { endStatement() }
}

/// An array of objects (`json`), or an object a line (`jobject`).
private struct JSONPrinter: RowPrinter {
  let settings: OutputSettings
  let output: Output
  private let names: [[UInt8]]
  private var isFirst = true

  init(settings: OutputSettings, output: Output, _ statement: Statement) {
    self.settings = settings
    self.output = output
    names = (0..<statement.columnCount).map {
      jsonString(ArraySlice(statement.columnName($0).utf8), isBlob: false)
    }
  }

  mutating func row(_ statement: Statement) {
    if settings.mode == .json { output.write(isFirst ? "[" : ",\n") }
    isFirst = false
    output.write("{")
    for (column, name) in names.enumerated() {
      if column > 0 { output.write(",") }
      output.write(name)
      output.write(":")
      output.write(settings.cell(statement, column).bytes)
    }
    output.write(settings.mode == .json ? "}" : "}\n")
  }

  mutating func finish() {
    if settings.mode == .json, !isFirst { output.write("]\n") }
  }
}

/// Only the number of rows (`count`), or nothing at all (`off`).
private struct CountPrinter: RowPrinter {
  let output: Output
  let isSilent: Bool
  var count = 0

  mutating func row(_ statement: Statement) { count += 1 }

  mutating func finish() {
    if !isSilent { output.write("\(count)\n") }
  }
}
