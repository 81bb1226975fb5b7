import MartletEngine

/// The result of `matchinfo` (fts3 §4.3), kept by a scan as long as it is asked for the same format:
/// what tells of the whole table and of the query is found once, what tells of the row is written in
/// its place.
final class MatchInfo {
  private unowned(unsafe) let cursor: FTS4Cursor
  private let evaluation: MatchEvaluation
  private let format: [UInt8]
  private let phrases: [MatchExpression]
  private let columnCount: Int
  private let numbers: UnsafeMutablePointer<UInt32>
  private let count: Int
  /// What does not depend on the row is there.
  @exclusivity(unchecked) private var isBegun = false

  /// - Throws: an error that names a letter that there is not.
  init(
    _ cursor: FTS4Cursor, _ evaluation: MatchEvaluation, _ format: UnsafeRawBufferPointer
  ) throws(SQLError) {
    self.cursor = cursor
    self.evaluation = evaluation
    self.format = Array(format)
    phrases = evaluation.matchablePhrases
    columnCount = cursor.table.columnCount
    var count = 0
    for letter in self.format {
      guard MatchInfo.isKnown(letter, cursor.table.declaration) else {
        let text = String(decoding: [letter], as: UTF8.self)
        throw .search("unrecognized matchinfo request: \(text)")
      }
      count += MatchInfo.size(of: letter, columnCount, phrases.count)
    }
    // SQLite allocates no more at once.
    guard count < 1 << 29, let memory = MemoryUse.allocate(max(4 * count, 1)) else {
      throw SQLError(.outOfMemory)
    }
    self.count = count
    numbers = memory.bindMemory(to: UInt32.self, capacity: count)
    numbers.initialize(repeating: 0, count: count)
  }

  deinit { MemoryUse.free(numbers) }

  func isOf(_ format: UnsafeRawBufferPointer) -> Bool {
    guard self.format.count == format.count else { return false }
    return format.indices.allSatisfy { self.format[$0] == format[$0] }
  }

