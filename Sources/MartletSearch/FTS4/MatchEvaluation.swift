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
  func advance() throws(SQLError) -> Bool {
    repeat {
      try advance(root)
      if root.isAtEnd { return false }
      docid = root.docid
    } while try !matches(root)
    return true
  }

  /// One docid comes before another.
  @inline(__always)
  private func isBefore(_ left: Int64, _ right: Int64) -> Bool {
    isDescending ? left > right : left < right
  }

  // MARK: Candidates

  /// Moves a node to the next row that may match it: NEAR is not looked at yet.
  private func advance(_ node: MatchExpression) throws(SQLError) {
    if node.isAtEnd { return }
    node.hasStarted = true
    if let doclist = node.doclistReference {
      let next = try doclist.lend { doclist throws(SQLError) in try doclist.next() }
      node.docid = next ?? 0
      node.isAtEnd = next == nil
      return
    }
    try withParts(node) { left, right throws(SQLError) in
      switch node.kind {
      case .and, .near: try advanceBoth(node, left, right)
      case .or: try advanceEither(node, left, right)
      case .not: try advanceWithout(node, left, right)
      case .phrase: break
      }
      return true
    }
  }

  /// Calls `body` with what an operator connects, of which nobody counts references; says false of
  /// what is no operator.
  @inline(__always)
  @discardableResult
  private func withParts(
    _ node: MatchExpression,
    _ body: (MatchExpression, MatchExpression) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    guard let left = node.leftReference, let right = node.rightReference else { return false }
    return try left.lend { left throws(SQLError) in
      try right.lend { right throws(SQLError) in try body(left, right) }
    }
  }

  private func advanceBoth(
    _ node: MatchExpression, _ left: MatchExpression, _ right: MatchExpression
  ) throws(SQLError) {
    try advance(left)
    try advance(right)
    while !left.isAtEnd && !right.isAtEnd && left.docid != right.docid {
      if isBefore(left.docid, right.docid) { try advance(left) } else { try advance(right) }
    }
    node.docid = left.docid
    node.isAtEnd = left.isAtEnd || right.isAtEnd
    if node.kind == .near && node.isAtEnd {
      if !left.isAtEnd { try left.phrase?.doclist.forgetRest() }
      if !right.isAtEnd { try right.phrase?.doclist.forgetRest() }
      left.isAtEnd = true
      right.isAtEnd = true
    }
  }

  private func advanceEither(
    _ node: MatchExpression, _ left: MatchExpression, _ right: MatchExpression
  ) throws(SQLError) {
    if right.isAtEnd || !left.isAtEnd && isBefore(left.docid, right.docid) {
      try advance(left)
    } else if left.isAtEnd || isBefore(right.docid, left.docid) {
      try advance(right)
    } else {
      try advance(left)
      try advance(right)
    }
    node.isAtEnd = left.isAtEnd && right.isAtEnd
    let isLeft = right.isAtEnd || !left.isAtEnd && isBefore(left.docid, right.docid)
    node.docid = isLeft ? left.docid : right.docid
  }

  private func advanceWithout(
    _ node: MatchExpression, _ left: MatchExpression, _ right: MatchExpression
  ) throws(SQLError) {
    if !right.hasStarted { try advance(right) }
    try advance(left)
    if !left.isAtEnd {
      while !right.isAtEnd && isBefore(right.docid, left.docid) { try advance(right) }
    }
    node.docid = left.docid
    node.isAtEnd = left.isAtEnd
  }

  // MARK: The current row

  /// Whether the current row really matches. Phrases of a NEAR keep those places only that are
  /// near enough, none at all if it does not match.
  @discardableResult
  private func matches(_ node: MatchExpression) throws(SQLError) -> Bool {
    if let doclist = node.doclistReference {
      return !node.isAtEnd && node.docid == docid
        && doclist._withUnsafeGuaranteedRef { $0.hasPlaces }
    }
    return try withParts(node) { left, right throws(SQLError) in
      switch node.kind {
      case .near, .and:
        let isTop = node.kind == .near && node.parent?.kind != .near
        var isMatch = try matches(left)
        if isMatch { isMatch = try matches(right) }
        // The row may be looked at again only where other parts of the query have a say.
        if isMatch && isTop { isMatch = try node.chain.keepNear(isForGood: node.parent != nil) }
        if !isMatch && isTop { node.chain.forget(docid) }
        return isMatch
      case .or:
        let isLeft = try matches(left), isRight = try matches(right)
        return isLeft || isRight
      case .not: return try matches(left) ? !matches(right) : false
      case .phrase: return false
      }
    }
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
      try node.phrase?.doclist.countAll(
        node.makeTotals(columnCount: columnCount), columnCount: columnCount)
      return
    }
    let wanted = top.docid, wasAtEnd = top.isAtEnd, current = docid
    let phrases = top.phrases
    for phrase in phrases { _ = try phrase.makeTotals(columnCount: columnCount) }
    restart(top)
    while true {
      var isWanted = true
      repeat {
        try advance(top)
        docid = top.docid
        // As in C, it is the whole query that has to match the row.
        if !top.isAtEnd && top.kind == .near { isWanted = try matches(root) }
      } while !top.isAtEnd && !isWanted
      if top.isAtEnd { break }
      for phrase in phrases where phrase.docid == top.docid && !phrase.isAtEnd {
        try addHits(of: phrase, columnCount: columnCount)
      }
    }
    docid = current
    if wasAtEnd {
      top.isAtEnd = true
      return
    }
    restart(top)
    repeat {
      try advance(top)
      if top.isAtEnd { throw .searchCorrupt }
    } while top.docid != wanted
  }

  /// Finds the places of the current row that count once more, after other rows were looked at.
  func matchAgain() throws(SQLError) { try matches(root) }

  private func restart(_ node: MatchExpression) {
    node.phrase?.doclist.loadAll()
    node.phrase?.doclist.restart()
    node.docid = 0
    node.isAtEnd = false
    node.hasStarted = false
    if let left = node.left { restart(left) }
    if let right = node.right { restart(right) }
  }

  private func addHits(of node: MatchExpression, columnCount: Int) throws(SQLError) {
    guard let places = try node.phrase?.doclist.places, let totals = node.totals else { return }
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
  ) throws(SQLError) {
    if !node.isAtEnd, node.docid == docid, let doclist = node.phrase?.doclist {
      return try doclist.countHits(counts, stride: stride, columnCount: columnCount)
    }
    for place in try places(of: node) {
      let column = PositionList.column(place)
      if column < columnCount { counts[column &* stride] &+= 1 }
    }
  }

  /// Places of a phrase in the current row; none where it is not in it.
  ///
  /// Below an OR the phrase may stand at another row than the query, and be in this one all the
  /// same. They are good until places of another row are asked for.
  func places(of node: MatchExpression) throws(SQLError) -> UnsafeBufferPointer<Place> {
    let none = UnsafeBufferPointer<Place>(start: nil, count: 0)
    guard let phrase = node.phrase else { return none }
    if !node.isAtEnd && node.docid == docid { return try phrase.doclist.places }
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
    if isAboveAtEnd { while !top.isAtEnd { try advance(top) } }
    for other in top.phrases {
      guard try other.phrase?.doclist.contains(docid) == true else { return none }
    }
    return try phrase.doclist.places(inRow: docid)
  }
}
