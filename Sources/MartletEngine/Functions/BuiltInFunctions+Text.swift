extension BuiltInFunctions {
  static let text: [ScalarFunction] = [
    ScalarFunction("length", .exactly(1), [.pure, .headerOnly], body: length),
    ScalarFunction(
      "octet_length", .exactly(1), [.pure, .headerOnly, .anyEncoding], body: octetLength),
    ScalarFunction("lower", .exactly(1), body: lower),
    ScalarFunction("upper", .exactly(1), body: upper),
    ScalarFunction("substr", .exactly(2), body: substring),
    ScalarFunction("substr", .exactly(3), body: substring),
    ScalarFunction("substring", .exactly(2), body: substring),
    ScalarFunction("substring", .exactly(3), body: substring),
    ScalarFunction("trim", .exactly(1)) { call throws(SQLError) in try trim(call, true, true) },
    ScalarFunction("trim", .exactly(2)) { call throws(SQLError) in try trim(call, true, true) },
    ScalarFunction("ltrim", .exactly(1)) { call throws(SQLError) in try trim(call, true, false) },
    ScalarFunction("ltrim", .exactly(2)) { call throws(SQLError) in try trim(call, true, false) },
    ScalarFunction("rtrim", .exactly(1)) { call throws(SQLError) in try trim(call, false, true) },
    ScalarFunction("rtrim", .exactly(2)) { call throws(SQLError) in try trim(call, false, true) },
    ScalarFunction("replace", .exactly(3), body: replace),
    ScalarFunction("instr", .exactly(2), body: position),
    ScalarFunction("unicode", .exactly(1), body: unicode),
    ScalarFunction("char", .atLeast(0), body: character),
    ScalarFunction("concat", .atLeast(1), body: concatenate),
    ScalarFunction("concat_ws", .atLeast(2), body: concatenateSeparated),
    ScalarFunction("soundex", .exactly(1), body: soundex),
    ScalarFunction("like", .exactly(2), [.pure, .like], body: likeIgnoringCase),
    ScalarFunction("like", .exactly(3), [.pure, .like], body: likeIgnoringCase),
    ScalarFunction("glob", .exactly(2), [.pure, .like], body: glob),
  ]

  /// Steps over one character as SQLite does: a lead byte takes its continuation bytes.
  @inline(__always)
  static func skipCharacter(
    _ position: inout UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>
  ) {
    let first = position.pointee
    position += 1
    if first >= 0xc0 {
      while position < limit && position.pointee & 0xc0 == 0x80 { position += 1 }
    }
  }

  /// How many characters stand before the first NUL (nulinstr §1).
  static func characterCount(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    guard var position = text.baseAddress else { return 0 }
    let limit = position + text.count
    var count = 0
    while position < limit {
      if limit - position >= 8 {
        // Eight bytes of ASCII without NUL are eight characters.
        let word = UnsafeRawPointer(position).loadUnaligned(as: UInt64.self)
        let nonASCII = word & 0x8080_8080_8080_8080
        let hasNull = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
        if nonASCII | hasNull == 0 {
          position += 8
          count &+= 8
          continue
        }
      }
      if position.pointee == 0 { break }
      skipCharacter(&position, limit)
      count &+= 1
    }
    return count
  }

  @Sendable static func length(_ call: FunctionContext) throws(SQLError) {
    let argument = call.arguments.pointee
    if argument.tag == .blob {
      return call.setInteger(Int64(argument.byteCount) + Int64(argument.zeroCount))
    }
    guard let text = try call.text(0) else { return call.setNull() }
    call.setInteger(Int64(characterCount(text)))
  }

  @Sendable static func octetLength(_ call: FunctionContext) throws(SQLError) {
    let argument = call.arguments.pointee
    switch argument.tag {
    case .blob: call.setInteger(Int64(argument.byteCount) + Int64(argument.zeroCount))
    case .text: call.setInteger(Int64(argument.byteCount))
    default:
      guard let text = try call.text(0) else { return call.setNull() }
      call.setInteger(Int64(text.count) * (call.encoding == .utf8 ? 1 : 2))
    }
  }

  @Sendable static func lower(_ call: FunctionContext) throws(SQLError) {
    guard let text = try call.text(0) else { return call.setNull() }
    // SQLite wants room for a NUL, too.
    let target = try call.reserve(text.count + 1)
    for index in 0..<text.count { target[index] = ASCII.lower(text[index]) }
    call.finish(.text, text.count)
  }

  @Sendable static func upper(_ call: FunctionContext) throws(SQLError) {
    guard let text = try call.text(0) else { return call.setNull() }
    let target = try call.reserve(text.count + 1)
    for index in 0..<text.count { target[index] = ASCII.upper(text[index]) }
    call.finish(.text, text.count)
  }

  @Sendable static func unicode(_ call: FunctionContext) throws(SQLError) {
    guard let text = try call.text(0), var position = text.baseAddress, text.count > 0,
      text[0] != 0
    else { return call.setNull() }
    call.setInteger(Int64(TextConversion.readUTF8(&position, position + text.count)))
  }

  @Sendable static func character(_ call: FunctionContext) throws(SQLError) {
    let target = try call.reserve(4 * call.count)
    var byteCount = 0
    for index in 0..<call.count {
      let value = call.integer(index)
      let scalar = value < 0 || value > 0x10ffff ? 0xfffd : UInt32(truncatingIfNeeded: value)
      byteCount += TextConversion.writeUTF8(scalar, to: target + byteCount)
    }
    call.finish(.text, byteCount)
  }

  /// `instr`: by bytes for two blobs, by characters otherwise.
  @Sendable static func position(_ call: FunctionContext) throws(SQLError) {
    let isText = call.tag(0) != .blob || call.tag(1) != .blob
    let hasNeedle = call.tag(1) == .blob && call.arguments[1].byteCount > 0
    guard let haystack = isText ? try call.text(0) : try call.bytes(0),
      let needle = isText ? try call.text(1) : try call.bytes(1)
    else { return call.setNull() }
    if needle.count == 0 && hasNeedle {
      // Half a UTF-16 character was left out: SQLite finds the NUL that ends the haystack.
      return call.setInteger(Int64(characterCount(haystack) + 1))
    }
    guard needle.count > 0, let first = haystack.baseAddress,
      let wanted = needle.baseAddress
    else { return call.setInteger(needle.count == 0 ? 1 : 0) }
    var place = first
    let end = first + haystack.count - needle.count
    while place <= end {
      let rest = UnsafeBufferPointer(start: place, count: end - place + 1)
      guard let found = Memory.first(wanted.pointee, in: rest) else { break }
      place += found
      // A text is not found in the middle of a character.
      let isPlace = !isText || place == first || !isContinuation(place.pointee)
      if isPlace, Memory.compare(place, wanted, needle.count) == 0 {
        return call.setInteger(Int64(isText ? places(first, place) : place - first) + 1)
      }
      place += 1
    }
    call.setInteger(0)
  }

  @inline(__always)
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

  /// How many characters begin between two places, the first byte counted as one.
  private static func places(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int {
    guard first < end else { return 0 }
    var count = 1
    for index in 1..<(end - first) where !isContinuation(first[index]) { count &+= 1 }
    return count
  }

  /// Letters by sound: the first letter and three digits.
  @Sendable static func soundex(_ call: FunctionContext) throws(SQLError) {
    let text = try call.text(0) ?? FunctionContext.Bytes(start: nil, count: 0)
    // Digits of the letters a to z; 0 separates, as vowels do.
    let codes: StaticString = "01230120022455012623010202"
    func code(_ byte: UInt8) -> UInt8 {
      let letter = (byte & 0x7f | 0x20) &- 0x61
      return ASCII.isLetter(byte & 0x7f) ? codes.utf8Start[Int(letter)] : 0x30
    }
    let end = text.firstIndex(of: 0) ?? text.count
    guard let start = text[..<end].firstIndex(where: ASCII.isLetter) else {
      return call.setStatic("?000")
    }
    let target = try call.reserve(4)
    target.update(repeating: 0x30, count: 4)
    target[0] = ASCII.upper(text[start])
    var previous = code(text[start]), count = 1, index = start
    while count < 4 && index < end {
      let next = code(text[index])
      if next != 0x30 && next != previous {
        target[count] = next
        count += 1
      }
      previous = next
      index += 1
    }
    call.finish(.text, 4)
  }
}
