/// Where the pager gets pages from that are not in the cache.
///
/// The database file is one; a snapshot of a write-ahead log over it is another.
protocol PageSource: AnyObject {
  /// Fills `pageSize` bytes. What lies past the end of the file is zero.
  func read(
    _ number: PageNumber, into target: UnsafeMutablePointer<UInt8>, pageSize: Int
  ) throws(SQLError)
}

/// The database file itself.
final class DatabaseFileSource: PageSource {
  private let file: any File

  init(_ file: any File) { self.file = file }

  func read(
    _ number: PageNumber, into target: UnsafeMutablePointer<UInt8>, pageSize: Int
  ) throws(SQLError) {
    let offset = Int64(number.rawValue &- 1) * Int64(pageSize)
    _ = try file.read(into: target, byteCount: pageSize, at: offset)
  }
}

/// The database file of a WAL database that nobody has a WAL for.
///
/// A WAL that comes into being while we read may be checkpointed into the file under our feet. Who
/// creates one cannot remove it again while we hold the shared lock (walformat §1.4), so a page is
/// good if the WAL is still as it was after the page was read.
final class QuietWALSource: PageSource {
  private let file: DatabaseFileSource
  private let vfs: any VFS
  private let walPath: String
  private let initialStatus: FileStatus?

  init(_ file: any File, _ vfs: any VFS, walPath: String) throws(SQLError) {
    self.file = DatabaseFileSource(file)
    self.vfs = vfs
    self.walPath = walPath
    initialStatus = try vfs.status(of: walPath)
    if let initialStatus, initialStatus.byteCount > 0 {
      throw SQLError(
        .cannotOpen, "unable to open database file: \(walPath.legibleFileName) must be read too")
    }
  }

  func read(
    _ number: PageNumber, into target: UnsafeMutablePointer<UInt8>, pageSize: Int
  ) throws(SQLError) {
    try file.read(number, into: target, pageSize: pageSize)
    try checkQuiet()
  }

  /// Throws when what was read up to now may be of two different states of the database.
  func checkQuiet() throws(SQLError) {
    guard try vfs.status(of: walPath) == initialStatus else {
      throw SQLError(.busySnapshot, "database is locked: \(walPath) is being written")
    }
  }
}
