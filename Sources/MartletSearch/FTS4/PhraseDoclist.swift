import MartletEngine

/// The rows that a phrase is in, and the one that the evaluation is at.
final class PhraseDoclist {
  private struct Row {
    let docid: Int64
    var list: Range<Int>
  }

  @exclusivity(unchecked) private var doclist = Doclist()
  @exclusivity(unchecked) private var isDescending = false
  /// Gives the rows as long as they come in the order of the index.
  @exclusivity(unchecked) private var reader = DoclistReader(Doclist(), isDescending: false)
  @exclusivity(unchecked) private var usesReader = false
  /// All rows, once others than the next are wanted.
  @exclusivity(unchecked) private var rows: [Row]?
  /// How many rows were given.
  @exclusivity(unchecked) private var position = 0
  @exclusivity(unchecked) private var isReversed = false
  /// C would read the rows one by one, and has not been asked yet for any but the current.
  @exclusivity(unchecked) private(set) var isIncremental = false
  /// Where the current row has its places.
  @exclusivity(unchecked) private var list = 0..<0
  @exclusivity(unchecked) private var docid: Int64 = 0
  /// What NEAR has left of rows, where it stands below other operators: C takes the rest out of the
  /// bytes, so that it does not come back.
  @exclusivity(unchecked) private var trimmed: [Int64: [Place]] = [:]
  /// NEAR has taken all places of the row away.
  @exclusivity(unchecked) private var isForgotten = false
  /// These places, once they were looked at; -1 places before.
  @exclusivity(unchecked) private var memory: UnsafeMutablePointer<Place>?
  @exclusivity(unchecked) private var knownCount = -1
  @exclusivity(unchecked) private var capacity = 0
  /// Places in a row that is not the current one, for those who ask.
  @exclusivity(unchecked) private var otherPlaces: UnsafeMutableBufferPointer<Place>?

  deinit {
    memory?.deallocate()
    otherPlaces?.deallocate()
  }

  /// - Parameter isReversed: Rows come in the other order than the index has them.
  func load(
    _ doclist: Doclist, isDescending: Bool, isReversed: Bool, isIncremental: Bool
  ) {
    self.doclist = doclist
    self.isDescending = isDescending
    self.isReversed = isReversed
    self.isIncremental = isIncremental
    restart()
  }

  func restart() {
    position = 0
    list = 0..<0
    knownCount = -1
    usesReader = !isReversed && rows == nil
    if usesReader { reader = DoclistReader(doclist, isDescending: isDescending) }
  }

  /// Moves to the next row; nil where there is none.
  func next() -> Int64? {
    knownCount = -1
    isForgotten = false
    if usesReader { return nextOfReader() }
    let rows = allRows()
    guard position < rows.count else {
      list = 0..<0
      return nil
    }
    let row = rows[isReversed ? rows.count - 1 - position : position]
    position += 1
    list = row.list
    docid = row.docid
    return row.docid
  }

  private func nextOfReader() -> Int64? {
    while !reader.isAtEnd {
      let docid = reader.docid, range = reader.listRange
      reader.advance()
      self.docid = docid
      // Rows that were deleted have no places.
      if range.isEmpty { continue }
      position += 1
      list = range
      return docid
    }
    list = 0..<0
    return nil
  }

