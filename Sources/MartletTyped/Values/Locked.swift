import Foundation

/// Something that threads use one at a time.
final class Locked<Content>: @unchecked Sendable {
  private var content: Content
  private let lock = NSLock()

  init(_ content: Content) { self.content = content }

  func withLock<Result>(_ body: (inout Content) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&content)
  }
}
