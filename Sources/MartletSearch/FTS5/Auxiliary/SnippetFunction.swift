import MartletEngine

/// `snippet(table, column, opening, closing, ellipsis, tokens)`: the part of a row that has most of
/// the query's phrases (fts5 §5.1.3).
final class SnippetFunction: AuxiliaryFunction {
  private struct Best: ~Copyable {
    var score = 0
    var column: Int
    var start = 0
    var columnSize = 0
    /// Where the tokens of the column are.
    var spans = RowList<TokenSpan>()

    init(column: Int) { self.column = column }

    mutating func improve(score: Int, column: Int, start: Int, columnSize: Int) {
      guard score > self.score else { return }
      self.score = score
      self.column = column
      self.start = start
      self.columnSize = columnSize
    }
  }

  private static let mostTokens: Int64 = 64

  func call(
    _ match: FTS5Cursor, _ arguments: [ValueReference], _ result: ResultPlace
  ) throws(SQLError) {
    guard arguments.count == 5 else {
      throw SQLError(.error, "wrong number of arguments to function snippet()")
    }
    let wanted = Int(Int32(truncatingIfNeeded: arguments[0].int64))
    let length = Int(min(max(arguments[4].int64, 0), SnippetFunction.mostTokens))
    var best = Best(column: max(wanted, 0))
    for column in 0..<match.columnCount where wanted < 0 || wanted == column {
      try look(match, column, length, &best)
    }
    guard (0..<match.columnCount).contains(best.column) else { throw SQLError(.range) }
    if best.columnSize == 0 { best.columnSize = try match.size(ofColumn: best.column) }
    try write(match, best, length, arguments, result)
  }

  private func look(
    _ match: FTS5Cursor, _ column: Int, _ length: Int, _ best: inout Best
  ) throws(SQLError) {
    var spans = RowList<TokenSpan>(), sentences = SentenceFinder(), size: Int?
    try match.withText(ofColumn: column) { text, locale throws(SQLError) in
      guard let text else { return }
      try match.tokenize(text, locale: locale) { _, isColocated, start, end throws(SQLError) in
        if !isColocated { try spans.append(TokenSpan(start, end)) }
      }
      let known = try match.size(ofColumn: column)
      if known > length { sentences.find(text, spans) }
      size = known
    }
    guard let size else { return }
    let instances = try match.instances()
    for instance in instances where instance.column == column {
      if instance.offset > size {
        // What is not indexed has no size.
        guard match.configuration.isUnindexed[column] else { throw SQLError(.corruptVirtualTable) }
        break
      }
      let (score, start) = SnippetFunction.score(
        match, instances, column, instance.offset, length, size)
      best.improve(score: score, column: column, start: start, columnSize: size)
      guard size > length, let first = sentences.start(before: instance.offset),
        first < instance.offset
      else { continue }
      let bonus = first == 0 ? 120 : 100
      let whole = SnippetFunction.score(match, instances, column, first, length, size)
      best.improve(score: whole.score + bonus, column: column, start: first, columnSize: size)
    }
    if best.column == column { best.spans = spans }
  }

  /// The score of so many tokens from a place on, and where they would better begin.
  ///
  /// - Parameter instances: by column and offset.
  private static func score(
    _ match: FTS5Cursor, _ instances: [PhraseInstance], _ column: Int, _ place: Int,
    _ length: Int, _ size: Int
  ) -> (score: Int, start: Int) {
    var seen = Array(repeating: false, count: match.phraseCount)
    var score = 0, first = -1, last = 0
    let beginning = instances.partitionIndex { $0.isBefore(column, place) }
    for instance in instances[beginning...] {
      guard instance.isBefore(column, place + length) else { break }
      score += seen[instance.phrase] ? 1 : 1_000
      seen[instance.phrase] = true
      if first < 0 { first = instance.offset }
      last = instance.offset + match.size(ofPhrase: instance.phrase)
    }
    var start = first - (length - (last - first)) / 2
    if start + length > size { start = size - length }
    return (score, max(start, 0))
  }

  private func write(
    _ match: FTS5Cursor, _ best: borrowing Best, _ length: Int, _ arguments: [ValueReference],
    _ result: ResultPlace
  ) throws(SQLError) {
    let ellipsis = try MarkText.bytes(arguments[3])
    let opening = try MarkText.bytes(arguments[1]), closing = try MarkText.bytes(arguments[2])
    let last = best.start + length - 1
    try match.withText(ofColumn: best.column) { text, _ throws(SQLError) in
      guard let text, text.baseAddress != nil else { return }
      var spans = try PhraseSpans(match, column: best.column)
      while spans.start >= 0 && spans.start < best.start { spans.advance() }
      var output = Highlighter(text, spans, opening, closing, range: (best.start, last))
      if best.start > 0 { output.append(ellipsis) }
      output.add(best.spans)
      var bytes = output.finish(withRest: last >= best.columnSize - 1)
      if last < best.columnSize - 1 { bytes += ellipsis }
      try MarkText.set(bytes, result)
    }
  }
}

/// Finds tokens that begin a sentence: the first one, and those behind a full stop or a colon and a
/// space.
private struct SentenceFinder {
  private var starts: [Int] = []

  mutating func find(
    _ text: UnsafeRawBufferPointer, _ spans: borrowing RowList<TokenSpan>
  ) {
    if spans.count > 0 { starts.append(0) }
    for position in 1..<max(spans.count, 1) {
      let start = spans[position].start
      var index = min(start, text.count) - 1
      while index >= 0, SentenceFinder.isSpace(text[index]) { index -= 1 }
      guard index >= 0, index != start - 1 else { continue }
      if text[index] == UInt8(ascii: ".") || text[index] == UInt8(ascii: ":") {
        starts.append(position)
      }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }

  /// The last one that is not behind a token; the first one where all are.
  func start(before offset: Int) -> Int? {
    let following = starts.partitionIndex { $0 <= offset }
    return following > 0 ? starts[following - 1] : starts.first
  }
}

extension PhraseInstance {
  fileprivate func isBefore(_ column: Int, _ offset: Int) -> Bool {
    (self.column, self.offset) < (column, offset)
  }
}

extension Array {
  /// Where the elements begin for which a condition does not hold any more, in an array that has
  /// those for which it holds first.
  fileprivate func partitionIndex(where holds: (Element) -> Bool) -> Int {
    var low = 0, high = count
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
