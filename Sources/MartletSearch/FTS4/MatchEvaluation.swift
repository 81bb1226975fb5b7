import MartletEngine

/// Goes through the rows that a query matches, one by one (SQLite's fts3EvalNext).
final class MatchEvaluation {
  let root: MatchExpression
  /// Those that functions tell of.
  let matchablePhrases: [MatchExpression]
  /// Rows come in falling order of docids.
  private let isDescending: Bool
  @exclusivity(unchecked) private(set) var docid: Int64 = 0

  init(
    _ root: MatchExpression, _ table: FTS4Table, language: Int64, isDescending: Bool
  ) throws(SQLError) {
    self.root = root
    matchablePhrases = root.matchablePhrases
    self.isDescending = isDescending
    for node in root.phrases {
      guard let phrase = node.phrase else { continue }
      try table.load(
        phrase, language: language, isReversed: isDescending != table.index.isDescending)
    }
  }

  /// Moves to the next row; false where there is none.
  func advance() -> Bool {
    repeat {
      advance(root)
      if root.isAtEnd { return false }
      docid = root.docid
    } while !matches(root)
    return true
  }

  /// One docid comes before another.
  @inline(__always)
  private func isBefore(_ left: Int64, _ right: Int64) -> Bool {
    isDescending ? left > right : left < right
  }

  // MARK: Candidates

  /// Moves a node to the next row that may match it: NEAR is not looked at yet.
  private func advance(_ node: MatchExpression) {
    if node.isAtEnd { return }
    node.hasStarted = true
    if let doclist = node.doclistReference {
      let next = doclist._withUnsafeGuaranteedRef { $0.next() }
      node.docid = next ?? 0
      node.isAtEnd = next == nil
      return
    }
    guard let left = node.leftReference, let right = node.rightReference else { return }
    left._withUnsafeGuaranteedRef { left in
      right._withUnsafeGuaranteedRef { right in
        switch node.kind {
        case .and, .near: advanceBoth(node, left, right)
        case .or: advanceEither(node, left, right)
        case .not: advanceWithout(node, left, right)
        case .phrase: break
        }
      }
    }
  }

  private func advanceBoth(
    _ node: MatchExpression, _ left: MatchExpression, _ right: MatchExpression
  ) {
    advance(left)
    advance(right)
    while !left.isAtEnd && !right.isAtEnd && left.docid != right.docid {
      advance(isBefore(left.docid, right.docid) ? left : right)
    }
    node.docid = left.docid
    node.isAtEnd = left.isAtEnd || right.isAtEnd
    if node.kind == .near && node.isAtEnd {
      for other in [left, right] where !other.isAtEnd { other.phrase?.doclist.forgetRest() }
      left.isAtEnd = true
      right.isAtEnd = true
    }
  }

  private func advanceEither(
    _ node: MatchExpression, _ left: MatchExpression, _ right: MatchExpression
  ) {
    if right.isAtEnd || !left.isAtEnd && isBefore(left.docid, right.docid) {
      advance(left)
    } else if left.isAtEnd || isBefore(right.docid, left.docid) {
      advance(right)
    } else {
      advance(left)
      advance(right)
    }
    node.isAtEnd = left.isAtEnd && right.isAtEnd
    let isLeft = right.isAtEnd || !left.isAtEnd && isBefore(left.docid, right.docid)
    node.docid = isLeft ? left.docid : right.docid
  }

  private func advanceWithout(
    _ node: MatchExpression, _ left: MatchExpression, _ right: MatchExpression
  ) {
    if !right.hasStarted { advance(right) }
    advance(left)
    if !left.isAtEnd {
      while !right.isAtEnd && isBefore(right.docid, left.docid) { advance(right) }
    }
    node.docid = left.docid
    node.isAtEnd = left.isAtEnd
  }

  // MARK: The current row

  /// Whether the current row really matches. Phrases of a NEAR keep those places only that are
  /// near enough, none at all if it does not match.
  @discardableResult
  private func matches(_ node: MatchExpression) -> Bool {
    if let doclist = node.doclistReference {
      return !node.isAtEnd && node.docid == docid
        && doclist._withUnsafeGuaranteedRef { $0.hasPlaces }
    }
    guard let left = node.leftReference, let right = node.rightReference else { return false }
    return left._withUnsafeGuaranteedRef { left in
      right._withUnsafeGuaranteedRef { right in
        switch node.kind {
        case .near, .and:
          let isMatch = matches(left) && matches(right) && isNear(node)
          if !isMatch && node.kind == .near && node.parent?.kind != .near {
            forgetPlaces(of: node)
          }
          return isMatch
        case .or:
          let isLeft = matches(left), isRight = matches(right)
          return isLeft || isRight
        case .not: return matches(left) && !matches(right)
        case .phrase: return false
        }
      }
    }
  }

  private func forgetPlaces(of node: MatchExpression) {
    for phrase in node.phrases where phrase.docid == docid { phrase.phrase?.doclist.forget() }
  }

