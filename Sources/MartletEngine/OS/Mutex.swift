#if MARTLET_TSAN
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// What stands for `Synchronization.Mutex` in builds for the thread sanitizer, which knows the
  /// system's mutexes but does not see a futex taken (docs/testing.md).
  package struct Mutex<Protected: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let system: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Protected>

    package init(_ value: consuming sending Protected) {
      system = .allocate(capacity: 1)
      pthread_mutex_init(system, nil)
      self.value = .allocate(capacity: 1)
      self.value.initialize(to: value)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(system)
      system.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Protected) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(system)
      defer { pthread_mutex_unlock(system) }
      return try body(&value.pointee)
    }
  }
#endif
