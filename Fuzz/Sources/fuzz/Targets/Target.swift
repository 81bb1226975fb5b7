import CSQLite3
import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What the bytes of an input are taken for.
enum Target: String, CaseIterable {
  /// SQL on a small database in memory.
  case sql
  /// A database file and SQL.
  case image
  /// A database file, a hot journal beside it, and SQL.
  case journal
  /// A database file, its write-ahead log and the log's index, and SQL.
  case log
  /// A document, a path and a value for all JSON functions.
  case json
  /// A function and values for it.
  case function
  /// SQL on full-text tables and R-trees, with other values in their shadow tables.
  case search
  /// Two changesets that may be anything, and how they are applied.
  case changes
  /// Calls of the C interface, with handles that may be wrong or dead.
  case calls
  /// The same from three threads at a time.
  case threads

  /// How many parts an input has (`Parts`); 1 where it has no lengths in it.
  var partCount: Int {
    switch self {
    case .sql, .function, .calls: 1
    case .image, .json, .threads, .search, .changes: 3
    case .journal: 4
    case .log: 5
    }
  }

  /// Which part is a database file, if any.
  var imagePart: Int? { self == .image || self == .journal || self == .log ? 1 : nil }

  nonisolated(unsafe) private static var random: UInt64 = 0

  /// Once, before the first input.
  func prepare() {
    setenv("TZ", "UTC", 1)
    if self != .calls, self != .threads {
      MemoryUse.begin(countingBy: {
        #if canImport(Darwin)
          malloc_size($0)
        #else
          malloc_usable_size($0)
        #endif
      })
      // `random()` gives the same numbers in every run.
      MartletEngine.RandomSource.shared = { target in
        for index in target.indices {
          Target.random = Target.random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          target[index] = UInt8(truncatingIfNeeded: Target.random >> 56)
        }
      }
    }
    FuzzVFS.takeOver()
    // What is made once.
    sqlite3_initialize()
    _ = sqlite3_column_value(nil, 0)
    runUnchecked(UnsafeBufferPointer(start: nil, count: 0))
  }

  func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    // An input that sets a limit or leaves files does so for itself.
    MemoryUse.setHardLimit(0)
    MemoryUse.setHardLimit(Session.heapLimit)
    MemoryUse.setSoftLimit(0)
    Target.random = 0
    let used = MemoryUse.byteCount().current
    runUnchecked(bytes)
    FuzzVFS.shared.clear()
    // What leaked would end at the limit, inputs later. Two targets keep their statements.
    let leaked = MemoryUse.byteCount().current - used
    guard leaked == 0 || self == .json || self == .function else {
      printError("\(leaked) bytes are not given back")
      abort()
    }
  }

  private func runUnchecked(_ bytes: UnsafeBufferPointer<UInt8>) {
    switch self {
    case .sql: SQLTarget.run(bytes)
    case .image, .journal, .log: FileTarget.run(Parts(bytes, count: partCount), self)
    case .json: JSONTarget.run(Parts(bytes, count: partCount))
    case .function: FunctionTarget.run(bytes)
    case .search: SearchTarget.run(Parts(bytes, count: partCount))
    case .changes: ChangesTarget.run(Parts(bytes, count: partCount))
    case .calls: CallsTarget.run(bytes)
    case .threads: CallsTarget.runThreads(Parts(bytes, count: partCount))
    }
  }
}
