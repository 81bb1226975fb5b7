/// Gathers lines until they make a statement or a dot-command.
struct StatementReader {
  enum Piece {
    case more
    case command(String, line: Int)
    case statement([UInt8], line: Int)
  }

  private var pending: [UInt8] = []
  private var firstLine = 0

  var isEmpty: Bool { pending.isEmpty }

  /// A statement that the input ended without finishing.
  var rest: (sql: [UInt8], line: Int)? { isEmpty ? nil : (pending, firstLine) }

  mutating func take(_ line: [UInt8], number lineNumber: Int) -> Piece {
    if isEmpty {
      if line.first == UInt8(ascii: ".") {
        let text = line.withUnsafeBytes { String(fileNameBytes: $0) }
        return .command(text, line: lineNumber)
      }
      if line.first == UInt8(ascii: "#") || line.allSatisfy(isSpace) { return .more }
      firstLine = lineNumber
      pending = line
    } else if endsStatement(line), isCompleteStatement(pending + [UInt8(ascii: ";")]) {
      pending.append(UInt8(ascii: ";"))
    } else {
      pending.append(UInt8(ascii: "\n"))
      pending += line
    }
    // Looking at the whole statement costs time; only a line with a semicolon can end it.
    guard pending.last == UInt8(ascii: ";") || line.contains(UInt8(ascii: ";")),
      isCompleteStatement(pending)
    else {
      // After nothing but comments the next line may be a dot-command, and counts as the first.
      if isBlankSQL(pending) { pending = [] }
      return .more
    }
    defer { pending = [] }
    return .statement(pending, line: firstLine)
  }

  /// Whether the line is `go` or `/`, which end statements as a semicolon does (cli §3.1).
  private func endsStatement(_ line: [UInt8]) -> Bool {
    let word = line.filter { !isSpace($0) }.map { $0 | 0x20 }
    return word == Array("go".utf8) || line.filter { !isSpace($0) } == [UInt8(ascii: "/")]
  }

}
