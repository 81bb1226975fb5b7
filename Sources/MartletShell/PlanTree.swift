import MartletEngine

/// The rows of EXPLAIN QUERY PLAN, drawn as a tree (eqp §1), and one more for each trigger, if their
/// plans are shown.
struct PlanTree {
  private struct Step {
    let id: Int64
    let parent: Int64
    let detail: String
  }

  private var steps: [Step] = []
  private var title = "QUERY PLAN"
  /// The trees that are complete.
  private var drawn = ""

  var isEmpty: Bool { drawn.isEmpty && steps.isEmpty }

  mutating func add(_ statement: Statement) {
    // Behind a row without a text come the actions of a foreign key, as a part of the tree before.
    if statement.columnType(3) == .null { return }
    let detail = statement.columnText(3)
    if detail.hasPrefix("-- ") {
      drawn = text
      title = String(detail.dropFirst(3))
      steps = []
    } else {
      steps.append(
        Step(id: statement.columnInt64(0), parent: statement.columnInt64(1), detail: detail))
    }
  }

  var text: String {
    steps.isEmpty ? drawn : drawn + title + "\n" + branch(of: 0, indent: "", depth: 0)
  }

  /// Deeper than any statement nests: a wrong parent must not recurse for ever.
  private static let deepestBranch = 1_000

  private func branch(of parent: Int64, indent: String, depth: Int) -> String {
    guard depth < Self.deepestBranch else { return "" }
    let children = steps.filter { $0.parent == parent }
    var text = ""
    for (index, step) in children.enumerated() {
      let isLast = index == children.count - 1
      text += indent + (isLast ? "`--" : "|--") + step.detail + "\n"
      text += branch(of: step.id, indent: indent + (isLast ? "   " : "|  "), depth: depth + 1)
    }
    return text
  }
}

/// The program that EXPLAIN lists, in columns of fixed width, loops indented.
struct ProgramListing {
  private struct Line {
    let fields: [String]
    let jump: Int
  }

  private var lines: [Line] = []

  private static let widths = [4, 13, 4, 4, 4, 13, 2, 13]
  private static let titles = ["addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment"]
  /// Opcodes that jump back to the start of a loop.
  private static let loopEnds: Set<String> = [
    "Next", "Prev", "VPrev", "VNext", "SorterNext", "Return",
  ]
  private static let yields: Set<String> = ["Yield", "SeekLT", "SeekGT", "RowSetRead", "Rewind"]

  mutating func add(_ statement: Statement) {
    lines.append(
      Line(
        fields: (0..<statement.columnCount).map { statement.columnText($0) },
        jump: Int(truncatingIfNeeded: statement.columnInt64(3))))
  }

  var text: String {
    let rule = Self.widths.map { String(repeating: "-", count: $0) }
    var text = row(Self.titles, indent: 0, isTitle: true) + row(rule, indent: 0)
    let indents = loopIndents
    for (index, line) in lines.enumerated() { text += row(line.fields, indent: indents[index]) }
    return text
  }

  /// How deep each instruction lies in loops.
  private var loopIndents: [Int] {
    var indents = [Int](repeating: 0, count: lines.count)
    for (index, line) in lines.enumerated() {
      let target = line.jump
      guard target > 0, target < index else { continue }
      let isLoop = Self.loopEnds.contains(line.fields[1])
      let isGoto = line.fields[1] == "Goto" && Self.yields.contains(lines[target].fields[1])
      if isLoop || isGoto { for inside in target..<index { indents[inside] += 2 } }
    }
    return indents
  }

  private func row(_ fields: [String], indent: Int, isTitle: Bool = false) -> String {
    var parts: [String] = []
    for (column, field) in fields.enumerated() where column < Self.widths.count {
      if column == Self.widths.count - 1, !isTitle {
        parts.append(field)
        continue
      }
      // A field that is too wide takes the first of the two blanks behind it.
      let missing = max(Self.widths[column] - field.unicodeScalars.count, -1) + 1
      let isLast = column == Self.widths.count - 1
      let blanks = String(repeating: " ", count: max(isLast ? missing - 1 : missing, 0))
      parts.append((column == 1 ? String(repeating: " ", count: indent) : "") + field + blanks)
    }
    return parts.joined(separator: " ") + "\n"
  }
}
