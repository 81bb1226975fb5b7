/// The part of a set that is on file: runs of different keys, newer ones beside older ones.
///
///     level 0: | run | run | …      8 of these are merged into one of level 1, and so on
///     level 1: | run | …
///
/// A key is looked for in each run; the runs' filters let that be one read mostly, none where the
/// key is new.
final class KeyRuns {
  /// How many runs of a level are merged into one.
  private static let fanOut = 8

  private final class Level {
    let file: SpillFile
    var runs: [KeyRun] = []

    init(_ file: SpillFile) { self.file = file }
  }

  private let vfs: any VFS
  private let budget: WorkMemory
  private var levels: [Level] = []
  /// All runs, for each key that is looked for.
  @exclusivity(unchecked) private var lentRuns = PlainArray<Unmanaged<KeyRun>>()
  private var takenCount = 0
  private(set) var keyCount = 0

  init(vfs: any VFS, budget: WorkMemory) {
    self.vfs = vfs
    self.budget = budget
  }

  deinit {
    lentRuns.deallocate()
    budget.giveBack(takenCount)
  }

  func contains(_ key: CanonicalKey, hash: UInt64) throws(SQLError) -> Bool {
    for index in 0..<lentRuns.count {
      let found = try lentRuns[index].lend { (run) throws(SQLError) in
        try run.find(key, hash: hash) != nil
      }
      if found { return true }
    }
    return false
  }

  /// Writes the keys of a table, which are in no run, as a run.
  func add(_ table: KeyTable) throws(SQLError) {
    lentRuns.removeAll()
    let level = try level(0)
    let run = try newRun(level.file, table.entryCount)
    try table.writeSorted(to: run)
    run.finish()
    level.runs.append(run)
    keyCount += run.entryCount
    var index = 0
    while levels[index].runs.count == KeyRuns.fanOut {
      try mergeLevel(index)
      index += 1
    }
    try count()
  }

  private func newRun(_ file: SpillFile, _ keyCount: Int) throws(SQLError) -> KeyRun {
    try KeyRun(file, keyCount: keyCount, filterLimit: budget.limit / 4)
  }

  private func level(_ index: Int) throws(SQLError) -> Level {
    if index == levels.count { levels.append(Level(try SpillFile(vfs: vfs))) }
    return levels[index]
  }

  private func mergeLevel(_ index: Int) throws(SQLError) {
    let source = levels[index], target = try level(index + 1)
    let merged = try newRun(target.file, source.runs.reduce(0) { $0 + $1.entryCount })
    var readers: [KeyRunReader] = []
    for run in source.runs { readers.append(try run.reader()) }
    while let smallest = KeyRuns.smallest(readers), let entry = readers[smallest].entry {
      try merged.willAppend(hash: entry.hash)
      try target.file.append(entry.memory, entry.byteCount)
      try readers[smallest].advance()
    }
    merged.finish()
    target.runs.append(merged)
    source.runs.removeAll()
    source.file.removeAll()
  }

  /// The reader whose entry has the smallest hash; nil if all are at their ends.
  private static func smallest(_ readers: [KeyRunReader]) -> Int? {
    var best: Int?
    var bestHash = UInt64.max
    for index in readers.indices {
      guard let entry = readers[index].entry, best == nil || entry.hash < bestHash else {
        continue
      }
      best = index
      bestHash = entry.hash
    }
    return best
  }

  /// Tells the budget what filters and blocks take, and notes the runs that there are.
  private func count() throws(SQLError) {
    var total = 0
    lentRuns.removeAll()
    for level in levels {
      for run in level.runs {
        total += run.memoryCount
        try lentRuns.append(.passUnretained(run))
      }
    }
    budget.giveBack(takenCount)
    budget.take(total)
    takenCount = total
  }
}

extension KeyTable {
  /// Writes all keys to a run and forgets them, and all that the arena has.
  ///
  /// After an error the table is not to be used any more.
  func writeSorted(to run: KeyRun) throws(SQLError) {
    let entries = takeEntries()
    // A hash is the whole key of this order: it never looks behind the prefixes.
    try EntrySort.sort(
      entries, count: entryCount, order: SortKeyOrder(isNormalized: true, keyInfo: keyInfo),
      longestKey: 8)
    try withUnsafeTemporaryAllocation(byteCount: KeyRunEntry.headerSize, alignment: 8) {
      header throws(SQLError) in
      let header = header.baseAddress.unsafelyUnwrapped
      for index in 0..<entryCount {
        let hash = entries[index].prefix, key = key(of: entries[index].memory)
        try run.willAppend(hash: hash)
        KeyRunEntry.writeHeader(key, hash: hash, rowSize: 0, to: header)
        try run.file.append(header, KeyRunEntry.headerSize)
        try run.file.append(key: key)
      }
    }
    removeAll()
  }
}

extension SpillFile {
  /// Appends the bytes of a key, padded to 8.
  func append(key: CanonicalKey) throws(SQLError) {
    guard key.byteCount > 0, let bytes = key.bytes else { return }
    let count = Int(key.byteCount)
    try append(bytes, count)
    var zeros: UInt64 = 0
    try append(&zeros, ((count + 7) & ~7) - count)
  }
}
