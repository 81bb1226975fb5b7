import MartletEngine

/// Writes a text with marks around the phrases of a query in it (SQLite's HighlightContext).
struct Highlighter {
  private var output: [UInt8] = []
  private let opening: [UInt8]
  private let closing: [UInt8]
  private let text: UnsafeRawBufferPointer
  /// Bytes of the text that are written.
  private var written = 0
  /// The token that comes next.
  private var position = 0
  /// The first and the last token that are wanted; the last is negative for all.
  private let range: (first: Int, last: Int)
  private var isOpen = false
  private var spans: PhraseSpans

  init(
    _ text: UnsafeRawBufferPointer, _ spans: PhraseSpans, _ opening: [UInt8], _ closing: [UInt8],
    range: (first: Int, last: Int) = (0, -1)
  ) {
    self.text = text
    self.spans = spans
    self.opening = opening
    self.closing = closing
    self.range = range
    // Tokens in front of what is wanted change nothing.
    if range.last >= 0 { position = range.first }
  }

  mutating func append(_ bytes: [UInt8]) { output += bytes }

  private mutating func copy(until end: Int) {
    if end > written { output += text[written..<end] }
    written = end
  }

  /// Adds the tokens that are wanted.
  mutating func add(_ spans: borrowing RowList<TokenSpan>) {
    let end = range.last >= 0 ? min(range.last + 1, spans.count) : spans.count
    while position < end { add(spans[position].start, spans[position].end) }
  }

  /// Adds the next token.
  mutating func add(_ start: Int, _ end: Int) {
    let current = position
    position += 1
    if range.last >= 0 {
      if range.first > 0 && current == range.first { written = start }
    }
    // A mark ends in front of the first token that begins behind the phrase: not where one follows
    // without a byte between.
    if isOpen && (current <= spans.start || spans.start < 0) && start > written {
      output += closing
      isOpen = false
    }
    if current == spans.start && !isOpen {
      copy(until: start)
      output += opening
      written = start
      isOpen = true
    }
    if current == spans.end {
      if !isOpen {
        output += opening
        isOpen = true
      }
      copy(until: end)
      spans.advance()
    }
    if current == range.last { endRange(current, end) }
  }

  private mutating func endRange(_ current: Int, _ end: Int) {
    if isOpen {
      if spans.start >= 0 && current >= spans.start { copy(until: end) }
      output += closing
      isOpen = false
    }
    copy(until: end)
  }

  /// Closes a mark that is open, and adds the rest of the text where it is wanted.
  mutating func finish(withRest: Bool) -> [UInt8] {
    if isOpen {
      output += closing
      isOpen = false
    }
    if withRest { copy(until: text.count) }
    return output
  }
}

/// Where a token is in a text.
struct TokenSpan: BitwiseCopyable {
  // No text is so long that these were too small.
  private let first: UInt32
  private let behind: UInt32

  init(_ start: Int, _ end: Int) {
    first = UInt32(truncatingIfNeeded: start)
    behind = UInt32(truncatingIfNeeded: end)
  }

  var start: Int { Int(first) }
  var end: Int { Int(behind) }
}

/// Where phrases are in a column, those that overlap taken together.
struct PhraseSpans {
  /// First and last token; -1 at the end.
  private(set) var start = -1
  private(set) var end = -1
  private let spans: [(first: Int, last: Int)]
  private var next = 0

  init(_ match: FTS5Cursor, column: Int) throws(SQLError) {
    spans = try match.instances().filter { $0.column == column }.map {
      ($0.offset, $0.offset - 1 + match.size(ofPhrase: $0.phrase))
    }
    advance()
  }

  mutating func advance() {
    start = -1
    end = -1
    while next < spans.count {
      let span = spans[next]
      if start < 0 {
        start = span.first
        end = span.last
      } else if span.first <= end {
        end = max(end, span.last)
      } else {
        return
      }
      next += 1
    }
  }
}

/// `highlight(table, column, opening, closing)` (fts5 §5.1.2).
final class HighlightFunction: AuxiliaryFunction {
  func call(
    _ match: FTS5Cursor, _ arguments: [ValueReference], _ result: ResultPlace
  ) throws(SQLError) {
    guard arguments.count == 3 else {
      throw SQLError(.error, "wrong number of arguments to function highlight()")
    }
    let column = Int(Int32(truncatingIfNeeded: arguments[0].int64))
    let opening = try MarkText.bytes(arguments[1]), closing = try MarkText.bytes(arguments[2])
    guard (0..<match.columnCount).contains(column) else { return try MarkText.set([], result) }
    try match.withText(ofColumn: column) { text, locale throws(SQLError) in
      guard let text, text.baseAddress != nil else { return }
      let spans = try PhraseSpans(match, column: column)
      var output = Highlighter(text, spans, opening, closing)
      try match.tokenize(text, locale: locale) { _, isColocated, start, end throws(SQLError) in
        if !isColocated { output.add(start, end) }
      }
      try MarkText.set(output.finish(withRest: true), result)
    }
  }
}

/// Texts of marks, and results, which end at a zero byte as in C.
enum MarkText {
  static func bytes(_ value: ValueReference) throws(SQLError) -> [UInt8] {
    var text = TerminatedText()
    defer { text.deallocate() }
    try text.set(value, encoding: .utf8)
    let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.byteCount)
    return Array(bytes.prefix { $0 != 0 })
  }

  static func set(_ text: [UInt8], _ result: ResultPlace) throws(SQLError) {
    let end = text.firstIndex(of: 0) ?? text.count
    try text.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in
        try result.set(text: UnsafeRawBufferPointer(rebasing: bytes[..<end]), encoding: .utf8)
      }
    }.get()
  }
}
