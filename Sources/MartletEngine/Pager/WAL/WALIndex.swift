import Synchronization

// The index of a write-ahead log (walformat §2): memory that all connections share, in regions.
//
//     region 0   | header ×2 | how far checkpoints are, read marks, locks | pages 4062 | slots 8192 |
//     region n   | pages 4096                                                          | slots 8192 |
//
// `pages` has the page number of each frame, `slots` is a hash table from page numbers to places in
// `pages`: a number is looked for from its hash on up to an empty slot.

/// A connection's view of the index. Whoever changes it holds the lock that the change needs; what
/// others may change at the same time is read and written in one piece.
final class WALIndex {
  /// Which lock is for what (walformat §2.1.3).
  enum Slot {
    static let write = 0
    static let checkpoint = 1
    static let recover = 2
    static let readerCount = 5
    static func reader(_ number: Int) -> Int { 3 + number }
    static let allReadersOfLog = reader(1)..<reader(readerCount)
  }

  /// A read mark that nobody uses.
  static let unusedMark = UInt32.max

  /// Who else has it: with `private` the memory is the connection's own, with `exclusive` nobody
  /// else can come.
  enum Sharing {
    case shared
    case exclusive
    case `private`
  }

  @exclusivity(unchecked) var file: any File
  @exclusivity(unchecked) var sharing: Sharing
  @exclusivity(unchecked) private var regions: [UnsafeMutableRawPointer] = []
  /// The file was asked for shared memory.
  @exclusivity(unchecked) private var wasAskedFor = false
  /// Whether regions that are missing may be made.
  @exclusivity(unchecked) var mayExtend = false

  private static let pagesOffset = 136
  private static let slotsOffset = 16384
  private static let slotCount = 8192
  private static let pagesPerRegion: UInt32 = 4096
  private static let pagesInFirstRegion: UInt32 = 4062

  init(_ file: any File, _ sharing: Sharing) {
    self.file = file
    self.sharing = sharing
  }

  deinit { freePrivateRegions() }

  private func freePrivateRegions() {
    if sharing == .private { for region in regions { Memory.free(region) } }
    regions.removeAll()
  }

  func close(deleting: Bool) {
    freePrivateRegions()
    // A VFS that was asked for it may keep something, even if it had none to give.
    guard wasAskedFor else { return }
    do { try file.closeSharedMemory(deleting: deleting && sharing != .private) } catch {}
  }

  var isReadOnly: Bool { sharing != .private && file.isSharedMemoryReadOnly }

  /// Nil where nobody has made the region. Only who enters frames makes one: what the header says of
  /// frames may be wrong.
  private func region(
    _ index: Int, extending: Bool = false
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    while regions.count <= index {
      if sharing == .private {
        regions.append(try Memory.allocateZeroed(SharedMemory.regionByteCount))
      } else {
        wasAskedFor = true
        let found = try file.sharedMemory(
          region: regions.count,
          extending: extending && mayExtend && !file.isSharedMemoryReadOnly)
        guard let found else { return nil }
        regions.append(found)
      }
    }
    return regions[index]
  }

  /// Whether the first region is there; what is below this needs it.
  func open() throws(SQLError) -> Bool { try region(0, extending: true) != nil }

  var isOpen: Bool { !regions.isEmpty }

  /// The memory is the connection's own from now on.
  func makePrivate() {
    regions.removeAll()
    sharing = .private
  }

  /// Forgets memory of its own; the next to open is the shared one.
  func makeShared() {
    freePrivateRegions()
    sharing = .shared
  }
}

extension WALIndex {
  func lock(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) -> Bool {
    guard sharing == .shared else { return true }
    return try file.lockSharedMemory(slots, kind)
  }

  @inline(__always)
  func lock(_ slot: Int, _ kind: SharedMemory.Lock) throws(SQLError) -> Bool {
    try lock(slot..<slot + 1, kind)
  }

