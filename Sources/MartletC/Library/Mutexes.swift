// Mutexes for the program (c3ref/mutex_alloc, c3ref/mutex_held). The library's own do not come from
// here.
import CSQLite3
import MartletEngine

/// A `sqlite3_mutex`: the system's, and who holds it. The owner is written by the holder only; a
/// thread that reads its own identity there is the holder.
private struct ProgramMutex {
  let system: UnsafeMutablePointer<pthread_mutex_t>
  let kind: Int32
  var owner: UInt = 0
  var depth = 0

  static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// The mutex was just entered by this thread.
  mutating func noteEntered() {
    owner = ProgramMutex.currentThread
    depth += 1
  }

  mutating func noteLeaving() {
    depth -= 1
    if depth == 0 { owner = 0 }
  }
}

/// The mutexes that are always there, by their numbers.
enum StaticMutexes {
  private static let first = SQLITE_MUTEX_STATIC_MAIN
  private static let count = Int(SQLITE_MUTEX_STATIC_VFS3 - first) + 1

  nonisolated(unsafe) private static let all: UnsafeMutablePointer<ProgramMutex> = {
    let mutexes = UnsafeMutablePointer<ProgramMutex>.allocate(capacity: count)
    for index in 0..<count {
      let kind = first + Int32(index)
      (mutexes + index).initialize(to: ProgramMutex(system: make(recursive: false), kind: kind))
    }
    return mutexes
  }()

  fileprivate static func mutex(_ kind: Int32) -> UnsafeMutablePointer<ProgramMutex>? {
    let index = Int(kind) - Int(first)
    return index >= 0 && index < count ? all + index : nil
  }

  static func make(recursive: Bool) -> UnsafeMutablePointer<pthread_mutex_t> {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    #if canImport(Darwin) || canImport(Musl)
      if recursive { pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) }
    #else
      if recursive { pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE)) }
    #endif
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    return mutex
  }
}

/// The mutexes of the system, as `SQLITE_CONFIG_GETMUTEX` gives them.
enum SystemMutexes {
  fileprivate typealias Handle = UnsafeMutablePointer<ProgramMutex>

  /// Stands for every mutex where threads are not to be excluded. SQLite's has this address, by which
  /// programs find out that there are none.
  private static var none: OpaquePointer? { OpaquePointer(bitPattern: 8) }

  static func allocate(_ kind: Int32) -> OpaquePointer? {
    guard Library.settings.hasMutexes else { return none }
    guard kind == SQLITE_MUTEX_FAST || kind == SQLITE_MUTEX_RECURSIVE else {
      return StaticMutexes.mutex(kind).map { OpaquePointer($0) }
    }
    let mutex = Handle.allocate(capacity: 1)
    let system = StaticMutexes.make(recursive: kind == SQLITE_MUTEX_RECURSIVE)
    mutex.initialize(to: ProgramMutex(system: system, kind: kind))
    return OpaquePointer(mutex)
  }

  /// A mutex over one of the system's that somebody else has made and frees.
  static func wrap(_ system: UnsafeMutableRawPointer) -> OpaquePointer {
    let mutex = Handle.allocate(capacity: 1)
    let system = system.assumingMemoryBound(to: pthread_mutex_t.self)
    mutex.initialize(to: ProgramMutex(system: system, kind: SQLITE_MUTEX_RECURSIVE))
    return OpaquePointer(mutex)
  }

  static func freeWrapper(_ mutex: OpaquePointer) { Handle(mutex).deallocate() }

  private static func handle(_ mutex: OpaquePointer?) -> Handle? {
    guard let mutex, mutex != none else { return nil }
    return Handle(mutex)
  }

  /// The static ones stay.
  static func free(_ mutex: OpaquePointer?) {
    guard let handle = handle(mutex), handle.pointee.kind <= SQLITE_MUTEX_RECURSIVE else { return }
    pthread_mutex_destroy(handle.pointee.system)
    handle.pointee.system.deallocate()
    handle.deallocate()
  }

  static func enter(_ mutex: OpaquePointer?) {
    guard let handle = handle(mutex) else { return }
    pthread_mutex_lock(handle.pointee.system)
    handle.pointee.noteEntered()
  }

  static func tryToEnter(_ mutex: OpaquePointer?) -> Int32 {
    guard let handle = handle(mutex) else { return SQLITE_OK }
    guard pthread_mutex_trylock(handle.pointee.system) == 0 else { return SQLITE_BUSY }
    handle.pointee.noteEntered()
    return SQLITE_OK
  }