  private func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: doclist.block.start + range.lowerBound, count: range.count)
  }

  // MARK: The current row

  var hasPlaces: Bool { knownCount < 0 ? !list.isEmpty : knownCount > 0 }

  /// Places in the current row, good until the next is asked for. NEAR takes those away that are
  /// too far from others.
  var places: UnsafeBufferPointer<Place> {
    if knownCount < 0 { readPlaces() }
    return UnsafeBufferPointer(start: memory, count: knownCount)
  }

  private func readPlaces() {
    // A place takes a byte at least.
    let bytes = bytes(list)
    reserve(bytes.count)
    knownCount = 0
    guard let memory else { return }
    if !trimmed.isEmpty, !list.isEmpty, let left = trimmed[docid] {
      for place in left {
        memory[knownCount] = place
        knownCount &+= 1
      }
      return
    }
    var reader = PlaceReader(bytes), count = 0
    while true {
      let place = reader.next()
      if place < 0 { break }
      memory[count] = place
      count &+= 1
    }
    knownCount = count
  }

  private func reserve(_ count: Int) {
    guard count > capacity else { return }
    memory?.deallocate()
    capacity = max(2 * count, 32)
    memory = .allocate(capacity: capacity)
  }

  /// Takes all places of the row away.
  func forget() {
    knownCount = 0
    isForgotten = true
  }

  /// Keeps those places only that have one of another phrase near enough; all of them, and says
  /// false, if none has.
  ///
  /// - Parameter forGood: The others are not there either when the row is looked at again.
  func trim(
    near other: UnsafeBufferPointer<Place>, before: Int, behind: Int, forGood: Bool
  ) -> Bool {
    let all = places.count
    guard let memory else { return false }
    let left = PositionList.near(
      memory, count: all, other, before: Int64(before), behind: Int64(behind))
    if left == 0 { return false }
    knownCount = left
    if forGood && left < all { trimmed[docid] = Array(places) }
    return true
  }

  /// Adds how often the phrase is in each column of the current row to every so many numbers.
  func countHits(
    _ counts: UnsafeMutablePointer<UInt32>, stride: Int, columnCount: Int
  ) {
    if knownCount >= 0 || !trimmed.isEmpty {
      for place in places {
        let column = PositionList.column(place)
        if column < columnCount { counts[column &* stride] &+= 1 }
      }
    } else {
      PositionList.countHits(bytes(list), counts, stride: stride, columnCount: columnCount)
    }
  }

  // MARK: All rows

  /// Adds for each column how often the phrase is there in all rows, and in how many rows.
  func countAll(_ totals: UnsafeMutablePointer<UInt32>, columnCount: Int) {
    loadAll()
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: columnCount) { counts in
      guard let counts = counts.baseAddress else { return }
      func add(_ list: UnsafeBufferPointer<UInt8>) {
        counts.initialize(repeating: 0, count: columnCount)
        PositionList.countHits(list, counts, stride: 1, columnCount: columnCount)
        for column in 0..<columnCount where counts[column] != 0 {
          totals[2 &* column] &+= counts[column]
          totals[2 &* column &+ 1] &+= 1
        }
      }
      if let rows {
        for row in rows { add(bytes(row.list)) }
        return
      }
      var reader = DoclistReader(doclist, isDescending: isDescending)
      while !reader.isAtEnd {
        add(reader.list)
        reader.advance()
      }
    }
  }

  // MARK: Any row

  @discardableResult
  private func allRows() -> [Row] {
    if let rows { return rows }
    var rows: [Row] = []
    var reader = DoclistReader(doclist, isDescending: isDescending)
    while !reader.isAtEnd {
      if !reader.list.isEmpty { rows.append(Row(docid: reader.docid, list: reader.listRange)) }
      reader.advance()
    }
    self.rows = rows
    usesReader = false
    return rows
  }

  /// The other phrase of a NEAR has no more rows: places in this row and in those behind it do not
  /// count any more.
  func forgetRest() {
    guard !isIncremental else { return }
    let count = allRows().count
    for later in max(position - 1, 0)..<max(position, count) where later < count {
      rows?[isReversed ? count - 1 - later : later].list = 0..<0
    }
  }

  /// Rows before the current are wanted, too.
  func loadAll() { isIncremental = false }

  /// Quirk: when `offsets` is the first function that asks, it does not find places of a phrase
  /// that has no more rows, though it is in this row; nor does any function after that.
  /// `SELECT offsets(t) FROM t WHERE t MATCH '(p AND q) OR w'` with rows `w p` and `w q`.
  /// Those that NEAR has taken away in this row are found once more.
  func loadForOffsets(isAtEnd: Bool) {
    guard isIncremental else { return }
    isIncremental = false
    if isAtEnd {
      rows = []
      usesReader = false
    } else if isForgotten {
      knownCount = -1
    }
  }

  func contains(_ docid: Int64) -> Bool { index(of: docid) != nil }

  /// Places in any row, good until a row is asked for again.
  func places(inRow docid: Int64) -> UnsafeBufferPointer<Place> {
    guard let index = index(of: docid) else { return UnsafeBufferPointer(start: nil, count: 0) }
    let list = allRows()[index].list
    let left = list.isEmpty ? nil : trimmed[docid]
    let places = left ?? PositionList.places(in: bytes(list))
    otherPlaces?.deallocate()
    let copy = UnsafeMutableBufferPointer<Place>.allocate(capacity: places.count)
    _ = copy.initialize(from: places)
    otherPlaces = copy
    return UnsafeBufferPointer(copy)
  }

  private func index(of docid: Int64) -> Int? {
    let rows = allRows()
    var low = 0, high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if isDescending ? rows[middle].docid > docid : rows[middle].docid < docid {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < rows.count && rows[low].docid == docid ? low : nil
  }
}

extension FTS4Table {
  /// Finds the rows of a phrase.
  func load(
    _ phrase: MatchPhrase, language: Int64, isReversed: Bool
  ) throws(SQLError) {
    var doclist = Doclist()
    for (number, token) in phrase.tokens.enumerated() {
      let found = try self.doclist(of: token, column: phrase.column, language)
      if number == 0 {
        doclist = found
      } else if !doclist.isEmpty {
        doclist = try DoclistMerge.phrase(
          doclist, found, distance: 1, isDescending: index.isDescending)
      }
    }
    let isIncremental =
      !isReversed && (1...4).contains(phrase.tokens.count)
      && phrase.tokens.allSatisfy { token in
        !token.isFirst
          && (!token.isPrefix || index.prefixLengths.dropFirst().contains(token.text.count))
      }
    phrase.doclist.load(
      doclist, isDescending: index.isDescending, isReversed: isReversed,
      isIncremental: isIncremental)
  }

  private func doclist(
    of token: QueryToken, column: Int?, _ language: Int64
  ) throws(SQLError) -> Doclist {
    let scan = try index.scan(for: token.text, isPrefix: token.isPrefix, language: language)
    try scan.start(
      TermFilter(
        term: token.text, isPrefix: token.isPrefix, column: column, isFirst: token.isFirst,
        ignoresEmpty: true, takesListsAsTheyAre: true))
    return try scan.union()
  }
}
