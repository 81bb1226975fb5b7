/// The arguments of a call of SQL's `format`, behind the format; those that are missing are NULL.
private struct CallArguments: FormatArguments {
  let call: FunctionContext
  private var nextIndex = 1

  init(_ call: FunctionContext) { self.call = call }

  private mutating func take() -> Int? {
    nextIndex += 1
    return nextIndex <= call.count ? nextIndex - 1 : nil
  }

  mutating func size() -> Int32 {
    Int32(truncatingIfNeeded: take().map(call.integer) ?? 0)
  }

  mutating func integer(_ specification: FormatSpecification) -> Int64 {
    take().map(call.integer) ?? 0
  }

  mutating func real() -> Double { take().map(call.real) ?? 0 }

  mutating func text(
    _ specification: FormatSpecification
  ) throws(SQLError) -> UnsafeBufferPointer<UInt8>? {
    guard let index = take() else { return nil }
    return try call.cString(index)
  }

  /// The first character of a text; a zero byte if there is none.
  mutating func character(_ target: UnsafeMutablePointer<UInt8>) throws(SQLError) -> Int {
    target[0] = 0
    guard let index = take(), let text = try call.cString(index), text.count > 0 else { return 1 }
    var size = 1
    while text[0] >= 0xc0 && size < min(4, text.count) && text[size] & 0xc0 == 0x80 { size += 1 }
    for offset in 0..<size { target[offset] = text[offset] }
    return size
  }

  /// SQL has nothing to store it in.
  func store(count: Int) {}
}

extension BuiltInFunctions {
  /// `format(FORMAT, ...)`; NULL without a format.
  @Sendable private static func format(_ call: FunctionContext) throws(SQLError) {
    guard call.count > 0, let format = try call.cString(0) else { return call.setNull() }
    var writer = FormatWriter(
      CallArguments(call), output: call.memory.pointee.takeText(),
      digits: call.memory.pointee.digits, pieceLimit: call.lengthLimit)
    defer { call.memory.pointee.giveBack(writer.output) }
    if call.tag(0) == .text || call.tag(0) == .blob {
      try writer.write(format)
    } else {
      // A number's text lies in a place that it shares with those of later arguments.
      var copy = Register()
      defer { copy.deinitialize() }
      try copy.setOwned(.text, copying: format.baseAddress ?? Register.emptyBytes, format.count)
      try writer.write(copy.byteBuffer)
    }
    if writer.isCut { throw .tooBig }
    guard writer.hasOutput else { return call.setNull() }
    try call.setText(writer.output.bytes)
  }

  static let formatting: [ScalarFunction] = [
    ScalarFunction("format", .atLeast(0), body: format),
    ScalarFunction("printf", .atLeast(0), body: format),
  ]
}
