/// One call of a function of the application: its arguments, and where the result goes.
///
/// It is lent for the call and cannot be kept. Arguments that do not exist are NULL; a function
/// that sets no result gives NULL, and one that throws ends its statement with that error. Texts
/// are UTF-8, whatever the database's encoding is.
public struct FunctionInvocation: ~Copyable {
  let context: FunctionContext
  private let memory: CallMemory
  private let site: CallMemory.Site
  /// Steps of aggregates have no result.
  private let givesResult: Bool

  init(_ context: FunctionContext, givesResult: Bool = true) {
    self.context = context
    memory = context.host.callMemory ?? CallMemory()
    site = context.host.callSite ?? UnsafeRawPointer(context.arguments)
    self.givesResult = givesResult
  }

  /// How many arguments there are.
  public var count: Int { context.count }

  private func argument(_ index: Int) -> UnsafeMutablePointer<Register>? {
    index >= 0 && index < context.count ? context.arguments + index : nil
  }

  // MARK: Arguments

  /// The storage class of an argument (`sqlite3_value_type`).
  public func type(_ index: Int) -> StorageClass { argument(index)?.pointee.tag ?? .null }

  /// The storage class that an argument has once a text that is a number counts as the number
  /// (`sqlite3_value_numeric_type`).
  public func numericType(_ index: Int) -> StorageClass {
    guard argument(index) != nil, type(index) == .text else { return type(index) }
    return context.numeric(index).tag
  }

  /// An argument as an integer, converted as CAST does.
  public func int64(_ index: Int) -> Int64 {
    argument(index) == nil ? 0 : context.integer(index)
  }

  /// An argument as a real, converted as CAST does.
  public func double(_ index: Int) -> Double {
    argument(index) == nil ? 0 : context.real(index)
  }

  /// An argument as text; nil for NULL. Bytes that are not UTF-8 are replaced.
  public func text(_ index: Int) throws(SQLError) -> String? {
    guard type(index) != .null else { return nil }
    return String(decoding: try bytes(index), as: UTF8.self)
  }

  /// The bytes of a blob, or of the argument as UTF-8 text; empty for NULL. They are valid until
  /// the function returns.
  public func bytes(_ index: Int) throws(SQLError) -> UnsafeRawBufferPointer {
    guard let argument = argument(index) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    switch argument.pointee.tag {
    case .null: return UnsafeRawBufferPointer(start: nil, count: 0)
    case .text, .blob: return UnsafeRawBufferPointer(try context.bytes(index))
    case .integer, .real:
      // A number's register has no other use for its buffer.
      let buffer = try argument.pointee.reserveBuffer(NumberText.bufferSize)
      let byteCount =
        argument.pointee.tag == .integer
        ? NumberText.write(argument.pointee.integer, to: buffer)
        : NumberText.writeShown(argument.pointee.real, to: buffer)
      return UnsafeRawBufferPointer(start: buffer, count: byteCount)
    }
  }

  /// A copy of an argument.
  public func value(_ index: Int) throws(SQLError) -> Value {
    guard let argument = argument(index) else { return .null }
    return try Value(copying: argument.pointee, encoding: .utf8)
  }

  /// The subtype that a function gave the argument, or 0 (`sqlite3_value_subtype`).
  public func subtype(_ index: Int) -> UInt8 {
    guard let argument = argument(index), argument.pointee.flags.contains(.subtype) else {
      return 0
    }
    return argument.pointee.subtype
  }

  /// The argument is a bound parameter (`sqlite3_value_frombind`).
  public func isFromBind(_ index: Int) -> Bool {
    argument(index)?.pointee.flags.contains(.fromBind) ?? false
  }

  /// The object that another function gave under that type, or nil (`sqlite3_value_pointer`).
  public func pointer(_ index: Int, type: String) -> AnyObject? {
    guard let argument = argument(index) else { return nil }
    return PassedPointer.object(argument.pointee, type: type)
  }

  // MARK: Result

  private var target: UnsafeMutablePointer<Register>? { givesResult ? context.result : nil }

  public func setNull() { target?.pointee.setNull() }

