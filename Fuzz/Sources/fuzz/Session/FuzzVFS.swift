import MartletEngine
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Files that are arrays of bytes, journals and the memory of logs among them: what a run does
/// touches no disk, needs no time, and is gone with the run.
///
/// Time stands still and randomness repeats, so that the same input always takes the same way.
final class FuzzVFS: VFS {
  let name = "fuzz"

  static let shared = FuzzVFS()

  /// Files by name.
  private let contents = Mutex<[String: Content]>([:])

  /// Makes it the only one: whatever an input asks for by ATTACH or a URI, it gets one of these files.
  static func takeOver() {
    for vfs in VFSRegistry.all { VFSRegistry.unregister(vfs) }
    VFSRegistry.register(shared, asDefault: true)
  }

  /// Forgets all files.
  func clear() { contents.withLock { $0 = [:] } }

  func put(_ bytes: some Sequence<UInt8>, at path: String) {
    let content = Content(Array(bytes))
    contents.withLock { $0["/" + path] = content }
  }

  /// Puts `bytes` where connections find the index of a log.
  func putSharedMemory(_ bytes: some Sequence<UInt8>, of path: String) {
    let content = contents.withLock { $0["/" + path] }
    content?.fillSharedMemory(Array(bytes))
  }

  func bytes(at path: String) -> [UInt8]? { contents.withLock { $0["/" + path]?.bytes } }

  func sharedMemory(of path: String) -> [UInt8]? {
    contents.withLock { $0["/" + path]?.sharedMemoryBytes }
  }

  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File {
    let found: Content? = contents.withLock { contents in
      if let content = contents[path] { return content }
      guard flags.contains(.create), contents.count < 100 else { return nil }
      let content = Content([])
      contents[path] = content
      return content
    }
    guard let found else { throw SQLError(.cannotOpen) }
    return FuzzFile(found, flags.contains(.readOnly) ? [.readOnly] : [])
  }

  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File {
    FuzzFile(Content([]), [.isPrivate])
  }

  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool {
    contents.withLock { $0.removeValue(forKey: path) } != nil
  }

  func status(of path: String) throws(SQLError) -> FileStatus? {
    contents.withLock { $0[path] }.map { content in
      content.lock()
      defer { content.unlock() }
      return FileStatus(byteCount: Int64(content.bytes.count), modificationTime: 0)
    }
  }

  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String {
    path.hasPrefix("/") ? path : "/" + path
  }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) {
    for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 37 &+ 11) }
  }

  func sleep(microseconds: Int) {}

  func currentJulianMilliseconds() -> Int64 { 212_000_000_000_000 }
}

/// What is in a file, and who holds it.
final class Content: @unchecked Sendable {
  /// A file does not become longer: an input that writes at a far offset would take all memory.
  static let byteLimit = 8 << 20

  var bytes: [UInt8]
  var level = LockLevel.none
  var sharedCount = 0
  var regions: [UnsafeMutableRawPointer] = []
  /// How many hold a slot's shared lock, or -1 for the exclusive one.
  var slots = [Int](repeating: 0, count: SharedMemory.slotCount)

  /// Connections of several threads may have it open.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    regions.forEach { $0.deallocate() }
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }

  func addRegion() {
    let region = UnsafeMutableRawPointer.allocate(
      byteCount: SharedMemory.regionByteCount, alignment: 16)
    region.initializeMemory(as: UInt8.self, repeating: 0, count: SharedMemory.regionByteCount)
    regions.append(region)
  }

  func fillSharedMemory(_ content: [UInt8]) {
    for (index, byte) in content.prefix(4 * SharedMemory.regionByteCount).enumerated() {
      let region = index / SharedMemory.regionByteCount
      if region == regions.count { addRegion() }
      regions[region].storeBytes(
        of: byte, toByteOffset: index % SharedMemory.regionByteCount, as: UInt8.self)
    }
  }

  var sharedMemoryBytes: [UInt8] {
    regions.flatMap { UnsafeRawBufferPointer(start: $0, count: SharedMemory.regionByteCount) }
  }
}

final class FuzzFile: File {
  let traits: FileTraits
  private(set) var lockLevel = LockLevel.none
  private let content: Content
  private var heldSlots: [(slots: Range<Int>, kind: SharedMemory.Lock)] = []

  init(_ content: Content, _ traits: FileTraits) {
    self.content = content
    self.traits = traits
  }

