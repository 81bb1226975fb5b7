import Synchronization

@testable import MartletEngine

/// What callbacks have noted, in order.
final class Notes: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  /// All lines; the notes are empty afterwards.
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