  /// Nothing is to be done where a lock cannot be given back: the file's end does it.
  func unlock(_ slots: Range<Int>, _ kind: SharedMemory.Lock) {
    guard sharing == .shared else { return }
    do { try file.unlockSharedMemory(slots, kind) } catch {}
  }

  @inline(__always)
  func unlock(_ slot: Int, _ kind: SharedMemory.Lock) { unlock(slot..<slot + 1, kind) }

  func barrier() {
    if sharing == .private {
      atomicMemoryFence(ordering: .acquiringAndReleasing)
    } else {
      file.sharedMemoryBarrier()
    }
  }
}

extension WALIndex {
  private var start: UnsafeMutableRawPointer { regions[0] }

  /// What the memory says now: what writers have, and what is compared to see a change. Two
  /// headers that differ are those of a commit that is being made.
  var liveHeader: WALIndexHeader { WALIndexHeader(start) }

  /// The header if it is whole.
  var wholeHeader: WALIndexHeader? {
    let first = WALIndexHeader(start)
    barrier()
    let second = WALIndexHeader(start + WALIndexHeader.byteCount)
    guard first == second, first.isInitialized, first.hasValidChecksum else { return nil }
    return first
  }

  /// The second copy goes first, as readers read the first one first.
  func publish(_ header: inout WALIndexHeader) {
    header.seal()
    header.store(to: start + WALIndexHeader.byteCount)
    barrier()
    header.store(to: start)
  }

