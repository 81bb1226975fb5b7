import MartletEngine

/// The result of `matchinfo` (fts3 §4.3).
struct MatchInfo {
  private let cursor: FTS4Cursor
  private let evaluation: MatchEvaluation
  private let phrases: [MatchExpression]
  private let columnCount: Int
  private var numbers: [UInt32] = []

  init(_ cursor: FTS4Cursor, _ evaluation: MatchEvaluation) {
    self.cursor = cursor
    self.evaluation = evaluation
    phrases = evaluation.matchablePhrases
    columnCount = cursor.table.columnCount
  }

  /// Numbers of four bytes, in the machine's order.
  var bytes: [UInt8] { numbers.withUnsafeBytes { Array($0) } }

  /// Adds the numbers that the letters of a format stand for.
  mutating func add(_ format: [UInt8]) throws(SQLError) {
    let format = format.prefix { $0 != 0 }
    for letter in format where !isKnown(letter) {
      let text = String(decoding: [letter], as: UTF8.self)
      throw .search("unrecognized matchinfo request: \(text)")
    }
    for letter in format {
      switch letter {
      case UInt8(ascii: "p"): numbers.append(UInt32(phrases.count))
      case UInt8(ascii: "c"): numbers.append(UInt32(columnCount))
      case UInt8(ascii: "n"): numbers.append(try totals().rowCount)
      case UInt8(ascii: "a"): numbers += try averages()
      case UInt8(ascii: "l"): numbers += try lengths()
      case UInt8(ascii: "s"): numbers += (0..<columnCount).map(longestSequence)
      case UInt8(ascii: "x"): try addHits()
      case UInt8(ascii: "y"): numbers += usableHits().flatMap { $0 }
      default: addBits()
      }
    }
  }

  private func isKnown(_ letter: UInt8) -> Bool {
    switch letter {
    case UInt8(ascii: "n"), UInt8(ascii: "a"): cursor.table.declaration.isFTS4
    case UInt8(ascii: "l"): cursor.table.declaration.hasDocSizes
    default: "pcsxyb".utf8.contains(letter)
    }
  }

  // MARK: Sizes

  /// What `%_stat` says of the table: how many rows, and how many tokens each column has in all.
  private func totals() throws(SQLError) -> (rowCount: UInt32, tokens: ArraySlice<UInt8>) {
    if cursor.knownTotals == nil {
      cursor.knownTotals = try cursor.table.shadow.bytes(.readStat, FTS4Stat.totals)
    }
    guard let known = cursor.knownTotals, !known.isEmpty else { throw .searchCorrupt }
    let (count, end) = known.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return (reader.number(), reader.offset)
    }
    guard count > 0, Int64(bitPattern: count) > 0, end <= known.count else { throw .searchCorrupt }
    return (UInt32(truncatingIfNeeded: count), known[end...])
  }

  private func averages() throws(SQLError) -> [UInt32] {
    let (rowCount, tokens) = try totals()
    let count = UInt64(max(rowCount, 1))
    return try read(Array(tokens)).map { number in
      UInt32(truncatingIfNeeded: ((number & 0xffff_ffff) + count / 2) / count)
    }
  }

  private func lengths() throws(SQLError) -> [UInt32] {
    let sizes = try cursor.table.shadow.bytes(.readDocSize, cursor.docid)
    guard let sizes else { throw .searchCorrupt }
    return try read(sizes).map { UInt32(truncatingIfNeeded: $0) }
  }

  /// A number for each column.
  private func read(_ bytes: [UInt8]) throws(SQLError) -> [UInt64] {
    try bytes.withBytes { bytes throws(SQLError) in
      var reader = ByteReader(bytes)
      var numbers: [UInt64] = []
      for _ in 0..<columnCount {
        numbers.append(reader.number())
        if reader.offset > bytes.count { throw .searchCorrupt }
      }
      return numbers
    }
  }

  // MARK: Hits

  /// How often a phrase is in each column of the row.
  private func hits(of node: MatchExpression) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: columnCount)
    for place in evaluation.places(of: node) {
      let column = PositionList.column(place)
      if column < columnCount { counts[column] &+= 1 }
    }
    return counts
  }

  private mutating func addHits() throws(SQLError) {
    for node in phrases { try evaluation.count(node, columnCount: columnCount) }
    evaluation.matchAgain()
    for node in phrases {
      guard let totals = node.totals else { continue }
      for (count, total) in zip(hits(of: node), totals) {
        numbers += [count, total.hits, total.rows]
      }
    }
  }

  /// The same, but none of phrases in parts of the query that do not match the row.
  ///
  /// Quirk: what NOT excludes counts as the first phrase, where it is in the row and the part does
  /// not match. `SELECT matchinfo(t, 'y') FROM t WHERE t MATCH 'p NOT q OR w'` with the row
  /// `p q q w`.
  private func usableHits(isBits: Bool = false) -> [[UInt32]] {
    var counts = phrases.map { _ in [UInt32](repeating: 0, count: columnCount) }
    gather(evaluation.root, &counts, isBits)
    return counts
  }

  private func gather(_ node: MatchExpression, _ counts: inout [[UInt32]], _ isBits: Bool) {
    guard !node.isAtEnd, node.docid == evaluation.docid else { return }
    if let left = node.left, let right = node.right {
      gather(left, &counts, isBits)
      return gather(right, &counts, isBits)
    }
    let number = phrases.firstIndex { $0 === node } ?? 0
    let hits = hits(of: node)
    guard counts.indices.contains(number), hits.contains(where: { $0 > 0 }) else { return }
    for (column, count) in hits.enumerated() {
      let isAsked = node.phrase?.column.map { $0 == column } ?? true
      guard isAsked else { continue }
      if count > 0 || column == 0 && !isBits { counts[number][column] = count }
    }
  }

  private mutating func addBits() {
    for counts in usableHits(isBits: true) {
      for first in stride(from: 0, to: columnCount, by: 32) {
        var word: UInt32 = 0
        for column in first..<min(first + 32, columnCount) where counts[column] > 0 {
          word |= 1 << UInt32(column - first)
        }
        numbers.append(word)
      }
    }
  }

  /// The longest run of phrases in a column that follow each other as in the query.
  private func longestSequence(_ column: Int) -> UInt32 {
    var offset = 0
    let lists = phrases.map { node in
      // Positions are those of the last token; so moved, phrases that follow are at the same one.
      offset -= node.phrase?.tokens.count ?? 0
      return evaluation.places(of: node).filter { PositionList.column($0) == column }
        .map { PositionList.position($0) + offset }
    }
    var indexes = [Int](repeating: 0, count: lists.count)
    var longest = 0
    while true {
      var length = 0, previous = 0, least: Int?
      for (number, list) in lists.enumerated() {
        guard indexes[number] < list.count else {
          length = 0
          continue
        }
        let position = list[indexes[number]]
        if least.map({ position < lists[$0][indexes[$0]] }) ?? true { least = number }
        length = length == 0 || position == previous ? length + 1 : 1
        previous = position
        longest = max(longest, length)
      }
      guard let least else { return UInt32(longest) }
      indexes[least] += 1
    }
  }
}
