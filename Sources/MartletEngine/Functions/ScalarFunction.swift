/// What the code generator and the planner need to know about a function
/// (`sqlite3_create_function`).
struct FunctionFlags: OptionSet, Sendable {
  let rawValue: UInt32

  /// Equal arguments give equal results: usable in indexes, generated columns and so on.
  static let deterministic = FunctionFlags(rawValue: 1)
  /// Constant within one statement, though not forever: 'now', changes().
  static let constantPerStatement = FunctionFlags(rawValue: 2)
  /// LIKE and GLOB: the planner may turn a constant pattern into a range.
  static let like = FunctionFlags(rawValue: 4)
  /// LIKE that tells upper from lower case.
  static let tellsCase = FunctionFlags(rawValue: 1 << 18)
  static let needsCollation = FunctionFlags(rawValue: 8)
  /// The arguments' subtypes matter.
  static let subtype = FunctionFlags(rawValue: 16)
  /// The result may have a subtype.
  static let resultSubtype = FunctionFlags(rawValue: 1 << 16)
  /// Only for the engine's own SQL.
  static let `internal` = FunctionFlags(rawValue: 32)
  /// Not allowed in triggers, views and schema expressions.
  static let directOnly = FunctionFlags(rawValue: 64)
  /// Harmless even in schemas that are not trusted.
  static let innocuous = FunctionFlags(rawValue: 128)
  /// Compiled to jumps or left out: coalesce, iif, likely and such. Never called.
  static let inline = FunctionFlags(rawValue: 256)
  /// Takes and gives texts in the database's encoding, whichever it is.
  static let anyEncoding = FunctionFlags(rawValue: 512)
  /// The result is one of the arguments as it is, or NULL: with `.anyEncoding`, a text stays in the
  /// database's encoding.
  static let givesArgument = FunctionFlags(rawValue: 1 << 14)
  /// length() and typeof(): what they need of a column is in the record's header.
  static let headerOnly = FunctionFlags(rawValue: 1024)
  /// The aggregate has an inverse and a current value, as window functions need.
  static let window = FunctionFlags(rawValue: 2048)
  /// Nothing without a window: row_number() and its kin.
  static let windowOnly = FunctionFlags(rawValue: 1 << 17)
  /// min() and max(): as a lone aggregate, an index's first or last entry may answer.
  static let minMax = FunctionFlags(rawValue: 4096)
  /// count(*): a whole table is counted page by page.
  static let count = FunctionFlags(rawValue: 8192)
  /// Plans do not call it to know its value (SQLite's SQLITE_FUNC_RUNONLY).
  static let notForPlans = FunctionFlags(rawValue: 1 << 19)
  /// The application's: it may run SQL, and may keep what its statement keeps (`CallMemory`).
  static let application = FunctionFlags(rawValue: 1 << 15)
  /// Only makes the name known, so that virtual tables can give it a meaning
  /// (`sqlite3_overload_function`).
  static let overload = FunctionFlags(rawValue: 1 << 20)
}

/// How a function can be called with a number of arguments.
enum FunctionArity: Sendable, Equatable {
  case exactly(Int)
  case atLeast(Int)

  /// As a number of arguments, -1 is any number.
  @inline(__always)
  func accepts(_ count: Int) -> Bool {
    switch self {
    case .exactly(let required): count == required
    case .atLeast(let minimum): count >= minimum || minimum == 0 && count == -1
    }
  }
}

/// Where in the schema a call stands: what is kept there may not depend on the time of day.
enum StoredPlace: UInt8, Sendable {
  case none, check, generatedColumn, index

  /// SQLite's words for the place (sqlite3NotPureFunc).
  var description: StaticString {
    switch self {
    case .none: "a statement"
    case .check: "a CHECK constraint"
    case .generatedColumn: "a generated column"
    case .index: "an index"
    }
  }
}

/// A function of one row's values.
final class ScalarFunction: Sendable {
  typealias Body = @Sendable (FunctionContext) throws(SQLError) -> Void

  let name: String
  let arity: FunctionArity
  let flags: FunctionFlags
  let body: Body
  /// In place of `body` for functions that take values as they are.
  let raw: RawFunction?
  /// Why no code can be made for a call: the schema names a function that is not there.
  let refusal: SQLError?

  init(
    _ name: String, _ arity: FunctionArity, _ flags: FunctionFlags = .pure,
    refusal: SQLError? = nil, body: @escaping Body
  ) {
    self.name = name
    self.arity = arity
    self.flags = flags
    self.body = body
    self.refusal = refusal
    raw = nil
  }

  convenience init(_ name: String, refusal: SQLError) {
    self.init(name, .atLeast(0), refusal: refusal) { _ throws(SQLError) in throw refusal }
  }

  init(
    _ name: String, _ arity: FunctionArity, _ flags: FunctionFlags, raw: RawFunction
  ) {
    self.name = name
    self.arity = arity
    self.flags = flags
    body = { context throws(SQLError) in context.setNull() }
    self.raw = raw
    refusal = nil
  }
}

/// A function of a group's rows. Its state lives in registers, which start out NULL and are
/// deinitialized by the caller: nothing else is to be freed.
final class AggregateFunction: Sendable {
  typealias Body = ScalarFunction.Body

  /// Aggregates whose steps are also offered inlined, for the virtual machine, and functions whose
  /// windows have something of their own.
  enum Kind: UInt8, Sendable {
    case count, sum, total, average, minimum, maximum, other
    case rowNumber, rank, percentRank, cumulativeDistribution, ntile
    case firstValue, nthValue, lead, lag
  }

  let name: String
  let arity: FunctionArity
  let flags: FunctionFlags
  let kind: Kind
  /// How many registers the state takes.
  let accumulatorWidth: Int
  /// Takes one row in.
  let step: Body
  /// Takes the oldest row out again (window frames).
  let inverse: Body?
  /// Puts the current result into the result register; the state stays (window frames).
  let value: Body
  /// The same for a whole group.
  let finalize: Body
  /// In place of these for functions that take values as they are.
  let raw: RawAggregate?

  init(
    _ name: String, _ arity: FunctionArity, _ flags: FunctionFlags = .innocuous,
    kind: Kind = .other, width: Int, step: @escaping Body, inverse: Body? = nil,
    value: @escaping Body, finalize: Body? = nil
  ) {
    self.name = name
    self.arity = arity
    self.flags = inverse == nil ? flags : flags.union(.window)
    self.kind = kind
    accumulatorWidth = width
    self.step = step
    self.inverse = inverse
    self.value = value
    self.finalize = finalize ?? value
    raw = nil
  }

  init(
    _ name: String, _ arity: FunctionArity, _ flags: FunctionFlags, raw: RawAggregate
  ) {
    self.name = name
    self.arity = arity
    self.flags = raw.isForWindows ? flags.union(.window) : flags
    kind = .other
    accumulatorWidth = 1
    let nothing: Body = { context throws(SQLError) in context.setNull() }
    step = nothing
    inverse = raw.isForWindows ? nothing : nil
    value = nothing
    finalize = nothing
    self.raw = raw
  }
}

extension FunctionFlags {
  /// What most built-in functions are.
  static let pure: FunctionFlags = [.deterministic, .innocuous]

  /// What the schema may not call: what is for the application's own SQL, and, where the schema is not
  /// trusted, what is not known to be harmless (deterministic §3).
  func isUnsafe(isTrusted: Bool) -> Bool {
    contains(.directOnly) || !isTrusted && !contains(.innocuous)
  }
}
