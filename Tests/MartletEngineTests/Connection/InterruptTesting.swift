import Foundation
import MartletEngine

extension Connection {
  /// What `body` gives that is interrupted again and again until it ends.
  ///
  /// Both have threads of their own: on the few threads that tasks share, a statement without an
  /// end would keep other tests waiting, and its interruption would wait for them.
  func interrupting<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      let isDone = DispatchSemaphore(value: 0), isQuiet = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        while isDone.wait(timeout: .now() + .milliseconds(20)) == .timedOut { self.interrupt() }
        isQuiet.signal()
      }
      Thread.detachNewThread {
        let result = body()
        isDone.signal()
        isQuiet.wait()
        continuation.resume(returning: result)
      }
    }
  }
}
