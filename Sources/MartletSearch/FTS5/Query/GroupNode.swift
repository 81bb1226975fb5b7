import MartletEngine

/// A phrase of a query that runs, and where it is in the row of its group.
final class PhraseMatch {
  let phrase: QueryPhrase
  /// Among those of the query.
  @exclusivity(unchecked) var number = 0
  /// The group's; nil for all.
  let columns: [Int]?
  private let columnSet: ColumnSet?
  /// One for each term.
  @exclusivity(unchecked) private(set) var cursors: [TermRows] = []
  @exclusivity(unchecked) private var borrowed = Borrowed<TermRows>([])
  /// Where the phrase begins; for detail=column the columns that have it.
  let positions = Positions()
  @exclusivity(unchecked) private(set) var arePositionsKnown = false
  /// It lives as long as the query that this is part of.
  @exclusivity(unchecked) private(set) unowned(unsafe) var group: GroupNode?
  private let scratch = Positions()
  private let detail: Detail
  /// The first term has to be the first of its column.
  private let isFirstWanted: Bool

  init(_ phrase: QueryPhrase, columns: [Int]?, _ detail: Detail) {
    self.phrase = phrase
    self.columns = columns
    columnSet = columns.map { ColumnSet($0) }
    self.detail = detail
    isFirstWanted = phrase.terms.first?.isFirst ?? false
  }

  deinit {
    borrowed.deallocate()
    columnSet?.deallocate()
  }

  func begin(_ group: GroupNode, _ index: FTS5Index) throws(SQLError) {
    self.group = group
    forget()
    borrowed.replace(with: [])
    cursors.removeAll()
    for term in phrase.terms { cursors.append(try index.cursor(of: term, columns: columns)) }
    borrowed.replace(with: cursors)
  }

  /// A single term, which is wherever its entries are.
  var isPlain: Bool { isTerm && columns == nil }

  /// A single term, which is wherever its entries are in the columns.
  var isTerm: Bool { cursors.count == 1 && !phrase.terms[0].isFirst }

  /// It counts for nothing in the row.
  @exclusivity(unchecked) private(set) var isForgotten = false

  func invalidate() {
    arePositionsKnown = false
    isForgotten = false
  }

  func forget() {
    positions.removeAll()
    arePositionsKnown = true
    isForgotten = true
  }

  /// Finds the phrase in the row at which all its cursors are.
  func locate() throws(SQLError) {
    guard !arePositionsKnown else { return }
    arePositionsKnown = true
    positions.removeAll()
    guard borrowed.count > 0 else { return }
    try decode(0, into: positions, in: columnSet)
    guard detail == .full else { return }
    if isFirstWanted { keepFirstInColumn() }
    for number in 1..<max(borrowed.count, 1) {
      if positions.count == 0 { return }
      try decode(number, into: scratch)
      keepFollowed(by: scratch, distance: Int64(number))
    }
  }

  @inline(__always)
  private func decode(
    _ number: Int, into positions: Positions, in columns: ColumnSet? = nil
  ) throws(SQLError) {
    try borrowed.lend(number) { rows throws(SQLError) in
      guard let columns else { return positions.decode(try rows.positions()) }
      positions.decode(try rows.positions(), in: columns, detail)
    }
  }

  /// Whether a single term is in one of the columns.
  func isInColumns() throws(SQLError) -> Bool {
    guard let columnSet else { return true }
    return try borrowed.lend(0) { rows throws(SQLError) in
      let bytes = try rows.positions()
      guard let start = bytes.baseAddress else { return false }
      var reader = FilteredPositionReader(
        start.assumingMemoryBound(to: UInt8.self), bytes.count, columnSet, detail)
      return reader.next()
    }
  }

  private func keepFirstInColumn() {
    var kept = 0
    for index in 0..<positions.count where Position.offset(positions[index]) == 0 {
      positions[kept] = positions[index]
      kept += 1
    }
    positions.keepFirst(kept)
  }

  private func keepFollowed(by other: Positions, distance: Int64) {
    let mine = positions.start, theirs = other.start, count = other.count
    var kept = 0, place = 0
    for index in 0..<positions.count {
      let wanted = mine[index] &+ distance
      while place < count && theirs[place] < wanted { place &+= 1 }
      if place == count { break }
      guard theirs[place] == wanted else { continue }
      mine[kept] = mine[index]
      kept &+= 1
    }
    positions.keepFirst(kept)
  }
}

/// Phrases that are near each other, or one phrase.
final class GroupNode: QueryNode {
  private let phrases: [PhraseMatch]
  private let borrowedPhrases: Borrowed<PhraseMatch>
  private let near: NearMatch?
  private let index: FTS5Index
  /// Of all phrases.
  @exclusivity(unchecked) private var cursors: [TermRows] = []
  @exclusivity(unchecked) private var borrowed = Borrowed<TermRows>([])
  /// One term, whose rows match whatever they have.
  @exclusivity(unchecked) private(set) var isPlain = false
  /// One term, whose rows match where they have it in some columns.
  @exclusivity(unchecked) private var isTerm = false

  /// - Parameter phrases: At least one.
  init(_ phrases: [PhraseMatch], distance: Int, _ index: FTS5Index) {
    self.phrases = phrases
    borrowedPhrases = Borrowed(phrases)
    near = phrases.count > 1 ? NearMatch(phrases, distance) : nil
    self.index = index
  }

