import MartletEngine

/// The plan of a statement that has run: its steps, and what was counted of them.
struct MeasuredPlan {
  struct Step {
    let detail: String
    let depth: Int
    /// The steps above it that have others below, for the lines of a tree.
    let isLast: [Bool]
    let loop: ScanElement.Loop?
  }

  private(set) var steps: [Step] = []
  let nanoseconds: Int64

  /// Deeper than any statement nests: a wrong parent must not recurse for ever.
  private static let deepest = 1_000

  init(of statement: Statement) {
    nanoseconds = statement.scanNanoseconds
    add(statement.scanElements, below: 0, isLast: [])
  }

  private mutating func add(_ elements: [ScanElement], below parent: Int, isLast: [Bool]) {
    guard isLast.count < Self.deepest else { return }
    let children = elements.filter { $0.parent == parent }
    for (index, element) in children.enumerated() {
      let path = isLast + [index == children.count - 1]
      steps.append(
        Step(detail: element.detail, depth: isLast.count, isLast: path, loop: element.loop))
      if element.id != parent { add(elements, below: element.id, isLast: path) }
    }
  }

  /// How much of the whole time a step took.
  func share(of loop: ScanElement.Loop) -> Int {
    nanoseconds > 0 ? Int((loop.nanoseconds * 100 + nanoseconds / 2) / nanoseconds) : 0
  }

  func text(withEstimates: Bool) -> String {
    let lines = steps.map { step in
      step.isLast.dropLast().map { $0 ? "   " : "|  " }.joined()
        + (step.isLast.last == true ? "`--" : "|--") + step.detail
    }
    let width = lines.map { displayWidth(Array($0.utf8)[...]) }.max() ?? 0
    var text = "QUERY PLAN (time=\(Self.duration(nanoseconds)))\n"
    for (line, step) in zip(lines, steps) {
      guard let loop = step.loop else {
        text += line + "\n"
        continue
      }
      let blanks = String(repeating: " ", count: width - displayWidth(Array(line.utf8)[...]))
      text += "\(line)\(blanks)  (\(measures(of: loop, withEstimates)))\n"
    }
    return text
  }

  private func measures(of loop: ScanElement.Loop, _ withEstimates: Bool) -> String {
    var parts = [
      "time=\(Self.duration(loop.nanoseconds)) [\(share(of: loop))%]",
      "loops=\(loop.runCount)", "rows=\(loop.rowCount)",
    ]
    if withEstimates {
      parts.append("rpl=\(Self.number(Self.rowsPerRun(of: loop)))")
      parts.append("est=\(Self.number(loop.estimatedRowCount))")
    }
    return parts.joined(separator: " ")
  }

  static func rowsPerRun(of loop: ScanElement.Loop) -> Double {
    loop.runCount == 0 ? 0 : Double(loop.rowCount) / Double(loop.runCount)
  }

  /// One digit behind the point.
  static func number(_ value: Double) -> String {
    guard value.magnitude < 1e15 else { return "\(value)" }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\((tenths % 10).magnitude)"
  }

  /// A time in the unit that fits it, with three digits or four.
  static func duration(_ nanoseconds: Int64) -> String {
    let value = Double(nanoseconds)
    switch nanoseconds {
    case ..<1_000: return "\(nanoseconds)ns"
    case ..<1_000_000: return number(value / 1e3) + "us"
    case ..<1_000_000_000: return number(value / 1e6) + "ms"
    default: return number(value / 1e9) + "s"
    }
  }
}
