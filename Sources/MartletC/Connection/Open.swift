// Opening and closing connections (c3ref/open, c3ref/close).
import CSQLite3
import MartletEngine
import MartletSearch
import MartletSpatial

@c @implementation
public func sqlite3_open(
  _ filename: UnsafePointer<CChar>!, _ database: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  open(filename, database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
}

@c @implementation
public func sqlite3_open_v2(
  _ filename: UnsafePointer<CChar>!, _ database: UnsafeMutablePointer<OpaquePointer?>!,
  _ flags: Int32, _ vfs: UnsafePointer<CChar>!
) -> Int32 {
  open(filename, database, flags, vfs)
}

/// A database that this makes is in UTF-16.
@c @implementation
public func sqlite3_open16(
  _ filename: UnsafeRawPointer!, _ database: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  guard let database else { return SQLITE_MISUSE }
  var name = utf8(filename)
  let code = name.withUTF8 { bytes in
    withTerminated(bytes) {
      open($0, database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    }
  }
  if code == SQLITE_OK {
    sqlite3_exec(database.pointee, "PRAGMA encoding = 'UTF-16'", nil, nil, nil)
  }
  return code & 0xff
}

private func open(
  _ filename: UnsafePointer<CChar>?, _ database: UnsafeMutablePointer<OpaquePointer?>?,
  _ flags: Int32, _ vfs: UnsafePointer<CChar>?
) -> Int32 {
  guard let database else { return SQLITE_MISUSE }
  database.pointee = nil
  let code = sqlite3_initialize()
  guard code == SQLITE_OK else { return code }
  var engine: Connection?, failure: SQLError?, search: FTS5Extension?
  do throws(SQLError) {
    // Read-only, read-write, or that and create: nothing else is a way to open.
    guard [1, 2, 6].contains(flags & 7) else { throw SQLError(.misuse) }
    var options = OpenFlags(rawValue: flags & openFlagsMask)
    if Library.settings.opensURIs { options.insert(.uri) }
    if options.contains(.privateCache) {
      options.remove(.sharedCache)
    } else if Library.settings.sharesMemory {
      options.insert(.sharedCache)
    }
    engine = try Connection(
      path: filename.map { String(fileName: $0) } ?? "", flags: options, vfs: string(vfs))
    if !Library.settings.scansCoveringIndexes { engine?.scansCoveringIndexes = false }
    search = try engine?.registerSearch()
    try engine?.registerSpatial()
  } catch {
    // Without memory there is nothing to ask, either.
    if error.code == .outOfMemory { return SQLITE_NOMEM }
    failure = error
  }
  guard let handle = ConnectionHandle.make(engine) else { return SQLITE_NOMEM }
  handle.pointee.hasExtendedCodes = flags & SQLITE_OPEN_EXRESCODE != 0
  engine?.hasExtendedCodes = handle.pointee.hasExtendedCodes
  database.pointee = handle.opaque
  if let failure { return handle.fail(failure) }
  handle.watchPreparations()
  do throws(SQLError) {
    try handle.createSearchInterface(search)
  } catch {
    guard error.code == .outOfMemory else { return handle.fail(error) }
    database.pointee = nil
    handle.end()
    return SQLITE_NOMEM
  }
  return loadAutomaticExtensions(handle)
}

/// What a program may ask for; the kinds of files are for VFSs.
private let openFlagsMask =
  SQLITE_OPEN_READONLY | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
  | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_SHAREDCACHE | SQLITE_OPEN_PRIVATECACHE

@c @implementation
public func sqlite3_close(_ database: OpaquePointer!) -> Int32 {
  close(database, waiting: false)
}

@c @implementation
public func sqlite3_close_v2(_ database: OpaquePointer!) -> Int32 {
  close(database, waiting: true)
}

private func close(_ database: OpaquePointer?, waiting: Bool) -> Int32 {
  guard database != nil else { return SQLITE_OK }
  guard let handle = ConnectionHandle(database), !handle.core.isZombie else {
    return SQLITE_MISUSE
  }
  handle.core.enter()
  handle.core.engine?.disconnectVirtualTables()
  let isInUse = handle.core.dependentCount > 0
  handle.core.isZombie = isInUse && waiting
  handle.core.leave()
  if isInUse && !waiting {
    return handle.fail(
      SQLITE_BUSY, "unable to close due to unfinalized statements or unfinished backups")
  }
  handle.core.freeClientData()
  if !isInUse { handle.end() }
  return SQLITE_OK
}

extension ConnectionHandle {
  /// A statement that is prepared again ends what was wrong before, as preparing does; where its
  /// first step has found that out, the text of that remains.
  fileprivate func watchPreparations() {
    nonisolated(unsafe) let handle = self
    core.engine?.preparedAgain = { hasFailed in
      handle.clearAll()
      guard hasFailed else { return }
      handle.fail(SQLITE_SCHEMA, string(sqlite3_errstr(SQLITE_SCHEMA)))
    }
  }

  /// Closes the engine's connection and frees the handle.
  func end() {
    do throws(SQLError) {
      try core.engine?.close()
    } catch {
      // Nothing depends on it: the only error that closing has.
      assertionFailure("\(error)")
    }
    destroy()
  }

  /// A statement, blob or backup keeps the connection.
  func dependentBegins() {
    locked { $0.dependentCount += 1 }
  }

  /// It has ended: a connection that only waited for it ends too. Threads that end the last two of
  /// them at the same time end the connection once.
  func dependentEnds() {
    let isLast = locked { core in
      core.dependentCount -= 1
      return core.isZombie && core.dependentCount == 0
    }
    if isLast { end() }
  }
}
