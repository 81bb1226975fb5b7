/// Calls functions: converts texts where the database is not in UTF-8, and has the memory for that.
final class CallFrame {
  unowned(unsafe) let host: FunctionHost
  let memory: UnsafeMutablePointer<FunctionMemory>
  let encoding: TextEncoding
  private var converted: RegisterBlock?
  /// Its buffer is that of the result before the last one.
  @exclusivity(unchecked) private var spare = Register()
  /// Once one of the application's functions was called.
  private(set) var callMemory: CallMemory?
  /// Takes what steps of raw aggregates set as results.
  private var dropped: RegisterBlock?
  /// What a call has taken the statement's transaction away with: the statement cannot go on.
  var tripCode: ResultCode?

  init(host: FunctionHost, encoding: TextEncoding) {
    self.host = host
    memory = host.memory
    self.encoding = encoding
  }

  deinit {
    converted?.deallocate()
    dropped?.deallocate()
    spare.deinitialize()
  }

  @inline(__always)
  func call(
    _ call: UnsafePointer<ScalarCall>, _ arguments: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    if let raw = call.pointee.raw { return try callRaw(raw, call, arguments, into: result) }
    if call.pointee.isApplication { return try callApplication(call, arguments, into: result) }
    let arguments =
      call.pointee.convertsText
      ? try convert(arguments, call.pointee.argumentCount) : arguments
    let context = FunctionContext(
      arguments: arguments, count: call.pointee.argumentCount, result: result, host: host,
      memory: memory, collation: call.pointee.collation, encoding: encoding,
      storedPlace: call.pointee.storedPlace)
    try call.pointee.function.body(context)
    // Functions give UTF-8, also those that take texts as they are, but for those that give back
    // one of their arguments.
    if encoding != .utf8, !call.pointee.givesArgument { try encode(result) }
  }

  /// Takes a row into an accumulator.
  @inline(__always)
  func step(
    _ call: UnsafePointer<AggregateCall>, _ arguments: UnsafeMutablePointer<Register>,
    _ accumulator: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    if let raw = call.pointee.raw { return try stepRaw(raw, call, arguments, accumulator) }
    if call.pointee.isApplication { return try stepApplication(call, arguments, accumulator) }
    let arguments =
      call.pointee.convertsText
      ? try convert(arguments, call.pointee.argumentCount) : arguments
    let context = FunctionContext(
      arguments: arguments, count: call.pointee.argumentCount, result: accumulator,
      accumulator: accumulator, host: host, memory: memory, collation: call.pointee.collation,
      encoding: encoding)
    try call.pointee.function.step(context)
  }

  /// Takes the oldest row out of an accumulator.
  func stepBack(
    _ call: UnsafePointer<AggregateCall>, _ arguments: UnsafeMutablePointer<Register>,
    _ accumulator: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    guard let inverse = call.pointee.function.inverse else { return }
    if let raw = call.pointee.raw {
      return try runRaw(.inverse, raw, call, arguments, accumulator)
    }
    let count = call.pointee.argumentCount
    if call.pointee.isApplication {
      for index in 0..<count { try arguments[index].makeOwned() }
      prepareCall(UnsafeRawPointer(call))
    }
    let time = host.currentTime
    defer { host.currentTime = time }
    let arguments = call.pointee.convertsText ? try convert(arguments, count) : arguments
    try inverse(
      FunctionContext(
        arguments: arguments, count: count, result: accumulator, accumulator: accumulator,
        host: host, memory: memory, collation: call.pointee.collation, encoding: encoding))
    if let tripCode { throw SQLError(tripCode) }
  }

  /// Puts the result of an aggregate into a register that is not part of the accumulator. With
  /// `isLast`, the aggregate ends.
  func value(
    _ call: UnsafePointer<AggregateCall>, of accumulator: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>, isLast: Bool = true
  ) throws(SQLError) {
    if let raw = call.pointee.raw {
      return try runRaw(isLast ? .result : .value, raw, call, nil, accumulator, into: result)
    }
    if call.pointee.isApplication {
      prepareCall(UnsafeRawPointer(call))
      result.pointee.setNull()
    }
    let time = host.currentTime
    defer { host.currentTime = time }
    let context = FunctionContext(
      arguments: result, count: 0, result: result, accumulator: accumulator, host: host,
      memory: memory, collation: call.pointee.collation, encoding: encoding)
    let function = call.pointee.function
    if isLast { try function.finalize(context) } else { try function.value(context) }
    if let tripCode { throw SQLError(tripCode) }
    if call.pointee.convertsText, encoding != .utf8 { try encode(result) }
  }