  static func leave(_ mutex: OpaquePointer?) {
    guard let handle = handle(mutex) else { return }
    handle.pointee.noteLeaving()
    pthread_mutex_unlock(handle.pointee.system)
  }

  /// Whether this thread holds it; of no mutex that is true.
  static func isHeld(_ mutex: OpaquePointer?) -> Bool {
    guard let handle = handle(mutex) else { return true }
    return handle.pointee.owner == ProgramMutex.currentThread
  }

  static func isNotHeld(_ mutex: OpaquePointer?) -> Bool {
    guard let handle = handle(mutex) else { return true }
    return handle.pointee.owner != ProgramMutex.currentThread
  }

  static var methods: sqlite3_mutex_methods {
    sqlite3_mutex_methods(
      xMutexInit: { SQLITE_OK }, xMutexEnd: { SQLITE_OK },
      xMutexAlloc: { SystemMutexes.allocate($0) }, xMutexFree: { SystemMutexes.free($0) },
      xMutexEnter: { SystemMutexes.enter($0) }, xMutexTry: { SystemMutexes.tryToEnter($0) },
      xMutexLeave: { SystemMutexes.leave($0) },
      xMutexHeld: { SystemMutexes.isHeld($0) ? 1 : 0 },
      xMutexNotheld: { SystemMutexes.isNotHeld($0) ? 1 : 0 })
  }
}

@c @implementation
public func sqlite3_mutex_alloc(_ kind: Int32) -> OpaquePointer! {
  guard kind >= 0 && kind <= SQLITE_MUTEX_STATIC_VFS3 else { return nil }
  if kind <= SQLITE_MUTEX_RECURSIVE, sqlite3_initialize() != SQLITE_OK { return nil }
  if let methods = Library.settings.mutexMethods { return methods.xMutexAlloc?(kind) }
  return SystemMutexes.allocate(kind)
}

@c @implementation
public func sqlite3_mutex_free(_ mutex: OpaquePointer!) {
  guard mutex != nil else { return }
  if let methods = Library.settings.mutexMethods { methods.xMutexFree?(mutex) } else {
    SystemMutexes.free(mutex)
  }
}

@c @implementation
public func sqlite3_mutex_enter(_ mutex: OpaquePointer!) {
  guard mutex != nil else { return }
  if let methods = Library.settings.mutexMethods { methods.xMutexEnter?(mutex) } else {
    SystemMutexes.enter(mutex)
  }
}

@c @implementation
public func sqlite3_mutex_try(_ mutex: OpaquePointer!) -> Int32 {
  guard mutex != nil else { return SQLITE_OK }
  if let methods = Library.settings.mutexMethods { return methods.xMutexTry?(mutex) ?? SQLITE_OK }
  return SystemMutexes.tryToEnter(mutex)
}

@c @implementation
public func sqlite3_mutex_leave(_ mutex: OpaquePointer!) {
  guard mutex != nil else { return }
  if let methods = Library.settings.mutexMethods { methods.xMutexLeave?(mutex) } else {
    SystemMutexes.leave(mutex)
  }
}

@c @implementation
public func sqlite3_mutex_held(_ mutex: OpaquePointer!) -> Int32 {
  guard mutex != nil else { return 1 }
  if let methods = Library.settings.mutexMethods { return methods.xMutexHeld?(mutex) ?? 1 }
  return SystemMutexes.isHeld(mutex) ? 1 : 0
}

@c @implementation
public func sqlite3_mutex_notheld(_ mutex: OpaquePointer!) -> Int32 {
  guard mutex != nil else { return 1 }
  if let methods = Library.settings.mutexMethods { return methods.xMutexNotheld?(mutex) ?? 1 }
  return SystemMutexes.isNotHeld(mutex) ? 1 : 0
}

/// The lock that calls on the connection take. A program's own mutexes do not reach the engine:
/// where they are configured, this is one of them that the library does not use.
@c @implementation
public func sqlite3_db_mutex(_ database: OpaquePointer!) -> OpaquePointer! {
  guard let handle = ConnectionHandle(database) else { return nil }
  handle.core.enter()
  defer { handle.core.leave() }
  if let known = handle.core.mutex { return known }
  let hasOwnMethods = Library.settings.mutexMethods != nil
  let mutex =
    hasOwnMethods
    ? sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE) : SystemMutexes.wrap(handle.core.lock.systemMutex)
  handle.core.mutex = mutex
  if let mutex {
    handle.core.destructors.append {
      if hasOwnMethods { sqlite3_mutex_free(mutex) } else { SystemMutexes.freeWrapper(mutex) }
    }
  }
  return mutex
}
