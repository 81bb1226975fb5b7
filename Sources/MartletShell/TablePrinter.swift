// Tables drawn with lines or blanks (climode §3.5). Widths follow the widest value of each column,
// titles are centred, numbers stand right; a value with line breaks takes several lines, and then
// rows are set apart.

import MartletEngine

/// The characters that a table is drawn with.
private struct Frame {
  var left = ""
  var between = ""
  var right = ""
  /// Corner, line, crossing and corner of the rule above, below the titles, between rows, below.
  var top: [String]?
  var header: [String]?
  var divider: [String]?
  var bottom: [String]?
  /// Whether blanks at the ends of lines go.
  var isTrimmed = false

  init(_ settings: OutputSettings) {
    switch settings.mode {
    case .box, .qbox: setBox()
    case .table, .psql: setTable()
    case .markdown:
      (left, between, right) = ("| ", " | ", " |")
      header = ["|-", "-", "-|-", "-|"]
    default:
      between = "  "
      header = ["", "-", "  ", ""]
      divider = ["", "", "", ""]
      isTrimmed = true
    }
    if !settings.hasBorder, settings.mode != .markdown, settings.mode != .column { openSides() }
  }

  private mutating func setBox() {
    (left, between, right) = ("│ ", " │ ", " │")
    top = ["╭─", "─", "─┬─", "─╮"]
    header = ["╞═", "═", "═╪═", "═╡"]
    divider = ["├─", "─", "─┼─", "─┤"]
    bottom = ["╰─", "─", "─┴─", "─╯"]
  }

  private mutating func setTable() {
    (left, between, right) = ("| ", " | ", " |")
    let rule = ["+-", "-", "-+-", "-+"]
    (top, header, divider, bottom) = (rule, rule, rule, rule)
  }

  /// Takes the blanks beside the values away, where the screen is too narrow for them.
  mutating func removeMargins() {
    func tight(_ rule: [String]?) -> [String]? {
      rule.map { rule in
        rule.enumerated().map { index, part in
          index == 1 ? part : String(part.filter { String($0) != rule[1] })
        }
      }
    }
    if between == "  " {
      between = " "
      header = header.map { [$0[0], $0[1], " ", $0[3]] }
      return
    }
    func bare(_ text: String) -> String { text.filter { $0 != " " } }
    (left, between, right) = (bare(left), bare(between), bare(right))
    (top, header, divider, bottom) = (tight(top), tight(header), tight(divider), tight(bottom))
  }

  /// Takes the outer lines away (`--border off`), keeping the blank or dash beside them.
  private mutating func openSides() {
    func opened(_ rule: [String]?) -> [String]? {
      rule.map { [String($0[0].dropFirst()), $0[1], $0[2], String($0[3].dropLast())] }
    }
    (left, right) = (" ", "")
    (top, bottom) = (nil, nil)
    (header, divider) = (opened(header), opened(divider))
    isTrimmed = true
  }
}

struct TablePrinter: RowPrinter {
  private let settings: OutputSettings
  private let output: Output
  private let titles: [[UInt8]]
  private var rows: [[Cell]] = []

  init(settings: OutputSettings, output: Output, _ statement: Statement) {
    self.settings = settings
    self.output = output
    titles = (0..<statement.columnCount).map {
      settings.fit.limitedTitle(settings.title(statement.columnName($0)))
    }
  }

  mutating func row(_ statement: Statement) {
    rows.append((0..<titles.count).map { settings.cell(statement, $0) })
  }

  mutating func finish() throws(SQLError) {
    guard !rows.isEmpty else { return }
    if settings.mode == .split, titles.count == 1, !settings.showsTitles {
      return writeSplit()
    }
    let earlier = Interruption.count
    let fit = settings.fit
    var natural = [Int](repeating: 0, count: titles.count)
    if settings.showsTitles || settings.mode == .split {
      natural = titles.map { widest(displayLines($0)) }
    }
    for row in rows {
      if Interruption.count > earlier { throw SQLError(.interrupt) }
      for (column, cell) in row.enumerated() {
        natural[column] = max(natural[column], widest(displayLines(cell.bytes)))
      }
    }
    let fixed = titles.indices.map { $0 < fit.widths.count && fit.widths[$0] != 0 }
    let wanted = titles.indices.map { column in
      if fixed[column] { return abs(fit.widths[column]) }
      return fit.wrap > 0 ? min(natural[column], fit.wrap) : natural[column]
    }
    let columns = ColumnFit(
      natural: wanted, fixed: fixed, isPlain: settings.mode == .column || settings.mode == .split,
      hasBorder: settings.hasBorder, screen: fit.screenColumns)
    var frame = Frame(settings)
    if !columns.hasMargins { frame.removeMargins() }
    var lines: [[[[UInt8]]]] = []
    for row in rows {
      if Interruption.count > earlier { throw SQLError(.interrupt) }
      lines.append(zip(row, columns.widths).map { fit.lines(of: $0.bytes, width: $1) })
    }
    let titleLines = zip(titles, columns.widths).map { fit.lines(of: $0, width: $1) }
    try draw(frame, titleLines, lines, columns.widths, interruptions: earlier)
  }

