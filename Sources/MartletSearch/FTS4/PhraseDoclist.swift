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
  @exclusivity(unchecked) private var reader: DoclistReader?
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
  /// These places, once they were looked at.
  @exclusivity(unchecked) private var known: [Place]?

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
    known = nil
    reader = isReversed || rows != nil ? nil : DoclistReader(doclist, isDescending: isDescending)
  }

  /// Moves to the next row; nil where there is none.
  func next() -> Int64? {
    known = nil
    isForgotten = false
    if reader != nil { return nextOfReader() }
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
    while reader?.isAtEnd == false {
      let docid = reader?.docid ?? 0, range = reader?.listRange ?? 0..<0
      reader?.advance()
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

  var hasPlaces: Bool { known.map { !$0.isEmpty } ?? !list.isEmpty }

  /// Places in the current row. NEAR takes those away that are too far from others.
  var places: [Place] {
    if let known { return known }
    let left = trimmed.isEmpty || list.isEmpty ? nil : trimmed[docid]
    let places = left ?? PositionList.places(in: bytes(list))
    known = places
    return places
  }

  /// Takes all places of the row away.
  func forget() {
    known = []
    isForgotten = true
  }

  /// Keeps those places only, also when the row is looked at again.
  func keep(_ places: [Place], forGood: Bool) {
    if forGood && places.count < self.places.count { trimmed[docid] = places }
    known = places
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
    self.reader = nil
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
      reader = nil
    } else if isForgotten {
      known = nil
    }
  }

  func contains(_ docid: Int64) -> Bool { index(of: docid) != nil }

  func places(inRow docid: Int64) -> [Place] {
    guard let index = index(of: docid) else { return [] }
    let list = allRows()[index].list
    if let left = trimmed[docid], !list.isEmpty { return left }
    return PositionList.places(in: bytes(list))
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
    var lists: [Doclist] = []
    while try scan.step() { lists.append(scan.doclist) }
    return try DoclistMerge.union(lists, isDescending: index.isDescending)
  }
}
