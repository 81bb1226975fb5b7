import Foundation
import MartletEngine

extension Connection {
  /// What `body` gives that is interrupted again and again until it ends.
  ///
  /// It has a thread of its own: a statement without an end on one of the few threads that tasks
  /// share would keep the task away that interrupts it.
  func interrupting<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    let interrupter = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(20))
        interrupt()
      }
    }
    let result = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
    interrupter.cancel()
    await interrupter.value
    return result
  }
}
