/// A statement of the schema set out for reading (`.schema --indent`): blanks become one, and where
/// the line would be long, each part of the outermost parentheses stands on a line of its own.
func indentedSchema(_ sql: String) -> String {
  let text = squeezed(Array(sql.utf8))
  let longestLine = 79
  let shown = text.count < longestLine ? text : SchemaIndenter(text).lines()
  return String(decoding: shown, as: UTF8.self)
}

/// Runs of blanks as their first, and none around parentheses.
private func squeezed(_ text: [UInt8]) -> [UInt8] {
  let open = UInt8(ascii: "(")
  var result: [UInt8] = []
  for byte in text.drop(while: isSpace) {
    if isSpace(byte) {
      if let last = result.last, isSpace(last) || last == open { continue }
    } else if byte == open || byte == UInt8(ascii: ")"), let last = result.last, isSpace(last) {
      result.removeLast()
    }
    result.append(byte)
  }
  while let last = result.last, isSpace(last) { result.removeLast() }
  return result
}

private struct SchemaIndenter {
  private let text: [UInt8]
  private var result: [UInt8] = []
  private var line: [UInt8] = []
  private var lineCount = 0
  private var depth = 0
  /// What ends the quoted name, text or comment that is being read.
  private var quoteEnd: UInt8?

  init(_ text: [UInt8]) { self.text = text }

  func lines() -> [UInt8] {
    var indenter = self
    indenter.run()
    return indenter.result + indenter.line
  }

  private mutating func run() {
    var index = 0
    while index < text.count {
      let byte = text[index]
      note(byte, following: index + 1 < text.count ? text[index + 1] : 0)
      line.append(byte)
      if depth == 1, quoteEnd == nil, breaks(after: index) {
        if byte == UInt8(ascii: "\n") { line.removeLast() }
        end("\n  ")
        lineCount += 1
        while index + 1 < text.count, isSpace(text[index + 1]) { index += 1 }
      }
      index += 1
    }
  }

  /// Keeps track of quotes and parentheses.
  private mutating func note(_ byte: UInt8, following: UInt8) {
    if let quoteEnd {
      if byte == quoteEnd { self.quoteEnd = nil }
      return
    }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): quoteEnd = byte
    case UInt8(ascii: "["): quoteEnd = UInt8(ascii: "]")
    case UInt8(ascii: "-") where following == byte: quoteEnd = UInt8(ascii: "\n")
    case UInt8(ascii: "("): depth += 1
    case UInt8(ascii: ")"):
      depth -= 1
      if lineCount > 0, depth == 0, !line.isEmpty { end("\n") }
    default: break
    }
  }

  private func breaks(after index: Int) -> Bool {
    switch text[index] {
    case UInt8(ascii: "("), UInt8(ascii: "\n"): true
    case UInt8(ascii: ","): !endsLine(text[(index + 1)...])
    default: false
    }
  }

  /// Whether nothing but blanks, or a comment, stands on the rest of the line.
  private func endsLine(_ rest: ArraySlice<UInt8>) -> Bool {
    let shown = rest.drop { isSpace($0) && $0 != UInt8(ascii: "\n") }
    return shown.isEmpty || shown.first == UInt8(ascii: "\n") || shown.starts(with: "--".utf8)
  }

  private mutating func end(_ lineEnd: String) {
    result += line
    result += Array(lineEnd.utf8)
    line = []
  }
}
