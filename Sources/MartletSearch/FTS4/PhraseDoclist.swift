import MartletEngine

/// The rows that a phrase is in, and the one that the evaluation is at.
final class PhraseDoclist {
  private struct Row: BitwiseCopyable {
    let docid: Int64
    var list: UnsafeBufferPointer<UInt8>
  }

  /// Gives the rows as long as they come in the order of the index.
  let reader = DoclistMerger()
  @exclusivity(unchecked) private var usesReader = false
  /// All rows, once others than the next are wanted.
  @exclusivity(unchecked) private var rows = RowList<Row>()
  @exclusivity(unchecked) private var hasRows = false
  /// How many rows were given.
  @exclusivity(unchecked) private var position = 0
  /// From here on, in the order in which they are given, rows have no places any more.
  @exclusivity(unchecked) private var forgottenPosition = Int.max
  @exclusivity(unchecked) private var isReversed = false
  /// C would read the rows one by one, and has not been asked yet for any but the current.
  @exclusivity(unchecked) private(set) var isIncremental = false
  /// Where the current row has its places.
  @exclusivity(unchecked) private var list = PhraseDoclist.noList
  @exclusivity(unchecked) private var docid: Int64 = 0
  /// What NEAR has left of rows, where it stands below other operators: C takes the rest out of the
  /// bytes, so that it does not come back.
  @exclusivity(unchecked) private var trimmed = TrimmedLists()
  /// NEAR has taken all places of the row away.
  @exclusivity(unchecked) private var isForgotten = false
  /// These places, once they were looked at.
  @exclusivity(unchecked) private var current = PlaceBuffer()
  @exclusivity(unchecked) private var isKnown = false
  /// Places in a row that is not the current one, for those who ask.
  @exclusivity(unchecked) private var other = PlaceBuffer()

