import MartletEngine

/// A part of a query that runs: rows in ascending order (SQLite's Fts5ExprNode).
///
/// A node may stand at a row that does not match after all; whoever is above moves it on then.
class QueryNode {
  @exclusivity(unchecked) final var rowid: Int64 = 0
  @exclusivity(unchecked) final var isAtEnd = false
  @exclusivity(unchecked) final var isMismatch = false

  /// Moves to the first row that is not less.
  func first(from rowid: Int64) throws(SQLError) {}

  /// Moves to the next row; to one that is not less than `rowid`, if that is given.
  func next(from rowid: Int64?) throws(SQLError) {}

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

final class AndNode: QueryNode {
  private let children: [QueryNode]
  private let isRoot: Bool

  init(_ children: [QueryNode], isRoot: Bool) {
    self.children = children
    self.isRoot = isRoot
  }

  override func first(from rowid: Int64) throws(SQLError) {
    isAtEnd = false
    for child in children {
      try child.first(from: rowid)
      // The others need not be looked at.
      if child.isAtEnd { return isAtEnd = true }
    }
    try align()
  }

  override func next(from rowid: Int64?) throws(SQLError) {
    try children[0].next(from: rowid)
    try align()
  }

  /// Moves the children on until all are at the same row.
  private func align() throws(SQLError) {
    var target = children[0].rowid
    if children[0].isAtEnd { return isAtEnd = true }
    var isAligned: Bool
    repeat {
      isAligned = true
      isMismatch = false
      for child in children {
        if child.rowid < target { try child.next(from: target) }
        if child.isAtEnd { return isAtEnd = true }
        if child.rowid != target {
          isAligned = false
          target = child.rowid
        }
        if child.isMismatch { isMismatch = true }
      }
    } while !isAligned
    rowid = target
    if isMismatch && !isRoot { forgetPositions() }
  }

  override func forgetPositions() { for child in children { child.forgetPositions() } }
}

final class OrNode: QueryNode {
  private let children: [QueryNode]

  init(_ children: [QueryNode]) { self.children = children }

  override func first(from rowid: Int64) throws(SQLError) {
    for child in children { try child.first(from: rowid) }
    choose()
  }

  override func next(from target: Int64?) throws(SQLError) {
    let last = rowid
    for child in children where !child.isAtEnd {
      if child.rowid == last || target.map({ child.rowid < $0 }) ?? false {
        try child.next(from: target)
      }
    }
    choose()
  }

  /// The child with the least rowid; of several with the same one that matches.
  private func choose() {
    var best = children[0]
    for child in children.dropFirst() where !child.isAtEnd {
      if best.isAtEnd || child.rowid < best.rowid
        || child.rowid == best.rowid && !child.isMismatch
      {
        best = child
      }
    }
    rowid = best.rowid
    isAtEnd = best.isAtEnd
    isMismatch = best.isMismatch
  }

  override func forgetPositions() { for child in children { child.forgetPositions() } }
}

final class NotNode: QueryNode {
  private let wanted: QueryNode
  private let unwanted: QueryNode

  init(_ wanted: QueryNode, _ unwanted: QueryNode) {
    self.wanted = wanted
    self.unwanted = unwanted
  }

  override func first(from rowid: Int64) throws(SQLError) {
    try wanted.first(from: rowid)
    try unwanted.first(from: rowid)
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

  override func forgetPositions() {
    wanted.forgetPositions()
    unwanted.forgetPositions()
  }
}
