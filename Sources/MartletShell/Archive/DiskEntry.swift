import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file, folder or link on disk.
struct DiskEntry {
  let path: String
  /// `st_mode`: kind and permissions.
  let mode: UInt32
  let modificationTime: Int64

  static let kindMask: UInt32 = 0xf000
  static let folderKind: UInt32 = 0x4000
  static let fileKind: UInt32 = 0x8000
  static let linkKind: UInt32 = 0xa000

  var kind: UInt32 { mode & Self.kindMask }

  /// Nil where there is nothing of that name.
  init?(_ path: String) {
    var status = stat()
    guard path.withFileName({ lstat($0, &status) }) == 0 else { return nil }
    self.path = path
    mode = UInt32(status.st_mode)
    #if canImport(Darwin)
      modificationTime = Int64(status.st_mtimespec.tv_sec)
    #else
      modificationTime = Int64(status.st_mtim.tv_sec)
    #endif
  }

  /// The names in a folder, sorted.
  static func names(in folder: String) -> [String] {
    guard let directory = folder.withFileName({ opendir($0) }) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(fileNameBytes: UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0 }))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// What a file has or where a link points to; nil for a folder and what cannot be read.
  func content(limit: Int = .max) -> [UInt8]? {
    switch kind {
    case Self.linkKind:
      let longestPath = 4096
      let bytes = [UInt8](unsafeUninitializedCapacity: longestPath) { space, count in
        let length = path.withFileName { name in
          space.withMemoryRebound(to: CChar.self) {
            readlink(name, $0.baseAddress.unsafelyUnwrapped, longestPath)
          }
        }
        count = max(length, 0)
      }
      return bytes.isEmpty ? nil : bytes
    case Self.folderKind: return nil
    default: return Self.read(path, limit: limit)
    }
  }

  /// The bytes of a file; nil if it cannot be read or has more than `limit`.
  static func read(_ path: String, limit: Int) -> [UInt8]? {
    guard let file = InputFile(plain: path) else { return nil }
    var bytes: [UInt8] = []
    let pieceSize = 1 << 16
    while true {
      let piece = [UInt8](unsafeUninitializedCapacity: pieceSize) { space, count in
        count = file.read(into: UnsafeMutableRawBufferPointer(space))
      }
      if piece.isEmpty { return bytes }
      bytes += piece
      if bytes.count > limit { return nil }
    }
  }

  // MARK: Writing

  /// Makes a folder, link or file; false if that does not work.
  static func write(
    _ path: String, _ content: [UInt8], mode: UInt32?, modificationTime: Int64?
  ) -> Bool {
    let kind = mode.map { $0 & kindMask } ?? fileKind
    let permissions = mode_t(truncatingIfNeeded: (mode ?? 0) & 0o777)
    switch kind {
    case linkKind:
      let target = content.withUnsafeBytes { String(fileNameBytes: $0) }
      _ = path.withFileName { unlink($0) }
      guard target.withFileName({ from in path.withFileName { symlink(from, $0) } }) == 0 else {
        return false
      }
    case folderKind:
      if path.withFileName({ mkdir($0, permissions) }) != 0 {
        // One that is there gets the permissions.
        guard errno == EEXIST, DiskEntry(path)?.kind == folderKind,
          path.withFileName({ chmod($0, permissions) }) == 0
        else { return false }
      }
    default:
      let flags = O_WRONLY | O_CREAT | O_TRUNC
      let descriptor = path.withFileName { open($0, flags, 0o666) }
      guard descriptor >= 0 else { return false }
      let isWritten = writeAll(content, to: descriptor)
      let hasMode = mode == nil || fchmod(descriptor, permissions) == 0
      guard close(descriptor) == 0, isWritten, hasMode else { return false }
    }
    if let modificationTime { setModificationTime(of: path, modificationTime) }
    return true
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = systemWrite(
          descriptor, bytes.baseAddress.unsafelyUnwrapped + written, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return false }
        written += count
      }
      return true
    }
  }

  private static func setModificationTime(of path: String, _ seconds: Int64) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let times = [now, timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    _ = path.withFileName { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Makes the folders that a file's path names.
  static func makeFolders(for path: String) -> Bool {
    let bytes = path.fileNameBytes
    for end in bytes.indices where end > 0 && bytes[end] == UInt8(ascii: "/") {
      let folder = bytes[..<end].withUnsafeBytes { String(fileNameBytes: $0) }
      if folder.withFileName({ mkdir($0, 0o777) }) != 0, errno != EEXIST { return false }
    }
    return true
  }

  /// The path without links and dots; nil where there is nothing of that name.
  static func realPath(_ path: String) -> String? {
    guard let found = path.withFileName({ realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return String(fileNameBytes: UnsafeRawBufferPointer(start: found, count: strlen(found)))
  }

  /// `realPath`, behind which stands what does not exist.
  static func wholePath(_ path: String) -> String? {
    var existing = path, rest = ""
    while !existing.isEmpty {
      if let real = realPath(existing) { return real + rest }
      let slash = existing.lastIndex(of: "/")
      rest =
        "/" + existing[(slash.map { existing.index(after: $0) } ?? existing.startIndex)...] + rest
      existing = slash.map { String(existing[..<$0]) } ?? ""
    }
    return realPath(path.hasPrefix("/") ? "/" : ".").map { $0 == "/" ? rest : $0 + rest }
  }

  /// `drwxr-xr-x`, as `ls -l` shows a mode.
  static func description(ofMode mode: Int64) -> String {
    let kind =
      switch UInt32(truncatingIfNeeded: mode) & kindMask {
      case linkKind: "l"
      case fileKind: "-"
      case folderKind: "d"
      default: "?"
      }
    let letters = ["r", "w", "x"]
    return (0..<9).reduce(kind) { text, position in
      text + (mode >> (8 - position) & 1 == 1 ? letters[position % 3] : "-")
    }
  }
}

/// libc's `write`, under a name that the method of the same name does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
