extension BuiltInFunctions {
  static let concatenating: [AggregateFunction] = [
    AggregateFunction(
      "group_concat", .exactly(1), width: 4, step: Concatenation.step,
      inverse: Concatenation.inverse, value: Concatenation.value,
      finalize: Concatenation.finalize),
    AggregateFunction(
      "group_concat", .exactly(2), width: 4, step: Concatenation.step,
      inverse: Concatenation.inverse, value: Concatenation.value,
      finalize: Concatenation.finalize),
    AggregateFunction(
      "string_agg", .exactly(2), width: 4, step: Concatenation.step,
      inverse: Concatenation.inverse, value: Concatenation.value,
      finalize: Concatenation.finalize),
  ]
}

/// group_concat and string_agg.
///
/// State: register 0 the text so far, NULL while the next value is a first one; register 1 the
/// count of values; register 3 the length of the first value's separator, which was not written.
/// A NUL has to fit behind the text, as in SQLite. Where separators differ in length, register 2 has the length before each value but the first, as
/// 32-bit numbers, for the inverse.
private enum Concatenation {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  @Sendable static func step(_ call: FunctionContext) throws(SQLError) {
    guard let value = try call.text(0) else { return }
    let state = call.accumulator
    if state[1].isNull { state[1].setInteger(0) }
    let comma: StaticString = ","
    var separator: Bytes? = Bytes(start: comma.utf8Start, count: 1)
    if call.count == 2 { separator = try call.text(1) }
    let separatorCount = Int64(separator?.count ?? 0)
    if state.pointee.isNull {
      state.pointee.setBorrowed(.text, Register.emptyBytes, 0)
      state[3].setInteger(separatorCount)
    } else {
      if let separator { try state.pointee.append(separator, limit: call.lengthLimit - 1) }
      if separatorCount != state[3].integer || state[2].tag == .blob {
        try record(separatorCount, state)
      }
    }
    state[1].integer &+= 1
    try state.pointee.append(value, limit: call.lengthLimit - 1)
  }

  /// Notes the separator's length; earlier ones were all as long as the first.
  private static func record(
    _ separatorCount: Int64, _ state: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    if state[2].tag != .blob { state[2].setBorrowed(.blob, Register.emptyBytes, 0) }
    let place = Int(state[1].integer) - 1
    while Int(state[2].byteCount) / 4 <= place {
      let isNew = Int(state[2].byteCount) / 4 == place
      var length = Int32(truncatingIfNeeded: isNew ? separatorCount : state[3].integer)
      try withUnsafeBytes(of: &length) { (raw) throws(SQLError) in
        try state[2].append(raw.bindMemory(to: UInt8.self), limit: Int(Int32.max))
      }
    }
  }

  @Sendable static func inverse(_ call: FunctionContext) throws(SQLError) {
    guard let value = try call.text(0) else { return }
    let state = call.accumulator
    state[1].integer &-= 1
    var removed = value.count
    if state[2].tag == .blob {
      if state[1].integer > 0, state[2].byteCount >= 4, let lengths = state[2].bytes {
        removed += Int(UnsafeRawPointer(lengths).loadUnaligned(as: Int32.self))
        drop(4, from: &state[2])
      }
    } else {
      removed += Int(state[3].integer)
    }
    drop(removed, from: &state.pointee)
    if state.pointee.byteCount == 0 {
      state.pointee.setNull()
      state[2].setNull()
    }
  }

  private static func drop(_ byteCount: Int, from register: inout Register) {
    guard register.tag != .null else { return }
    let left = Int(register.byteCount) - byteCount
    guard left > 0, let buffer = register.buffer else {
      register.byteCount = 0
      return
    }
    Memory.move(from: buffer + byteCount, to: buffer, left)
    register.byteCount = Int32(left)
  }

  /// SQLite gives a text of one NUL, not an empty one, for a frame of empty texts.
  @Sendable static func value(_ call: FunctionContext) throws(SQLError) {
    let state = call.accumulator
    let isEmpty = state.pointee.isNull || state.pointee.byteCount == 0
    if isEmpty && !state[1].isNull && state[1].integer > 0 { return call.setStatic("\0") }
    if !setEmpty(call) { try call.setText(state.pointee.byteBuffer) }
  }

  /// The last value is the text itself: a copy of it may be more than memory has.
  @Sendable static func finalize(_ call: FunctionContext) throws(SQLError) {
    let state = call.accumulator
    if setEmpty(call) { return }
    guard state.pointee.ownsBytes, state.pointee.tag == .text else {
      return try call.setText(state.pointee.byteBuffer)
    }
    swap(&call.result.pointee, &state.pointee)
  }

  /// Gives the value of no rows, or of rows without text, if it is that.
  private static func setEmpty(_ call: FunctionContext) -> Bool {
    let state = call.accumulator
    guard !state[1].isNull && state[1].integer > 0 else {
      call.setNull()
      return true
    }
    guard state.pointee.isNull else { return false }
    call.setStatic("")
    return true
  }
}

extension Register {
  /// Appends to a text or blob in the register's own buffer, which grows by doubling.
  mutating func append(
    _ bytes: UnsafeBufferPointer<UInt8>, limit: Int
  ) throws(SQLError) {
    let old = Int(byteCount), new = old + bytes.count
    guard new <= limit else { throw .tooBig }
    if new > Int(capacity) {
      let larger = min(max(64, 2 * new), Int(Int32.max))
      buffer = try Memory.reallocate(buffer, larger).assumingMemoryBound(to: UInt8.self)
      capacity = Int32(larger)
    }
    guard let buffer else { return }
    if let source = bytes.baseAddress { Memory.copy(from: source, to: buffer + old, bytes.count) }
    adoptBuffer(tag, new)
  }
}
