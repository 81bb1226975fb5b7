import MartletEngine

/// The result of `snippet` (fts3 §4.2): up to four fragments of the row that have, together, as
/// many of the query's phrases as possible.
struct Snippet {
  private let table: FTS4Table
  private let evaluation: MatchEvaluation
  private let language: Int64
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
    _ cursor: FTS4Cursor, _ evaluation: MatchEvaluation, open: [UInt8], close: [UInt8],
    ellipsis: [UInt8]
  ) {
    table = cursor.table
    language = cursor.language
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
    let asked = column.map { $0..<$0 + 1 } ?? 0..<table.columnCount
    var search = try FragmentSearch(evaluation, asked.clamped(to: 0..<table.columnCount))
    for fragmentCount in 1...Snippet.mostFragments {
      size = count >= 0 ? (count + fragmentCount - 1) / fragmentCount : -count
      var covered: UInt64 = 0, seen: UInt64 = 0
      fragments = []
      for _ in 0..<fragmentCount {
        let best = bestFragment(size, &search, covered, &seen)
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
    _ size: Int, _ search: inout FragmentSearch, _ covered: UInt64, _ seen: inout UInt64
  ) -> Fragment {
    var best = Fragment(), bestScore = -1
    for column in search.columns {
      search.begin(column, size: size)
      seen |= search.seen
      var fragment = Fragment(column: column), score = -1
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

  // MARK: Writing

  private mutating func write(
    _ fragment: Fragment, _ size: Int, _ index: Int, isLast: Bool, _ bytes: UnsafeRawBufferPointer
  ) throws(SQLError) {
    var first = fragment.position, highlights = fragment.highlights, end = 0
    let wanted = shift(highlights, size)
    // From the first token of the fragment on: what is written, and whether there is more.
    var tokens: [(start: Int, end: Int, position: Int)] = [], isCut = false
    tokens.reserveCapacity(size + wanted + 1)
    try table.tokenizeUpTo(bytes, language: language) { start, end, position in
      if position >= first { tokens.append((start, end, position)) }
      isCut = position - (tokens.first?.position ?? position) >= size + wanted
      return !isCut
    }
    var text = self.text ?? []
    self.text = nil
    defer { self.text = text }
    if let (begin, _, base) = tokens.first, let last = tokens.last?.position {
      let shift = max(0, min(wanted, last - base + (isCut ? 0 : 1) - size))
      first += shift
      highlights >>= UInt64(shift)
      if first > 0 || index > 0 {
        text += ellipsis
      } else {
        text.append(contentsOf: bytes[..<begin])
      }
    }
    for token in tokens where token.position >= first {
      let number = token.position - first
      if number >= size {
        if isLast { text += ellipsis }
        return
      }
      if number > 0 { text.append(contentsOf: bytes[end..<max(end, token.start)]) }
      let isHighlighted = highlights >> UInt64(number) & 1 != 0
      if isHighlighted { text += open }
      text.append(contentsOf: bytes[token.start..<token.end])
      if isHighlighted { text += close }
      end = token.end
    }
    // Up to the end of the text, which a zero byte is, too.
    let rest = bytes[end...]
    text.append(contentsOf: rest[..<(rest.firstIndex(of: 0) ?? rest.endIndex)])
  }

  /// How many tokens a fragment should begin later, so that its matches are in the middle.
  private func shift(_ highlights: UInt64, _ size: Int) -> Int {
    guard highlights != 0 else { return 0 }
    let left = highlights.trailingZeroBitCount
    let right = size - 1 - (63 - highlights.leadingZeroBitCount)
    return max(0, (left - right) / 2)
  }
}

/// Looks for the best place of a fragment in a column.
private struct FragmentSearch: ~Copyable {
  let columns: Range<Int>
  private let phraseCount: Int
  /// How many tokens each phrase has.
  private var tokenCounts: [Int] = []
  /// Positions of the phrases' last tokens: for each column those of each phrase, in order.
  private var positions = RowList<Int>()
  /// Where these begin and, one further, end.
  private var bounds: [Int] = [0]
  /// For each phrase the first position behind the fragment, and the first that is not before it.
  private var heads: [Int]
  private var tails: [Int]
  private var size = 0
  /// Of the current column in `bounds`.
  private var base = 0
  private var isFirst = true

  init(_ evaluation: MatchEvaluation, _ columns: Range<Int>) throws(SQLError) {
    self.columns = columns
    let phrases = evaluation.matchablePhrases
    phraseCount = phrases.count
    for node in phrases { tokenCounts.append(node.phrase?.tokens.count ?? 0) }
    heads = Array(repeating: 0, count: phraseCount)
    tails = heads
    for column in columns {
      for node in phrases {
        for place in try evaluation.places(of: node)
        where PositionList.column(place) == column {
          try positions.append(PositionList.position(place))
        }
        bounds.append(positions.count)
      }
    }
  }

  mutating func begin(_ column: Int, size: Int) {
    self.size = size
    base = (column - columns.lowerBound) * phraseCount
    isFirst = true
    for phrase in 0..<phraseCount {
      heads[phrase] = bounds[base + phrase]
      tails[phrase] = bounds[base + phrase]
    }
  }

  private static func bit(_ phrase: Int) -> UInt64 { 1 << UInt64(phrase % 64) }

  /// The phrases that are in the column.
  var seen: UInt64 {
    var seen: UInt64 = 0
    for phrase in 0..<phraseCount where bounds[base + phrase] < bounds[base + phrase + 1] {
      seen |= Self.bit(phrase)
    }
    return seen
  }

  /// The first place from `index` on that has a position from `position` on.
  private func advance(_ index: Int, _ phrase: Int, to position: Int) -> Int {
    let end = bounds[base + phrase + 1]
    var index = index
    while index < end, positions[index] < position { index += 1 }
    return index
  }

  /// Where the next candidate begins: the first at the beginning of the column, others so that they
  /// end with a phrase.
  mutating func next() -> Int? {
    if isFirst {
      isFirst = false
      for phrase in 0..<phraseCount {
        heads[phrase] = advance(heads[phrase], phrase, to: size)
      }
      return 0
    }
    var end = Int.max
    for phrase in 0..<phraseCount where heads[phrase] < bounds[base + phrase + 1] {
      end = min(end, positions[heads[phrase]])
    }
    if end == .max { return nil }
    let start = end - size + 1
    for phrase in 0..<phraseCount {
      heads[phrase] = advance(heads[phrase], phrase, to: end + 1)
      tails[phrase] = advance(tails[phrase], phrase, to: start)
    }
    return start
  }

  func details(
    from start: Int, _ covered: UInt64
  ) -> (score: Int, covered: UInt64, highlights: UInt64) {
    var score = 0, mine: UInt64 = 0, highlights: UInt64 = 0
    for phrase in 0..<phraseCount {
      var index = tails[phrase]
      let end = bounds[base + phrase + 1]
      while index < end {
        let position = positions[index]
        guard position < start + size, position >= start else { break }
        let bit = Self.bit(phrase)
        score += (mine | covered) & bit == 0 ? 1_000 : 1
        mine |= bit
        let place = UInt64(1) << UInt64(position - start)
        for token in 0..<min(tokenCounts[phrase], size) { highlights |= place >> UInt64(token) }
        index += 1
      }
    }
    return (score, mine, highlights)
  }
}
