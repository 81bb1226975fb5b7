extension BuiltInFunctions {
  static let quoting: [ScalarFunction] = [
    ScalarFunction("hex", .exactly(1), [.pure, .anyEncoding], body: hex),
    ScalarFunction("unhex", .exactly(1), body: unhex),
    ScalarFunction("unhex", .exactly(2), body: unhex),
    ScalarFunction("quote", .exactly(1)) { call throws(SQLError) in
      try quote(call, escapesControls: false)
    },
    ScalarFunction("unistr_quote", .exactly(1)) { call throws(SQLError) in
      try quote(call, escapesControls: true)
    },
    ScalarFunction("unistr", .exactly(1), body: unistr),
  ]

  @Sendable static func hex(_ call: FunctionContext) throws(SQLError) {
    let isBlob = call.tag(0) == .blob
    guard let bytes = isBlob ? try call.bytes(0) : try call.text(0) else {
      return call.setStatic("")
    }
    // SQLite wants room for a NUL, too.
    let target = try call.reserve(2 * bytes.count + 1)
    writeHex(bytes, to: target)
    call.finish(.text, 2 * bytes.count)
  }

  private static func writeHex(
    _ bytes: FunctionContext.Bytes, to target: UnsafeMutablePointer<UInt8>
  ) {
    for index in 0..<bytes.count {
      target[2 * index] = ASCII.hexDigit(bytes[index] >> 4, upper: true)
      target[2 * index + 1] = ASCII.hexDigit(bytes[index] & 15, upper: true)
    }
  }

  /// Pairs of digits become bytes; between pairs, characters of the second argument are skipped.
  @Sendable static func unhex(_ call: FunctionContext) throws(SQLError) {
    var ignored: FunctionContext.Bytes? = nil
    if call.count == 2 {
      guard let characters = try call.text(1) else { return call.setNull() }
      ignored = characters
    }
    guard let text = try call.cString(0) else { return call.setNull() }
    let target = try call.reserve(text.count / 2 + 1)
    guard var position = text.baseAddress else { return call.finish(.blob, 0) }
    let limit = position + text.count
    var written = 0
    while position < limit {
      guard let high = ASCII.hexValue(position.pointee) else {
        let character = TextConversion.readUTF8(&position, limit)
        guard let ignored, contains(ignored, character) else { return call.setNull() }
        continue
      }
      guard limit - position >= 2, let low = ASCII.hexValue(position[1]) else {
        return call.setNull()
      }
      target[written] = high << 4 | low
      written += 1
      position += 2
    }
    call.finish(.blob, written)
  }

  private static func contains(_ text: FunctionContext.Bytes, _ character: UInt32) -> Bool {
    guard var position = text.baseAddress else { return false }
    let limit = position + text.count
    while position < limit {
      if TextConversion.readUTF8(&position, limit) == character { return true }
    }
    return false
  }

  static func quote(_ call: FunctionContext, escapesControls: Bool) throws(SQLError) {
    let argument = call.arguments
    switch argument.pointee.tag {
    case .null: call.setStatic("NULL")
    case .integer:
      let target = try call.reserve(NumberText.bufferSize)
      call.finish(.text, NumberText.write(argument.pointee.integer, to: target))
    case .real:
      let value = argument.pointee.real
      if value.isInfinite { return call.setStatic(value < 0 ? "-9.0e+999" : "9.0e+999") }
      let target = try call.reserve(NumberText.bufferSize)
      call.finish(.text, NumberText.write(value, to: target))
    case .blob:
      let bytes = try call.bytes(0)
      // SQLite asks for two bytes more than the literal has.
      guard 2 * bytes.count + 5 <= call.lengthLimit else { throw .tooBig }
      let target = try call.reserve(2 * bytes.count + 3)
      target[0] = UInt8(ascii: "X")
      target[1] = UInt8(ascii: "'")
      writeHex(bytes, to: target + 2)
      target[2 * bytes.count + 2] = UInt8(ascii: "'")
      call.finish(.text, 2 * bytes.count + 3)
    case .text:
      // SQLite counts the zero that ends the text.
      var output = TextBuilder(limit: call.lengthLimit - 1)
      defer { output.deallocate() }
      guard let text = try call.cString(0) else { return call.setNull() }
      try output.appendQuoted(
        text, quote: UInt8(ascii: "'"), encloses: true, escapesControls: escapesControls)
      try call.setText(output.bytes)
    }
  }

  /// Backslash escapes become the characters that they name.
  @Sendable static func unistr(_ call: FunctionContext) throws(SQLError) {
    guard let text = try call.text(0) else { return call.setNull() }
    // No escape is shorter than its character.
    let target = try call.reserve(text.count)
    var index = 0, written = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        target[written] = text[index]
        written += 1
        index += 1
        continue
      }
      index += 1
      let next = index < text.count ? text[index] : 0
      if next == UInt8(ascii: "\\") {
        target[written] = next
        written += 1
        index += 1
        continue
      }
      let digitCount: Int
      switch next {
      case UInt8(ascii: "u"): (digitCount, index) = (4, index + 1)
      case UInt8(ascii: "U"): (digitCount, index) = (8, index + 1)
      case UInt8(ascii: "+"): (digitCount, index) = (6, index + 1)
      default: digitCount = 4
      }
      guard let scalar = hexNumber(text, index, digitCount) else {
        throw .sql("invalid Unicode escape")
      }
      written += TextConversion.writeUTF8(scalar, to: target + written)
      index += digitCount
    }
    call.finish(.text, written)
  }

  private static func hexNumber(
    _ text: FunctionContext.Bytes, _ start: Int, _ digitCount: Int
  ) -> UInt32? {
    guard text.count - start >= digitCount else { return nil }
    var value: UInt32 = 0
    for index in start..<start + digitCount {
      guard let digit = ASCII.hexValue(text[index]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
