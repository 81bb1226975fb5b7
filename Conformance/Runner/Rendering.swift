import Engines

/// A query's result as a script writes it, before sorting and hashing.
struct RenderedResult {
  /// Values in `typed` form, whole rows in the others.
  var lines: [String] = []
  /// How many lines make a row, for `rowsort`.
  var linesPerRow = 1
  var unit = "values"

  /// Sorts as sqllogictest does: by bytes.
  mutating func sort(_ mode: SortMode) {
    switch mode {
    case .nosort: break
    case .valuesort: lines.sort(by: isByteOrdered)
    case .rowsort:
      guard linesPerRow > 1 else { return lines.sort(by: isByteOrdered) }
      let rows = stride(from: 0, to: lines.count, by: linesPerRow).map {
        Array(lines[$0..<min($0 + linesPerRow, lines.count)])
      }
      lines = rows.sorted { $0.lexicographicallyPrecedes($1, by: isByteOrdered) }.flatMap { $0 }
    }
  }

  /// `30 values hashing to <md5>`, of every line and its line break.
  var hashLine: String {
    var digest = MD5()
    for line in lines {
      digest.update(line.utf8)
      digest.update(CollectionOfOne(UInt8(ascii: "\n")))
    }
    return "\(lines.count) \(unit) hashing to \(digest.finish())"
  }
}

private func isByteOrdered(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}

extension ResultForm {
  /// Adds the statement's current row to `result`.
  func append(_ row: any PreparedStatement, to result: inout RenderedResult) {
    switch self {
    case .typed(let types):
      for (column, type) in types.utf8.enumerated() where column < row.columnCount {
        result.lines.append(typedValue(row, column, type))
      }
    case .exact, .names:
      let values = (0..<row.columnCount).map { exactValue(row, $0) }
      result.lines.append(values.joined(separator: "|"))
    case .plan: break
    }
  }
}

/// One value as the sqllogictest program prints it for SQLite.
private func typedValue(_ row: any PreparedStatement, _ column: Int, _ type: UInt8) -> String {
  if row.kind(column) == .null { return "NULL" }
  switch type {
  case UInt8(ascii: "I"): return String(row.integer(column))
  case UInt8(ascii: "R"): return threeDecimals(row.real(column))
  default:
    let text = row.bytes(column).prefix { $0 != 0 }
    if text.isEmpty { return "(empty)" }
    let printable = UInt8(ascii: " ")...UInt8(ascii: "~")
    return String(
      decoding: text.map { printable.contains($0) ? $0 : UInt8(ascii: "@") }, as: UTF8.self)
  }
}

/// A row of EXPLAIN QUERY PLAN.
struct PlanStep {
  let id: Int64
  let parent: Int64
  let detail: String
}

/// The tree of an EXPLAIN QUERY PLAN, as the shell draws it (eqp §1).
func planLines(_ steps: [PlanStep]) -> [String] {
  func branch(of parent: Int64, indent: String, depth: Int) -> [String] {
    let children = steps.filter { $0.parent == parent }
    return children.enumerated().flatMap { index, step -> [String] in
      let isLast = index == children.count - 1
      let line = indent + (isLast ? "`--" : "|--") + step.detail
      guard depth < 100, step.id != parent else { return [line] }
      let deeper = indent + (isLast ? "   " : "|  ")
      return [line] + branch(of: step.id, indent: deeper, depth: depth + 1)
    }
  }
  return branch(of: 0, indent: "", depth: 0)
}
