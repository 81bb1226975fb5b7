// Extensions: libraries that are loaded, and functions that each new connection calls
// (c3ref/load_extension, c3ref/auto_extension).
import CSQLite3
import MartletEngine
import Synchronization

typealias ExtensionEntry = @convention(c) () -> Void
/// What such a function really is.
private typealias ExtensionFunction =
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer?
  ) -> Int32

private let automaticExtensions = Mutex<[UInt]>([])

private func address(_ entry: ExtensionEntry?) -> UInt {
  UInt(bitPattern: unsafeBitCast(entry, to: UnsafeRawPointer?.self))
}

@c @implementation
public func sqlite3_auto_extension(_ entry: (@convention(c) () -> Void)!) -> Int32 {
  guard entry != nil else { return SQLITE_MISUSE }
  let code = sqlite3_initialize()
  guard code == SQLITE_OK else { return code }
  let place = address(entry)
  automaticExtensions.withLock { known in if !known.contains(place) { known.append(place) } }
  return SQLITE_OK
}

@c @implementation
public func sqlite3_cancel_auto_extension(_ entry: (@convention(c) () -> Void)!) -> Int32 {
  let place = address(entry)
  return automaticExtensions.withLock { known in
    guard let index = known.lastIndex(of: place) else { return 0 }
    known.remove(at: index)
    return 1
  }
}

@c @implementation
public func sqlite3_reset_auto_extension() { automaticExtensions.withLock { $0.removeAll() } }

/// Calls the functions of a new connection; what one of them fails with is what opening fails with.
func loadAutomaticExtensions(_ handle: ConnectionHandle) -> Int32 {
  // One of them may take others out, or add some, for this connection, too.
  var next = 0
  while let place = automaticExtensions.withLock({ next < $0.count ? $0[next] : nil }) {
    next += 1
    guard let pointer = UnsafeRawPointer(bitPattern: place) else { continue }
    let function = unsafeBitCast(pointer, to: ExtensionFunction.self)
    var message: UnsafeMutablePointer<CChar>?
    let code = function(handle.opaque, &message, martlet_api_routines())
    defer { sqlite3_free(message) }
    guard code != SQLITE_OK else { continue }
    return handle.fail(
      code, "automatic extension loading failed: \(string(message) ?? "(null)")")
  }
  return SQLITE_OK
}

@c @implementation
public func sqlite3_enable_load_extension(_ database: OpaquePointer!, _ isOn: Int32) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  handle.core.enter()
  defer { handle.core.leave() }
  handle.core.loadsExtensions = isOn != 0
  handle.core.engine?.extensionLoader =
    isOn == 0
    ? nil
    : { file, entry throws(SQLError) in
      if let failure = loadExtension(handle, file, entry) { throw SQLError(.error, failure) }
    }
  return SQLITE_OK
}

@c @implementation
public func sqlite3_load_extension(
  _ database: OpaquePointer!, _ file: UnsafePointer<CChar>!, _ entry: UnsafePointer<CChar>!,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  message?.pointee = nil
  guard let handle = ConnectionHandle(database), let file else { return SQLITE_MISUSE }
  handle.core.enter()
  defer { handle.core.leave() }
  // The connection's own error stays as it is.
  guard let failure = loadExtension(handle, String(fileName: file), string(entry)) else {
    return SQLITE_OK
  }
  message?.pointee = allocatedCString(failure)
  return SQLITE_ERROR
}

/// Loads a library through the connection's VFS and calls its entry point; gives what is wrong.
private func loadExtension(
  _ handle: ConnectionHandle, _ file: String, _ entry: String?
) -> String? {
  guard handle.core.loadsExtensions else { return "not authorized" }
  guard let loader = LibraryLoader(handle) else {
    return "unable to open shared library [\(file.legibleFileName)]"
  }
  let isName = !file.isEmpty && file.utf8.count <= Int(PATH_MAX)
  guard let library = isName ? loader.open(file) ?? loader.open(file + ".so") : nil else {
    return loader.error(
      or: "unable to open shared library [\(file.legibleFileName.prefix(Int(PATH_MAX)))]")
  }
  let names = entry.map { [$0] } ?? ["sqlite3_extension_init"] + entryPoints(ofFile: file)
  var found: (@convention(c) () -> Void)?
  for name in names where found == nil { found = loader.symbol(name, in: library) }
  guard let symbol = found else {
    let failure = loader.error(
      or: "no entry point [\(names.last ?? "")] in shared library [\(file.legibleFileName)]")
    loader.close(library)
    return failure
  }
  let function = unsafeBitCast(symbol, to: ExtensionFunction.self)
  var message: UnsafeMutablePointer<CChar>?
  let code = function(handle.opaque, &message, martlet_api_routines())
  defer { sqlite3_free(message) }
  if code == SQLITE_OK | 1 << 8 { return nil }
  guard code == SQLITE_OK else {
    loader.close(library)
    return "error during initialization: \(string(message) ?? "(null)")"
  }
  nonisolated(unsafe) let loaded = library
  handle.core.destructors.append { loader.close(loaded) }
  return nil
}

/// What a VFS has for libraries.
private struct LibraryLoader: @unchecked Sendable {
  private let vfs: UnsafeMutablePointer<sqlite3_vfs>

  /// nil where the connection's VFS has no such methods.
  init?(_ handle: ConnectionHandle) {
    var found: UnsafeMutablePointer<sqlite3_vfs>?
    let code = sqlite3_file_control(handle.opaque, "main", SQLITE_FCNTL_VFS_POINTER, &found)
    guard code == SQLITE_OK, let found, found.pointee.xDlOpen != nil else { return nil }
    vfs = found
  }

  func open(_ file: String) -> UnsafeMutableRawPointer? {
    file.withFileName { vfs.pointee.xDlOpen?(vfs, $0) } ?? nil
  }

  func symbol(
    _ name: String, in library: UnsafeMutableRawPointer
  ) -> (@convention(c) () -> Void)? { vfs.pointee.xDlSym?(vfs, library, name) }

  func close(_ library: UnsafeMutableRawPointer) { vfs.pointee.xDlClose?(vfs, library) }

  /// What the VFS says went wrong, if it says something.
  func error(or failure: String) -> String {
    let said = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { bytes in
      bytes.initialize(repeating: 0)
      vfs.pointee.xDlError?(vfs, Int32(bytes.count), bytes.baseAddress)
      return bytes.baseAddress.flatMap { string($0) } ?? ""
    }
    return said.isEmpty ? failure : said
  }
}

/// `sqlite3_X_init`, where X are the letters of the file's name behind `lib` and before the dot;
/// then with its digits.
private func entryPoints(ofFile path: String) -> [String] {
  var name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
  if name.count > 3 && String(decoding: name[..<3], as: UTF8.self).lowercased() == "lib" {
    name.removeFirst(3)
  }
  let stem = name.prefix { $0 != UInt8(ascii: ".") }
  func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
  }
  func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
  return [stem.filter(isLetter), stem.filter { isLetter($0) || isDigit($0) }].map {
    "sqlite3_\(String(decoding: $0, as: UTF8.self).lowercased())_init"
  }
}
