// Sorted runs in temporary files, and their merge.
//
//     level 0: | run | run | …      64 of these are merged into one of level 1, and so on
//     level 1: | run | …
//
// Runs are in input order, those of higher levels first, and of equal keys that of the earlier run
// comes first: the merge is as stable as the runs. A level has a file, which is used again when its
// runs have moved on to the next.
//
// A queue adds runs while it takes entries out (`addToMerge`): then all that is left is merged into
// one when there are too many.

final class SortedRuns {
  /// How many runs are merged at a time.
  static let fanOut = 64

  private struct Run {
    let start: Int64
    let end: Int64
  }

  private final class Level {
    let file: SpillFile
    var runs: [Run] = []

    init(_ file: SpillFile) { self.file = file }
  }

  /// The next entry of a reader.
  private struct Head {
    var entry: SortEntry
    /// Which reader it is of.
    let number: Int
    let reader: Unmanaged<RunReader>
  }

  private let order: SortKeyOrder
  private let vfs: any VFS
  private var levels: [Level] = []
  @exclusivity(unchecked) private var readers: [RunReader] = []
  /// The heads of all readers that have one, as a heap with the smallest on top.
  @exclusivity(unchecked) private var heads = PlainArray<Head>()
  /// The entry on top was given out by `next`.
  @exclusivity(unchecked) private var isFirstUsed = false

  init(order: SortKeyOrder, vfs: any VFS) {
    self.order = order
    self.vfs = vfs
  }

  deinit { heads.deallocate() }

  // MARK: Writing

  /// Writes sorted entries as a run.
  func add(_ entries: UnsafeMutablePointer<SortEntry>, count: Int) throws(SQLError) {
    try write(entries, count: count)
    var index = 0
    while levels[index].runs.count == SortedRuns.fanOut {
      try mergeLevel(index)
      index += 1
    }
  }

  @discardableResult
  private func write(
    _ entries: UnsafeMutablePointer<SortEntry>, count: Int
  ) throws(SQLError) -> Run {
    let level = try level(0), start = level.file.endOffset
    for index in 0..<count {
      try level.file.append(entries[index].memory, entries[index].byteCount)
    }
    let run = Run(start: start, end: level.file.endOffset)
    level.runs.append(run)
    return run
  }

  private func level(_ index: Int) throws(SQLError) -> Level {
    if index == levels.count { levels.append(Level(try SpillFile(vfs: vfs))) }
    return levels[index]
  }

  /// Merges the runs of a level into one of the next.
  private func mergeLevel(_ index: Int) throws(SQLError) {
    let target = try level(index + 1)
    let start = target.file.endOffset
    try openReaders([levels[index]])
    while let entry = first {
      try target.file.append(entry.memory, entry.byteCount)
      try removeFirst()
    }
    target.runs.append(Run(start: start, end: target.file.endOffset))
    closeReaders()
    levels[index].runs.removeAll()
    levels[index].file.removeAll()
  }

  /// Adds a run to those that are being merged: all of it is newer than they are.
  func addToMerge(
    _ entries: UnsafeMutablePointer<SortEntry>, count: Int
  ) throws(SQLError) {
    if readers.count >= SortedRuns.fanOut {
      let merged = Level(try SpillFile(vfs: vfs))
      while let entry = first {
        try merged.file.append(entry.memory, entry.byteCount)
        try removeFirst()
      }
      merged.runs = [Run(start: 0, end: merged.file.endOffset)]
      levels = [merged]
      try openReaders(levels)
    }
    let run = try write(entries, count: count)
    try addReader(levels[0].file, run)
  }

  // MARK: Merging

  /// Begins with the smallest entry of all runs.
  func startMerging() throws(SQLError) { try openReaders(levels.reversed()) }

  private func openReaders(_ levels: [Level]) throws(SQLError) {
    closeReaders()
    for level in levels {
      for run in level.runs { try addReader(level.file, run) }
    }
  }

  private func closeReaders() {
    readers.removeAll()
    heads.removeAll()
    isFirstUsed = false
  }

  private func addReader(_ file: SpillFile, _ run: Run) throws(SQLError) {
    let reader = try RunReader(file, start: run.start, end: run.end)
    readers.append(reader)
    guard let entry = try reader.advance() else { return }
    try heads.append(
      Head(entry: entry, number: readers.count - 1, reader: .passUnretained(reader)))
    try siftUp()
  }

  /// The smallest entry that was not removed; nil at the end. It is valid until the next call.
  @inline(__always)
  var first: SortEntry? { heads.count > 0 ? heads[0].entry : nil }

  /// Goes on to the entry after `first`.
  func removeFirst() throws(SQLError) {
    guard heads.count > 0 else { return }
    let entry = try heads[0].reader.lend { (reader) throws(SQLError) in try reader.advance() }
    if let entry {
      heads[0].entry = entry
    } else {
      heads[0] = heads[heads.count - 1]
      heads.removeLast()
    }
    if heads.count > 1 { try siftDown() }
  }

  /// The next entry of all runs; nil at the end. It is valid until the next call.
  @inline(__always)
  func next() throws(SQLError) -> SortEntry? {
    if isFirstUsed { try removeFirst() }
    isFirstUsed = true
    return first
  }

  @inline(__always)
  private func isBefore(_ left: Head, _ right: Head) throws(SQLError) -> Bool {
    let order = try order.compare(left.entry, right.entry)
    return order != 0 ? order < 0 : left.number < right.number
  }

  private func siftUp() throws(SQLError) {
    var index = heads.count - 1
    let head = heads[index]
    while index > 0 {
      let parent = (index - 1) / 2
      guard try isBefore(head, heads[parent]) else { break }
      heads[index] = heads[parent]
      index = parent
    }
    heads[index] = head
  }

  private func siftDown() throws(SQLError) {
    let head = heads[0], count = heads.count
    var index = 0
    while true {
      var child = 2 &* index &+ 1
      guard child < count else { break }
      if child &+ 1 < count, try isBefore(heads[child &+ 1], heads[child]) { child &+= 1 }
      guard try isBefore(heads[child], head) else { break }
      heads[index] = heads[child]
      index = child
    }
    heads[index] = head
  }
}

/// Reads the entries of a run one after the other.
private final class RunReader {
  private let bytes: SpillReader
  /// Bytes of the current entry.
  @exclusivity(unchecked) private var byteCount = 0

  init(_ file: SpillFile, start: Int64, end: Int64) throws(SQLError) {
    bytes = try SpillReader(file, start: start, end: end)
  }

  /// The next entry, or nil at the end. It is valid until the next call.
  func advance() throws(SQLError) -> SortEntry? {
    bytes.skip(byteCount)
    byteCount = 0
    guard let header = try bytes.peek(SortEntry.headerSize) else { return nil }
    let size = SortEntry(prefix: 0, memory: header).byteCount
    guard let memory = try bytes.peek(size) else { throw SQLError(.corrupt) }
    byteCount = size
    var entry = SortEntry(prefix: 0, memory: memory)
    entry.prefix = entry.prefix(at: 0)
    return entry
  }
}
