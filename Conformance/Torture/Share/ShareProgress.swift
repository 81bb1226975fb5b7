#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a process of the mix has done, in a file of its own: what is written there is not lost when
/// the process is killed.
struct ShareProgress {
  /// The number of the last commit that has returned.
  var acknowledged: Int64 = 0
  var steps: Int64 = 0
  /// How many of the steps ended as the database was busy.
  var busy: Int64 = 0
  /// How often the journal mode was changed.
  var switches: Int64 = 0

  private static let byteCount = MemoryLayout<ShareProgress>.size

  static func path(of worker: Int, _ databasePath: String) -> String {
    "\(databasePath)-progress\(worker)"
  }

  /// Zeros where there is no such file.
  init(of worker: Int, _ databasePath: String) {
    guard let bytes = Files.bytes(of: Self.path(of: worker, databasePath)),
      bytes.count == Self.byteCount
    else { return }
    self = bytes.withUnsafeBytes { $0.loadUnaligned(as: ShareProgress.self) }
  }

  /// To be called with a file that is open: one call of the system, so that all is there or nothing.
  func write(to descriptor: Int32) {
    var copy = self
    let count = pwrite(descriptor, &copy, Self.byteCount, 0)
    precondition(count == Self.byteCount)
  }
}
