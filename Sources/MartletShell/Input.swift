import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file, or the output of a command, that is open for reading.
final class InputFile {
  private enum Kind { case shared, file, pipe }

  private let handle: UnsafeMutablePointer<FILE>
  private let kind: Kind

  init(standardInput handle: UnsafeMutablePointer<FILE>) {
    self.handle = handle
    kind = .shared
  }

  /// `|command` runs the command and reads what it prints.
  init?(named name: String) {
    let isPipe = name.hasPrefix("|")
    let opened =
      isPipe
      ? String(name.dropFirst()).withFileName { popen($0, "r") }
      : name.withFileName { fopen($0, "r") }
    guard let opened else { return nil }
    handle = opened
    kind = isPipe ? .pipe : .file
  }

  /// A file, whatever its name begins with.
  init?(plain name: String) {
    guard let opened = name.withFileName({ fopen($0, "r") }) else { return nil }
    handle = opened
    kind = .file
  }

  deinit {
    switch kind {
    case .shared: break
    case .file: fclose(handle)
    case .pipe: pclose(handle)
    }
  }

  /// Reads what is there, at most a buffer full; gives how many bytes that were, 0 at the end and
  /// where Ctrl-C came while they were awaited.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // Past the buffer of the handle, in which waiting would miss what is there.
    let descriptor = fileno(handle)
    while Interruption.awaitInput(descriptor) {
      let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { return 0 }
    }
    return 0
  }

  /// Reads until the buffer is full or the file ends: a pipe gives its bytes in small pieces.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// The size of a plain file; nil for what has no end known beforehand.
  var size: Int? {
    var status = stat()
    guard fstat(fileno(handle), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int(status.st_size)
  }
}

/// Lines of a file or of standard input.
final class LineReader: LineSource {
  private let file: InputFile
  let name: String?
  private(set) var lineCount = 0
  /// What was read of the file and given as lines up to `position`.
  private var buffer: [UInt8] = []
  private var position = 0
  private static let capacity = 1 << 12

  init(_ file: InputFile, name: String? = nil) {
    self.file = file
    self.name = name
  }

  func next() -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      let rest = buffer[position...]
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        position = end + 1
        lineCount += 1
        return line
      }
      line += rest
      guard refill() else { break }
    }
    if line.isEmpty || Interruption.isPending { return nil }
    lineCount += 1
    return line
  }

  private func refill() -> Bool {
    position = 0
    buffer = Array(unsafeUninitializedCapacity: Self.capacity) { space, count in
      count = file.read(into: UnsafeMutableRawBufferPointer(space))
    }
    return !buffer.isEmpty
  }
}

/// libc's `read`, under a name that the method of the same name does not hide.
private func systemRead(
  _ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ byteCount: Int
) -> Int {
  read(descriptor, target, byteCount)
}
