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

#if canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// The headers show it to programs with `_GNU_SOURCE` only.
  @_silgen_name("pthread_getattr_np")
  private func pthread_getattr_np(
    _ thread: pthread_t, _ attributes: UnsafeMutablePointer<pthread_attr_t>
  ) -> Int32
#endif

/// Where the stack of the current thread ends.
enum StackSpace {
  /// The lowest address that the thread's stack has; nil where the system does not tell, or where
  /// another stack is in use.
  ///
  /// For the main thread the system reads the list of the process's mappings: for rare occasions.
  @inline(never)
  static var lowestAddress: UInt? {
    guard let stack = current, stack.contains(frameAddress) else { return nil }
    return stack.lowerBound
  }

  /// An address in the frame that the caller has.
  static var frameAddress: UInt {
    @inline(__always) get {
      var mark: UInt8 = 0
      return withUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) }
    }
  }

  /// The addresses of the thread's stack.
  private static var current: Range<UInt>? {
    #if canImport(Darwin)
      let high = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
      let size = UInt(pthread_get_stacksize_np(pthread_self()))
      return size < high ? high - size..<high : nil
    #elseif canImport(WASILibc)
      return nil
    #else
      var attributes = pthread_attr_t()
      guard pthread_getattr_np(pthread_self(), &attributes) == 0 else { return nil }
      defer { pthread_attr_destroy(&attributes) }
      var start: UnsafeMutableRawPointer?
      var size = 0, guardSize = 0
      guard pthread_attr_getstack(&attributes, &start, &size) == 0,
        pthread_attr_getguardsize(&attributes, &guardSize) == 0, let start
      else { return nil }
      // Some systems count the guard as part of the stack.
      let low = UInt(bitPattern: start)
      return guardSize < size ? low + UInt(guardSize)..<low + UInt(size) : nil
    #endif
  }
}
