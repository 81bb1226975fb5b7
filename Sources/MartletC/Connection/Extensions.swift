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
  for place in automaticExtensions.withLock({ $0 }) {
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
  handle.core.loadsExtensions = isOn != 0
  handle.core.sqlLoadsExtensions = isOn != 0
  return SQLITE_OK
}

@c @implementation
public func sqlite3_load_extension(
  _ database: OpaquePointer!, _ file: UnsafePointer<CChar>!, _ entry: UnsafePointer<CChar>!,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  message?.pointee = nil
  guard let handle = ConnectionHandle(database), let file = string(file) else {
    return SQLITE_MISUSE
  }
  guard let failure = loadExtension(handle, file, string(entry)) else { return handle.succeed() }
  message?.pointee = allocatedCString(failure)
  return handle.fail(SQLITE_ERROR, failure)
}

/// Loads a library and calls its entry point; gives what is wrong.
private func loadExtension(
  _ handle: ConnectionHandle, _ file: String, _ entry: String?
) -> String? {
  guard handle.core.loadsExtensions else { return "not authorized" }
  guard !file.isEmpty, file.utf8.count <= Int(PATH_MAX) else {
    return "unable to open shared library [\(file.prefix(Int(PATH_MAX)))]"
  }
  let mode = RTLD_NOW | RTLD_GLOBAL
  guard let library = dlopen(file, mode) ?? dlopen(file + ".so", mode)
  else {
    return dlerror().map { String(cString: $0) } ?? "unable to open shared library [\(file)]"
  }
  let names = entry.map { [$0] } ?? ["sqlite3_extension_init", entryPoint(ofFile: file)]
  guard let symbol = names.lazy.compactMap({ dlsym(library, $0) }).first else {
    let name = names.last ?? ""
    dlclose(library)
    return "no entry point [\(name)] in shared library [\(file)]"
  }
  let function = unsafeBitCast(symbol, to: ExtensionFunction.self)
  var message: UnsafeMutablePointer<CChar>?
  let code = function(handle.opaque, &message, martlet_api_routines())
  defer { sqlite3_free(message) }
  if code == SQLITE_OK | 1 << 8 { return nil }
  guard code == SQLITE_OK else {
    dlclose(library)
    return "error during initialization: \(string(message) ?? "(null)")"
  }
  nonisolated(unsafe) let loaded = library
  handle.core.destructors.append { dlclose(loaded) }
  return nil
}

/// `sqlite3_X_init`, where X are the letters of the file's name behind `lib` and before the dot.
private func entryPoint(ofFile path: String) -> String {
  var name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
  if name.count > 3 && String(decoding: name[..<3], as: UTF8.self).lowercased() == "lib" {
    name.removeFirst(3)
  }
  let letters = name.prefix { $0 != UInt8(ascii: ".") }.filter { byte in
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
  }
  return "sqlite3_\(String(decoding: letters.map { $0 | 0x20 }, as: UTF8.self))_init"
}
