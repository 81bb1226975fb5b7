import MartletEngine

/// Where SQL text came from, for error messages.
enum SQLSource {
  /// The nth word of the command line.
  case argument(Int)
  case line(Int, file: String?)

  var description: String {
    switch self {
    case .argument(let index): "in \(Self.ordinal(index)) command line argument"
    case .line(let line, nil): "near line \(line)"
    case .line(let line, let file?): "near line \(line) of \(file)"
    }
  }

  /// As messages about dot-commands name it.
  var place: String {
    switch self {
    case .argument(let index): "argv[\(index)]"
    case .line(let line, _): "line \(line)"
    }
  }

  private static func ordinal(_ number: Int) -> String {
    switch (number % 10, number % 100) {
    case (1, let rest) where rest != 11: "\(number)st"
    case (2, let rest) where rest != 12: "\(number)nd"
    case (3, let rest) where rest != 13: "\(number)rd"
    default: "\(number)th"
    }
  }
}

/// An error as people read it: what happened, where, and the place in the SQL.
func errorText(
  _ error: SQLError, isParseError: Bool, sql: ArraySlice<UInt8>, source: SQLSource
) -> String {
  var text = (isParseError ? "Parse error " : "Error ") + source.description
  text += ": " + error.message
  if isParseError, error.code.primary != .error { text += " (\(error.code.primary.rawValue))" }
  text += "\n"
  if isParseError, error.offset >= 0, Int(error.offset) <= sql.count {
    text += excerpt(of: sql, around: Int(error.offset))
  }
  return text
}

/// The part of the SQL around `offset` on one line, and an arrow below that points to it.
private func excerpt(of sql: ArraySlice<UInt8>, around offset: Int) -> String {
  let farthestOffset = 50
  let longestExcerpt = 78
  let halfway = 25
  var start = sql.startIndex + max(offset - farthestOffset, 0)
  while start < sql.endIndex, isContinuation(sql[start]) { start += 1 }
  var end = min(start + longestExcerpt, sql.endIndex)
  while end < sql.endIndex, end > start, isContinuation(sql[end]) { end -= 1 }
  let shown = sql[start..<end].map { isSpace($0) ? UInt8(ascii: " ") : $0 }
  let column = max(sql.startIndex + offset - start, 0)
  let label = "error here ---^"
  let arrow =
    column < halfway
    ? String(repeating: " ", count: column) + "^--- error here"
    : String(repeating: " ", count: column - label.utf8.count + 1) + label
  return "  \(String(decoding: shown, as: UTF8.self))\n  \(arrow)\n"
}

private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }
