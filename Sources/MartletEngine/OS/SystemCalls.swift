#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif

/// The system calls that a program may put its own functions in place of, by SQLite's names
/// (c3ref/vfs, `xSetSystemCall`): for tests that want calls to fail. It is meant for the time
/// before files are open; nil stands for the system's own.
public enum SystemCalls {
  public typealias Pointer = UnsafeMutableRawPointer

  typealias Path = UnsafePointer<CChar>
  nonisolated(unsafe) static var open: (@convention(c) (Path, Int32, Int32) -> Int32)?
  nonisolated(unsafe) static var close: (@convention(c) (Int32) -> Int32)?
  nonisolated(unsafe) static var access: (@convention(c) (Path, Int32) -> Int32)?
  nonisolated(unsafe) static var getcwd:
    (@convention(c) (UnsafeMutablePointer<CChar>, Int) -> UnsafeMutablePointer<CChar>?)?
  nonisolated(unsafe) static var stat: (@convention(c) (Path, Pointer) -> Int32)?
  nonisolated(unsafe) static var fstat: (@convention(c) (Int32, Pointer) -> Int32)?
  nonisolated(unsafe) static var ftruncate: (@convention(c) (Int32, off_t) -> Int32)?
  nonisolated(unsafe) static var fcntl: (@convention(c) (Int32, Int32, Pointer) -> Int32)?
  nonisolated(unsafe) static var pread:
    (@convention(c) (Int32, UnsafeMutableRawPointer, Int, off_t) -> Int)?
  nonisolated(unsafe) static var pwrite:
    (@convention(c) (Int32, UnsafeRawPointer, Int, off_t) -> Int)?
  nonisolated(unsafe) static var fchmod: (@convention(c) (Int32, mode_t) -> Int32)?
  nonisolated(unsafe) static var unlink: (@convention(c) (Path) -> Int32)?
  nonisolated(unsafe) static var mkdir: (@convention(c) (Path, mode_t) -> Int32)?
  nonisolated(unsafe) static var rmdir: (@convention(c) (Path) -> Int32)?
  nonisolated(unsafe) static var fchown: (@convention(c) (Int32, uid_t, gid_t) -> Int32)?
  nonisolated(unsafe) static var geteuid: (@convention(c) () -> uid_t)?
  nonisolated(unsafe) static var mmap:
    (@convention(c) (Pointer?, Int, Int32, Int32, Int32, off_t) -> Pointer?)?
  nonisolated(unsafe) static var munmap: (@convention(c) (Pointer, Int) -> Int32)?
  nonisolated(unsafe) static var readlink:
    (@convention(c) (Path, UnsafeMutablePointer<CChar>, Int) -> Int)?
  nonisolated(unsafe) static var lstat: (@convention(c) (Path, Pointer) -> Int32)?

  private struct Entry {
    let name: String
    let replacement: () -> Pointer?
    let replace: (Pointer?) -> Void
  }

  nonisolated(unsafe) private static let entries = [
    Entry(name: "open", replacement: { cast(open) }, replace: { open = cast($0) }),
    Entry(name: "close", replacement: { cast(close) }, replace: { close = cast($0) }),
    Entry(name: "access", replacement: { cast(access) }, replace: { access = cast($0) }),
    Entry(name: "getcwd", replacement: { cast(getcwd) }, replace: { getcwd = cast($0) }),
    Entry(name: "stat", replacement: { cast(stat) }, replace: { stat = cast($0) }),
    Entry(name: "fstat", replacement: { cast(fstat) }, replace: { fstat = cast($0) }),
    Entry(name: "ftruncate", replacement: { cast(ftruncate) }, replace: { ftruncate = cast($0) }),
    Entry(name: "fcntl", replacement: { cast(fcntl) }, replace: { fcntl = cast($0) }),
    Entry(name: "pread", replacement: { cast(pread) }, replace: { pread = cast($0) }),
    Entry(name: "pwrite", replacement: { cast(pwrite) }, replace: { pwrite = cast($0) }),
    Entry(name: "fchmod", replacement: { cast(fchmod) }, replace: { fchmod = cast($0) }),
    Entry(name: "unlink", replacement: { cast(unlink) }, replace: { unlink = cast($0) }),
    Entry(name: "mkdir", replacement: { cast(mkdir) }, replace: { mkdir = cast($0) }),
    Entry(name: "rmdir", replacement: { cast(rmdir) }, replace: { rmdir = cast($0) }),
    Entry(name: "fchown", replacement: { cast(fchown) }, replace: { fchown = cast($0) }),
    Entry(name: "geteuid", replacement: { cast(geteuid) }, replace: { geteuid = cast($0) }),
    Entry(name: "mmap", replacement: { cast(mmap) }, replace: { mmap = cast($0) }),
    Entry(name: "munmap", replacement: { cast(munmap) }, replace: { munmap = cast($0) }),
    Entry(name: "readlink", replacement: { cast(readlink) }, replace: { readlink = cast($0) }),
    Entry(name: "lstat", replacement: { cast(lstat) }, replace: { lstat = cast($0) }),
  ]

  private static func cast<From, To>(_ pointer: From?) -> To? {
    unsafeBitCast(pointer, to: To?.self)
  }

  /// In SQLite's order.
  public static let names = entries.map(\.name)

  /// Puts a function in place of a call, or takes it back.
  ///
  /// - Returns: false for a name that is none of `names`.
  public static func replace(_ name: String, with function: Pointer?) -> Bool {
    guard let entry = entries.first(where: { $0.name == name }) else { return false }
    entry.replace(function)
    return true
  }

  public static func restoreAll() {
    for entry in entries { entry.replace(nil) }
  }

  /// The function that is called: the program's or the system's.
  public static func current(_ name: String) -> Pointer? {
    guard let entry = entries.first(where: { $0.name == name }) else { return nil }
    if let replacement = entry.replacement() { return replacement }
    #if os(WASI)
      return nil
    #else
      // The system's own takes the mode as one of any number of arguments.
      return name == "open" ? cast(openWithMode) : dlsym(nil, name)
    #endif
  }

  private static let openWithMode: (@convention(c) (Path, Int32, Int32) -> Int32)? = {
    System.open($0, $1, permissions: $2)
  }
}