  public func setResult(_ value: Int64) { target?.pointee.setInteger(value) }

  public func setResult(_ value: Int) { setResult(Int64(value)) }

  /// NaN is NULL.
  public func setResult(_ value: Double) { target?.pointee.setReal(value) }

  public func setResult(_ value: Bool) { target?.pointee.setBool(value) }

  public func setResult(text: String) throws(SQLError) {
    var text = text
    // `withUTF8` passes no typed errors on.
    let result = text.withUTF8 { bytes in
      Result { () throws(SQLError) in try set(.text, UnsafeRawBufferPointer(bytes)) }
    }
    try result.get()
  }

  /// UTF-8 bytes, which need not be valid.
  public func setResult(text: UnsafeRawBufferPointer) throws(SQLError) { try set(.text, text) }

  public func setResult(blob: UnsafeRawBufferPointer) throws(SQLError) { try set(.blob, blob) }

  public func setResult(blob: [UInt8]) throws(SQLError) {
    let result = blob.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in try set(.blob, bytes) }
    }
    try result.get()
  }

  private func set(
    _ tag: StorageClass, _ bytes: UnsafeRawBufferPointer
  ) throws(SQLError) {
    guard givesResult else { return }
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    try context.set(tag, UnsafeBufferPointer(start: start, count: bytes.count))
  }

  /// A blob of zeros, which takes memory only where it is looked at (`sqlite3_result_zeroblob64`).
  public func setResult(zeroBlobCount: Int) throws(SQLError) {
    let count = max(0, zeroBlobCount)
    guard count <= context.host.lengthLimit else { throw .tooBig }
    target?.pointee.setBorrowed(.blob, Register.emptyBytes, 0)
    target?.pointee.zeroCount = Int32(truncatingIfNeeded: count)
  }

  /// The result is the argument as it is, with its subtype (`sqlite3_result_value`).
  public func setResult(argument index: Int) throws(SQLError) {
    guard let argument = argument(index) else { return setNull() }
    if givesResult { try context.result.pointee.assign(from: argument.pointee) }
  }

  public func setResult(_ value: Value) throws(SQLError) {
    switch value {
    case .null: setNull()
    case .integer(let number): setResult(number)
    case .real(let number): setResult(number)
    case .text(let text): try setResult(text: text)
    case .blob(let bytes): try setResult(blob: bytes)
    }
  }

  /// Gives the result that was set a subtype, which functions with the option `subtype` see.
  public func setResultSubtype(_ subtype: UInt8) {
    guard let target else { return }
    target.pointee.subtype = subtype
    target.pointee.flags.insert(.subtype)
  }

  /// The result is NULL for SQL; functions that ask for a pointer of that type get the object
  /// (bindptr §1).
  public func setResult(pointer object: AnyObject, type: String) {
    guard let target else { return }
    memory.setPointer(object, type: type, at: site, in: &target.pointee)
  }

  // MARK: Auxiliary data

  /// What an earlier call of this place in the statement has kept for an argument
  /// (`sqlite3_get_auxdata`). Numbers below 0 stand for data that all calls of the statement share.
  public func auxiliaryData(_ index: Int) -> Any? { memory.auxiliary(index, at: site) }

  /// Keeps something that was computed of an argument. It stays only while the argument is the same
  /// for all rows, and no longer than the statement runs (`sqlite3_set_auxdata`).
  public func setAuxiliaryData(_ value: Any?, at index: Int) {
    memory.setAuxiliary(value, index, at: site)
  }
}

// MARK: - Aggregates

/// The state of an aggregate for one group.
final class AggregateState<State> {
  var value: State
  init(_ value: State) { self.value = value }
}

extension FunctionInvocation {
  /// The state of the group, made if there is none yet.
  func state<State>(_ initial: () -> State) -> AggregateState<State> {
    if let known = memory.state(context.accumulator.pointee) as? AggregateState<State> {
      return known
    }
    let state = AggregateState(initial())
    memory.keep(state, in: &context.accumulator.pointee)
    return state
  }

  /// The group has ended.
  func releaseState() { memory.releaseState(of: &context.accumulator.pointee) }
}
