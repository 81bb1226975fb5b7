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

/// How many significant digits a real has where it becomes text (`SQLITE_DBCONFIG_FP_DIGITS`).
///
/// It is a setting of connections, but values that become text know of none. So a connection that was
/// set to another number than 17 tells it to the thread before the thread works for it; as long as
/// there was none in the process, nobody looks.
enum RealDigits {
  static let standard = 17
  /// What can be set.
  static let allowed = 4...23

  /// A connection of the process was set to another number, at some time.
  nonisolated(unsafe) private(set) static var areSet = false

  /// Those of the connection that the thread works for.
  static var current: Int {
    @inline(__always) get { areSet ? fromThread() : standard }
  }

  @inline(never)
  private static func fromThread() -> Int {
    let digits = ofThread & 0xff
    return digits == 0 ? standard : digits
  }

  /// From now on the number of the thread counts.
  static func noteSet() {
    _ = ofThread
    areSet = true
  }

  /// The thread works for a connection with that setting until `end`. Gives what `end` needs.
  static func begin(_ digits: Int) -> Int {
    let outer = ofThread
    ofThread = digits | (outer >> 8 + 1) << 8
    return outer
  }

  /// Back to the connection for which the thread has worked before; where there was none, the number
  /// stays, for values of the last row that are read later.
  static func end(_ outer: Int) { ofThread = outer >> 8 > 0 ? outer : ofThread & 0xff }

  // The number, and in the higher bits how many calls of `begin` are open.
  #if canImport(WASILibc)
    nonisolated(unsafe) private static var ofThread = 0
  #else
    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      pthread_key_create(&key, nil)
      return key
    }()

    private static var ofThread: Int {
      get { Int(bitPattern: pthread_getspecific(key)) }
      set { pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: newValue)) }
    }
  #endif
}
