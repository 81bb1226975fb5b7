// Calls of the program's functions (c3ref/context).
//
// A function's object keeps the context, the values and the array of a call for the next one, so
// that calls allocate nothing. A call inside another call of the same function takes its own.
import CSQLite3
import MartletEngine

typealias CFunctionBody =
  @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
typealias CResultBody = @convention(c) (OpaquePointer?) -> Void

/// What `sqlite3_context *` points to.
///
/// Extensions that were linked with SQLite's own `sqlite3_user_data` read the second word of what the
/// second word of a context points to.
struct ContextState {
  var mark = HandleMark.context.rawValue
  /// Points to itself, so that the word behind it is the second.
  var definition: UnsafeRawPointer?
  /// What the function was made with.
  let userData: UnsafeMutableRawPointer?
  /// What the function fails with; the message is then the result. Below 0, nothing to speak of.
  var error: Int32 = SQLITE_OK
  /// There was no memory, which no other error takes the place of. Arguments set it, too.
  var isOutOfMemory = false
  var result: ResultPlace
  /// nil where a virtual table is asked for a column.
  var invocation: UnsafePointer<RawInvocation>?
  let connection: ConnectionHandle
  unowned(unsafe) let function: CFunction?
  /// The arguments, and pointers to them.
  let values: UnsafeMutablePointer<ValueState>
  let pointers: UnsafeMutablePointer<OpaquePointer?>
  let capacity: Int
  /// Those that were given as columns of a virtual table.
  var columnPointers = RowPointers()
  /// Another that is not in use.
  var next: ContextHandle?
}

/// The pointers that were given as columns of a row, the last ones of them: each may still be an argument
/// of the call that the next one is made for.
struct RowPointers {
  private var pointers: [AnyObject] = []
  private var oldest = 0
  /// They are of a row before the one that is read.
  private var areOfEarlierRow = false

  /// As many as a function has arguments.
  private static let mostPointers = 1_000

  /// The cursor is on another row: its first pointer takes the place of those before.
  @inline(__always)
  mutating func rowChanged() { areOfEarlierRow = !pointers.isEmpty }

  /// What is returned ends outside: its destructor may come back here.
  mutating func keep(_ pointer: AnyObject) -> [AnyObject] {
    if areOfEarlierRow {
      let earlier = pointers
      pointers = [pointer]
      oldest = 0
      areOfEarlierRow = false
      return earlier
    }
    guard pointers.count == RowPointers.mostPointers else {
      pointers.append(pointer)
      return []
    }
    let earlier = pointers[oldest]
    pointers[oldest] = pointer
    oldest = (oldest + 1) % RowPointers.mostPointers
    return [earlier]
  }
}

typealias ContextHandle = UnsafeMutablePointer<ContextState>

extension ContextHandle {
  /// The call that a program means; nil for null and for what is no context.
  @inline(__always)
  init?(_ context: OpaquePointer?) {
    guard let state = live(context, .context, as: ContextState.self) else { return nil }
    self = state
  }

  var opaque: OpaquePointer { OpaquePointer(self) }

  /// A context with room for so many arguments. Few calls need a new one.
  @inline(never)
  static func make(
    _ connection: ConnectionHandle, _ function: CFunction?, result: ResultPlace,
    capacity: Int = 0
  ) throws(SQLError) -> ContextHandle {
    let valueOffset = MemoryLayout<ContextState>.stride
    let pointerOffset = valueOffset + capacity * MemoryLayout<ValueState>.stride
    let size = pointerOffset + capacity * MemoryLayout<OpaquePointer?>.stride
    guard let memory = malloc(size) else { throw SQLError(.outOfMemory) }
    let values = (memory + valueOffset).bindMemory(to: ValueState.self, capacity: capacity)
    let pointers = (memory + pointerOffset).bindMemory(
      to: OpaquePointer?.self, capacity: capacity)
    let context = memory.bindMemory(to: ContextState.self, capacity: 1)
    let loss = withUnsafeMutablePointer(to: &context.pointee.isOutOfMemory) { $0 }
    for index in 0..<capacity {
      (values + index).initialize(to: ValueState(result.value, loss: loss))
      (pointers + index).initialize(to: OpaquePointer(values + index))
    }
    context.initialize(
      to: ContextState(
        userData: function?.userData, result: result, connection: connection,
        function: function, values: values, pointers: pointers, capacity: capacity))
    let word = MemoryLayout<UnsafeRawPointer>.size
    assert(MemoryLayout<ContextState>.offset(of: \.definition) == word)
    context.pointee.definition = UnsafeRawPointer(context) + word
    return context
  }

