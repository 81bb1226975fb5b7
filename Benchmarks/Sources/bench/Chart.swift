import Foundation

/// Times of Martlet as horizontal bars, each over that of what it is compared with.
///
/// Numbers stand in a column of their own, so that no line crosses one. Bars that are longer than
/// the chart are cut, and marked.
struct Chart {
  struct Bar {
    let name: String
    let ratio: Double
    /// From the best to the worst of what the bar stands for.
    var range: ClosedRange<Double>?
  }

  private let title: String
  private let notes: [String]
  private let bars: [Bar]
  /// The ratio at the right end.
  private let end: Double

  private static let width = 800.0
  private static let start = 350.0
  private static let top = 88.0
  private static let barHeight = 22.0

  /// A bar for each workload.
  init(of report: BenchReport) {
    self.init(
      title: "Martlet beside \(report.rival): \(report.subject)", rival: report.rival,
      measured: "\(report.size), median of \(report.pairs) pairs of runs; "
        + "geometric mean \(decimal(report.geomean, 2)).",
      bars: report.measurements.map { Bar(name: $0.name, ratio: $0.ratio) })
  }

  /// A bar for each report: its geometric mean, with its best and its worst workload.
  init(of reports: [BenchReport]) {
    let rival = reports.first?.rival ?? ""
    self.init(
      title: "Martlet beside \(rival)", rival: rival,
      measured: "Bars: geometric mean of the workloads. Thin lines: from the best workload to the "
        + "worst.",
      bars: reports.map { report in
        let ratios = report.measurements.map(\.ratio)
        return Bar(
          name: "\(report.subject), \(ratios.count) workloads", ratio: report.geomean,
          range: (ratios.min() ?? 0)...(ratios.max() ?? 0))
      })
  }

  private init(title: String, rival: String, measured: String, bars: [Bar]) {
    self.title = title
    self.bars = bars
    let longest = bars.map { $0.range?.upperBound ?? $0.ratio }.max() ?? 1
    end = min(max((longest * 4).rounded(.up) / 4, 1.25), 2.5)
    notes = ["Time; \(rival) = 1, less is better. \(Self.circumstances)", measured]
  }

  /// When and on what kind of machine.
  private static var circumstances: String {
    let day = Date.now.formatted(.iso8601.year().month().day())
    #if arch(x86_64)
      let processor = "x86-64"
    #elseif arch(arm64)
      let processor = "arm64"
    #else
      let processor = "another processor"
    #endif
    return "\(day), \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores."
  }

  func write(to path: String) throws {
    try Data(svg.utf8).write(to: URL(fileURLWithPath: path))
  }

  private var svg: String {
    let bottom = Self.top + Double(bars.count) * Self.barHeight
    let height = Int(bottom) + 16
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(height)" \
      viewBox="0 0 \(Int(Self.width)) \(height)" font-family="sans-serif" font-size="13">
      <rect width="100%" height="100%" fill="white"/>
      <text x="12" y="22" font-weight="bold">\(Self.escaped(title))</text>\n
      """
    for (index, note) in notes.enumerated() {
      svg += """
        <text x="12" y="\(40 + index * 17)" fill="#555" font-size="12">\
        \(Self.escaped(note))</text>\n
        """
    }
    for mark in stride(from: 0, through: end, by: 0.5) {
      svg += line(at: mark, to: bottom, color: "#ddd")
      let label = mark == mark.rounded() ? decimal(mark, 0) : decimal(mark, 1)
      svg += """
        <text x="\(place(mark))" y="\(Self.top - 8)" fill="#555" font-size="11" \
        text-anchor="middle">\(label)</text>\n
        """
    }
    for (index, bar) in bars.enumerated() {
      svg += drawing(of: bar, at: Self.top + Double(index) * Self.barHeight)
    }
    return svg + line(at: 1, to: bottom, color: "#333") + "</svg>\n"
  }

  private func drawing(of bar: Bar, at top: Double) -> String {
    let color = bar.ratio <= 1 ? "#4a9" : "#c75"
    let right = place(min(bar.ratio, end))
    var svg = """
      <text x="12" y="\(top + 16)">\(Self.escaped(bar.name))</text>
      <text x="\(Self.start - 12)" y="\(top + 16)" text-anchor="end">\(decimal(bar.ratio, 2))</text>
      <rect x="\(Self.start)" y="\(top + 4)" width="\(decimal(right - Self.start, 1))" height="15" \
      fill="\(color)"/>\n
      """
    if bar.ratio > end { svg += cut(at: right, top) }
    if let range = bar.range {
      let middle = top + 11.5, from = place(min(range.lowerBound, end))
      let to = place(min(range.upperBound, end))
      let tick = range.upperBound > end ? "" : "M\(to) \(middle - 4)v8"
      svg += """
        <path d="M\(from) \(middle)H\(to)M\(from) \(middle - 4)v8\(tick)" stroke="#333" \
        fill="none"/>\n
        """
      if range.upperBound > end { svg += cut(at: to, top) }
    }
    return svg
  }

  /// Two slanted strokes through a bar that goes on.
  private func cut(at x: Double, _ top: Double) -> String {
    """
    <path d="M\(x - 16) \(top + 22)l6 -20m5 0l-6 20" stroke="white" stroke-width="3"/>\n
    """
  }

  private func line(at ratio: Double, to bottom: Double, color: String) -> String {
    """
    <path d="M\(place(ratio)) \(Self.top)V\(bottom + 4)" stroke="\(color)"/>\n
    """
  }

  private func place(_ ratio: Double) -> Double {
    let place = Self.start + ratio / end * (Self.width - Self.start - 24)
    return (place * 10).rounded() / 10
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
  }
}
