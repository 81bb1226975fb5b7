import MartletEngine

/// A phrase of a query that runs, and where it is in the row of its group.
final class PhraseMatch {
  let phrase: QueryPhrase
  /// The group's; nil for all.
  let columns: [Int]?
  /// One for each term.
  @exclusivity(unchecked) var cursors: [TermRows] = []
  /// Where the phrase begins; for detail=column the columns that have it.
  let positions = Positions()
  @exclusivity(unchecked) private(set) var arePositionsKnown = false
  /// It lives as long as the query that this is part of.
  @exclusivity(unchecked) private(set) unowned(unsafe) var group: GroupNode?
  private let scratch = Positions()
  private let detail: Detail

  init(_ phrase: QueryPhrase, columns: [Int]?, _ detail: Detail) {
    self.phrase = phrase
    self.columns = columns
    self.detail = detail
  }

  func begin(_ group: GroupNode, _ index: FTS5Index) throws(SQLError) {
    self.group = group
    forget()
    cursors.removeAll()
    for term in phrase.terms { cursors.append(try index.cursor(of: term, columns: columns)) }
  }

  /// A single term, which is wherever its entries are.
  var isPlain: Bool { cursors.count == 1 && columns == nil && !phrase.terms[0].isFirst }

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
    guard !cursors.isEmpty else { return }
    positions.decode(try cursors[0].positions())
    if let columns { positions.keep(inColumns: columns, detail) }
    guard detail == .full else { return }
    if phrase.terms[0].isFirst { keepFirstInColumn() }
    for number in 1..<max(cursors.count, 1) {
      if positions.count == 0 { return }
      scratch.decode(try cursors[number].positions())
      keepFollowed(by: scratch, distance: Int64(number))
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
    var kept = 0, place = 0
    for index in 0..<positions.count {
      let wanted = positions[index] &+ distance
      while place < other.count && other[place] < wanted { place += 1 }
      if place == other.count { break }
      guard other[place] == wanted else { continue }
      positions[kept] = positions[index]
      kept += 1
    }
    positions.keepFirst(kept)
  }
}

/// Phrases that are near each other, or one phrase.
final class GroupNode: QueryNode {
  private let phrases: [PhraseMatch]
  private let firstPhrase: PhraseMatch
  private let distance: Int
  private let index: FTS5Index
  /// Of all phrases.
  @exclusivity(unchecked) private var cursors: [TermRows] = []
  /// The first of them, where nobody counts references to get it.
  @exclusivity(unchecked) private var leader: Unmanaged<TermRows>?
  /// All of them, likewise.
  @exclusivity(unchecked) private var references: [Unmanaged<TermRows>] = []
  /// One term, whose rows match whatever they have.
  @exclusivity(unchecked) private var isPlain = false

  /// - Parameter phrases: At least one.
  init(_ phrases: [PhraseMatch], distance: Int, _ index: FTS5Index) {
    self.phrases = phrases
    firstPhrase = phrases[0]
    self.distance = distance
    self.index = index
  }

  override func first() throws(SQLError) {
    isAtEnd = false
    cursors.removeAll()
    for phrase in phrases {
      try phrase.begin(self, index)
      cursors += phrase.cursors
      if cursors.contains(where: \.isAtEnd) { return isAtEnd = true }
    }
    leader = Unmanaged.passUnretained(cursors[0])
    references = cursors.map { Unmanaged.passUnretained($0) }
    isPlain = phrases.count == 1 && (phrases[0].isPlain || index.detail == .none)
    try match()
  }

  override func next(from rowid: Int64?) throws(SQLError) {
    guard let leader else { return isAtEnd = true }
    try leader.lend { rows throws(SQLError) in
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
    guard let leader, !leader._withUnsafeGuaranteedRef({ $0.isAtEnd }) else {
      return isAtEnd = true
    }
    if references.count > 1, try !align() { return isAtEnd = true }
    rowid = leader._withUnsafeGuaranteedRef { $0.rowid }
    firstPhrase.invalidate()
    if isPlain { return }
    for phrase in phrases {
      // Where one does not match, those behind it keep what they had, as in C.
      phrase.invalidate()
      try phrase.locate()
      if phrase.positions.count == 0 { return isMismatch = true }
    }
    if phrases.count > 1 { isMismatch = !NearMatch.keepNear(phrases, distance) }
  }

  /// Moves all cursors to the same row; false where there is none.
  private func align() throws(SQLError) -> Bool {
    var target = references[0]._withUnsafeGuaranteedRef { $0.rowid }
    var isAligned: Bool
    repeat {
      isAligned = true
      for reference in references {
        let found = try reference.lend { rows throws(SQLError) -> Int64? in
          if rows.rowid < target { try rows.advance(to: target) }
          return rows.isAtEnd ? nil : rows.rowid
        }
        guard let found else { return false }
        if found != target {
          target = found
          isAligned = false
        }
      }
    } while !isAligned
    return true
  }

  override func forgetPositions() { for phrase in phrases { phrase.forget() } }
}

/// NEAR (fts5 §3.5).
enum NearMatch {
  private static let end: Int64 = 1 << 62

  private struct Place {
    var index = 0
    var kept = 0
    var lastKept: Int64 = -1
  }

  /// Leaves of each phrase's positions those that are near some of all others.
  ///
  /// - Returns: Whether there are any.
  static func keepNear(_ phrases: [PhraseMatch], _ distance: Int) -> Bool {
    var places = Array(repeating: Place(), count: phrases.count)
    func position(_ phrase: Int, _ ahead: Int = 0) -> Int64 {
      let index = places[phrase].index + ahead
      return index < phrases[phrase].positions.count ? phrases[phrase].positions[index] : end
    }
    search: while true {
      var latest = position(0)
      var isMatch: Bool
      repeat {
        isMatch = true
        for phrase in phrases.indices {
          let earliest =
            latest &- Int64(phrases[phrase].phrase.terms.count) &- Int64(distance)
          guard position(phrase) < earliest || position(phrase) > latest else { continue }
          isMatch = false
          while position(phrase) < earliest {
            places[phrase].index += 1
            if position(phrase) == end { break search }
          }
          latest = max(latest, position(phrase))
        }
      } while !isMatch
      var next = 0
      for phrase in phrases.indices {
        let found = position(phrase)
        if found != places[phrase].lastKept {
          phrases[phrase].positions[places[phrase].kept] = found
          places[phrase].kept += 1
          places[phrase].lastKept = found
        }
        if position(phrase, 1) < position(next, 1) { next = phrase }
      }
      places[next].index += 1
      if position(next) == end { break }
    }
    for phrase in phrases.indices { phrases[phrase].positions.keepFirst(places[phrase].kept) }
    return places[0].kept > 0
  }
}