  func destroy() {
    for index in 0..<pointee.capacity { pointee.values[index].text.deallocate() }
    pointee.mark = HandleMark.dead.rawValue
    deinitialize(count: 1)
    free(self)
  }

  /// The error that the function has set: its message is the result as text.
  @inline(never)
  func takeError() -> SQLError? {
    let code = pointee.error
    pointee.error = SQLITE_OK
    if pointee.isOutOfMemory {
      pointee.isOutOfMemory = false
      return SQLError(.outOfMemory)
    }
    guard code > 0 else { return nil }
    var text = TerminatedText()
    defer { text.deallocate() }
    do throws(SQLError) {
      try text.set(pointee.result.value, encoding: .utf8)
    } catch {
      return error
    }
    let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.byteCount)
    return SQLError(ResultCode(rawValue: code), String(fileNameBytes: bytes))
  }
}

/// A function that the program has made.
final class CFunction: @unchecked Sendable {
  let connection: ConnectionHandle
  let userData: UnsafeMutableRawPointer?
  private let destroy: Destructor?
  /// One for each encoding under which the function can be called.
  private var registrationCount = 0
  /// Contexts that are not in use.
  @exclusivity(unchecked) private var free: ContextHandle?

  init(
    _ connection: ConnectionHandle, _ userData: UnsafeMutableRawPointer?, _ destroy: Destructor?
  ) {
    self.connection = connection
    self.userData = userData
    self.destroy = destroy
  }

  deinit {
    while let context = free {
      free = context.pointee.next
      context.destroy()
    }
  }

  func registrationBegins() { registrationCount += 1 }

  /// Calls the program's destructor when no definition has the function any more.
  func registrationEnds() {
    registrationCount -= 1
    if registrationCount == 0 { destroy?(userData) }
  }

  @inline(__always)
  private func take(
    _ invocation: UnsafePointer<RawInvocation>
  ) throws(SQLError) -> ContextHandle {
    guard let context = free, context.pointee.capacity >= invocation.pointee.count else {
      let context = try ContextHandle.make(
        connection, self, result: invocation.pointee.result,
        capacity: max(4, invocation.pointee.count))
      context.pointee.invocation = invocation
      return context
    }
    free = context.pointee.next
    context.pointee.result = invocation.pointee.result
    context.pointee.invocation = invocation
    return context
  }

  @inline(__always)
  private func giveBack(_ context: ContextHandle) throws(SQLError) {
    context.pointee.next = free
    free = context
    guard context.pointee.error != SQLITE_OK || context.pointee.isOutOfMemory else { return }
    if let error = context.takeError() { throw error }
  }

  /// Calls a body that takes arguments.
  @inline(__always)
  func call(
    _ invocation: UnsafePointer<RawInvocation>, _ body: CFunctionBody
  ) throws(SQLError) {
    let context = try take(invocation), count = invocation.pointee.count
    for index in 0..<count {
      context.pointee.values[index].renew(invocation.pointee.argument(index), generation: 0)
    }
    body(context.opaque, Int32(truncatingIfNeeded: count), context.pointee.pointers)
    try giveBack(context)
  }

  /// Calls a body that takes none.
  func call(
    _ invocation: UnsafePointer<RawInvocation>, _ body: CResultBody
  ) throws(SQLError) {
    let context = try take(invocation)
    body(context.opaque)
    try giveBack(context)
  }
}

/// A scalar function of the program as the engine calls it.
final class CScalarFunction: RawFunction, @unchecked Sendable {
  private let function: CFunction
  private let body: CFunctionBody

  init(_ function: CFunction, _ body: @escaping CFunctionBody) {
    self.function = function
    self.body = body
  }

  override func call(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    try function.call(invocation, body)
  }
}

/// An aggregate of the program as the engine calls it.
final class CAggregate: RawAggregate, @unchecked Sendable {
  private let function: CFunction
  private let stepBody: CFunctionBody
  private let resultBody: CResultBody
  private let window: Window?

  /// What it has for window functions.
  struct Window {
    let value: CResultBody
    let inverse: CFunctionBody
  }

  init(
    _ function: CFunction, step: @escaping CFunctionBody, result: @escaping CResultBody,
    window: Window?
  ) {
    self.function = function
    stepBody = step
    resultBody = result
    self.window = window
    super.init(isForWindows: window != nil)
  }

  override func step(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    try function.call(invocation, stepBody)
  }

  override func inverse(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    if let window { try function.call(invocation, window.inverse) }
  }

  override func value(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    if let window { try function.call(invocation, window.value) }
  }

  override func result(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    try function.call(invocation, resultBody)
  }
}
