// The library as a whole: its settings, beginning and end (c3ref/initialize).
import CSQLite3
import MartletEngine
import Synchronization

/// What `sqlite3_config` sets before the library is initialized.
struct LibrarySettings {
  /// SQLITE_CONFIG_SINGLETHREAD: mutexes exclude nobody.
  var hasMutexes = true
  /// SQLITE_CONFIG_SERIALIZED: connections may be shared by threads unless they say otherwise.
  var isSerialized = true
  var countsMemory = true
  /// File names that begin with `file:` are URIs though the flags of opening do not say so.
  var opensURIs = false
  /// `sqlite3_enable_shared_cache`: a database in memory that a URI names is one for all.
  var sharesMemory = false
  /// Smaller indexes may be scanned in place of their tables.
  var scansCoveringIndexes = true
  var allocator: sqlite3_mem_methods? = nil
  var mutexMethods: sqlite3_mutex_methods? = nil
  var pageCache: sqlite3_pcache_methods2? = nil
  /// Called with errors that are not only the caller's (SQLITE_CONFIG_LOG).
  var log: (@convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void)? = nil
  var logArgument: UnsafeMutableRawPointer? = nil
}

enum Library {
  nonisolated(unsafe) static var settings = LibrarySettings()
  private static let isReady = Atomic<Bool>(false)
  /// Held while the library begins; its functions may be called by what begins with it.
  nonisolated(unsafe) private static let lock = StaticMutexes.make(recursive: true)
  nonisolated(unsafe) private static var isBeginning = false

  @inline(__always)
  static var isInitialized: Bool { isReady.load(ordering: .acquiring) }

  @inline(__always)
  static func initialize() -> Int32 { isInitialized ? SQLITE_OK : begin() }

  @inline(never)
  private static func begin() -> Int32 {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    if isInitialized || isBeginning { return SQLITE_OK }
    isBeginning = true
    defer { isBeginning = false }
    var result = settings.mutexMethods?.xMutexInit?() ?? SQLITE_OK
    if result == SQLITE_OK { result = beginMemory() }
    if result == SQLITE_OK { result = sqlite3_os_init() }
    RandomSource.shared = { Randomness.fill($0) }
    Notices.handler = { Library.log($0, $1) }
    _ = LibraryOptions.areSaid
    if result == SQLITE_OK { isReady.store(true, ordering: .releasing) }
    return result
  }

  private static func beginMemory() -> Int32 {
    guard let methods = settings.allocator else {
      MemoryUse.begin(countingBy: settings.countsMemory ? systemSize : nil)
      return SQLITE_OK
    }
    guard let allocate = methods.xMalloc, let reallocate = methods.xRealloc,
      let free = methods.xFree, methods.xSize != nil
    else { return SQLITE_MISUSE }
    let result = methods.xInit?(methods.pAppData) ?? SQLITE_OK
    guard result == SQLITE_OK else { return result }
    MemoryUse.begin(
      countingBy: settings.countsMemory ? { Int(Library.settings.allocator?.xSize($0) ?? 0) } : nil,
      allocator: MemoryUse.Allocator(allocate: allocate, reallocate: reallocate, free: free))
    return SQLITE_OK
  }

  /// To be called by one thread, while nothing of the library is in use.
  static func shutdown() -> Int32 {
    guard isInitialized else { return SQLITE_OK }
    _ = sqlite3_os_end()
    sqlite3_reset_auto_extension()
    isReady.store(false, ordering: .releasing)
    if let methods = settings.allocator { methods.xShutdown?(methods.pAppData) }
    sqlite3_data_directory = nil
    sqlite3_temp_directory = nil
    _ = settings.mutexMethods?.xMutexEnd?()
    return SQLITE_OK
  }

  /// The bytes that a piece of memory has.
  static func size(of memory: UnsafeMutableRawPointer) -> Int {
    if let methods = settings.allocator { return Int(methods.xSize?(memory) ?? 0) }
    return systemSize(memory)
  }

  static let systemSize: MemoryUse.Size = {
    #if canImport(Darwin)
      malloc_size($0)
    #else
      malloc_usable_size($0)
    #endif
  }

  /// Tells the program's log, if there is one (c3ref/log).
  static func log(_ code: Int32, _ message: UnsafePointer<CChar>) {
    settings.log?(settings.logArgument, code, message)
  }

  /// SQLite makes messages of the log in a buffer of this size.
  static let logBufferSize = 700

  static func log(_ code: ResultCode, _ message: @autoclosure () -> String) {
    guard settings.log != nil else { return }
    message().withTextBytes { bytes in
      let shown = UnsafeBufferPointer(rebasing: bytes.prefix(logBufferSize - 1))
      withTerminated(shown) { log(code.rawValue, $0) }
    }
  }
}

@c @implementation
public func sqlite3_initialize() -> Int32 { Library.initialize() }

@c @implementation
public func sqlite3_shutdown() -> Int32 { Library.shutdown() }

/// The engine's own parts need no beginning.
@c @implementation
public func sqlite3_os_init() -> Int32 {
  VFSList.registerBuiltIn()
  return SQLITE_OK
}

@c @implementation
public func sqlite3_os_end() -> Int32 { SQLITE_OK }

@c @implementation
public func martlet_log(
  _ code: Int32, _ format: UnsafePointer<CChar>!, _ arguments: UnsafeMutableRawPointer!
) {
  guard let format, Library.settings.log != nil else { return }
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Library.logBufferSize) { buffer in
    GrowingText.print(
      format: bytes(format), VariadicArguments(arguments), into: buffer, limit: largestText)
    guard let start = buffer.baseAddress else { return }
    Library.log(code, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
  }
}
