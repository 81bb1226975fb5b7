import MartletEngine

/// The rows that a phrase is in, and the one that the evaluation is at.
final class PhraseDoclist {
  private var bytes: [UInt8] = []
  private var docids: [Int64] = []
  private var lists: [Range<Int>] = []
  /// The row after next, in the order of the evaluation.
  private var position = 0
  private var isReversed = false
  /// C would read the rows one by one, and has not been asked yet for any but the current.
  private(set) var isIncremental = false
  /// Places in the current row. NEAR takes those away that are too far from others.
  var places: [PositionList.Place] = []

  /// - Parameter isReversed: Rows come in the other order than the index has them.
  func load(
    _ doclist: [UInt8], isDescending: Bool, isReversed: Bool, isIncremental: Bool
  ) throws(SQLError) {
    bytes = doclist
    self.isIncremental = isIncremental
    self.isReversed = isReversed
    docids.removeAll()
    lists.removeAll()
    var reader = DoclistReader(doclist, isDescending: isDescending)
    while !reader.isAtEnd {
      docids.append(reader.docid)
      lists.append(reader.list)
      try reader.advance()
    }
    restart()
  }

  func restart() {
    position = 0
    places = []
  }

  /// Moves to the next row; nil where there is none.
  func next() -> Int64? {
    guard position < docids.count else {
      places = []
      return nil
    }
    let index = isReversed ? docids.count - 1 - position : position
    position += 1
    places = PositionList.places(in: bytes, lists[index])
    return docids[index]
  }

  /// The other phrase of a NEAR has no more rows: places in this row and in those behind it do not
  /// count any more.
  func forgetRest() {
    guard !isIncremental else { return }
    for later in max(position - 1, 0)..<max(position, docids.count) where later < docids.count {
      let index = isReversed ? docids.count - 1 - later : later
      lists[index] = lists[index].lowerBound..<lists[index].lowerBound
    }
  }

  // MARK: Any row

  /// Rows before the current are wanted, too.
  func loadAll() { isIncremental = false }

  /// Quirk: when `offsets` is the first function that asks, it does not find places of a phrase
  /// that has no more rows, though it is in this row; nor does any function after that.
  /// `SELECT offsets(t) FROM t WHERE t MATCH '(p AND q) OR w'` with rows `w p` and `w q`.
  func loadForOffsets(isAtEnd: Bool) {
    if isIncremental && isAtEnd {
      docids.removeAll()
      lists.removeAll()
    }
    isIncremental = false
  }

  func contains(_ docid: Int64) -> Bool { index(of: docid) != nil }

  func places(inRow docid: Int64) -> [PositionList.Place] {
    index(of: docid).map { PositionList.places(in: bytes, lists[$0]) } ?? []
  }

  private func index(of docid: Int64) -> Int? {
    guard let first = docids.first, let last = docids.last else { return nil }
    let isFalling = first > last
    var low = 0, high = docids.count
    while low < high {
      let middle = (low + high) / 2
      if isFalling ? docids[middle] > docid : docids[middle] < docid {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < docids.count && docids[low] == docid ? low : nil
  }
}

extension FTS4Table {
  /// Finds the rows of a phrase.
  func load(
    _ phrase: MatchPhrase, language: Int64, isReversed: Bool
  ) throws(SQLError) {
    var doclist: [UInt8] = []
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
    try phrase.doclist.load(
      doclist, isDescending: index.isDescending, isReversed: isReversed,
      isIncremental: isIncremental)
  }

  private func doclist(
    of token: QueryToken, column: Int?, _ language: Int64
  ) throws(SQLError) -> [UInt8] {
    let scan = try index.scan(for: token.text, isPrefix: token.isPrefix, language: language)
    try scan.start(
      TermFilter(
        term: token.text, isPrefix: token.isPrefix, column: column, isFirst: token.isFirst,
        ignoresEmpty: true))
    var lists: [[UInt8]] = []
    while try scan.step() { lists.append(scan.doclist) }
    return try DoclistMerge.union(lists, isDescending: index.isDescending)
  }
}
