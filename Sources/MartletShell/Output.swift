#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Bytes on their way to a file descriptor, gathered so that a row does not cost a system call.
final class Output {
  private let descriptor: Int32
  private let isOwned: Bool
  private var buffer: [UInt8] = []
  private static let capacity = 1 << 16

  init(descriptor: Int32, isOwned: Bool = false) {
    self.descriptor = descriptor
    self.isOwned = isOwned
    buffer.reserveCapacity(Self.capacity)
  }

  deinit {
    flush()
    if isOwned { close(descriptor) }
  }

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
    var written = 0
    buffer.withUnsafeBytes { bytes in
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = systemWrite(descriptor, rest.baseAddress, rest.count)
        if count <= 0 { return }
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

  /// Where `.output` points: `stdout`, `off`, or a file; nil if that cannot be written.
  static func named(_ name: String) -> Output? {
    if name == "stdout" { return Output(descriptor: STDOUT_FILENO) }
    let path = name == "off" ? "/dev/null" : name
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    return descriptor < 0 ? nil : Output(descriptor: descriptor, isOwned: true)
  }
}

/// libc's `write`, under a name that the method of the same name does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// The path from the root, where the file exists.
func absolutePath(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Lines of a file or of standard input.
final class LineReader {
  private let file: UnsafeMutablePointer<FILE>
  private let isOwned: Bool

  init(standardInput file: UnsafeMutablePointer<FILE>) {
    self.file = file
    isOwned = false
  }

  init?(path: String) {
    guard let file = fopen(path, "r") else { return nil }
    self.file = file
    isOwned = true
  }

  deinit { if isOwned { fclose(file) } }

  /// The next line without its end; nil when there is none.
  func next() -> [UInt8]? {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var count = getline(&line, &capacity, file)
    guard count >= 0, let line else { return nil }
    let newline = CChar(bitPattern: UInt8(ascii: "\n"))
    if count > 0, line[count - 1] == newline { count -= 1 }
    return UnsafeRawBufferPointer(start: line, count: count).map { $0 }
  }
}
