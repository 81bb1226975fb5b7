import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Bytes on their way to a file descriptor, gathered so that a row does not cost a system call.
final class Output {
  /// What happens to the destination at the end.
  private enum Destination {
    /// It belongs to the process, and stays open.
    case shared
    case file
    /// A command's standard input, as `popen` opened it.
    case pipe(UnsafeMutablePointer<FILE>)
    /// Nowhere: it is kept.
    case memory
  }

  private let descriptor: Int32
  private let destination: Destination
  private(set) var buffer: [UInt8] = []
  private static let capacity = 1 << 16

  private init(_ descriptor: Int32, _ destination: Destination) {
    self.descriptor = descriptor
    self.destination = destination
    buffer.reserveCapacity(Self.capacity)
  }

  convenience init(descriptor: Int32) { self.init(descriptor, .shared) }

  /// Closes the descriptor in the end.
  convenience init(owned descriptor: Int32) { self.init(descriptor, .file) }

  /// What is written is kept in `buffer`.
  static func memory() -> Output { Output(-1, .memory) }

  /// Where `.output` and `.once` point: `stdout`, `off`, `|command` or a file; nil if that cannot
  /// be written.
  static func named(_ name: String) -> Output? {
    if name == "stdout" { return Output(descriptor: STDOUT_FILENO) }
    if name.hasPrefix("|") {
      guard let pipe = String(name.dropFirst()).withFileName({ popen($0, "w") }) else { return nil }
      return Output(fileno(pipe), .pipe(pipe))
    }
    let path = name == "off" ? "/dev/null" : name
    let descriptor = path.withFileName { open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }
    return descriptor < 0 ? nil : Output(descriptor, .file)
  }

  deinit {
    flush()
    switch destination {
    case .shared, .memory: break
    case .file: close(descriptor)
    case .pipe(let pipe): pclose(pipe)
    }
  }

  /// What is written is read on a terminal.
  var fillsTerminal: Bool { descriptor >= 0 && isatty(descriptor) == 1 }

  func write(_ text: String) { write(text.utf8) }

  func write(_ bytes: some Sequence<UInt8>) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.capacity { flush() }
  }

  func write(bytes: UnsafeRawBufferPointer) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.capacity { flush() }
  }

  func flush() {
    if case .memory = destination { return }
    var written = 0
    buffer.withUnsafeBytes { bytes in
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = systemWrite(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        // Nobody reads any more; what is left is not kept.
        if count <= 0 { break }
        written += count
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  static func writeError(_ text: String) {
    let output = Output(descriptor: STDERR_FILENO)
    output.write(text)
    output.flush()
  }
}

/// libc's `write`, under a name that the method of the same name does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
