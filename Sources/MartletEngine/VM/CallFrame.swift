/// Calls functions: converts texts where the database is not in UTF-8, and has the memory for that.
final class CallFrame {
  unowned(unsafe) let host: FunctionHost
  private let memory: UnsafeMutablePointer<FunctionMemory>
  let encoding: TextEncoding
  private var converted: RegisterBlock?

  init(host: FunctionHost, encoding: TextEncoding) {
    self.host = host
    memory = host.memory
    self.encoding = encoding
  }

  deinit { converted?.deallocate() }

  @inline(__always)
  func call(
    _ call: UnsafePointer<ScalarCall>, _ arguments: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let arguments =
      call.pointee.convertsText
      ? try convert(arguments, call.pointee.argumentCount) : arguments
    let context = FunctionContext(
      arguments: arguments, count: call.pointee.argumentCount, result: result, host: host,
      memory: memory, collation: call.pointee.collation, encoding: encoding)
    try call.pointee.function.body(context)
    // Functions give UTF-8, also those that take texts as they are, but for those that give back
    // one of their arguments.
    if encoding != .utf8, !call.pointee.givesArgument {
      try result.pointee.changeEncoding(from: .utf8, to: encoding)
    }
  }

  /// Takes a row into an accumulator.
  @inline(__always)
  func step(
    _ call: UnsafePointer<AggregateCall>, _ arguments: UnsafeMutablePointer<Register>,
    _ accumulator: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let arguments =
      call.pointee.convertsText
      ? try convert(arguments, call.pointee.argumentCount) : arguments
    let context = FunctionContext(
      arguments: arguments, count: call.pointee.argumentCount, result: accumulator,
      accumulator: accumulator, host: host, memory: memory, collation: call.pointee.collation,
      encoding: encoding)
    try call.pointee.function.step(context)
  }

  /// Ends an aggregate: puts its result into a register that is not part of the accumulator.
  func value(
    _ call: UnsafePointer<AggregateCall>, of accumulator: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let context = FunctionContext(
      arguments: result, count: 0, result: result, accumulator: accumulator, host: host,
      memory: memory, collation: call.pointee.collation, encoding: encoding)
    try call.pointee.function.finalize(context)
    if call.pointee.convertsText { try result.pointee.changeEncoding(from: .utf8, to: encoding) }
  }

  /// The arguments with texts in UTF-8.
  @inline(never)
  private func convert(
    _ arguments: UnsafeMutablePointer<Register>, _ count: Int
  ) throws(SQLError) -> UnsafeMutablePointer<Register> {
    let block = try block(count)
    for index in 0..<count {
      block.base[index].borrow(from: arguments[index])
      try block.base[index].changeEncoding(from: encoding, to: .utf8)
    }
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
