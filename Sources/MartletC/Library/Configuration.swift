// sqlite3_config (c3ref/config, c3ref/c_config_covering_index_scan).
import CSQLite3
import MartletEngine

@c @implementation
public func martlet_config(_ op: Int32, _ arguments: UnsafeMutableRawPointer!) -> Int32 {
  // In use, the library takes only these.
  let isAllowed = op == SQLITE_CONFIG_LOG || op == SQLITE_CONFIG_PCACHE_HDRSZ
  if Library.isInitialized && !isAllowed { return SQLITE_MISUSE }
  switch op {
  case SQLITE_CONFIG_SINGLETHREAD, SQLITE_CONFIG_MULTITHREAD, SQLITE_CONFIG_SERIALIZED:
    Library.settings.hasMutexes = op != SQLITE_CONFIG_SINGLETHREAD
    Library.settings.isSerialized = op == SQLITE_CONFIG_SERIALIZED
  case SQLITE_CONFIG_MEMSTATUS: Library.settings.countsMemory = martlet_next_int(arguments) != 0
  case SQLITE_CONFIG_URI: Library.settings.opensURIs = martlet_next_int(arguments) != 0
  case SQLITE_CONFIG_LOG:
    let function = martlet_next_pointer(arguments)
    Library.settings.log = unsafeBitCast(function, to: type(of: Library.settings.log))
    Library.settings.logArgument = martlet_next_pointer(arguments)
  case SQLITE_CONFIG_MEMDB_MAXSIZE:
    VFSRegistry.setMemoryByteLimit(Int(clamping: martlet_next_int64(arguments)))
  case SQLITE_CONFIG_COVERING_INDEX_SCAN:
    Library.settings.scansCoveringIndexes = martlet_next_int(arguments) != 0
  // Advice about memory and speed that the engine does not need.
  case SQLITE_CONFIG_SMALL_MALLOC, SQLITE_CONFIG_PMASZ,
    SQLITE_CONFIG_STMTJRNL_SPILL, SQLITE_CONFIG_LOOKASIDE, SQLITE_CONFIG_MMAP_SIZE,
    SQLITE_CONFIG_PAGECACHE, SQLITE_CONFIG_PCACHE:
    break
  case SQLITE_CONFIG_PCACHE_HDRSZ, SQLITE_CONFIG_ROWID_IN_VIEW:
    return answer(op, martlet_next_pointer(arguments))
  case SQLITE_CONFIG_MALLOC, SQLITE_CONFIG_GETMALLOC, SQLITE_CONFIG_MUTEX, SQLITE_CONFIG_GETMUTEX,
    SQLITE_CONFIG_PCACHE2, SQLITE_CONFIG_GETPCACHE2:
    return exchange(op, martlet_next_pointer(arguments))
  default: return SQLITE_ERROR
  }
  return SQLITE_OK
}

/// Options that write a number.
private func answer(_ op: Int32, _ target: UnsafeMutableRawPointer?) -> Int32 {
  guard let target else { return SQLITE_MISUSE }
  // What a page needs beside its content in SQLite; a view never has a rowid.
  let number: Int32 = op == SQLITE_CONFIG_PCACHE_HDRSZ ? 272 : 0
  target.storeBytes(of: number, as: Int32.self)
  return SQLITE_OK
}

/// Options that bring or ask for a structure of methods; one without methods means the built-in
/// ones.
private func exchange(_ op: Int32, _ structure: UnsafeMutableRawPointer?) -> Int32 {
  guard let structure else { return SQLITE_MISUSE }
  switch op {
  case SQLITE_CONFIG_MALLOC:
    let methods = structure.load(as: sqlite3_mem_methods.self)
    Library.settings.allocator = methods.xMalloc == nil ? nil : methods
  case SQLITE_CONFIG_GETMALLOC:
    structure.storeBytes(
      of: Library.settings.allocator ?? SystemMemory.methods, as: sqlite3_mem_methods.self)
  case SQLITE_CONFIG_MUTEX:
    let methods = structure.load(as: sqlite3_mutex_methods.self)
    Library.settings.mutexMethods = methods.xMutexAlloc == nil ? nil : methods
  case SQLITE_CONFIG_GETMUTEX:
    structure.storeBytes(
      of: Library.settings.mutexMethods ?? SystemMutexes.methods, as: sqlite3_mutex_methods.self)
  case SQLITE_CONFIG_PCACHE2:
    let methods = structure.load(as: sqlite3_pcache_methods2.self)
    Library.settings.pageCache = methods.xInit == nil ? nil : methods
  default:
    structure.storeBytes(
      of: Library.settings.pageCache ?? PageCacheMethods.methods, as: sqlite3_pcache_methods2.self)
  }
  return SQLITE_OK
}

/// The system's memory as methods, for programs that put their own around it.
private enum SystemMemory {
  static var methods: sqlite3_mem_methods {
    sqlite3_mem_methods(
      xMalloc: { malloc(Int(max($0, 1))) }, xFree: { free($0) },
      xRealloc: { realloc($0, Int(max($1, 1))) },
      xSize: { $0 == nil ? 0 : Int32(truncatingIfNeeded: Library.systemSize($0)) },
      xRoundup: { ($0 &+ 7) & ~7 }, xInit: { _ in SQLITE_OK }, xShutdown: { _ in },
      pAppData: nil)
  }
}
