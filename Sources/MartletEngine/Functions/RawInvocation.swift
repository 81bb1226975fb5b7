/// One call of a function of the application that takes and gives values as they are, in whatever
/// encoding: what C's functions are made of. `FunctionInvocation` is the comfortable kind.
///
/// It is plain data, valid until the function returns: no call counts references or allocates.
public struct RawInvocation {
  /// The first argument.
  @usableFromInline let arguments: UnsafeMutablePointer<Register>
  /// How many arguments there are.
  public let count: Int
  /// Where the result goes; it is NULL at first. What the steps of an aggregate put there is
  /// dropped.
  public let result: ResultPlace
  private let memory: Unmanaged<CallMemory>
  private let site: CallMemory.Site
  /// Of aggregates.
  private let accumulator: UnsafeMutablePointer<Register>?
  private let function: Unmanaged<AggregateFunction>?

  @inline(__always)
  init(
    arguments: UnsafeMutablePointer<Register>, count: Int, result: ResultPlace,
    memory: Unmanaged<CallMemory>, site: CallMemory.Site,
    accumulator: UnsafeMutablePointer<Register>? = nil,
    function: Unmanaged<AggregateFunction>? = nil
  ) {
    self.arguments = arguments
    self.count = count
    self.result = result
    self.memory = memory
    self.site = site
    self.accumulator = accumulator
    self.function = function
  }

  /// That of texts among the arguments, and of the result in the end.
  public var encoding: TextEncoding { result.encoding }

  /// The result is NULL for SQL; functions that ask for a pointer of that type get the object
  /// (bindptr §1).
  public func setResult(pointer object: AnyObject, type: String) {
    memory._withUnsafeGuaranteedRef {
      $0.setPointer(object, type: type, at: site, in: &result.register.pointee)
    }
  }

  // MARK: Auxiliary data

  /// What an earlier call of this place in the statement has kept for an argument
  /// (`sqlite3_get_auxdata`). Numbers below 0 stand for data that all calls of the statement share.
  public func auxiliaryPointer(_ index: Int) -> UnsafeMutableRawPointer? {
    memory._withUnsafeGuaranteedRef { $0.plainAuxiliary(index, at: site) }
  }

  /// Keeps a pointer to what was computed of an argument. It stays only while the argument is the
  /// same for all rows, and no longer than the statement runs; the destructor is called once.
  public func setAuxiliaryPointer(
    _ pointer: UnsafeMutableRawPointer?, at index: Int,
    _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) {
    memory._withUnsafeGuaranteedRef {
      $0.setPlainAuxiliary(
        PlainAuxiliary(
          site: index < 0 ? nil : site, argument: index, pointer: pointer, destroy: destroy))
    }
  }

  // MARK: Aggregates

  /// The memory of the group: `byteCount` zero bytes when it is first asked for, the same
  /// afterwards. nil where it is asked for no bytes at first, and for functions that are no
  /// aggregates (`sqlite3_aggregate_context`).
  ///
  /// - Throws: `outOfMemory`, which the call has to fail with: a row would be left out.
  public static func groupMemory(
    of call: UnsafePointer<RawInvocation>, byteCount: Int
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    if let accumulator = call.pointee.accumulator, let known = GroupMemory(accumulator.pointee) {
      return known.contents
    }
    return try call.pointee.makeGroupMemory(byteCount: byteCount)
  }

  @inline(never)
  private func makeGroupMemory(
    byteCount: Int
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    guard let accumulator, let function else { return nil }
    return try memory.takeUnretainedValue().groupMemory(
      &accumulator.pointee, byteCount: byteCount, of: function.takeUnretainedValue())
  }

  /// Rows of the group so far (`sqlite3_aggregate_count`).
  public var stepCount: Int32 { accumulator?.pointee.byteCount ?? 0 }
}

@available(*, unavailable)
extension RawInvocation: Sendable {}

/// A function that takes values as they are.
///
/// A class with methods to override, because calling a closure that is kept somewhere counts a
/// reference with each call.
open class RawFunction: @unchecked Sendable {
  public init() {}

  /// Sets the result. The invocation is valid until the function returns.
  open func call(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {}
}

/// An aggregate that takes values as they are.
open class RawAggregate: @unchecked Sendable {
  /// It has `inverse` and `value`, which window functions need.
  public let isForWindows: Bool

  public init(isForWindows: Bool = false) { self.isForWindows = isForWindows }

  /// Takes a row into the group.
  open func step(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {}

  /// Takes the oldest row out again, for window functions.
  open func inverse(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {}

  /// Sets the result of the rows so far, for window functions.
  open func value(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {}

  /// Sets the result; the group's memory is freed then. It is also called for a group without rows,
  /// and for one whose statement ends before it does, if the group has memory.
  open func result(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {}
}
