// What ANALYZE gathers of one index: numbers for sqlite_stat1, samples for sqlite_stat4
// (lang_analyze, fileformat2 §2.6.2 and §2.6.4).
//
// Entries come in the order of the index. Of an entry and for each number of leading columns, three
// counts are known once the next different entry came:
//
//     equal     entries that begin with the same values
//     less      entries before the first of those
//     distinct  different beginnings before them
//
// At most 24 entries are kept as samples. A third of them are periodic: every so many entries one
// is taken whatever it is. The others are the entries with the most frequent beginnings: `best[i]`
// is the best candidate among the entries that share the current beginning of i + 1 columns, and is
// offered when that beginning ends. A random number breaks ties; the numbers are SQLite's, so that
// both engines choose alike.
//
// Invariants: (1) `kept` is in the order of the index. (2) `equal[i]` of a kept sample is 0 while
// its beginning of i + 1 columns goes on. (3) No kept sample has a 0 at or behind `openCount`.

/// Gathers the statistics of one index.
final class IndexSampler {
  /// What to do after an entry, where not all entries are looked at (PRAGMA analysis_limit).
  enum Advice { case goOn, skipEqual, stop }

  struct Sample {
    let equal: UnsafeMutablePointer<UInt64>
    let less: UnsafeMutablePointer<UInt64>
    let distinct: UnsafeMutablePointer<UInt64>
    /// The rowid, or the record of a primary key.
    var key = Register()
    /// How many columns its beginning has, less 1.
    var column = 0
    var random: UInt32 = 0
    var isPeriodic = false

    fileprivate init(_ counts: UnsafeMutablePointer<UInt64>, _ columnCount: Int) {
      equal = counts
      less = counts + columnCount
      distinct = counts + 2 * columnCount
    }
  }

  private static let sampleLimit = 24

  private let columnCount: Int
  private let keyColumnCount: Int
  /// Entries of the index, known beforehand.
  private let entryCount: UInt64
  /// Entries to be looked at before a choice is made; 0 for all.
  private let limit: UInt64
  private let period: UInt64
  private let memory: UnsafeMutableRawPointer

  private var rowCount: UInt64 = 0
  private var skipCount: UInt64 = 0
  private var random: UInt32
  @exclusivity(unchecked) private var current: Sample
  @exclusivity(unchecked) private var best: [Sample] = []
  @exclusivity(unchecked) private var kept: [Sample] = []
  /// Counts of samples that may still be kept.
  @exclusivity(unchecked) private var spare: [Sample] = []
  /// The least good of the kept samples that are not periodic; known while all places are taken.
  private var weakest = 0
  private var openCount = 0
  private var position = -1

  init(
    columnCount: Int, keyColumnCount: Int, entryCount: Int64, limit: Int64
  ) throws(SQLError) {
    self.columnCount = max(1, columnCount)
    self.keyColumnCount = min(keyColumnCount, self.columnCount)
    self.entryCount = UInt64(clamping: entryCount)
    self.limit = UInt64(clamping: limit)
    let width = 3 * self.columnCount
    let sampleCount = limit > 0 ? 1 : self.columnCount + IndexSampler.sampleLimit
    memory = try Memory.allocateZeroed(sampleCount * width * 8)
    let counts = memory.assumingMemoryBound(to: UInt64.self)
    current = Sample(counts, self.columnCount)
    period = self.entryCount / UInt64(IndexSampler.sampleLimit / 3 + 1) + 1
    random =
      (0x689e_962d &* UInt32(self.columnCount))
      ^ (0xd094_4565 &* UInt32(truncatingIfNeeded: entryCount))
    for number in 1..<max(1, sampleCount) {
      var sample = Sample(counts + number * width, self.columnCount)
      if number < self.columnCount {
        sample.column = number - 1
        best.append(sample)
      } else {
        spare.append(sample)
      }
    }
  }

  deinit {
    current.key.deinitialize()
    for index in best.indices { best[index].key.deinitialize() }
    for index in kept.indices { kept[index].key.deinitialize() }
    for index in spare.indices { spare[index].key.deinitialize() }
    Memory.free(memory)
  }

  // MARK: Entries

  /// Takes the next entry in.
  ///
  /// - Parameter changed: the first column in which it differs from the entry before; the number of
  ///   columns that were compared where it does not.
  func add(changed: Int, key: borrowing Register) throws(SQLError) -> Advice {
    let changed = min(max(0, changed), columnCount)
    if rowCount == 0 {
      for column in 0..<columnCount { current.equal[column] = 1 }
    } else {
      if limit == 0 { try offerBest(from: changed) }
      for column in 0..<changed { current.equal[column] &+= 1 }
      for column in changed..<columnCount {
        current.distinct[column] &+= 1
        current.less[column] &+= current.equal[column]
        current.equal[column] = 1
      }
    }
    rowCount &+= 1
    if limit > 0 { return advice() }
    try consider(changed: changed, key: key)
    return .goOn
  }

