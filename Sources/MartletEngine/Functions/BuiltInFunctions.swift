/// The functions that every connection has (lang_corefunc, lang_mathfunc, lang_datefunc,
/// lang_aggfunc). Bodies are in the files `BuiltInFunctions+<Topic>`.
enum BuiltInFunctions {
  /// What sqlite_version() gives.
  static let version: StaticString = "3.53.4"

  static let scalars: [ScalarFunction] =
    basic + text + quoting + math + formatting + dateTime + json + connection

  static let aggregates: [AggregateFunction] =
    counting + summing + extremes + concatenating + percentiles + jsonGrouping + windowing

  /// Those that are compiled to jumps or to nothing. Their bodies serve constant folding only.
  private static let inlined: FunctionFlags = [.deterministic, .innocuous, .inline]

  static let basic: [ScalarFunction] = [
    ScalarFunction("coalesce", .atLeast(2), inlined, body: firstNonNull),
    ScalarFunction("ifnull", .exactly(2), inlined, body: firstNonNull),
    ScalarFunction("iif", .atLeast(2), inlined, body: firstTrue),
    ScalarFunction("if", .atLeast(2), inlined, body: firstTrue),
    ScalarFunction("likelihood", .exactly(2), inlined, body: firstArgument),
    ScalarFunction("likely", .exactly(1), inlined, body: firstArgument),
    ScalarFunction("unlikely", .exactly(1), inlined, body: firstArgument),
    ScalarFunction("nullif", .exactly(2), comparing, body: nullIf),
    ScalarFunction("typeof", .exactly(1), [.pure, .headerOnly, .anyEncoding], body: typeOf),
    subtypeOf,
    ScalarFunction("abs", .exactly(1), body: absoluteValue),
    ScalarFunction("sign", .exactly(1), body: sign),
    ScalarFunction("round", .exactly(1), body: round),
    ScalarFunction("round", .exactly(2), body: round),
    ScalarFunction("min", .atLeast(1), comparing, body: minimum),
    ScalarFunction("max", .atLeast(1), comparing, body: maximum),
    ScalarFunction("zeroblob", .exactly(1), body: zeroBlob),
    ScalarFunction("random", .exactly(0), .innocuous, body: random),
    ScalarFunction("randomblob", .exactly(1), .innocuous, body: randomBlob),
  ]

  static let subtypeOf = ScalarFunction(
    "subtype", .exactly(1), [.pure, .subtype, .anyEncoding], body: subtype)

  /// The argument without its subtype: columns of subqueries have none.
  static let withoutSubtype = ScalarFunction(
    "", .exactly(1), inlined.union(.internal), body: firstArgument)

  /// What the operator MATCH calls, and what only virtual tables give a meaning. It counts as the
  /// connection's own, as in SQLite: PRAGMA function_list says so, and it may be taken back.
  static let match = ScalarFunction(overloading: "MATCH", .exactly(2))

  /// Texts compare in the database's encoding: BINARY is another order in UTF-16.
  private static let comparing: FunctionFlags = [
    .pure, .needsCollation, .anyEncoding, .givesArgument,
  ]

  private static let wasConstant: FunctionFlags = [.constantPerStatement, .innocuous]

  static let connection: [ScalarFunction] = [
    ScalarFunction("changes", .exactly(0), .innocuous) { $0.setInteger($0.host.changeCount) },
    ScalarFunction("total_changes", .exactly(0), .innocuous) {
      $0.setInteger($0.host.totalChangeCount)
    },
    ScalarFunction("last_insert_rowid", .exactly(0), .innocuous) {
      $0.setInteger($0.host.lastInsertRowID)
    },
    ScalarFunction("sqlite_version", .exactly(0), wasConstant) { $0.setStatic(version) },
    ScalarFunction("sqlite_source_id", .exactly(0), wasConstant) {
      $0.setStatic("Martlet, compatible with SQLite 3.53.4")
    },
    ScalarFunction("load_extension", .exactly(1), .directOnly, body: loadExtension),
    ScalarFunction("load_extension", .exactly(2), .directOnly, body: loadExtension),
    // There is no log that the message could go to.
    ScalarFunction("sqlite_log", .exactly(2)) { $0.setNull() },
    ScalarFunction("sqlite_compileoption_used", .exactly(1), wasConstant, body: isOptionUsed),
    ScalarFunction("sqlite_compileoption_get", .exactly(1), wasConstant, body: option),
  ]
}

extension BuiltInFunctions {
  @Sendable static func firstArgument(_ call: FunctionContext) throws(SQLError) {
    try call.setArgument(0)
  }

  /// Extensions are machine code of SQLite's own interface: only what has that can load them.
  @Sendable static func loadExtension(_ call: FunctionContext) throws(SQLError) {
    guard let load = call.host.extensionLoader else { throw .sql("not authorized") }
    guard let file = try call.text(0) else { return call.setNull() }
    let entry = call.count == 2 ? try call.text(1) : nil
    try load(untilZero(file), entry.map(untilZero))
    call.setNull()
  }

