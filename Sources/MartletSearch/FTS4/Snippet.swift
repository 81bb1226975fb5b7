import MartletEngine

/// The result of `snippet` (fts3 §4.2): up to four fragments of the row that have, together, as
/// many of the query's phrases as possible.
struct Snippet {
  private let table: FTS4Table
  private let evaluation: MatchEvaluation
  private let open: [UInt8]
  private let close: [UInt8]
  private let ellipsis: [UInt8]
  /// nil where the row has no text.
  private(set) var text: [UInt8]?

  private struct Fragment {
    var column = 0
    /// The number of its first token.
    var position = 0
    /// Bit n: token n of the fragment is part of a match.
    var highlights: UInt64 = 0
    /// The phrases that are in it.
    var covered: UInt64 = 0
  }

  private static let mostTokens = 64
  private static let mostFragments = 4

  init(
    _ table: FTS4Table, _ evaluation: MatchEvaluation, open: [UInt8], close: [UInt8],
    ellipsis: [UInt8]
  ) {
    self.table = table
    self.evaluation = evaluation
    self.open = open
    self.close = close
    self.ellipsis = ellipsis
  }

  /// - Parameters:
  ///   - column: Where fragments are looked for; nil for all columns.
  ///   - tokenCount: How many tokens there are in all; in each fragment if it is negative.
  mutating func build(
    _ row: Statement?, column: Int?, tokenCount: Int
  ) throws(SQLError) {
    let count = min(max(tokenCount, -Snippet.mostTokens), Snippet.mostTokens)
    var fragments: [Fragment] = [], size = 0
    let columns = (0..<table.columnCount).filter { column == nil || column == $0 }
      .map { (column: $0, phrases: phrases(in: $0)) }
    for fragmentCount in 1...Snippet.mostFragments {
      size = count >= 0 ? (count + fragmentCount - 1) / fragmentCount : -count
      var covered: UInt64 = 0, seen: UInt64 = 0
      fragments = []
      for _ in 0..<fragmentCount {
        let best = bestFragment(size, columns, covered, &seen)
        covered |= best.covered
        fragments.append(best)
      }
      if seen == covered { break }
    }
    guard let row else { return }
    for (index, fragment) in fragments.enumerated()
    where row.columnType(fragment.column + 1) != .null {
      try write(
        fragment, size, index, isLast: index == fragments.count - 1,
        table.text(of: row, fragment.column))
    }
  }

  // MARK: Finding

  private func bestFragment(
    _ size: Int, _ columns: [(column: Int, phrases: [FragmentSearch.Phrase])], _ covered: UInt64,
    _ seen: inout UInt64
  ) -> Fragment {
    var best = Fragment(), bestScore = -1
    for candidate in columns {
      var search = FragmentSearch(candidate.phrases, size: size)
      seen |= search.seen
      var fragment = Fragment(column: candidate.column), score = -1
      while let start = search.next() {
        let details = search.details(from: start, covered)
        guard details.score > score else { continue }
        score = details.score
        fragment.position = start
        fragment.highlights = details.highlights
        fragment.covered = details.covered
      }
      if score > bestScore {
        best = fragment
        bestScore = score
      }
    }
    return best
  }

  private func phrases(in column: Int) -> [FragmentSearch.Phrase] {
    evaluation.matchablePhrases.map { node in
      FragmentSearch.Phrase(
        tokenCount: node.phrase?.tokens.count ?? 0,
        positions: evaluation.places(of: node).filter { PositionList.column($0) == column }
          .map { PositionList.position($0) })
    }
  }

  // MARK: Writing

