import MartletEngine

extension Command {
  /// `.layout`: where the pages of tables and indexes lie in the file, as text or as a picture.
  func showLayout(in session: Session) -> Result {
    guard arguments.count <= 1 else { return fail(".layout ?FILE.svg?", in: session) }
    guard let connection = session.open() else { return .failed }
    return attempt(in: session) { () throws(SQLError) in
      let layout = try FileLayout(of: connection, database: "main")
      guard let path = arguments.first else { return session.output.write(layout.text) }
      let picture = Array(layout.picture(title: session.path.legibleFileName).utf8)
      guard DiskEntry.write(path, picture, mode: nil, modificationTime: nil) else {
        throw .said("cannot open \"\(path)\"")
      }
    }
  }
}

extension FileLayout {
  private static let letters = Array(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

  private func letter(of object: Int) -> Character {
    object < Self.letters.count ? Self.letters[object] : "?"
  }

  /// A list of what is in the file, and below it a map: a letter for some pages, `.` for free ones.
  var text: String {
    let cellsPerLine = 64
    let pagesEach = pagesPerCell(cellLimit: cellsPerLine * 24)
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(width - text.utf8.count, 0)) + text
    }
    var text = "   \(right("pages", 9)) \(right("full", 5))  name\n"
    for (number, object) in objects.enumerated() {
      let percent = Int((fullness(of: object) * 100).rounded())
      let overflow = object.overflowCount > 0 ? ", overflow \(object.overflowCount)" : ""
      let kind =
        object.isIndex
        ? " (index\(overflow))" : overflow.isEmpty ? "" : " (\(overflow.dropFirst(2)))"
      text += "\(letter(of: number))  \(right("\(object.pageCount)", 9)) \(right("\(percent)%", 5))"
      text += "  \(object.name)\(kind)\n"
    }
    if freeCount > 0 { text += ".  \(right("\(freeCount)", 9))        free\n" }
    if otherCount > 0 { text += ".  \(right("\(otherCount)", 9))        pointer map\n" }
    text += "\n\(pageCount) pages of \(pageSize) bytes"
    text += pagesEach > 1 ? ", \(pagesEach) a letter\n" : "\n"
    let cells = cells(pagesEach: pagesEach)
    for start in stride(from: 0, to: cells.count, by: cellsPerLine) {
      let line = cells[start..<min(start + cellsPerLine, cells.count)]
      text += right("\(start * pagesEach + 1)", 9) + "  "
      text += String(line.map { cell in cell.object.map { letter(of: $0) } ?? "." }) + "\n"
    }
    return text
  }

  /// The map in colours: a square for some pages, as high filled as they are full.
  func picture(title: String) -> String {
    let columns = 64, size = 11, margin = 16, top = 64, legendWidth = 430
    let pagesEach = pagesPerCell(cellLimit: columns * 48)
    let cells = cells(pagesEach: pagesEach)
    let mapHeight = (cells.count + columns - 1) / columns * size
    let legend = margin + columns * size + 24
    let listed = objects.indices.sorted { objects[$0].pageCount > objects[$1].pageCount }.prefix(40)
    let height = top + max(mapHeight, (listed.count + 3) * 20) + margin
    var svg = SVG(width: legend + legendWidth, height: height)
    svg.text(SVG.cut(title, to: 90), margin, 26, isBold: true)
    svg.text(
      "\(pageCount) pages of \(pageSize) bytes, a square for "
        + (pagesEach == 1 ? "each" : "\(pagesEach)") + "; filled as far as it is full",
      margin, 46, fill: SVG.faint)
    for (index, cell) in cells.enumerated() {
      let x = margin + index % columns * size, y = top + index / columns * size
      guard let object = cell.object else {
        svg.rectangle(x, y, size - 1, size - 1, fill: "white", stroke: SVG.line)
        continue
      }
      let filled = max(Int((cell.fullness * Double(size - 1)).rounded()), 1)
      svg.rectangle(x, y, size - 1, size - 1, fill: Self.colour(object, isPale: true))
      svg.rectangle(x, y + size - 1 - filled, size - 1, filled, fill: Self.colour(object))
    }
    drawLegend(Array(listed), at: legend, top, into: &svg)
    return svg.file
  }

  private func drawLegend(_ listed: [Int], at x: Int, _ top: Int, into svg: inout SVG) {
    svg.text("pages", x + 290, top - 6, fill: SVG.faint, anchor: "end")
    svg.text("full", x + 350, top - 6, fill: SVG.faint, anchor: "end")
    var y = top
    func row(
      _ name: String, isIndex: Bool = false, _ pages: Int, _ full: String, fill: String,
      stroke: String?
    ) {
      svg.rectangle(x, y + 2, 12, 12, fill: fill, stroke: stroke)
      let label = isIndex ? SVG.cut(name, to: 28) + " ↗" : SVG.cut(name, to: 30)
      svg.text(label, x + 20, y + 12)
      svg.text("\(pages)", x + 290, y + 12, anchor: "end")
      svg.text(full, x + 350, y + 12, anchor: "end")
      y += 20
    }
    for number in listed {
      let object = objects[number]
      let percent = Int((fullness(of: object) * 100).rounded())
      row(
        object.name, isIndex: object.isIndex, object.pageCount, "\(percent)%",
        fill: Self.colour(number), stroke: nil)
    }
    if freeCount + otherCount > 0 {
      row(
        otherCount > 0 ? "free, and pointer map" : "free", freeCount + otherCount, "",
        fill: "white", stroke: SVG.line)
    }
    let others = objects.count - listed.count
    let note = others > 0 ? "\(others) more; " : ""
    svg.text(note + "↗ index", x, y + 14, fill: SVG.faint)
  }

  private static let colours = [
    (0x2563eb, 0xdbeafe), (0xd97706, 0xfef3c7), (0x059669, 0xd1fae5), (0xdc2626, 0xfee2e2),
    (0x7c3aed, 0xede9fe), (0x0891b2, 0xcffafe), (0xdb2777, 0xfce7f3), (0x65a30d, 0xecfccb),
    (0x92400e, 0xf5e6d8), (0x1e3a8a, 0xd6dcf0), (0x0f766e, 0xd3ece9), (0x9f1239, 0xf3d4dc),
    (0x6b21a8, 0xe9d8f4), (0x4d7c0f, 0xe2ecd2), (0xb45309, 0xfbe7cf), (0x374151, 0xe5e7eb),
  ]

  private static func colour(_ number: Int, isPale: Bool = false) -> String {
    let pair = colours[number % colours.count]
    let digits = String(isPale ? pair.1 : pair.0, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