  // MARK: Functions of the application

  /// Releases what calls keep while the statement runs.
  @inline(__always)
  func forgetCalls() {
    if callMemory != nil { forgetKept() }
    if spare.capacity > 4_096 { spare.deinitialize() }
    memory.pointee.statementEnded()
    tripCode = nil
  }

  @inline(never)
  private func forgetKept() {
    endGroups()
    callMemory?.removeAll()
  }

  /// What the function finds in the host when it is called.
  private func prepareCall(_ site: CallMemory.Site) {
    if callMemory == nil { callMemory = CallMemory() }
    host.callMemory = callMemory
    host.callSite = site
  }

  /// A function of the application may run SQL, which may change the pages that arguments lie in:
  /// they own their bytes.
  @inline(never)
  private func callApplication(
    _ call: UnsafePointer<ScalarCall>, _ arguments: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let count = call.pointee.argumentCount
    for index in 0..<count { try arguments[index].makeOwned() }
    let arguments = encoding == .utf8 ? arguments : try convert(arguments, count)
    prepareCall(UnsafeRawPointer(call))
    result.pointee.setNull()
    // 'now' is one moment within a statement; others that it runs have their own.
    let time = host.currentTime
    defer { host.currentTime = time }
    let context = FunctionContext(
      arguments: arguments, count: count, result: result, host: host, memory: memory,
      collation: call.pointee.collation, encoding: encoding)
    try call.pointee.function.body(context)
    if let tripCode { throw SQLError(tripCode) }
    if let callMemory, callMemory.hasNewAuxiliary {
      callMemory.dropAuxiliary(
        at: UnsafeRawPointer(call), except: call.pointee.constantArguments)
    }
    if encoding != .utf8 { try encode(result) }
  }

  @inline(never)
  private func stepApplication(
    _ call: UnsafePointer<AggregateCall>, _ arguments: UnsafeMutablePointer<Register>,
    _ accumulator: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let count = call.pointee.argumentCount
    for index in 0..<count { try arguments[index].makeOwned() }
    let arguments = encoding == .utf8 ? arguments : try convert(arguments, count)
    prepareCall(UnsafeRawPointer(call))
    let time = host.currentTime
    defer { host.currentTime = time }
    let context = FunctionContext(
      arguments: arguments, count: count, result: accumulator, accumulator: accumulator,
      host: host, memory: memory, collation: call.pointee.collation, encoding: encoding)
    try call.pointee.function.step(context)
    if let tripCode { throw SQLError(tripCode) }
  }

  /// The arguments with texts in UTF-8.
  @inline(never)
  private func convert(
    _ arguments: UnsafeMutablePointer<Register>, _ count: Int
  ) throws(SQLError) -> UnsafeMutablePointer<Register> {
    let block = try block(count)
    for index in 0..<count {
      if arguments[index].tag == .text, encoding != .utf8 {
        try block.base[index].setText(of: arguments[index], from: encoding, to: .utf8)
      } else {
        block.base[index].borrow(from: arguments[index])
      }
    }
    return block.base
  }

  /// Puts a text that a function has given into the database's encoding. Two buffers take turns, so
  /// that no row allocates any.
  @inline(never)
  private func encode(_ result: UnsafeMutablePointer<Register>) throws(SQLError) {
    guard result.pointee.tag == .text else { return }
    try spare.setText(of: result.pointee, from: .utf8, to: encoding)
    swap(&spare, &result.pointee)
    spare.setNull()
  }

  /// What calls keep, made with the first.
  @inline(__always)
  func keptByCalls() -> Unmanaged<CallMemory> {
    if let callMemory { return .passUnretained(callMemory) }
    return makeCallMemory()
  }

  @inline(never)
  private func makeCallMemory() -> Unmanaged<CallMemory> {
    let made = CallMemory()
    callMemory = made
    return .passUnretained(made)
  }

  /// A register for results that nobody wants.
  @inline(__always)
  func droppedResult() throws(SQLError) -> UnsafeMutablePointer<Register> {
    if let dropped { return dropped.base }
    return try makeDroppedResult()
  }

  @inline(never)
  private func makeDroppedResult() throws(SQLError) -> UnsafeMutablePointer<Register> {
    let block = try RegisterBlock(count: 1)
    dropped = block
    return block.base
  }

  private func block(_ count: Int) throws(SQLError) -> RegisterBlock {
    if let converted, converted.count >= count { return converted }
    let block = try RegisterBlock(count: max(count, 8))
    converted?.deallocate()
    converted = block
    return block
  }
}
