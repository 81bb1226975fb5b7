// Changesets in pieces, and as blobs of memory (session, "Streaming Versions of API functions").
import CSQLite3
import MartletEngine
import MartletSession
import Synchronization

/// Fills a buffer; sets how many bytes there were.
public typealias StreamInput =
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?
  ) -> Int32

/// Takes a piece.
public typealias StreamOutput =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int32) -> Int32

enum Streams {
  /// Bytes of a piece (`SQLITE_SESSION_CONFIG_STRMSIZE`).
  static let chunkSize = Atomic<Int>(1_024)

  static var currentChunkSize: Int { chunkSize.load(ordering: .relaxed) }

  /// A reader of what a program gives in pieces.
  static func reader(
    _ input: StreamInput?, _ argument: UnsafeMutableRawPointer?, inverts: Bool = false,
    skipsEmptyUpdates: Bool = false
  ) throws(SQLError) -> ChangesetReader {
    guard let input else { throw SQLError(.misuse) }
    return ChangesetReader(
      chunkSize: currentChunkSize, inverts: inverts, skipsEmptyUpdates: skipsEmptyUpdates
    ) { (count) throws(SQLError) in
      // How much is asked for, the program has said (`sqlite3session_config`).
      let capacity = Int32(clamping: count)
      guard let memory = CMemory.allocate(Int(capacity)) else { throw SQLError(.outOfMemory) }
      defer { CMemory.free(memory) }
      var size = capacity
      let code = input(argument, memory, &size)
      guard code == SQLITE_OK else { throw SQLError(ResultCode(rawValue: code)) }
      return Array(
        UnsafeRawBufferPointer(start: memory, count: Int(max(0, min(capacity, size)))))
    }
  }

  /// What passes pieces on to a program.
  static func output(
    _ output: StreamOutput?, _ argument: UnsafeMutableRawPointer?
  ) throws(SQLError) -> ChunkOutput {
    guard let output else { throw SQLError(.misuse) }
    return { (bytes) throws(SQLError) in
      let code = bytes.withUnsafeBytes {
        output(argument, $0.baseAddress, Int32(clamping: $0.count))
      }
      guard code == SQLITE_OK else { throw SQLError(ResultCode(rawValue: code)) }
    }
  }

  /// A reader of a changeset in the program's memory, which is copied.
  static func reader(
    _ memory: UnsafeRawPointer?, _ count: Int32, inverts: Bool = false,
    skipsEmptyUpdates: Bool = false
  ) throws(SQLError) -> ChangesetReader {
    ChangesetReader(
      try bytes(memory, count), inverts: inverts, skipsEmptyUpdates: skipsEmptyUpdates)
  }

  /// A copy of the program's memory; none for a null pointer and for a negative size.
  static func bytes(
    _ memory: UnsafeRawPointer?, _ count: Int32
  ) throws(SQLError) -> [UInt8] {
    let count = memory == nil ? 0 : Int(max(0, count))
    try MemoryUse.requireRoom(forArrayOf: count)
    return Array(UnsafeRawBufferPointer(start: memory, count: count))
  }
}

/// A changeset that a program frees with `sqlite3_free`.
struct BlobResult {
  let count: UnsafeMutablePointer<Int32>
  let memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  /// nil where the program has no place for it. There is nothing in it at first.
  init?(
    _ count: UnsafeMutablePointer<Int32>?,
    _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    count?.pointee = 0
    memory?.pointee = nil
    guard let count, let memory else { return nil }
    self.count = count
    self.memory = memory
  }

  func give(_ bytes: [UInt8]) throws(SQLError) {
    guard !bytes.isEmpty else { return }
    guard let copy = CMemory.allocate(bytes.count) else { throw SQLError(.outOfMemory) }
    bytes.withUnsafeBytes {
      if let start = $0.baseAddress { copy.copyMemory(from: start, byteCount: $0.count) }
    }
    memory.pointee = copy
    count.pointee = Int32(truncatingIfNeeded: bytes.count)
  }
}

@c @implementation
public func sqlite3session_config(_ option: Int32, _ argument: UnsafeMutableRawPointer!) -> Int32 {
  guard option == SQLITE_SESSION_CONFIG_STRMSIZE, let argument else { return SQLITE_MISUSE }
  let size = argument.assumingMemoryBound(to: Int32.self)
  if size.pointee > 0 { Streams.chunkSize.store(Int(size.pointee), ordering: .relaxed) }
  size.pointee = Int32(clamping: Streams.currentChunkSize)
  return SQLITE_OK
}