  @inline(__always)
  private func atomic(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (start + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// How many frames are in the database file.
  var backfillCount: UInt32 {
    get { atomic(at: 96).pointee.load(ordering: .acquiring) }
    set { atomic(at: 96).pointee.store(newValue, ordering: .releasing) }
  }

  /// How many may be: a checkpoint says so before it begins.
  var backfillAttempted: UInt32 {
    get { atomic(at: 128).pointee.load(ordering: .acquiring) }
    set { atomic(at: 128).pointee.store(newValue, ordering: .releasing) }
  }

  /// The frames that readers with this lock may read instead of the file.
  func readMark(_ reader: Int) -> UInt32 {
    atomic(at: 100 + 4 * reader).pointee.load(ordering: .acquiring)
  }

  func setReadMark(_ reader: Int, to frame: UInt32) {
    atomic(at: 100 + 4 * reader).pointee.store(frame, ordering: .releasing)
  }
}

extension WALIndex {
  /// A region as it is used.
  private struct Segment {
    /// The page of frame `base + 1 + i` is at `i`.
    let pages: UnsafeMutablePointer<UInt32>
    let slots: UnsafeMutablePointer<UInt16>
    /// The frame before the first.
    let base: UInt32
    /// How many pages there is room for.
    let capacity: Int
  }

  private static func segmentIndex(of frame: UInt32) -> Int {
    Int((UInt64(frame) + UInt64(pagesPerRegion - pagesInFirstRegion) - 1) / UInt64(pagesPerRegion))
  }

  private func segment(
    _ index: Int, extending: Bool = false
  ) throws(SQLError) -> Segment {
    guard let region = try region(index, extending: extending) else {
      throw .corrupt("index of the write-ahead log is too short")
    }
    let slots = (region + Self.slotsOffset).assumingMemoryBound(to: UInt16.self)
    let pagesOffset = index == 0 ? Self.pagesOffset : 0
    return Segment(
      pages: (region + pagesOffset).assumingMemoryBound(to: UInt32.self), slots: slots,
      base: index == 0
        ? 0 : Self.pagesInFirstRegion &+ UInt32(truncatingIfNeeded: index - 1) &* Self.pagesPerRegion,
      capacity: Int(index == 0 ? Self.pagesInFirstRegion : Self.pagesPerRegion))
  }

  @inline(__always)
  private static func hash(_ page: UInt32) -> Int {
    Int(truncatingIfNeeded: page &* 383) & (slotCount - 1)
  }

  /// The last frame of a page from `first` to `last`; nil if there is none.
  func frame(
    of page: UInt32, first: UInt32, last: UInt32
  ) throws(SQLError) -> UInt32? {
    guard last > 0, first <= last else { return nil }
    var index = Self.segmentIndex(of: last)
    let lowest = Self.segmentIndex(of: max(first, 1))
    while index >= lowest {
      let segment = try segment(index)
      var slot = Self.hash(page)
      var left = Self.slotCount
      var found: UInt32 = 0
      while true {
        let place = Int(segment.slots[slot])
        if place == 0 { break }
        let frame = segment.base &+ UInt32(place)
        if frame <= last, frame >= first, place <= segment.capacity,
          segment.pages[place - 1] == page
        {
          found = frame
        }
        slot = (slot + 1) & (Self.slotCount - 1)
        left -= 1
        if left == 0 { throw .corrupt("hash table of the write-ahead log is full") }
      }
      if found != 0 { return found }
      index -= 1
    }
    return nil
  }

  /// The page that a frame has.
  func page(ofFrame frame: UInt32) throws(SQLError) -> UInt32 {
    let segment = try segment(Self.segmentIndex(of: frame))
    return segment.pages[Int(frame &- segment.base &- 1)]
  }

  /// Calls `body` with the page of each frame, in order.
  func forEachPage(
    from first: UInt32, through last: UInt32, _ body: (UInt32, UInt32) throws(SQLError) -> Void
  ) throws(SQLError) {
    var frame = max(first, 1)
    while frame <= last {
      let segment = try segment(Self.segmentIndex(of: frame))
      let end = min(last, segment.base &+ UInt32(segment.capacity))
      while frame <= end {
        try body(frame, segment.pages[Int(frame &- segment.base &- 1)])
        frame += 1
      }
    }
  }

  /// Enters a frame, the one after the last that is entered.
  func append(_ frame: UInt32, page: UInt32) throws(SQLError) {
    let index = Self.segmentIndex(of: frame)
    if index > 0 { _ = try segment(index - 1) }
    let isNew = sharing == .private && regions.count <= index
    let segment = try segment(index, extending: true)
    let place = Int(frame &- segment.base)
    if place == 1, !isNew {
      // The region may have been used before the log was started again.
      UnsafeMutableRawPointer(segment.pages).initializeMemory(
        as: UInt8.self, repeating: 0,
        count: UnsafeRawPointer(segment.slots + Self.slotCount) - UnsafeRawPointer(segment.pages))
    } else if place > 1, segment.pages[place - 1] != 0 {
      // A writer has ended half-way.
      try forget(after: frame - 1)
    }
    var slot = Self.hash(page)
    var left = place
    while segment.slots[slot] != 0 {
      left -= 1
      if left <= 0 { throw .corrupt("hash table of the write-ahead log is full") }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    segment.pages[place - 1] = page
    segment.slots[slot] = UInt16(place)
  }

  /// Removes the frames after `last` that are entered in its region. Later regions are cleared when
  /// their first frame is entered.
  func forget(after last: UInt32) throws(SQLError) {
    guard last > 0 else { return }
    let segment = try segment(Self.segmentIndex(of: last))
    let limit = last &- segment.base
    for slot in 0..<Self.slotCount where UInt32(segment.slots[slot]) > limit {
      segment.slots[slot] = 0
    }
    (segment.pages + Int(limit)).update(repeating: 0, count: segment.capacity - Int(limit))
  }

  /// Takes over the frames of another index. There may be readers, for whom nothing changes at any
  /// time: their frames are where they were.
  func copyFrames(of other: WALIndex, through last: UInt32) throws(SQLError) {
    guard last > 0 else { return }
    for index in 0...Self.segmentIndex(of: last) {
      let own = try segment(index, extending: true), new = try other.segment(index)
      let byteCount =
        UnsafeRawPointer(own.slots + Self.slotCount) - UnsafeRawPointer(own.pages)
      Memory.copy(from: new.pages, to: own.pages, byteCount)
    }
  }
}
