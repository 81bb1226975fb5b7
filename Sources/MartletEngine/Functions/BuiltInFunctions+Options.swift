import Synchronization

extension BuiltInFunctions {
  /// The options of SQLite that describe this engine.
  private static let ownOptions: [StaticString] = [
    "ENABLE_CARRAY", "ENABLE_COLUMN_METADATA", "ENABLE_DBPAGE_VTAB", "ENABLE_DBSTAT_VTAB",
    "ENABLE_MATH_FUNCTIONS", "ENABLE_PERCENTILE", "ENABLE_PREUPDATE_HOOK", "ENABLE_SNAPSHOT",
    "ENABLE_STAT4", "ENABLE_STMTVTAB", "ENABLE_STMT_SCANSTATUS", "ENABLE_UNLOCK_NOTIFY",
    "ENABLE_UPDATE_DELETE_LIMIT", "MAX_ATTACHED=10", "MAX_COLUMN=2000",
    "MAX_COMPOUND_SELECT=500", "MAX_EXPR_DEPTH=1000", "MAX_FUNCTION_ARG=1000",
    "MAX_LENGTH=1000000000", "MAX_LIKE_PATTERN_LENGTH=50000", "MAX_PAGE_SIZE=65536",
    "MAX_SQL_LENGTH=1000000000", "MAX_TRIGGER_DEPTH=1000", "MAX_VARIABLE_NUMBER=32766",
    "SOUNDEX", "TEMP_STORE=1", "THREADSAFE=1",
  ]

  /// With those of modules that were registered.
  private static let options = Mutex(ownOptions)

  /// What `PRAGMA compile_options` lists.
  static var compileOptions: [StaticString] { options.withLock { $0 } }

  fileprivate static func add(option: StaticString) {
    options.withLock { options in
      let text = option.description
      let place = options.firstIndex { $0.description >= text } ?? options.count
      if place < options.count && options[place].description == text { return }
      options.insert(option, at: place)
    }
  }

  @Sendable static func option(_ call: FunctionContext) {
    let index = call.integer(0), options = compileOptions
    guard index >= 0 && index < Int64(options.count) else { return call.setNull() }
    call.setStatic(options[Int(index)])
  }

  /// The name may begin with `SQLITE_`; a value after `=` need not be given.
  @Sendable static func isOptionUsed(_ call: FunctionContext) throws(SQLError) {
    guard let name = try call.cString(0) else { return call.setNull() }
    call.setInteger(isOptionUsed(name) ? 1 : 0)
  }

  static func isOptionUsed(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var name = name
    let prefix: StaticString = "SQLITE_"
    if name.count >= 7 && isEqual(name.baseAddress.unsafelyUnwrapped, prefix.utf8Start, 7) {
      name = UnsafeBufferPointer(rebasing: name[7...])
    }
    return compileOptions.contains { option in
      let count = option.utf8CodeUnitCount
      guard count >= name.count,
        isEqual(name.baseAddress ?? Register.emptyBytes, option.utf8Start, name.count)
      else { return false }
      return count == name.count || !isIdentifier(option.utf8Start[name.count])
    }
  }

  private static func isEqual(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int
  ) -> Bool {
    (0..<count).allSatisfy { ASCII.lower(left[$0]) == ASCII.lower(right[$0]) }
  }

  private static func isIdentifier(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
  }
}

/// The options that `PRAGMA compile_options` lists (c3ref/compileoption_get).
public enum CompileOptions {
  public static var count: Int { BuiltInFunctions.compileOptions.count }

  /// Without the prefix `SQLITE_`.
  public static func name(at index: Int) -> StaticString { BuiltInFunctions.compileOptions[index] }

  /// Says that a part of SQLite is there which is no part of the engine, as `ENABLE_RTREE`, for all
  /// connections of the process. What is there already stays as it is.
  public static func add(_ option: StaticString) { BuiltInFunctions.add(option: option) }

  /// The name may begin with `SQLITE_`; a value after `=` need not be given.
  public static func isUsed(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    BuiltInFunctions.isOptionUsed(name)
  }
}