  private func advice() -> Advice {
    guard rowCount > limit &* (skipCount &+ 1) else { return .goOn }
    skipCount &+= 1
    return current.distinct[0] > 0 ? .stop : .skipEqual
  }

  /// Makes the entry a periodic sample where it is its turn, and a candidate where it is better.
  private func consider(changed: Int, key: borrowing Register) throws(SQLError) {
    try current.key.assign(from: key)
    random = random &* 1_103_515_245 &+ 12345
    current.random = random
    let before = current.less[columnCount - 1]
    if before / period != (before &+ 1) / period {
      current.isPeriodic = true
      current.column = 0
      try keep(current, openCount: columnCount - 1)
      current.isPeriodic = false
    }
    for column in best.indices {
      current.column = column
      if column >= changed || isBetterBehind(current, best[column]) {
        try copy(current, to: &best[column])
      }
    }
  }

  private func copy(_ source: borrowing Sample, to target: inout Sample) throws(SQLError) {
    target.isPeriodic = source.isPeriodic
    target.column = source.column
    target.random = source.random
    target.equal.update(from: source.equal, count: 3 * columnCount)
    try target.key.assign(from: source.key)
  }

  // MARK: Samples

  /// Of two samples with the same column and equally frequent beginnings, whether the first is the
  /// better one.
  private func isBetterBehind(_ new: borrowing Sample, _ old: borrowing Sample) -> Bool {
    for column in (new.column + 1)..<max(new.column + 1, columnCount) {
      if new.equal[column] > old.equal[column] { return true }
      if new.equal[column] < old.equal[column] { return false }
    }
    return new.random > old.random
  }

  private func isBetter(_ new: borrowing Sample, _ old: borrowing Sample) -> Bool {
    let newCount = new.equal[new.column], oldCount = old.equal[old.column]
    if newCount != oldCount { return newCount > oldCount }
    if new.column != old.column { return new.column < old.column }
    return isBetterBehind(new, old)
  }

  /// The beginnings of more than `changed` columns have ended: offers the best entry of each, and
  /// completes the counts of the samples that were kept in them.
  private func offerBest(from changed: Int) throws(SQLError) {
    for column in best.indices.reversed() where column >= changed {
      best[column].equal[column] = current.equal[column]
      if !spare.isEmpty || isBetter(best[column], kept[weakest]) {
        try keep(best[column], openCount: column)
      }
    }
    guard changed < openCount else { return }
    for sample in kept {
      for column in changed..<columnCount where sample.equal[column] == 0 {
        sample.equal[column] = current.equal[column]
      }
    }
    openCount = changed
  }

  /// Keeps a copy of a sample, unless one with the same beginning is there.
  private func keep(_ new: borrowing Sample, openCount open: Int) throws(SQLError) {
    openCount = max(openCount, open)
    if !new.isPeriodic, upgradeSharer(of: new) { return }
    var sample: Sample
    if let free = spare.popLast() {
      sample = free
    } else {
      sample = kept.remove(at: weakest)
    }
    do {
      try copy(new, to: &sample)
    } catch {
      spare.append(sample)
      throw error
    }
    sample.equal.update(repeating: 0, count: open)
    kept.append(sample)
    findWeakest()
  }

  /// Where samples were kept while the beginning of `new` went on, the best of them stands for it.
  private func upgradeSharer(of new: borrowing Sample) -> Bool {
    var found: Int?
    for index in kept.indices.reversed() where kept[index].equal[new.column] == 0 {
      if kept[index].isPeriodic { return true }
      if let other = found, !isBetter(kept[index], kept[other]) { continue }
      found = index
    }
    guard let found else { return false }
    kept[found].column = new.column
    kept[found].equal[new.column] = new.equal[new.column]
    findWeakest()
    return true
  }

  private func findWeakest() {
    guard spare.isEmpty else { return }
    var found: Int?
    for index in kept.indices where !kept[index].isPeriodic {
      if let other = found, !isBetter(kept[other], kept[index]) { continue }
      found = index
    }
    weakest = found ?? 0
  }

  // MARK: Results

  /// The `stat` of sqlite_stat1: rows, then rows for each value of the first 1, 2, … key columns.
  var summary: String {
    var text = String(skipCount > 0 ? entryCount : rowCount)
    for column in 0..<keyColumnCount {
      let distinct = current.distinct[column] &+ 1
      var average = (rowCount &+ distinct &- 1) / distinct
      // Where hardly a value repeats, the index is as good as unique.
      if average == 2 && rowCount &* 10 <= distinct &* 11 { average = 1 }
      text += " " + String(average)
    }
    return text
  }

  /// Moves to the next sample; nil after the last one.
  func nextSample() throws(SQLError) -> Sample? {
    guard limit == 0, rowCount > 0 else { return nil }
    if position < 0 { try offerBest(from: 0) }
    position += 1
    return position < kept.count ? kept[position] : nil
  }

  /// The counts of a sample as sqlite_stat4 has them.
  func text(_ counts: UnsafeMutablePointer<UInt64>) -> String {
    (0..<columnCount).map { String(counts[$0]) }.joined(separator: " ")
  }
}
