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

  fileprivate let handle: UnsafeMutablePointer<FILE>
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

  deinit {
    switch kind {
    case .shared: break
    case .file: fclose(handle)
    case .pipe: pclose(handle)
    }
  }

  /// Fills the buffer; gives how many bytes there were, 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    fread(buffer.baseAddress, 1, buffer.count, handle)
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
final class LineReader {
  private let file: InputFile
  /// What messages call the file; nil for standard input.
  let name: String?
  /// How many lines were read.
  private(set) var lineCount = 0

  init(_ file: InputFile, name: String? = nil) {
    self.file = file
    self.name = name
  }

  /// The next line without its end; nil when there is none.
  func next() -> [UInt8]? {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var count = getline(&line, &capacity, file.handle)
    guard count >= 0, let line else { return nil }
    lineCount += 1
    let newline = CChar(bitPattern: UInt8(ascii: "\n"))
    if count > 0, line[count - 1] == newline { count -= 1 }
    return Array(UnsafeRawBufferPointer(start: line, count: count))
  }
}
