import Synchronization

/// Lines about an observation, written from any thread.
final class ObservationLog: Sendable {
  private let prefix: String
  private let stream: Mutex<Stream>

  private struct Stream: @unchecked Sendable {
    var base: (any TextOutputStream)?
  }

  init(_ prefix: String, _ stream: sending (any TextOutputStream)?) {
    self.prefix = prefix.isEmpty ? "" : prefix + ": "
    self.stream = Mutex(Stream(base: stream))
  }

  func write(_ text: String) {
    stream.withLock { stream in
      guard stream.base != nil else { return Swift.print(prefix + text) }
      stream.base?.write(prefix + text)
    }
  }
}
