#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif

/// A lock that its owner may take again: functions of the application may run SQL on the connection
/// that calls them.
package final class RecursiveLock: @unchecked Sendable {
  #if canImport(WASILibc)
    // One thread: nothing to exclude.
    package init() {}
    package func lock() {}
    package func unlock() {}
    func tryLock() -> Bool { true }
  #else
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The recursive `pthread_mutex_t`, which lives as long as the lock.
    package var systemMutex: UnsafeMutableRawPointer { UnsafeMutableRawPointer(mutex) }

    package init() {
      mutex = .allocate(capacity: 1)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, RecursiveLock.recursiveType)
      pthread_mutex_init(mutex, &attributes)
      pthread_mutexattr_destroy(&attributes)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    private static var recursiveType: Int32 {
      #if canImport(Darwin) || canImport(Musl)
        PTHREAD_MUTEX_RECURSIVE
      #else
        Int32(PTHREAD_MUTEX_RECURSIVE)
      #endif
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }
    /// Takes the lock unless another thread has it.
    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }
  #endif
}
