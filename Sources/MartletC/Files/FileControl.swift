// Requests to the files of a connection, and their names (c3ref/file_control, c3ref/db_filename).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_file_control(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ code: Int32,
  _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  guard let engine = engine(database) else { return SQLITE_MISUSE }
  let name = string(name) ?? "main"
  var result = SQLITE_OK
  let failure = resultCode { () throws(SQLError) in
    result = try control(engine, name, code, argument)
  }
  // Of a database that is not there, SQLite says no more.
  return failure == SQLITE_OK ? result : failure
}

/// What the engine knows by itself is answered here; everything else is up to the file.
private func control(
  _ engine: Connection, _ name: String, _ code: Int32, _ argument: UnsafeMutableRawPointer?
) throws(SQLError) -> Int32 {
  switch code {
  case SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER:
    let kind: FileNameBlock.LentFile = code == SQLITE_FCNTL_FILE_POINTER ? .database : .journal
    let file = try engine.withFiles(ofDatabase: name) { files throws(SQLError) in
      try structure(of: kind, in: files)
    }
    argument?.assumingMemoryBound(to: UnsafeMutablePointer<sqlite3_file>?.self).pointee = file
  case SQLITE_FCNTL_VFS_POINTER:
    let vfs = try engine.withFiles(ofDatabase: name) { files throws(SQLError) in
      // Databases in memory count as the connection's.
      (files.vfs as? AdaptedVFS ?? engine.vfs as? AdaptedVFS)?.structure
    }
    argument?.assumingMemoryBound(to: UnsafeMutablePointer<sqlite3_vfs>?.self).pointee =
      vfs ?? VFSList.find(nil)
  case SQLITE_FCNTL_DATA_VERSION:
    let version = try engine.dataVersion(ofDatabase: name)
    argument?.assumingMemoryBound(to: UInt32.self).pointee = version
  case SQLITE_FCNTL_RESERVE_BYTES:
    let count = try engine.reservedByteCount(ofDatabase: name)
    guard let number = argument?.assumingMemoryBound(to: Int32.self) else { return SQLITE_OK }
    let wanted = Int(number.pointee)
    number.pointee = Int32(count)
    if (0...255).contains(wanted) {
      try engine.setReservedByteCount(wanted, ofDatabase: name)
    }
  case SQLITE_FCNTL_RESET_CACHE: try engine.clearCache(ofDatabase: name)
  default:
    return try engine.withFiles(ofDatabase: name) { files throws(SQLError) in
      if let file = files.file as? AdaptedFile { return file.control(code, argument) }
      // What was made of bytes is asked for its limit.
      if code == SQLITE_FCNTL_SIZE_LIMIT, files.file.traits.contains(.isLimited) {
        guard let limit = argument?.assumingMemoryBound(to: Int64.self),
          case .number(let number)? = try files.file.control(.sizeLimit(limit.pointee))
        else { return SQLITE_NOTFOUND }
        limit.pointee = number
        return SQLITE_OK
      }
      // A database in memory or in a temporary file has none that could be asked.
      guard !files.name.path.isEmpty else { return SQLITE_NOTFOUND }
      let structure = try structure(of: .database, in: files)
      guard let method = structure.pointee.pMethods?.pointee.xFileControl else {
        return SQLITE_NOTFOUND
      }
      return method(structure, code, argument)
    }
  }
  return SQLITE_OK
}

/// The `sqlite3_file` of a database or its journal. While there is no file, it has no methods.
private func structure(
  of kind: FileNameBlock.LentFile, in files: DatabaseFiles
) throws(SQLError) -> UnsafeMutablePointer<sqlite3_file> {
  let hasFiles = !files.name.path.isEmpty
  let file = kind == .database ? files.file : files.journal
  if let file = file as? AdaptedFile { return file.structure }
  if let file = file as? LentFile { return file.structure }
  let block = try FileNameBlock.of(files.name)
  let structure = try block.lend(kind, hasFiles ? file : nil)
  // From now on the program may put methods of its own between the engine and the file.
  if kind == .database, hasFiles {
    files.replaceFile(by: LentFile(files.file, structure))
  }
  return structure
}

extension FileNameBlock {
  /// A structure for one of the engine's own files, always the same; closed for nil.
  fileprivate func lend(
    _ kind: LentFile, _ file: (any File)?
  ) throws(SQLError) -> UnsafeMutablePointer<sqlite3_file> {
    let memory: UnsafeMutableRawPointer
    if let known = lentFiles[kind] {
      memory = UnsafeMutableRawPointer(known)
      NativeFile.forget(known)
    } else {
      guard let new = calloc(1, MemoryLayout<NativeFile>.size) else {
        throw SQLError(.outOfMemory)
      }
      memory = new
    }
    let structure = memory.assumingMemoryBound(to: sqlite3_file.self)
    lentFiles[kind] = structure
    structure.pointee.pMethods = nil
    if let file { NativeFile.initialize(structure, file, nil) }
    return structure
  }
}

@c @implementation
public func sqlite3_db_filename(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!
) -> sqlite3_filename! {
  guard let engine = engine(database) else { return nil }
  var result: UnsafePointer<CChar>?
  _ = resultCode { () throws(SQLError) in
    result = try engine.withFiles(ofDatabase: string(name) ?? "main") { files throws(SQLError) in
      if files.file.traits.contains(.inMemory) { return UnsafePointer(FileNameBlock.nameless) }
      return UnsafePointer(try FileNameBlock.of(files.name).database)
    }
  }
  return result
}