  var sectorSize: Int { 512 }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    content.lock()
    defer { content.unlock() }
    let start = min(Int(clamping: max(offset, 0)), content.bytes.count)
    let count = min(byteCount, content.bytes.count - start)
    content.bytes.withUnsafeBytes { bytes in
      if count > 0, let base = bytes.baseAddress {
        target.copyMemory(from: base + start, byteCount: count)
      }
    }
    (target + count).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - count)
    return count
  }

  func write(from source: UnsafeRawPointer, byteCount: Int, at offset: Int64) throws(SQLError) {
    content.lock()
    defer { content.unlock() }
    guard !traits.contains(.readOnly) else { throw SQLError(.readOnly) }
    guard offset >= 0, byteCount >= 0, offset <= Content.byteLimit - byteCount else {
      throw SQLError(.full)
    }
    let start = Int(offset)
    extend(to: start + byteCount)
    content.bytes.withUnsafeMutableBytes { bytes in
      if byteCount > 0, let base = bytes.baseAddress {
        (base + start).copyMemory(from: source, byteCount: byteCount)
      }
    }
  }

  private func extend(to count: Int) {
    let missing = count - content.bytes.count
    if missing > 0 { content.bytes.append(contentsOf: repeatElement(0, count: missing)) }
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    content.lock()
    defer { content.unlock() }
    guard byteCount >= 0, byteCount <= Content.byteLimit else { throw SQLError(.ioErrorTruncate) }
    extend(to: Int(byteCount))
    content.bytes.removeLast(content.bytes.count - Int(byteCount))
  }

  func sync(dataOnly: Bool) throws(SQLError) {}

  func byteCount() throws(SQLError) -> Int64 {
    content.lock()
    defer { content.unlock() }
    return Int64(content.bytes.count)
  }

  func close() {
    try? unlock(to: .none)
    for held in heldSlots { try? unlockSharedMemory(held.slots, held.kind) }
  }
}

// MARK: Locks

extension FuzzFile {
  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    content.lock()
    defer { content.unlock() }
    if lockLevel >= level { return true }
    if level == .shared {
      guard content.level < .pending else { return false }
      content.sharedCount += 1
      content.level = max(content.level, .shared)
    } else {
      if content.level > .shared, lockLevel < .reserved { return false }
      if level == .exclusive, content.sharedCount > 1 {
        lockLevel = .pending
        content.level = .pending
        return false
      }
      content.level = level
    }
    lockLevel = level
    return true
  }

  func unlock(to level: LockLevel) throws(SQLError) {
    content.lock()
    defer { content.unlock() }
    guard lockLevel > level else { return }
    if lockLevel > .shared { content.level = .shared }
    if level == .none {
      content.sharedCount -= 1
      if content.sharedCount == 0 { content.level = .none }
    }
    lockLevel = level
  }

  func isReserved() throws(SQLError) -> Bool {
    content.lock()
    defer { content.unlock() }
    return content.level > .shared
  }
}

// MARK: Shared memory

extension FuzzFile {
  var hasSharedMemory: Bool { true }

  func sharedMemory(region: Int, extending: Bool) throws(SQLError) -> UnsafeMutableRawPointer? {
    content.lock()
    defer { content.unlock() }
    guard region >= 0, region < 16 else { throw SQLError(.cannotOpen) }
    while extending, content.regions.count <= region { content.addRegion() }
    return region < content.regions.count ? content.regions[region] : nil
  }

  func lockSharedMemory(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) -> Bool {
    content.lock()
    defer { content.unlock() }
    switch kind {
    case .shared:
      guard slots.allSatisfy({ content.slots[$0] >= 0 }) else { return false }
      for slot in slots { content.slots[slot] += 1 }
    case .exclusive:
      guard slots.allSatisfy({ content.slots[$0] == 0 }) else { return false }
      for slot in slots { content.slots[slot] = -1 }
    }
    heldSlots.append((slots, kind))
    return true
  }

  func unlockSharedMemory(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) {
    content.lock()
    defer { content.unlock() }
    guard let place = heldSlots.firstIndex(where: { $0.slots == slots && $0.kind == kind }) else {
      return
    }
    heldSlots.remove(at: place)
    for slot in slots { content.slots[slot] = kind == .exclusive ? 0 : content.slots[slot] - 1 }
  }

  func closeSharedMemory(deleting: Bool) throws(SQLError) {
    for held in heldSlots { try? unlockSharedMemory(held.slots, held.kind) }
  }
}
