/// Where the pager gets pages from that are not in the cache.
///
/// The database file is one; a snapshot of a write-ahead log over it is another.
protocol PageSource: AnyObject {
  /// Fills `pageSize` bytes. What lies past the end of the file is zero.
  func read(
    _ number: PageNumber, into target: UnsafeMutablePointer<UInt8>, pageSize: Int
  ) throws(SQLError)

  /// Fills frames with pages that lie one behind the other in the file.
  ///
  /// - Returns: how many of them, from the first on; the others have to be read one by one.
  func readRun(
    _ first: PageNumber, into frames: UnsafeBufferPointer<PagePointer>, pageSize: Int
  ) -> Int
}

extension PageSource {
  /// Reads one page after the other from a file into frames; gives how many came whole.
  static func readRun(
    _ first: PageNumber, into frames: UnsafeBufferPointer<PagePointer>, pageSize: Int,
    from file: any File
  ) -> Int {
    withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: frames.count) {
      targets in
      for (index, frame) in frames.enumerated() {
        targets[index] = UnsafeMutableRawPointer(frame.pointee.data)
      }
      return file.readPieces(
        into: UnsafeBufferPointer(targets), byteCount: pageSize,
        at: Int64(first.rawValue &- 1) * Int64(pageSize))
    }
  }
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

  func readRun(
    _ first: PageNumber, into frames: UnsafeBufferPointer<PagePointer>, pageSize: Int
  ) -> Int {
    Self.readRun(first, into: frames, pageSize: pageSize, from: file)
  }
}
