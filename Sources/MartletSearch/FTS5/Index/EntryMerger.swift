import MartletEngine

/// Merges the entries of several segments in the order of terms and rowids (SQLite's Fts5Iter). Of
/// entries of the same term and row that of the newest segment counts, the others are passed over.
///
/// A tournament: each node of a tree has the winner of the two below, so that moving a reader costs
/// one comparison a level.
final class EntryMerger {
  /// The newest first.
  private let readers: [EntryReader]
  /// The same, and their states, where nobody counts references to get them.
  private let references: UnsafeMutablePointer<Unmanaged<EntryReader>>
  private let states: UnsafeMutablePointer<UnsafeMutablePointer<EntryState>>
  /// Winners by index of reader; node 1 is the root. Behind the readers there is nobody.
  private let winners: UnsafeMutablePointer<Int>
  private let leafCount: Int
  private let count: Int
  /// All entries have the same term.
  private let isOneTerm: Bool
  /// Entries that say nothing but that something is deleted are passed over.
  private let skipsDeletions: Bool
  /// Some segments have rows that were deleted from them.
  private let hasTombstones: Bool
  /// nil at the end.
  @exclusivity(unchecked) private(set) var entry: UnsafeMutablePointer<EntryState>?
  @exclusivity(unchecked) private var winner = 0
  /// The least rowid that another reader has of the winner's term: below it, the winner goes on
  /// without asking the tree. nil while nobody has looked.
  @exclusivity(unchecked) private var knownBound: Int64?
  /// The entry may be of another term than the one before.
  @exclusivity(unchecked) private(set) var mayBeNewTerm = true

  init(
    _ readers: [EntryReader], isOneTerm: Bool, skipsDeletions: Bool
  ) throws(SQLError) {
    self.readers = readers
    self.isOneTerm = isOneTerm
    self.skipsDeletions = skipsDeletions
    count = readers.count
    hasTombstones = readers.contains { ($0.segment?.tombstonePageCount ?? 0) > 0 }
    var size = 2
    while size < count { size *= 2 }
    leafCount = size
    references = .allocate(capacity: max(count, 1))
    states = .allocate(capacity: max(count, 1))
    winners = .allocate(capacity: size)
    winners.initialize(repeating: 0, count: size)
    for (index, reader) in readers.enumerated() {
      (references + index).initialize(to: Unmanaged.passUnretained(reader))
      (states + index).initialize(to: reader.state)
    }
    guard count > 0 else { return }
    for node in stride(from: size - 1, through: 1, by: -1) {
      if let older = play(node) {
        try advanceReader(older)
        try replay(from: older, until: node)
      }
    }
    settle()
    if try isHidden() { try advance() }
    mayBeNewTerm = true
  }

  deinit {
    references.deallocate()
    states.deallocate()
    winners.deallocate()
  }

  /// The reader of the entry; nil at the end.
  var current: EntryReader? { entry == nil ? nil : readers[winner] }

  @inline(__always)
  var isAtEnd: Bool { entry == nil }

  /// The positions of the entry, valid until it moves.
  @inline(__always)
  func positions(_ scratch: GrowingBytes) throws(SQLError) -> UnsafeRawBufferPointer {
    guard entry != nil else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return try references[winner].lend { reader throws(SQLError) in
      try reader.positions(scratch)
    }
  }

  /// The same where all of them are on one page; nil otherwise.
  @inline(__always)
  var positionsOfPage: UnsafePointer<UInt8>? {
    references[winner]._withUnsafeGuaranteedRef { $0.positionsOfPage }
  }

  /// Returns whether its next entry is one of another term.
  @discardableResult @inline(__always)
  private func advanceReader(_ index: Int) throws(SQLError) -> Bool {
    try references[index].lend { reader throws(SQLError) in
      try reader.next()
    }
  }

  private func settle() {
    winner = winners[1]
    knownBound = nil
    mayBeNewTerm = true
    entry = winner < count && !states[winner].pointee.isAtEnd ? states[winner] : nil
  }