  /// Numbers of four bytes, in the machine's order.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: numbers, count: 4 * count)
  }

  private static func isKnown(_ letter: UInt8, _ declaration: FTS4Declaration) -> Bool {
    switch letter {
    case UInt8(ascii: "n"), UInt8(ascii: "a"): declaration.isFTS4
    case UInt8(ascii: "l"): declaration.hasDocSizes
    default: "pcsxyb".utf8.contains(letter)
    }
  }

  private static func size(of letter: UInt8, _ columnCount: Int, _ phraseCount: Int) -> Int {
    switch letter {
    case UInt8(ascii: "p"), UInt8(ascii: "c"), UInt8(ascii: "n"): 1
    case UInt8(ascii: "x"): 3 * columnCount * phraseCount
    case UInt8(ascii: "y"): columnCount * phraseCount
    case UInt8(ascii: "b"): (columnCount + 31) / 32 * phraseCount
    default: columnCount
    }
  }

  /// Writes the numbers of the current row.
  func fill() throws(SQLError) {
    var place = numbers
    for letter in format {
      switch letter {
      case UInt8(ascii: "p"): place[0] = UInt32(phrases.count)
      case UInt8(ascii: "c"): place[0] = UInt32(columnCount)
      case UInt8(ascii: "n"): if !isBegun { place[0] = try totals().rowCount }
      case UInt8(ascii: "a"): if !isBegun { try writeAverages(place) }
      case UInt8(ascii: "l"): try writeLengths(place)
      case UInt8(ascii: "s"):
        for column in 0..<columnCount { place[column] = try longestSequence(column) }
      case UInt8(ascii: "x"): try writeHits(place)
      case UInt8(ascii: "y"): try writeUsableHits(place)
      default: try writeBits(place)
      }
      place += MatchInfo.size(of: letter, columnCount, phrases.count)
    }
    isBegun = true
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

  private func writeAverages(_ place: UnsafeMutablePointer<UInt32>) throws(SQLError) {
    let (rowCount, tokens) = try totals()
    let count = UInt64(max(rowCount, 1))
    try Array(tokens).withBytes { bytes throws(SQLError) in
      try read(bytes) { column, number in
        place[column] = UInt32(truncatingIfNeeded: ((number & 0xffff_ffff) + count / 2) / count)
      }
    }
  }

  private func writeLengths(_ place: UnsafeMutablePointer<UInt32>) throws(SQLError) {
    let shadow = cursor.table.shadow
    let statement = try shadow.statement(.readDocSize)
    try statement.bind(cursor.docid, at: 1)
    var isFound = false
    try shadow.forEach(statement) { row throws(SQLError) in
      isFound = true
      try read(row.columnBytes(0)) { column, number in
        place[column] = UInt32(truncatingIfNeeded: number)
      }
    }
    if !isFound { throw .searchCorrupt }
  }

  /// Reads a number for each column.
  private func read(
    _ bytes: UnsafeRawBufferPointer, _ body: (_ column: Int, _ number: UInt64) -> Void
  ) throws(SQLError) {
    var reader = ByteReader(bytes)
    for column in 0..<columnCount {
      body(column, reader.number())
      if reader.offset > bytes.count { throw .searchCorrupt }
    }
  }

  // MARK: Hits

  /// For each phrase and column: hits in the row, hits in all rows, and how many rows these are.
  private func writeHits(_ place: UnsafeMutablePointer<UInt32>) throws(SQLError) {
    var hasCounted = false
    for node in phrases where node.totals == nil {
      try evaluation.count(node, columnCount: columnCount)
      hasCounted = true
    }
    if hasCounted { try evaluation.matchAgain() }
    var next = place
    for node in phrases {
      guard let totals = node.totals else { continue }
      for column in 0..<columnCount {
        next[3 &* column] = 0
        next[3 &* column &+ 1] = totals[2 &* column]
        next[3 &* column &+ 2] = totals[2 &* column &+ 1]
      }
      try evaluation.countHits(of: node, next, stride: 3, columnCount: columnCount)
      next += 3 &* columnCount
    }
  }

  /// How often a phrase is in each column of the row.
  private func hits(of node: MatchExpression) throws(SQLError) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: columnCount)
    for place in try evaluation.places(of: node) {
      let column = PositionList.column(place)
      if column < columnCount { counts[column] &+= 1 }
    }
    return counts
  }

  /// The same, but none of phrases in parts of the query that do not match the row.
  ///
  /// Quirk: what NOT excludes counts as the first phrase, where it is in the row and the part does
  /// not match. `SELECT matchinfo(t, 'y') FROM t WHERE t MATCH 'p NOT q OR w'` with the row
  /// `p q q w`.
  private func usableHits(isBits: Bool = false) throws(SQLError) -> [[UInt32]] {
    var counts = phrases.map { _ in [UInt32](repeating: 0, count: columnCount) }
    try gather(evaluation.root, &counts, isBits)
    return counts
  }

  private func gather(
    _ node: MatchExpression, _ counts: inout [[UInt32]], _ isBits: Bool
  ) throws(SQLError) {
    guard !node.isAtEnd, node.docid == evaluation.docid else { return }
    if let left = node.left, let right = node.right {
      try gather(left, &counts, isBits)
      return try gather(right, &counts, isBits)
    }
    let number = phrases.firstIndex { $0 === node } ?? 0
    let hits = try hits(of: node)
    guard counts.indices.contains(number), hits.contains(where: { $0 > 0 }) else { return }
    for (column, count) in hits.enumerated() {
      let isAsked = node.phrase?.column.map { $0 == column } ?? true
      guard isAsked else { continue }
      if count > 0 || column == 0 && !isBits { counts[number][column] = count }
    }
  }

  private func writeUsableHits(_ place: UnsafeMutablePointer<UInt32>) throws(SQLError) {
    for (number, counts) in try usableHits().enumerated() {
      for column in 0..<columnCount { place[number * columnCount + column] = counts[column] }
    }
  }

  private func writeBits(_ place: UnsafeMutablePointer<UInt32>) throws(SQLError) {
    var next = place
    for counts in try usableHits(isBits: true) {
      for first in stride(from: 0, to: columnCount, by: 32) {
        var word: UInt32 = 0
        for column in first..<min(first + 32, columnCount) where counts[column] > 0 {
          word |= 1 << UInt32(column - first)
        }
        next[0] = word
        next += 1
      }
    }
  }

  /// The longest run of phrases in a column that follow each other as in the query.
  private func longestSequence(_ column: Int) throws(SQLError) -> UInt32 {
    var offset = 0, positions = RowList<Int>(), ends: [Int] = []
    for node in phrases {
      // Positions are those of the last token; so moved, phrases that follow are at the same one.
      offset -= node.phrase?.tokens.count ?? 0
      for place in try evaluation.places(of: node) where PositionList.column(place) == column {
        try positions.append(PositionList.position(place) + offset)
      }
      ends.append(positions.count)
    }
    var indexes = [0] + ends.dropLast()
    var longest = 0
    while true {
      var length = 0, previous = 0, least: Int?
      for (number, end) in ends.enumerated() {
        guard indexes[number] < end else {
          length = 0
          continue
        }
        let position = positions[indexes[number]]
        if least.map({ position < positions[indexes[$0]] }) ?? true { least = number }
        length = length == 0 || position == previous ? length + 1 : 1
        previous = position
        longest = max(longest, length)
      }
      guard let least else { return UInt32(longest) }
      indexes[least] += 1
    }
  }
}
