#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a file is opened as.
enum FileKind {
  case database
  /// A database at the end of another file.
  case appended
  case zip

  /// Looks at the first and last bytes. What does not exist, or tells nothing, is a database,
  /// unless archives are expected and its name is one's.
  static func of(_ path: String, isArchive: Bool = false) -> FileKind {
    let named: FileKind = isArchive && path.hasSuffix(".zip") ? .zip : .database
    let descriptor = path.withFileName { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { return named }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return named }
    func bytes(_ offset: Int, _ count: Int) -> [UInt8] {
      guard offset >= 0 else { return [] }
      return [UInt8](unsafeUninitializedCapacity: count) { space, filled in
        filled = max(pread(descriptor, space.baseAddress, count, off_t(offset)), 0)
      }
    }
    let header = Array("SQLite format 3\0".utf8), size = Int(status.st_size)
    if size == 0 { return named }
    if bytes(0, header.count) == header { return .database }
    let mark = bytes(size - AppendedFile.markSize, AppendedFile.markSize)
    if mark.starts(with: AppendedFile.markText) { return .appended }
    if bytes(size - ZipFile.endSize, ZipFile.endSize).starts(with: ZipFile.endSignatureBytes) {
      return .zip
    }
    return named
  }
}