  @inline(__always)
  private func isHidden() throws(SQLError) -> Bool {
    guard let entry else { return false }
    if skipsDeletions && entry.pointee.positionSize == 0 { return true }
    return hasTombstones ? try readers[winner].isDeletedRow() : false
  }

  /// Moves to the next entry.
  func advance() throws(SQLError) {
    mayBeNewTerm = false
    repeat {
      guard let entry else { return }
      let isNewTerm = try advanceReader(winner)
      if isNewTerm || entry.pointee.isAtEnd || entry.pointee.rowid >= bound() {
        try choose(entry)
      }
    } while try isHidden()
  }

  /// The winner has moved past the bound, to another term or to its end.
  private func choose(_ entry: UnsafeMutablePointer<EntryState>) throws(SQLError) {
    if count == 1 {
      mayBeNewTerm = true
      if entry.pointee.isAtEnd { self.entry = nil }
    } else {
      try replay(from: winner, until: 1)
      settle()
    }
  }

  /// Of one term: moves to the first entry whose rowid is not less.
  func advance(to rowid: Int64) throws(SQLError) {
    assert(isOneTerm, "rowids go up within a term")
    while let entry, entry.pointee.rowid < rowid {
      try references[winner].lend { reader throws(SQLError) in
        try reader.advance(to: rowid)
      }
      if entry.pointee.isAtEnd || entry.pointee.rowid >= bound() { try choose(entry) }
    }
    if try isHidden() { try advance() }
  }

  /// Passes over the entries of the same term that follow in the same reader, as long as they come
  /// before all others, have positions, and are whole on the page.
  ///
  /// - Returns: Their bytes, as they follow the entry at which this is, for at most so many; it is
  ///   at the last of them then.
  func takeRun(room: Int) -> UnsafeBufferPointer<UInt8>? {
    guard entry != nil, !hasTombstones else { return nil }
    let bound = bound()
    return references[winner]._withUnsafeGuaranteedRef { $0.takeRun(below: bound, room: room) }
  }

  // MARK: The bound

  @inline(__always)
  private func bound() -> Int64 { knownBound ?? findBound() }

  /// The second best entry is among those that the winner has beaten itself.
  @inline(never)
  private func findBound() -> Int64 {
    var least = Int64.max
    if count > 1 {
      lower(&least, winner ^ 1)
      var node = (leafCount + winner) / 2
      while node > 1 {
        lower(&least, winners[node ^ 1])
        node /= 2
      }
    }
    knownBound = least
    return least
  }

  @inline(__always)
  private func lower(_ least: inout Int64, _ reader: Int) {
    guard reader < count, !states[reader].pointee.isAtEnd else { return }
    let other = states[reader], mine = states[winner]
    guard
      isOneTerm
        || ByteOrder.areEqual(
          other.pointee.term, other.pointee.termCount, mine.pointee.term, mine.pointee.termCount)
    else { return }
    least = min(least, other.pointee.rowid)
  }

  // MARK: The tree

  private func replay(from reader: Int, until top: Int) throws(SQLError) {
    var node = (leafCount + reader) / 2
    while node >= top {
      if let older = play(node) {
        try advanceReader(older)
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
    guard left < count, !states[left].pointee.isAtEnd else {
      winners[node] = right
      return nil
    }
    guard right < count, !states[right].pointee.isAtEnd else {
      winners[node] = left
      return nil
    }
    let first = states[left], second = states[right]
    var order = 0
    if !isOneTerm {
      order = ByteOrder.compare(
        first.pointee.term, first.pointee.termCount, second.pointee.term,
        second.pointee.termCount)
    }
    if order == 0 {
      if first.pointee.rowid == second.pointee.rowid { return right }
      order = first.pointee.rowid < second.pointee.rowid ? -1 : 1
    }
    winners[node] = order < 0 ? left : right
    return nil
  }
}