  private mutating func write(
    _ fragment: Fragment, _ size: Int, _ index: Int, isLast: Bool, _ bytes: UnsafeRawBufferPointer
  ) throws(SQLError) {
    var tokens: [(start: Int, end: Int)] = []
    try table.tokenize(bytes, isWhole: true) { _, start, end throws(SQLError) in
      tokens.append((start, end))
    }
    var text = self.text ?? []
    defer { self.text = text }
    var first = fragment.position, highlights = fragment.highlights, end = 0
    if first < tokens.count {
      let shift = try shift(highlights, size, bytes, from: tokens[first].start)
      let begin = tokens[first].start
      first += shift
      highlights >>= UInt64(shift)
      if first > 0 || index > 0 {
        text += ellipsis
      } else {
        text.append(contentsOf: bytes[..<begin])
      }
    }
    var number = first
    while number < tokens.count, number < first + size {
      let token = tokens[number]
      if number > first { text.append(contentsOf: bytes[end..<max(end, token.start)]) }
      let isHighlighted = highlights >> UInt64(number - first) & 1 != 0
      if isHighlighted { text += open }
      text.append(contentsOf: bytes[token.start..<token.end])
      if isHighlighted { text += close }
      end = token.end
      number += 1
    }
    if number < tokens.count {
      if isLast { text += ellipsis }
    } else {
      // Up to the end of the text, which a zero byte is, too.
      let rest = bytes[end...]
      text.append(contentsOf: rest[..<(rest.firstIndex(of: 0) ?? rest.endIndex)])
    }
  }

  /// How many tokens a fragment begins later, so that its matches are in the middle.
  private func shift(
    _ highlights: UInt64, _ size: Int, _ bytes: UnsafeRawBufferPointer, from start: Int
  ) throws(SQLError) -> Int {
    guard highlights != 0 else { return 0 }
    let left = highlights.trailingZeroBitCount
    let right = size - 1 - (63 - highlights.leadingZeroBitCount)
    let wanted = (left - right) / 2
    guard wanted > 0 else { return 0 }
    var count = 0
    try table.tokenize(UnsafeRawBufferPointer(rebasing: bytes[start...]), isWhole: true) {
      _, _, _ throws(SQLError) in count += 1
    }
    return max(0, min(wanted, count - size))
  }
}

/// Looks for the best place of a fragment in a column.
private struct FragmentSearch {
  struct Phrase {
    let tokenCount: Int
    /// Of its last token, in order.
    let positions: [Int]
    /// The first position behind the fragment, and the first that is not before it.
    var head = 0
    var tail = 0

    /// Moves an index to the first position from `position` on.
    func advance(_ index: inout Int, to position: Int) {
      while index < positions.count, positions[index] < position { index += 1 }
    }
  }

  private var phrases: [Phrase]
  private let size: Int
  private var isFirst = true

  init(_ phrases: [Phrase], size: Int) {
    self.phrases = phrases
    self.size = size
  }

  private static func bit(_ phrase: Int) -> UInt64 { 1 << UInt64(phrase % 64) }

  /// The phrases that are in the column.
  var seen: UInt64 {
    phrases.indices.reduce(0) { $0 | (phrases[$1].positions.isEmpty ? 0 : Self.bit($1)) }
  }

  /// Where the next candidate begins: the first at the beginning of the column, others so that they
  /// end with a phrase.
  mutating func next() -> Int? {
    if isFirst {
      isFirst = false
      for index in phrases.indices { phrases[index].advance(&phrases[index].head, to: size) }
      return 0
    }
    let ends = phrases.compactMap { $0.head < $0.positions.count ? $0.positions[$0.head] : nil }
    guard let end = ends.min() else { return nil }
    let start = end - size + 1
    for index in phrases.indices {
      phrases[index].advance(&phrases[index].head, to: end + 1)
      phrases[index].advance(&phrases[index].tail, to: start)
    }
    return start
  }

  func details(
    from start: Int, _ covered: UInt64
  ) -> (score: Int, covered: UInt64, highlights: UInt64) {
    var score = 0, mine: UInt64 = 0, highlights: UInt64 = 0
    for (number, phrase) in phrases.enumerated() {
      for position in phrase.positions[phrase.tail...] {
        guard position < start + size, position >= start else { break }
        let bit = FragmentSearch.bit(number)
        score += (mine | covered) & bit == 0 ? 1_000 : 1
        mine |= bit
        let place = UInt64(1) << UInt64(position - start)
        for token in 0..<min(phrase.tokenCount, size) { highlights |= place >> UInt64(token) }
      }
    }
    return (score, mine, highlights)
  }
}