  private static var noList: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: nil, count: 0)
  }

  /// Begins with the rows that `reader` has.
  ///
  /// - Parameter isReversed: Rows come in the other order than the index has them.
  func begin(isReversed: Bool, isIncremental: Bool) {
    self.isReversed = isReversed
    self.isIncremental = isIncremental
    restart()
  }

  func restart() {
    position = 0
    list = PhraseDoclist.noList
    isKnown = false
    usesReader = !isReversed && !hasRows
    if usesReader { reader.restart() }
  }

  /// Moves to the next row; nil where there is none.
  func next() throws(SQLError) -> Int64? {
    isKnown = false
    isForgotten = false
    if usesReader { return nextOfReader() }
    try collectRows()
    guard position < rows.count else {
      list = PhraseDoclist.noList
      return nil
    }
    let index = isReversed ? rows.count - 1 - position : position
    list = places(ofRowAt: index)
    position += 1
    docid = rows[index].docid
    return docid
  }

  private func nextOfReader() -> Int64? {
    while !reader.isAtEnd {
      let found = reader.list, docid = reader.docid
      reader.advance()
      // Rows that were deleted have no places.
      if found.isEmpty { continue }
      self.docid = docid
      position += 1
      list = found
      return docid
    }
    list = PhraseDoclist.noList
    return nil
  }

  // MARK: The current row

  var hasPlaces: Bool { isKnown ? current.count > 0 : !list.isEmpty }

  /// Places in the current row, good until the next is asked for. NEAR takes those away that are
  /// too far from others.
  var places: UnsafeBufferPointer<Place> {
    get throws(SQLError) {
      if !isKnown { try readPlaces() }
      return current.places
    }
  }

  private func readPlaces() throws(SQLError) {
    try current.read(list)
    isKnown = true
  }

  /// Takes all places of the row away.
  func forget() {
    current.removeAll()
    isKnown = true
    isForgotten = true
  }

  /// Keeps those places only that have one of another phrase near enough; all of them, and says
  /// false, if none has.
  ///
  /// - Parameter forGood: The others are not there either when the row is looked at again.
  func trim(
    near other: UnsafeBufferPointer<Place>, before: Int, behind: Int, forGood: Bool
  ) throws(SQLError) -> Bool {
    let all = try places.count
    guard current.keep(near: other, before: before, behind: behind) else { return false }
    if forGood && current.count < all { try keepTrimmed() }
    return true
  }

  /// The row has the current places from now on.
  private func keepTrimmed() throws(SQLError) {
    list = try trimmed.write(current.places)
    try collectRows()
    let index = isReversed ? rows.count - position : position - 1
    // There are no rows any more once `loadForOffsets` found the end.
    guard index >= 0, index < rows.count else { return }
    assert(rows[index].docid == docid)
    rows[index].list = list
  }

  /// Adds how often the phrase is in each column of the current row to every so many numbers.
  func countHits(
    _ counts: UnsafeMutablePointer<UInt32>, stride: Int, columnCount: Int
  ) throws(SQLError) {
    if isKnown {
      for place in try places {
        let column = PositionList.column(place)
        if column < columnCount { counts[column &* stride] &+= 1 }
      }
    } else {
      PositionList.countHits(list, counts, stride: stride, columnCount: columnCount)
    }
  }

  // MARK: All rows

  /// Adds for each column how often the phrase is there in all rows, and in how many rows.
  func countAll(
    _ totals: UnsafeMutablePointer<UInt32>, columnCount: Int
  ) throws(SQLError) {
    loadAll()
    let rest = hasRows ? nil : try reader.copy()
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
      guard let rest else {
        for index in 0..<rows.count { add(places(ofRowAt: index)) }
        return
      }
      while !rest.isAtEnd {
        add(rest.list)
        rest.advance()
      }
    }
  }

  // MARK: Any row

  private func collectRows() throws(SQLError) {
    if hasRows { return }
    rows.shrink(to: 0)
    let all = try reader.copy()
    while !all.isAtEnd {
      if !all.list.isEmpty { try rows.append(Row(docid: all.docid, list: all.list)) }
      all.advance()
    }
    hasRows = true
    usesReader = false
  }

  private func places(ofRowAt index: Int) -> UnsafeBufferPointer<UInt8> {
    let position = isReversed ? rows.count - 1 - index : index
    return position < forgottenPosition ? rows[index].list : PhraseDoclist.noList
  }

  /// The other phrase of a NEAR has no more rows: places in this row and in those behind it do not
  /// count any more.
  func forgetRest() throws(SQLError) {
    guard !isIncremental else { return }
    try collectRows()
    forgottenPosition = min(forgottenPosition, max(position - 1, 0))
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
      rows.shrink(to: 0)
      hasRows = true
      usesReader = false
    } else if isForgotten {
      isKnown = false
    }
  }

  func contains(_ docid: Int64) throws(SQLError) -> Bool { try index(of: docid) != nil }

  /// Places in any row, good until a row is asked for again.
  func places(inRow docid: Int64) throws(SQLError) -> UnsafeBufferPointer<Place> {
    other.removeAll()
    if let index = try index(of: docid) {
      try other.read(places(ofRowAt: index))
    }
    return other.places
  }

  private func index(of docid: Int64) throws(SQLError) -> Int? {
    try collectRows()
    var low = 0, high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if reader.isDescending ? rows[middle].docid > docid : rows[middle].docid < docid {
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
    let rows = phrase.doclist.reader
    for (number, token) in phrase.tokens.enumerated() {
      if number == 0 {
        try find(rows, of: token, column: phrase.column, language)
        continue
      }
      let next = DoclistMerger()
      try find(next, of: token, column: phrase.column, language)
      let both = try DoclistMerge.phrase(rows, next, distance: 1)
      rows.clear(isDescending: index.isDescending)
      try rows.add(both)
      rows.start()
    }
    let isIncremental =
      !isReversed && (1...4).contains(phrase.tokens.count)
      && phrase.tokens.allSatisfy { token in
        !token.isFirst
          && (!token.isPrefix || index.prefixLengths.dropFirst().contains(token.text.count))
      }
    phrase.doclist.begin(isReversed: isReversed, isIncremental: isIncremental)
  }

  private func find(
    _ rows: DoclistMerger, of token: QueryToken, column: Int?, _ language: Int64
  ) throws(SQLError) {
    let scan = try index.scan(for: token.text, isPrefix: token.isPrefix, language: language)
    try scan.start(
      TermFilter(
        term: token.text, isPrefix: token.isPrefix, column: column, isFirst: token.isFirst,
        ignoresEmpty: true, takesListsAsTheyAre: true))
    try scan.find(rows)
  }
}
