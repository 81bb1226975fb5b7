#if os(Linux) || os(Android) || MARTLET_TSAN
  import MartletEngine

  // Stands before the one of `Synchronization`.
  typealias Mutex<Value: ~Copyable> = MartletEngine.Mutex<Value>
#endif
