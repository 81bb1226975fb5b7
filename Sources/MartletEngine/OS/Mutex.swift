#if os(Linux) || os(Android) || MARTLET_TSAN
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Darwin
  #endif

  /// What stands for `Synchronization.Mutex` on Linux: the system's mutex.
  ///
  /// That of `Synchronization` is a futex that inherits priorities there. It is handed over to the
  /// thread that has waited longest, which has to wake up first: once some threads meet at one, each
  /// taking of it costs a change of threads, and the queue never ends (80 times the time of 16
  /// readers of one file). This one goes to whoever runs.
  ///
  /// The thread sanitizer knows the system's mutexes, too, but does not see a futex taken.
  @frozen
  @usableFromInline
  package struct Mutex<Protected: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let system: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Protected>

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

    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Protected) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(system)
      defer { pthread_mutex_unlock(system) }
      return try body(&value.pointee)
    }
  }
#endif
