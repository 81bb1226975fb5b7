// Requests of programs to the engine's files (c3ref/c_fcntl_begin_atomic_write).
import CSQLite3
import MartletEngine

extension NativeFile {
  /// `sqlite3_io_methods.xFileControl` of the engine's files.
  static func control(
    _ file: any File, _ structure: UnsafeMutablePointer<sqlite3_file>, _ code: Int32,
    _ argument: UnsafeMutableRawPointer?
  ) -> Int32 {
    if code == SQLITE_FCNTL_BUSYHANDLER { return SQLITE_NOTFOUND }
    // The engine's files carry out none.
    if code == SQLITE_FCNTL_PRAGMA, argument != nil { return SQLITE_NOTFOUND }
    guard let request = request(code, argument) else { return SQLITE_MISUSE }
    var reply: FileControl.Reply?
    let result = resultCode { () throws(SQLError) in reply = try file.control(request) }
    guard result == SQLITE_OK else { return result }
    guard let reply else { return SQLITE_NOTFOUND }
    if code == SQLITE_FCNTL_VFSNAME, let name = string(vfs(structure)?.pointee.zName) {
      return give(name, to: argument)
    }
    switch reply {
    case .done: return SQLITE_OK
    case .text(let text): return give(text, to: argument)
    case .number(let number):
      give(number, code, to: argument)
      return SQLITE_OK
    }
  }

  /// The engine's request for a code of C's; nil where the argument it needs is missing.
  private static func request(
    _ code: Int32, _ argument: UnsafeMutableRawPointer?
  ) -> FileControl? {
    switch code {
    case SQLITE_FCNTL_OVERWRITE: return .overwrite(0)
    case SQLITE_FCNTL_COMMIT_PHASETWO: return .commitPhaseTwo
    case SQLITE_FCNTL_SYNC:
      let name = argument?.assumingMemoryBound(to: CChar.self)
      return .sync(superJournal: name.map { String(fileName: $0) })
    default: break
    }
    guard let argument else {
      return isKnown(code) ? nil : .other(code: code, argument: nil)
    }
    let number = argument.assumingMemoryBound(to: Int32.self)
    let longNumber = argument.assumingMemoryBound(to: Int64.self)
    switch code {
    case SQLITE_FCNTL_LOCKSTATE: return .lockState
    case SQLITE_FCNTL_LAST_ERRNO: return .lastError
    case SQLITE_FCNTL_SIZE_HINT: return .sizeHint(longNumber.pointee)
    case SQLITE_FCNTL_CHUNK_SIZE: return .chunkSize(Int(number.pointee))
    case SQLITE_FCNTL_PERSIST_WAL: return .keepsWriteAheadLog(flag(number.pointee))
    case SQLITE_FCNTL_POWERSAFE_OVERWRITE: return .powersafeOverwrite(flag(number.pointee))
    case SQLITE_FCNTL_VFSNAME: return .vfsName
    case SQLITE_FCNTL_TEMPFILENAME: return .temporaryFileName
    case SQLITE_FCNTL_MMAP_SIZE: return .mappedSize(longNumber.pointee)
    case SQLITE_FCNTL_HAS_MOVED: return .hasMoved
    case SQLITE_FCNTL_SIZE_LIMIT: return .sizeLimit(longNumber.pointee)
    case SQLITE_FCNTL_LOCK_TIMEOUT: return .lockTimeout(number.pointee)
    case SQLITE_FCNTL_EXTERNAL_READER: return .externalReader
    default: return .other(code: code, argument: argument)
    }
  }

  /// Whether a request needs its argument.
  private static func isKnown(_ code: Int32) -> Bool {
    [
      SQLITE_FCNTL_LOCKSTATE, SQLITE_FCNTL_LAST_ERRNO, SQLITE_FCNTL_SIZE_HINT,
      SQLITE_FCNTL_CHUNK_SIZE, SQLITE_FCNTL_PERSIST_WAL, SQLITE_FCNTL_POWERSAFE_OVERWRITE,
      SQLITE_FCNTL_VFSNAME, SQLITE_FCNTL_TEMPFILENAME, SQLITE_FCNTL_MMAP_SIZE,
      SQLITE_FCNTL_HAS_MOVED, SQLITE_FCNTL_SIZE_LIMIT, SQLITE_FCNTL_LOCK_TIMEOUT,
      SQLITE_FCNTL_EXTERNAL_READER, SQLITE_FCNTL_PRAGMA,
    ].contains(code)
  }

  private static func flag(_ number: Int32) -> Bool? { number < 0 ? nil : number != 0 }

  /// Puts the answer where the question was.
  private static func give(_ value: Int64, _ code: Int32, to argument: UnsafeMutableRawPointer?) {
    switch code {
    case SQLITE_FCNTL_MMAP_SIZE, SQLITE_FCNTL_SIZE_LIMIT:
      argument?.assumingMemoryBound(to: Int64.self).pointee = value
    case SQLITE_FCNTL_PERSIST_WAL, SQLITE_FCNTL_POWERSAFE_OVERWRITE:
      let number = argument?.assumingMemoryBound(to: Int32.self)
      // A flag that was set is not read.
      if let number, number.pointee < 0 { number.pointee = Int32(truncatingIfNeeded: value) }
    default:
      argument?.assumingMemoryBound(to: Int32.self).pointee = Int32(truncatingIfNeeded: value)
    }
  }

  private static func give(_ text: String, to argument: UnsafeMutableRawPointer?) -> Int32 {
    guard let copy = allocatedCString(text) else { return SQLITE_NOMEM }
    argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee = copy
    return SQLITE_OK
  }
}
