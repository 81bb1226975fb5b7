import MartletEngine

/// A part of a query that runs: rows in ascending order (SQLite's Fts5ExprNode).
///
/// A node may stand at a row that does not match after all; whoever is above moves it on then.
class QueryNode {
  @exclusivity(unchecked) final var rowid: Int64 = 0
  @exclusivity(unchecked) final var isAtEnd = false
  @exclusivity(unchecked) final var isMismatch = false

  /// Moves to the first row.
  func first() throws(SQLError) {}

  /// Moves to the next row; to one that is not less than `rowid`, if that is given.
  func next(from rowid: Int64?) throws(SQLError) {}

  /// Ends, with all that is below.
  func finish() { isAtEnd = true }

  /// Whether a row in whose text the phrases were found matches; what is found of parts that do not
  /// match is forgotten.
  func keepFound(_ found: [Positions]) -> Bool { false }

  /// What was found of all phrases below is forgotten.
  func forgetFound(_ found: [Positions]) {}

  /// The row counts for nothing, nor do its positions.
  func forgetPositions() {}

  /// Moves to the next row that matches.
  final func findMatch() throws(SQLError) {
    while isMismatch && !isAtEnd { try next(from: nil) }
  }
}

/// Nothing matches.
final class EmptyNode: QueryNode {
  override init() {
    super.init()
    isAtEnd = true
  }
}

/// A node of several others.
class ParentNode: QueryNode {
  fileprivate final let children: [QueryNode]
  /// The same, where nobody counts references to get them.
  fileprivate final let borrowed: Borrowed<QueryNode>

  init(_ children: [QueryNode]) {
    self.children = children
    borrowed = Borrowed(children)
  }

  deinit { borrowed.deallocate() }

  override func finish() {
    isAtEnd = true
    for child in children { child.finish() }
  }

  override func forgetFound(_ found: [Positions]) {
    for child in children { child.forgetFound(found) }
  }

  override func forgetPositions() { for child in children { child.forgetPositions() } }
}

final class AndNode: ParentNode {
  private let isRoot: Bool

  init(_ children: [QueryNode], isRoot: Bool) {
    self.isRoot = isRoot
    super.init(children)
  }

  override func first() throws(SQLError) {
    isAtEnd = false
    for child in children { try child.first() }
    if children.contains(where: \.isAtEnd) { return finish() }
    try align()
  }

  override func next(from rowid: Int64?) throws(SQLError) {
    try borrowed.lend(0) { child throws(SQLError) in try child.next(from: rowid) }
    try align()
  }

  /// Moves the children on until all are at the same row.
  private func align() throws(SQLError) {
    var target = borrowed.with(0) { $0.rowid }
    if borrowed.with(0, { $0.isAtEnd }) { return finish() }
    var isAligned: Bool
    repeat {
      isAligned = true
      isMismatch = false
      for number in 0..<borrowed.count {
        let isEnded = try borrowed.lend(number) { child throws(SQLError) -> Bool in
          if child.rowid < target { try child.next(from: target) }
          if child.isAtEnd { return true }
          if child.rowid != target {
            isAligned = false
            target = child.rowid
          }
          if child.isMismatch { isMismatch = true }
          return false
        }
        if isEnded { return finish() }
      }
    } while !isAligned
    rowid = target
    if isMismatch && !isRoot { forgetPositions() }
  }

  override func keepFound(_ found: [Positions]) -> Bool {
    for child in children where !child.keepFound(found) {
      forgetFound(found)
      return false
    }
    return true
  }
}

final class OrNode: ParentNode {
  override func first() throws(SQLError) {
    for child in children { try child.first() }
    choose()
  }

  override func next(from target: Int64?) throws(SQLError) {
    let last = rowid, target = target ?? .min
    for number in 0..<borrowed.count {
      try borrowed.lend(number) { child throws(SQLError) in
        if !child.isAtEnd, child.rowid == last || child.rowid < target {
          try child.next(from: target == .min ? nil : target)
        }
      }
    }
    choose()
  }

  /// The child with the least rowid; of several with the same one that matches.
  private func choose() {
    isAtEnd = true
    isMismatch = false
    for number in 0..<borrowed.count {
      borrowed.with(number) { child in
        let isBetter =
          number == 0
          || !child.isAtEnd
            && (isAtEnd || child.rowid < rowid || child.rowid == rowid && !child.isMismatch)
        guard isBetter else { return }
        rowid = child.rowid
        isAtEnd = child.isAtEnd
        isMismatch = child.isMismatch
      }
    }
  }

  override func keepFound(_ found: [Positions]) -> Bool {
    var isFound = false
    for child in children where child.keepFound(found) { isFound = true }
    return isFound
  }
}

final class NotNode: QueryNode {
  private let wanted: QueryNode
  private let unwanted: QueryNode

  init(_ wanted: QueryNode, _ unwanted: QueryNode) {
    self.wanted = wanted
    self.unwanted = unwanted
  }

  override func first() throws(SQLError) {
    try wanted.first()
    try unwanted.first()
    // What is not wanted keeps its place then, and its positions count where another part of the
    // query matches the same row: so it is in C, and ranks depend on it.
    if wanted.isAtEnd { return isAtEnd = true }
    isAtEnd = false
    try exclude()
  }

  override func next(from rowid: Int64?) throws(SQLError) {
    try wanted.next(from: rowid)
    try exclude()
  }

  private func exclude() throws(SQLError) {
    while !wanted.isAtEnd {
      if !unwanted.isAtEnd && unwanted.rowid < wanted.rowid {
        try unwanted.next(from: wanted.rowid)
      }
      if unwanted.isAtEnd || unwanted.rowid != wanted.rowid || unwanted.isMismatch { break }
      try wanted.next(from: nil)
    }
    rowid = wanted.rowid
    isAtEnd = wanted.isAtEnd
    isMismatch = wanted.isMismatch
    if isAtEnd { unwanted.forgetPositions() }
  }

  override func keepFound(_ found: [Positions]) -> Bool {
    if wanted.keepFound(found), !unwanted.keepFound(found) { return true }
    forgetFound(found)
    return false
  }

  override func forgetFound(_ found: [Positions]) {
    wanted.forgetFound(found)
    unwanted.forgetFound(found)
  }

  override func finish() {
    isAtEnd = true
    wanted.finish()
    unwanted.finish()
  }

  override func forgetPositions() {
    wanted.forgetPositions()
    unwanted.forgetPositions()
  }
}