  /// Looks at a whole chain of NEARs, from left to right and back.
  private func isNear(_ node: MatchExpression) -> Bool {
    guard node.kind == .near, node.parent?.kind != .near else { return true }
    let chain = node.chain, phrases = chain.phrases, distances = chain.distances
    // The row may be looked at again only where other parts of the query have a say.
    let isForGood = node.parent != nil
    for index in 1..<max(1, phrases.count) {
      let isNear = trim(phrases[index], near: phrases[index - 1], distances[index - 1], isForGood)
      if !isNear { return false }
    }
    for index in stride(from: phrases.count - 2, through: 0, by: -1) {
      let isNear = trim(phrases[index], near: phrases[index + 1], distances[index], isForGood)
      if !isNear { return false }
    }
    return true
  }

  private func trim(
    _ phrase: MatchPhrase, near other: MatchPhrase, _ distance: Int, _ isForGood: Bool
  ) -> Bool {
    phrase.doclist.trim(
      near: other.doclist.places, before: distance + phrase.tokens.count,
      behind: distance + other.tokens.count, forGood: isForGood)
  }

  // MARK: Counts over the table

  /// Counts how often a phrase is in each column of all rows, for `matchinfo`.
  ///
  /// - Parameter node: Has not been counted yet.
  func count(_ node: MatchExpression, columnCount: Int) throws(SQLError) {
    var top = node
    while let parent = top.parent, parent.kind == .near { top = parent }
    if top === node {
      // Without NEAR every place counts, wherever the evaluation is.
      node.phrase?.doclist.countAll(
        node.makeTotals(columnCount: columnCount), columnCount: columnCount)
      return
    }
    let wanted = top.docid, wasAtEnd = top.isAtEnd, current = docid
    let phrases = top.phrases
    for phrase in phrases { _ = phrase.makeTotals(columnCount: columnCount) }
    restart(top)
    while true {
      repeat {
        advance(top)
        docid = top.docid
        // As in C, it is the whole query that has to match the row.
      } while !top.isAtEnd && top.kind == .near && !matches(root)
      if top.isAtEnd { break }
      for phrase in phrases where phrase.docid == top.docid && !phrase.isAtEnd {
        addHits(of: phrase, columnCount: columnCount)
      }
    }
    docid = current
    if wasAtEnd {
      top.isAtEnd = true
      return
    }
    restart(top)
    repeat {
      advance(top)
      if top.isAtEnd { throw .searchCorrupt }
    } while top.docid != wanted
  }

  /// Finds the places of the current row that count once more, after other rows were looked at.
  func matchAgain() { matches(root) }

  private func restart(_ node: MatchExpression) {
    node.phrase?.doclist.loadAll()
    node.phrase?.doclist.restart()
    node.docid = 0
    node.isAtEnd = false
    node.hasStarted = false
    if let left = node.left { restart(left) }
    if let right = node.right { restart(right) }
  }

  private func addHits(of node: MatchExpression, columnCount: Int) {
    guard let places = node.phrase?.doclist.places, let totals = node.totals else { return }
    var last = -1
    for place in places {
      let column = PositionList.column(place)
      guard column < columnCount else { continue }
      totals[2 &* column] &+= 1
      if column != last { totals[2 &* column &+ 1] &+= 1 }
      last = column
    }
  }

  /// Adds how often a phrase is in each column of the current row to every so many numbers.
  func countHits(
    of node: MatchExpression, _ counts: UnsafeMutablePointer<UInt32>, stride: Int,
    columnCount: Int
  ) {
    if !node.isAtEnd, node.docid == docid, let doclist = node.phrase?.doclist {
      return doclist.countHits(counts, stride: stride, columnCount: columnCount)
    }
    for place in places(of: node) {
      let column = PositionList.column(place)
      if column < columnCount { counts[column &* stride] &+= 1 }
    }
  }

  /// Places of a phrase in the current row; none where it is not in it.
  ///
  /// Below an OR the phrase may stand at another row than the query, and be in this one all the
  /// same. They are good until places of another row are asked for.
  func places(of node: MatchExpression) -> UnsafeBufferPointer<Place> {
    let none = UnsafeBufferPointer<Place>(start: nil, count: 0)
    guard let phrase = node.phrase else { return none }
    if !node.isAtEnd && node.docid == docid { return phrase.doclist.places }
    var isBelowOr = false, isAboveAtEnd = false, top = node
    var next = node.parent
    while let parent = next {
      if parent.isAtEnd { isAboveAtEnd = true }
      if parent.kind == .or { isBelowOr = true }
      if parent.kind == .near { top = parent }
      next = parent.parent
    }
    guard isBelowOr else { return none }
    phrase.doclist.loadAll()
    if isAboveAtEnd { while !top.isAtEnd { advance(top) } }
    guard
      top.phrases.allSatisfy({ $0.phrase?.doclist.contains(docid) == true })
    else { return none }
    return phrase.doclist.places(inRow: docid)
  }
}
