extension BuiltInFunctions {
  static let jsonGrouping: [AggregateFunction] = [
    JSONGrouping.array("json_group_array", .text),
    JSONGrouping.array("jsonb_group_array", .binary),
    JSONGrouping.object("json_group_object", .text),
    JSONGrouping.object("jsonb_group_object", .binary),
  ]
}

/// json_group_array and json_group_object.
///
/// State: register 0 the text so far, without its closing bracket; NULL before the first row.
private enum JSONGrouping {
  static func array(_ name: String, _ form: JSONForm) -> AggregateFunction {
    AggregateFunction(
      name, .exactly(1), BuiltInFunctions.takingJSON, width: 1, step: arrayStep,
      inverse: inverse,
      value: { call throws(SQLError) in try value(call, "[]", form) },
      finalize: { call throws(SQLError) in try finalize(call, "[]", form) })
  }

  static func object(_ name: String, _ form: JSONForm) -> AggregateFunction {
    AggregateFunction(
      name, .exactly(2), BuiltInFunctions.takingJSON, width: 1, step: objectStep,
      inverse: objectInverse,
      value: { call throws(SQLError) in try value(call, "{}", form) },
      finalize: { call throws(SQLError) in try finalize(call, "{}", form) })
  }

  @Sendable private static func arrayStep(_ call: FunctionContext) throws(SQLError) {
    try append(call, "[", isItem: true) { text throws(SQLError) in
      try call.appendJSON(0, to: &text)
    }
  }

  /// Rows without a label are left out.
  @Sendable private static func objectStep(_ call: FunctionContext) throws(SQLError) {
    let label = try call.text(0)
    try append(call, "{", isItem: label != nil) { text throws(SQLError) in
      guard let label else { return }
      try text.appendJSONText(label)
      try text.append(":")
      try call.appendJSON(1, to: &text)
    }
  }

  @Sendable private static func objectInverse(_ call: FunctionContext) throws(SQLError) {
    if try call.text(0) != nil { try inverse(call) }
  }

  /// Appends to the register's own buffer.
  private static func append(
    _ call: FunctionContext, _ opening: StaticString, isItem: Bool,
    _ write: (inout TextBuilder) throws(SQLError) -> Void
  ) throws(SQLError) {
    let state = call.accumulator
    var text = state.pointee.takeBuffer(limit: call.lengthLimit)
    defer { state.pointee.adopt(text) }
    if text.count == 0 { try text.append(opening) }
    if text.count > 1 && isItem { try text.append(UInt8(ascii: ",")) }
    try write(&text)
  }

  /// Takes the first item out: up to the first comma that is not inside of it.
  @Sendable private static func inverse(_ call: FunctionContext) throws(SQLError) {
    let state = call.accumulator
    guard state.pointee.tag == .text, let buffer = state.pointee.buffer else { return }
    let count = Int(state.pointee.byteCount)
    var index = 1, depth = 0, isInText = false
    while index < count {
      let byte = buffer[index]
      if byte == UInt8(ascii: ","), !isInText, depth == 0 { break }
      switch byte {
      case UInt8(ascii: "\""): isInText.toggle()
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isInText ? 0 : 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isInText ? 0 : 1
      default: break
      }
      index += 1
    }
    guard index < count else {
      state.pointee.byteCount = min(1, state.pointee.byteCount)
      return
    }
    Memory.move(from: buffer + index + 1, to: buffer + 1, count - index - 1)
    state.pointee.byteCount = Int32(count - index)
  }

  /// The last value is the text itself: a copy of it may be more than memory has.
  private static func finalize(
    _ call: FunctionContext, _ brackets: StaticString, _ form: JSONForm
  ) throws(SQLError) {
    let state = call.accumulator
    guard form == .text, state.pointee.tag == .text else {
      return try value(call, brackets, form)
    }
    var text = state.pointee.takeBuffer(limit: call.lengthLimit)
    do throws(SQLError) {
      try text.append(brackets.utf8Start[1])
    } catch {
      text.deallocate()
      throw error
    }
    call.result.pointee.deinitialize()
    call.result.pointee.adopt(text)
    call.result.pointee.markAsJSON()
  }

  private static func value(
    _ call: FunctionContext, _ brackets: StaticString, _ form: JSONForm
  ) throws(SQLError) {
    let state = call.accumulator
    try call.setJSON(form) { text throws(SQLError) in
      if state.pointee.tag == .text {
        try text.append(state.pointee.byteBuffer)
      } else {
        try text.append(brackets.utf8Start[0])
      }
      try text.append(brackets.utf8Start[1])
    }
  }
}

extension Register {
  /// The text in the own buffer, as a text that grows in the same memory. The register is NULL
  /// until `adopt` gives the memory back.
  fileprivate mutating func takeBuffer(limit: Int) -> TextBuilder {
    let count = tag == .text ? Int(byteCount) : 0
    let text = TextBuilder(
      adopting: buffer, count: count, capacity: Int(capacity), limit: limit)
    buffer = nil
    capacity = 0
    setNull()
    return text
  }

  fileprivate mutating func adopt(_ text: TextBuilder) {
    buffer = text.memory
    capacity = Int32(truncatingIfNeeded: text.capacity)
    if text.count > 0 { adoptBuffer(.text, text.count) }
  }
}
