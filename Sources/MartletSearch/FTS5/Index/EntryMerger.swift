import MartletEngine

/// Merges the entries of several segments in the order of terms and rowids (SQLite's Fts5Iter). Of
/// entries of the same term and row that of the newest segment counts, the others are passed over.
///
/// A tournament: each node of a tree has the winner of the two below, so that moving a reader costs
/// one comparison a level.
final class EntryMerger {
  /// The newest first.
  private let readers: [EntryReader]
  /// Winners by index of reader; node 1 is the root. Behind the readers there is nobody.
  private var winners: [Int]
  private let leafCount: Int
  /// All entries have the same term.
  private let isOneTerm: Bool
  /// Entries that say nothing but that something is deleted are passed over.
  private let skipsDeletions: Bool
  /// nil at the end.
  @exclusivity(unchecked) private(set) var current: EntryReader?

  init(
    _ readers: [EntryReader], isOneTerm: Bool, skipsDeletions: Bool
  ) throws(SQLError) {
    self.readers = readers
    self.isOneTerm = isOneTerm
    self.skipsDeletions = skipsDeletions
    var count = 2
    while count < readers.count { count *= 2 }
    leafCount = count
    winners = Array(repeating: 0, count: count)
    guard !readers.isEmpty else { return }
    for node in stride(from: count - 1, through: 1, by: -1) {
      if let older = play(node) {
        _ = try readers[older].next()
        try replay(from: older, until: node)
      }
    }
    settle()
    if try isHidden() { try advance() }
  }

  var isAtEnd: Bool { current == nil }

  private func settle() {
    let winner = winners[1]
    current = winner < readers.count && !readers[winner].isAtEnd ? readers[winner] : nil
  }

  @inline(__always)
  private func isHidden() throws(SQLError) -> Bool {
    guard let current else { return false }
    if skipsDeletions && current.positionSize == 0 { return true }
    return try current.isDeletedRow()
  }

  /// Moves to the next entry.
  func advance() throws(SQLError) {
    repeat {
      guard let current else { return }
      _ = try current.next()
      if readers.count == 1 {
        if current.isAtEnd { self.current = nil }
      } else {
        try replay(from: winners[1], until: 1)
        settle()
      }
    } while try isHidden()
  }

  /// Of one term: moves to the first entry whose rowid is not less.
  func advance(to rowid: Int64) throws(SQLError) {
    assert(isOneTerm, "rowids go up within a term")
    while let current, current.rowid < rowid {
      try current.advance(to: rowid)
      if readers.count == 1 {
        if current.isAtEnd { self.current = nil }
      } else {
        try replay(from: winners[1], until: 1)
        settle()
      }
    }
    if try isHidden() { try advance() }
  }

  // MARK: The tree

  private func replay(from reader: Int, until top: Int) throws(SQLError) {
    var node = (leafCount + reader) / 2
    while node >= top {
      if let older = play(node) {
        _ = try readers[older].next()
        node = (leafCount + older) / 2
      } else {
        node /= 2
      }
    }
  }

  /// Decides a node.
  ///
  /// - Returns: The older reader where both have the same entry: it has to move on.
  @inline(__always)
  private func play(_ node: Int) -> Int? {
    let left: Int, right: Int
    if node >= leafCount / 2 {
      left = node * 2 - leafCount
      right = left + 1
    } else {
      left = winners[node * 2]
      right = winners[node * 2 + 1]
    }
    guard left < readers.count, !readers[left].isAtEnd else {
      winners[node] = right
      return nil
    }
    guard right < readers.count, !readers[right].isAtEnd else {
      winners[node] = left
      return nil
    }
    let first = readers[left], second = readers[right]
    var order = 0
    if !isOneTerm {
      order = ByteOrder.compare(
        first.term.start, first.term.count, second.term.start, second.term.count)
    }
    if order == 0 {
      if first.rowid == second.rowid { return right }
      order = first.rowid < second.rowid ? -1 : 1
    }
    winners[node] = order < 0 ? left : right
    return nil
  }
}
