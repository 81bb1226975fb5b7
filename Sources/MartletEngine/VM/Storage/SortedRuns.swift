// Sorted runs in a temporary file, and their merge.
//
// Runs are in input order, and on equal keys the earlier run goes first: the merge is as stable as
// the runs. There are never more than `largestCount`: before, they are merged into one.

final class SortedRuns {
  static let largestCount = 64

  private let order: SortKeyOrder
  private let vfs: any VFS
  private var file: SpillFile?
  private var runs: [(start: Int64, end: Int64)] = []
  private var readers: [RunReader] = []
  /// Indexes of `readers` that have a row, as a heap with the smallest on top.
  private var heap: [Int] = []

  init(order: SortKeyOrder, vfs: any VFS) {
    self.order = order
    self.vfs = vfs
  }

  /// Writes sorted entries as a run.
  func add(_ entries: UnsafeMutablePointer<SortEntry>, count: Int) throws(SQLError) {
    if runs.count == SortedRuns.largestCount { try mergeIntoOne() }
    let file = try openFile()
    let start = file.endOffset
    for index in 0..<count {
      try file.append(entries[index].memory, entries[index].byteCount)
    }
    runs.append((start, file.endOffset))
  }

  private func openFile() throws(SQLError) -> SpillFile {
    if let file { return file }
    let file = try SpillFile(vfs: vfs)
    self.file = file
    return file
  }

  private func mergeIntoOne() throws(SQLError) {
    let merged = try SpillFile(vfs: vfs)
    try startMerging()
    while let entry = try next() { try merged.append(entry.memory, entry.byteCount) }
    readers.removeAll()
    file = merged
    runs = [(0, merged.endOffset)]
  }

  func startMerging() throws(SQLError) {
    let file = try openFile()
    readers.removeAll()
    heap.removeAll()
    for run in runs {
      let reader = try RunReader(file, start: run.start, end: run.end)
      readers.append(reader)
      if try reader.advance() {
        heap.append(readers.count - 1)
        try siftUp()
      }
    }
  }

  /// The next entry of all runs; nil at the end. It is valid until the next call.
  func next() throws(SQLError) -> SortEntry? {
    // The reader on top gave the last entry, which is not needed any more.
    if let last = heap.first, readers[last].isUsed {
      if try !readers[last].advance() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
      }
      try siftDown()
    }
    guard let first = heap.first else { return nil }
    readers[first].isUsed = true
    return readers[first].entry
  }

  private func isBefore(_ left: Int, _ right: Int) throws(SQLError) -> Bool {
    guard let leftEntry = readers[left].entry, let rightEntry = readers[right].entry else {
      return false
    }
    let order = try order.compare(leftEntry, rightEntry)
    return order != 0 ? order < 0 : left < right
  }

  private func siftUp() throws(SQLError) {
    var index = heap.count - 1
    while index > 0, try isBefore(heap[index], heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func siftDown() throws(SQLError) {
    var index = 0
    while true {
      var first = index
      let child = 2 * index + 1
      if child < heap.count, try isBefore(heap[child], heap[first]) { first = child }
      if child + 1 < heap.count, try isBefore(heap[child + 1], heap[first]) { first = child + 1 }
      if first == index { return }
      heap.swapAt(index, first)
      index = first
    }
  }
}

/// Reads the entries of a run one after the other.
private final class RunReader {
  private static let smallestBuffer = 32 << 10

  private let file: SpillFile
  private var offset: Int64
  private let end: Int64
  private var buffer: UnsafeMutableRawPointer
  private var capacity = RunReader.smallestBuffer
  private var filledCount = 0
  private var position = 0

  private(set) var entry: SortEntry?
  /// The entry was given out.
  var isUsed = false

  init(_ file: SpillFile, start: Int64, end: Int64) throws(SQLError) {
    self.file = file
    offset = start
    self.end = end
    buffer = try Memory.allocate(RunReader.smallestBuffer)
  }

  deinit { Memory.free(buffer) }

  /// Moves to the next entry. False at the end.
  func advance() throws(SQLError) -> Bool {
    isUsed = false
    if let entry { position += entry.byteCount }
    entry = nil
    guard try fill(SortEntry.headerSize) else { return false }
    let size = SortEntry(prefix: 0, memory: buffer + position).byteCount
    guard try fill(size) else { throw SQLError(.corrupt) }
    var found = SortEntry(prefix: 0, memory: buffer + position)
    found.prefix = found.prefix(at: 0)
    entry = found
    return true
  }

  /// Makes `byteCount` bytes from `position` on available. False at the end of the run.
  private func fill(_ byteCount: Int) throws(SQLError) -> Bool {
    if filledCount - position >= byteCount { return true }
    let remaining = filledCount - position
    guard Int64(remaining) + (end - offset) >= Int64(byteCount) else { return false }
    if byteCount > capacity {
      buffer = try Memory.reallocate(buffer, byteCount)
      capacity = byteCount
    }
    Memory.move(from: buffer + position, to: buffer, remaining)
    position = 0
    filledCount = remaining
    let wanted = Int(min(Int64(capacity - remaining), end - offset))
    try file.read(into: buffer + remaining, wanted, at: offset)
    offset += Int64(wanted)
    filledCount += wanted
    return true
  }
}
