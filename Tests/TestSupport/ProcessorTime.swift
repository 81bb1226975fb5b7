import Foundation

/// The processor time of a thread. Unlike a clock it does not go on while other tests run, so that a
/// limit holds on a busy machine as well.
public enum ProcessorTime {
  /// That of the current thread since it began.
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
