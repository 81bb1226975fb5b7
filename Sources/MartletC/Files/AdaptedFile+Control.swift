// Requests of the engine to files of C's VFSs (c3ref/c_fcntl_begin_atomic_write).
import CSQLite3
import MartletEngine

extension AdaptedFile {
  /// The bare call; SQLITE_NOTFOUND where there is nobody to ask.
  func control(_ code: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    guard let method = structure.pointee.pMethods?.pointee.xFileControl else {
      return SQLITE_NOTFOUND
    }
    return method(structure, code, argument)
  }

  func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply? {
    switch request {
    case .lockState: return try number32(SQLITE_FCNTL_LOCKSTATE, 0)
    case .lastError: return try number32(SQLITE_FCNTL_LAST_ERRNO, 0)
    case .sizeHint(let size): return try number64(SQLITE_FCNTL_SIZE_HINT, size)
    case .chunkSize(let size):
      return try number32(SQLITE_FCNTL_CHUNK_SIZE, Int32(clamping: size))
    case .keepsWriteAheadLog(let value): return try flag(SQLITE_FCNTL_PERSIST_WAL, value)
    case .powersafeOverwrite(let value): return try flag(SQLITE_FCNTL_POWERSAFE_OVERWRITE, value)
    case .overwrite(let size): return try number64(SQLITE_FCNTL_OVERWRITE, size)
    case .vfsName: return try text(SQLITE_FCNTL_VFSNAME)
    case .temporaryFileName: return try text(SQLITE_FCNTL_TEMPFILENAME)
    case .pragma(let name, let argument): return try pragma(name, argument)
    case .busyHandler(let handler):
      let callback = BusyCallback(handler)
      busyCallback?.deallocate()
      busyCallback = callback
      return try reply(control(SQLITE_FCNTL_BUSYHANDLER, callback.pair))
    case .mappedSize(let size): return try number64(SQLITE_FCNTL_MMAP_SIZE, size)
    case .hasMoved: return try number32(SQLITE_FCNTL_HAS_MOVED, 0)
    case .sync(let superJournal):
      guard let superJournal else { return try reply(control(SQLITE_FCNTL_SYNC, nil)) }
      let code = superJournal.withFileName {
        control(SQLITE_FCNTL_SYNC, UnsafeMutableRawPointer(mutating: $0))
      }
      return try reply(code)
    case .commitPhaseTwo: return try reply(control(SQLITE_FCNTL_COMMIT_PHASETWO, nil))
    case .sizeLimit(let limit): return try number64(SQLITE_FCNTL_SIZE_LIMIT, limit)
    case .lockTimeout(let milliseconds):
      return try number32(SQLITE_FCNTL_LOCK_TIMEOUT, milliseconds)
    case .externalReader: return try number32(SQLITE_FCNTL_EXTERNAL_READER, 0)
    case .other(let code, let argument): return try reply(control(code, argument))
    }
  }

  private func reply(_ code: Int32) throws(SQLError) -> FileControl.Reply? {
    if code == SQLITE_NOTFOUND { return nil }
    try check(code)
    return .done
  }

  private func number32(_ code: Int32, _ value: Int32) throws(SQLError) -> FileControl.Reply? {
    var value = value
    guard try reply(control(code, &value)) != nil else { return nil }
    return .number(Int64(value))
  }

  private func number64(_ code: Int32, _ value: Int64) throws(SQLError) -> FileControl.Reply? {
    var value = value
    guard try reply(control(code, &value)) != nil else { return nil }
    return .number(value)
  }

  private func flag(_ code: Int32, _ value: Bool?) throws(SQLError) -> FileControl.Reply? {
    try number32(code, value.map { $0 ? 1 : 0 } ?? -1)
  }

  private func text(_ code: Int32) throws(SQLError) -> FileControl.Reply? {
    var result: UnsafeMutablePointer<CChar>?
    guard try reply(control(code, &result)) != nil else { return nil }
    defer { sqlite3_free(result) }
    return .text(string(result) ?? "")
  }

  /// The VFS may leave a text, which is the result or the message of the error.
  private func pragma(
    _ name: String, _ argument: String?
  ) throws(SQLError) -> FileControl.Reply? {
    var made: UnsafeMutablePointer<CChar>?
    let code = name.withCString { name in
      guard let argument else { return pragma(name, nil, &made) }
      return argument.withCString { pragma(name, $0, &made) }
    }
    let text = string(made)
    sqlite3_free(made)
    switch code {
    case SQLITE_NOTFOUND: return nil
    case SQLITE_OK: return text.map { .text($0) } ?? .done
    default:
      let code = ResultCode(rawValue: code)
      throw text.map { SQLError(code, $0) } ?? SQLError(code)
    }
  }

  private func pragma(
    _ name: UnsafePointer<CChar>, _ argument: UnsafePointer<CChar>?,
    _ made: inout UnsafeMutablePointer<CChar>?
  ) -> Int32 {
    var strings = (made, name, argument, nil as OpaquePointer?)
    let code = control(SQLITE_FCNTL_PRAGMA, &strings)
    made = strings.0
    return code
  }
}

/// A function and its argument, by which a VFS of C asks whether to wait for a lock.
struct BusyCallback {
  let pair: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let handler: Unmanaged<Handler>

  private final class Handler {
    let retries: () -> Bool
    init(_ retries: @escaping () -> Bool) { self.retries = retries }
  }

  init(_ retries: @escaping () -> Bool) {
    handler = Unmanaged.passRetained(Handler(retries))
    pair = .allocate(capacity: 2)
    let function: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { argument in
      guard let argument else { return 0 }
      return Unmanaged<Handler>.fromOpaque(argument).takeUnretainedValue().retries() ? 1 : 0
    }
    pair.initialize(to: unsafeBitCast(function, to: UnsafeMutableRawPointer.self))
    (pair + 1).initialize(to: handler.toOpaque())
  }

  func deallocate() {
    pair.deallocate()
    handler.release()
  }
}
