import Engines

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A query's result as a script writes it, before hashing.
struct RenderedResult {
  /// Lines that end with a line feed each: values in `typed` form, whole rows in the others.
  var bytes: [UInt8] = []
  /// How many lines make a row, for `rowsort`.
  var linesPerRow = 1
  var unit = "values"

  var lineCount: Int { bytes.count { $0 == ScriptText.lineFeed } }
  var lines: [String] { linesOfText(bytes[...]) }

  mutating func append(_ line: String) {
    bytes += line.utf8
    bytes.append(ScriptText.lineFeed)
  }

  /// Sorts as sqllogictest does: by bytes.
  mutating func sort(_ mode: SortMode) {
    if mode == .nosort { return }
    let sorted = bytes.withUnsafeBytes { all -> [UInt8]? in
      let rows = rows(of: all, mode == .rowsort ? max(linesPerRow, 1) : 1)
      if rows.count < 2 { return nil }
      return rows.sorted { isOrdered(all, $0, $1) }.flatMap { bytes[$0] }
    }
    if let sorted { bytes = sorted }
  }

  /// Where rows of so many lines stand.
  private func rows(of all: UnsafeRawBufferPointer, _ linesPerRow: Int) -> [Range<Int>] {
    var rows: [Range<Int>] = []
    var start = 0, lines = 0
    for (index, byte) in all.enumerated() where byte == ScriptText.lineFeed {
      lines += 1
      guard lines == linesPerRow || index + 1 == all.count else { continue }
      rows.append(start..<index + 1)
      (start, lines) = (index + 1, 0)
    }
    return rows
  }

  /// `30 values hashing to <md5>`, of every line and its line break.
  var hashLine: String {
    var digest = MD5()
    bytes.withUnsafeBytes { digest.update($0) }
    return "\(lineCount) \(unit) hashing to \(digest.finish())"
  }
}

/// Compares without the line feed at the end; between the values of a row it comes before all that
/// can be printed.
private func isOrdered(
  _ all: UnsafeRawBufferPointer, _ left: Range<Int>, _ right: Range<Int>
) -> Bool {
  let base = all.baseAddress.unsafelyUnwrapped
  let leftCount = left.count - 1, rightCount = right.count - 1
  let order = memcmp(
    base + left.lowerBound, base + right.lowerBound, min(leftCount, rightCount))
  return order != 0 ? order < 0 : leftCount < rightCount
}

extension ResultForm {
  /// Adds the statement's current row to `result`.
  func append(_ row: any PreparedStatement, to result: inout RenderedResult) {
    switch self {
    case .typed(let types):
      let count = row.columnCount
      var column = 0
      for type in types.utf8 where column < count {
        appendTyped(row, column, type, to: &result.bytes)
        result.bytes.append(ScriptText.lineFeed)
        column += 1
      }
    case .exact, .names:
      let values = (0..<row.columnCount).map { exactValue(row, $0) }
      result.append(values.joined(separator: "|"))
    case .plan: break
    }
  }
}

/// One value as the sqllogictest program prints it for SQLite.
private func appendTyped(
  _ row: any PreparedStatement, _ column: Int, _ type: UInt8, to bytes: inout [UInt8]
) {
  if row.kind(column) == .null { return bytes += "NULL".utf8 }
  switch type {
  case UInt8(ascii: "I"): appendDecimal(row.integer(column), to: &bytes)
  case UInt8(ascii: "R"):
    let value = row.real(column)
    // Most are whole.
    if let whole = Int64(exactly: value), whole.magnitude < 1_000_000_000_000_000, whole != 0 {
      appendDecimal(whole, to: &bytes)
      bytes += ".000".utf8
    } else {
      bytes += threeDecimals(value).utf8
    }
  default:
    row.withBytes(column) { text in
      let start = bytes.count
      for byte in text {
        if byte == 0 { break }
        let isPrintable = byte >= UInt8(ascii: " ") && byte <= UInt8(ascii: "~")
        bytes.append(isPrintable ? byte : UInt8(ascii: "@"))
      }
      if bytes.count == start { bytes += "(empty)".utf8 }
    }
  }
}

private func appendDecimal(_ value: Int64, to bytes: inout [UInt8]) {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
    var rest = value.magnitude
    var first = digits.count
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if value < 0 {
      first -= 1
      digits[first] = UInt8(ascii: "-")
    }
    bytes.append(contentsOf: digits[first...])
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