  private func writeSplit() {
    let width = settings.fit.screenColumns
    guard width > 0 else {
      for row in rows { output.write(row[0].bytes + [10]) }
      return
    }
    output.write(splitColumns(rows.map { $0[0] }, width: width))
  }

  private func widest(_ lines: [[UInt8]]) -> Int { lines.map { displayWidth($0[...]) }.max() ?? 0 }

  private func draw(
    _ frame: Frame, _ titleLines: [[[UInt8]]], _ lines: [[[[UInt8]]]], _ widths: [Int],
    interruptions earlier: Int
  ) throws(SQLError) {
    let isRoomy = lines.contains { $0.contains { $0.count > 1 } }
    rule(frame.top, frame, widths)
    if settings.showsTitles || settings.mode == .split {
      let centred = titleLines.map { _ in Alignment.centre }
      write(titleLines, centred, widths, frame)
      rule(frame.header, frame, widths)
    }
    for (index, row) in lines.enumerated() {
      if Interruption.count > earlier { throw SQLError(.interrupt) }
      if index > 0, isRoomy { rule(frame.divider, frame, widths) }
      write(row, rows[index].enumerated().map { alignment(of: $1, $0) }, widths, frame)
    }
    rule(frame.bottom, frame, widths)
  }

  /// As the letter of the column says, or a negative width; numbers stand right.
  private func alignment(of cell: Cell, _ column: Int) -> Alignment {
    let letters = Array(settings.fit.alignment)
    if column < letters.count {
      switch letters[column] {
      case "R": return .right
      case "C": return .centre
      default: return .left
      }
    }
    let widths = settings.fit.widths
    if column < widths.count, widths[column] < 0 { return .right }
    return cell.isNumber ? .right : .left
  }

  private enum Alignment { case left, right, centre }

  /// Writes a row of values, each of which may have several lines.
  private func write(
    _ cells: [[[UInt8]]], _ alignments: [Alignment], _ widths: [Int], _ frame: Frame
  ) {
    let height = cells.map(\.count).max() ?? 1
    for line in 0..<height {
      var text = Array(frame.left.utf8)
      for column in cells.indices {
        if column > 0 { text += Array(frame.between.utf8) }
        let part = line < cells[column].count ? cells[column][line] : []
        text += padded(part, to: widths[column], alignments[column])
      }
      text += Array(frame.right.utf8)
      if frame.isTrimmed { while text.last == UInt8(ascii: " ") { text.removeLast() } }
      output.write(text)
      output.write("\n")
    }
  }

  private func padded(_ text: [UInt8], to width: Int, _ alignment: Alignment) -> [UInt8] {
    let missing = max(width - displayWidth(text[...]), 0)
    let before =
      switch alignment {
      case .left: 0
      case .right: missing
      case .centre: missing / 2
      }
    let blank = UInt8(ascii: " ")
    return Array(repeating: blank, count: before) + text
      + Array(repeating: blank, count: missing - before)
  }

  private func rule(_ parts: [String]?, _ frame: Frame, _ widths: [Int]) {
    guard let parts else { return }
    let strokes = widths.map { String(repeating: parts[1], count: $0) }
    output.write(parts[0] + strokes.joined(separator: parts[2]) + parts[3] + "\n")
  }
}

/// Values side by side in columns, as `.tables` shows names (climode §3.8).
func splitColumns(_ values: [Cell], width: Int) -> [UInt8] {
  let narrowestGap = 2
  let widestGap = 5
  var rowCount = 1
  var widths: [Int] = []
  for wanted in (1...max(values.count, 1)).reversed() {
    rowCount = (values.count + wanted - 1) / wanted
    let columns = stride(from: 0, to: values.count, by: rowCount)
    widths = columns.map { start in
      values[start..<min(start + rowCount, values.count)].map { displayWidth($0.bytes[...]) }.max()
        ?? 0
    }
    let total = widths.reduce(0, +) + narrowestGap * (widths.count - 1)
    if total <= width || widths.count <= 1 { break }
    rowCount += 1
  }
  let free = width - widths.reduce(0, +)
  let gap = widths.count > 1 ? min(free / (widths.count - 1), widestGap) : 0
  var text: [UInt8] = []
  for row in 0..<rowCount {
    for (column, index) in stride(from: row, to: values.count, by: rowCount).enumerated() {
      let isLast = index + rowCount >= values.count
      let value = values[index]
      let blanks = { Array(repeating: UInt8(ascii: " "), count: $0) }
      let padding = widths[column] - displayWidth(value.bytes[...])
      text += value.isNumber ? blanks(padding) + value.bytes : value.bytes
      if !isLast { text += blanks(value.isNumber ? gap : padding + gap) }
    }
    text.append(UInt8(ascii: "\n"))
  }
  return text
}
