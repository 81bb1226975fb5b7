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