  override func first() throws(SQLError) {
    isAtEnd = false
    borrowed.replace(with: [])
    cursors.removeAll()
    for phrase in phrases {
      try phrase.begin(self, index)
      cursors += phrase.cursors
      if cursors.contains(where: \.isAtEnd) { return isAtEnd = true }
    }
    borrowed.replace(with: cursors)
    isPlain = phrases.count == 1 && (phrases[0].isPlain || index.detail == .none)
    isTerm = phrases.count == 1 && phrases[0].isTerm
    try match()
  }

  override func next(from rowid: Int64?) throws(SQLError) {
    guard borrowed.count > 0 else { return isAtEnd = true }
    try borrowed.lend(0) { rows throws(SQLError) in
      if let rowid, rows.rowid < rowid {
        try rows.advance(to: rowid)
      } else {
        try rows.advance()
      }
    }
    try match()
  }

  private func match() throws(SQLError) {
    isMismatch = false
    guard borrowed.count > 0, !borrowed.with(0, { $0.isAtEnd }) else { return isAtEnd = true }
    if borrowed.count > 1, try !align() { return isAtEnd = true }
    rowid = borrowed.with(0) { $0.rowid }
    borrowedPhrases.with(0) { $0.invalidate() }
    if isPlain { return }
    if isTerm {
      // Where in them is found when somebody asks.
      isMismatch = try !borrowedPhrases.lend(0) { phrase throws(SQLError) in
        try phrase.isInColumns()
      }
      return
    }
    for number in 0..<borrowedPhrases.count {
      // Where one does not match, those behind it keep what they had, as in C.
      let isFound = try borrowedPhrases.lend(number) { phrase throws(SQLError) in
        phrase.invalidate()
        try phrase.locate()
        return phrase.positions.count > 0
      }
      if !isFound { return isMismatch = true }
    }
    if let near { isMismatch = !near.keepNear() }
  }

  /// Moves all cursors to the same row; false where there is none.
  private func align() throws(SQLError) -> Bool {
    var target = borrowed.with(0) { $0.rowid }
    // How many cursors are known to be at the target, and which one is asked next.
    var alignedCount = 1, number = 1
    while alignedCount < borrowed.count {
      let found = try borrowed.lend(number) { rows throws(SQLError) -> Int64? in
        if rows.rowid < target { try rows.advance(to: target) }
        return rows.isAtEnd ? nil : rows.rowid
      }
      guard let found else { return false }
      alignedCount = found == target ? alignedCount &+ 1 : 1
      target = found
      number = number &+ 1 == borrowed.count ? 0 : number &+ 1
    }
    return true
  }

  override func keepFound(_ found: [Positions]) -> Bool { found[phrases[0].number].count > 0 }

  override func forgetFound(_ found: [Positions]) {
    for phrase in phrases { found[phrase.number].removeAll() }
  }

  override func forgetPositions() { for phrase in phrases { phrase.forget() } }
}

/// NEAR (fts5 §3.5): what is the same for all rows of a group.
private final class NearMatch {
  private static let end: Int64 = 1 << 62

  private struct Place {
    var positions: UnsafeMutablePointer<Int64>
    var count = 0
    var index = 0
    var kept = 0
    var lastKept: Int64 = -1
    /// How far in front of the last phrase this one may begin.
    let reach: Int64

    @inline(__always)
    func position(_ ahead: Int = 0) -> Int64 {
      index &+ ahead < count ? positions[index &+ ahead] : NearMatch.end
    }
  }

  private let phrases: Borrowed<PhraseMatch>
  private let places: UnsafeMutableBufferPointer<Place>

  init(_ phrases: [PhraseMatch], _ distance: Int) {
    self.phrases = Borrowed(phrases)
    places = .allocate(capacity: phrases.count)
    for (number, phrase) in phrases.enumerated() {
      let reach = Int64(phrase.phrase.terms.count) + Int64(distance)
      places.initializeElement(
        at: number, to: Place(positions: phrase.positions.start, reach: reach))
    }
  }

  deinit {
    places.deallocate()
    phrases.deallocate()
  }

  /// Leaves of each phrase's positions those that are near some of all others.
  ///
  /// - Returns: Whether there are any.
  func keepNear() -> Bool {
    for number in places.indices {
      phrases.with(number) { phrase in
        places[number].positions = phrase.positions.start
        places[number].count = phrase.positions.count
      }
      places[number].index = 0
      places[number].kept = 0
      places[number].lastKept = -1
    }
    while findNext() {}
    for number in places.indices {
      phrases.with(number) { $0.positions.keepFirst(places[number].kept) }
    }
    return places[0].kept > 0
  }

  /// Finds the next places that are near each other, keeps them, and moves on; false at the end.
  private func findNext() -> Bool {
    var latest = places[0].position()
    var isMatch: Bool
    repeat {
      isMatch = true
      for number in places.indices {
        let earliest = latest &- places[number].reach, position = places[number].position()
        guard position < earliest || position > latest else { continue }
        isMatch = false
        while places[number].position() < earliest {
          places[number].index &+= 1
          if places[number].position() == NearMatch.end { return false }
        }
        latest = max(latest, places[number].position())
      }
    } while !isMatch
    var next = 0
    for number in places.indices {
      let found = places[number].position()
      if found != places[number].lastKept {
        places[number].positions[places[number].kept] = found
        places[number].kept &+= 1
        places[number].lastKept = found
      }
      if places[number].position(1) < places[next].position(1) { next = number }
    }
    places[next].index &+= 1
    return places[next].position() != NearMatch.end
  }
}