  private static func untilZero(_ bytes: FunctionContext.Bytes) -> String {
    let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
    let name = UnsafeBufferPointer(rebasing: bytes[..<end])
    return String(fileNameBytes: UnsafeRawBufferPointer(name))
  }

  @Sendable static func firstNonNull(_ call: FunctionContext) throws(SQLError) {
    for index in 0..<call.count where !call.isNull(index) { return try call.setArgument(index) }
    call.setNull()
  }

  @Sendable static func firstTrue(_ call: FunctionContext) throws(SQLError) {
    var index = 0
    while index + 1 < call.count {
      if Cast.truth(of: call.arguments + index, .utf8) == true {
        return try call.setArgument(index + 1)
      }
      index += 2
    }
    if index < call.count { try call.setArgument(index) } else { call.setNull() }
  }

  @Sendable static func nullIf(_ call: FunctionContext) throws(SQLError) {
    let order = try Comparison.compare(
      call.arguments, call.arguments + 1, call.collation, call.encoding)
    if order == 0 { call.setNull() } else { try call.setArgument(0) }
  }

  @Sendable static func typeOf(_ call: FunctionContext) {
    switch call.tag(0) {
    case .null: call.setStatic("null")
    case .integer: call.setStatic("integer")
    case .real: call.setStatic("real")
    case .text: call.setStatic("text")
    case .blob: call.setStatic("blob")
    }
  }

  @Sendable static func subtype(_ call: FunctionContext) {
    let argument = call.arguments.pointee
    call.setInteger(argument.flags.contains(.subtype) ? Int64(argument.subtype) : 0)
  }

  @Sendable static func absoluteValue(_ call: FunctionContext) throws(SQLError) {
    switch call.tag(0) {
    case .null: call.setNull()
    case .integer:
      let value = call.arguments[0].integer
      guard value != .min else { throw .sql("integer overflow") }
      call.setInteger(abs(value))
    default:
      let value = call.real(0)
      call.setReal(value < 0 ? -value : value)
    }
  }

  @Sendable static func sign(_ call: FunctionContext) {
    let (tag, number) = call.numeric(0)
    guard tag == .integer || tag == .real else { return call.setNull() }
    let value = number.real
    call.setInteger(value < 0 ? -1 : (value > 0 ? 1 : 0))
  }

  @Sendable static func round(_ call: FunctionContext) throws(SQLError) {
    var digitCount = 0
    if call.count == 2 {
      if call.isNull(1) { return call.setNull() }
      digitCount = Int(max(0, min(30, call.integer(1))))
    }
    if call.isNull(0) { return call.setNull() }
    let value = call.real(0)
    if value < -4_503_599_627_370_496.0 || value > 4_503_599_627_370_496.0 {
      // No fraction is left to be rounded.
      return call.setReal(value)
    }
    if digitCount == 0 {
      return call.setReal(Double(Int64(value + (value < 0 ? -0.5 : 0.5))))
    }
    call.setReal(NumberText.rounded(value, digitCount: digitCount))
  }

  @Sendable static func minimum(_ call: FunctionContext) throws(SQLError) {
    var best = 0
    for index in 0..<call.count {
      if call.isNull(index) { return call.setNull() }
      let order = try Comparison.compare(
        call.arguments + best, call.arguments + index, call.collation, call.encoding)
      if order >= 0 { best = index }
    }
    try call.setArgument(best)
  }

  @Sendable static func maximum(_ call: FunctionContext) throws(SQLError) {
    var best = 0
    for index in 0..<call.count {
      if call.isNull(index) { return call.setNull() }
      let order = try Comparison.compare(
        call.arguments + best, call.arguments + index, call.collation, call.encoding)
      if order < 0 { best = index }
    }
    try call.setArgument(best)
  }

  @Sendable static func zeroBlob(_ call: FunctionContext) throws(SQLError) {
    let size = max(0, call.integer(0))
    guard size <= call.lengthLimit else { throw .tooBig }
    call.result.pointee.setBorrowed(.blob, Register.emptyBytes, 0)
    call.result.pointee.zeroCount = Int32(truncatingIfNeeded: size)
  }

  /// Never the smallest integer, so that abs() of it works.
  @Sendable static func random(_ call: FunctionContext) {
    let value = Int64(bitPattern: call.host.randomBits())
    call.setInteger(value < 0 ? 0 &- (value & .max) : value)
  }

  @Sendable static func randomBlob(_ call: FunctionContext) throws(SQLError) {
    let size = max(1, call.integer(0))
    guard size <= call.lengthLimit else { throw .tooBig }
    let target = try call.reserve(Int(size))
    call.host.fillRandom(UnsafeMutableRawBufferPointer(start: target, count: Int(size)))
    call.finish(.blob, Int(size))
  }
}
