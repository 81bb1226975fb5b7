extension BuiltInFunctions {
  @Sendable static func substring(_ call: FunctionContext) throws(SQLError) {
    if call.isNull(1) || (call.count == 3 && call.isNull(2)) { return call.setNull() }
    let isBlob = call.tag(0) == .blob
    guard let text = isBlob ? try call.bytes(0) : try call.text(0) else { return call.setNull() }
    // SQLite does not tell an empty blob from none here.
    if isBlob && text.count == 0 { return call.setNull() }
    var start = call.integer(1)
    var length: Int64 = call.count == 3 ? call.integer(2) : Int64(call.lengthLimit)
    let isBackward = length < 0
    if isBackward { length = length == .min ? .max : -length }
    let total = isBlob ? text.count : (start < 0 ? characterCount(text) : 0)
    if start < 0 {
      start += Int64(total)
      if start < 0 {
        length = max(0, length + start)
        start = 0
      }
    } else if start > 0 {
      start -= 1
    } else if length > 0 {
      length -= 1
    }
    if isBackward {
      start -= length
      if start < 0 {
        length += start
        start = 0
      }
    }
    if isBlob {
      let first = Int(min(start, Int64(total)))
      let count = Int(max(0, min(length, Int64(total - first))))
      return try call.set(.blob, FunctionContext.Bytes(rebasing: text[first..<first + count]))
    }
    try call.setText(characters(of: text, from: start, count: length))
  }

  /// A run of characters, which a NUL ends.
  private static func characters(
    of text: FunctionContext.Bytes, from start: Int64, count: Int64
  ) -> FunctionContext.Bytes {
    guard var position = text.baseAddress else { return text }
    let limit = position + text.count
    var toSkip = start, toTake = count
    while toSkip > 0 && position < limit && position.pointee != 0 {
      skipCharacter(&position, limit)
      toSkip -= 1
    }
    let first = position
    while toTake > 0 && position < limit && position.pointee != 0 {
      skipCharacter(&position, limit)
      toTake -= 1
    }
    return FunctionContext.Bytes(start: first, count: position - first)
  }

  /// `trim`, `ltrim` and `rtrim`: characters of a set, spaces without one, are taken off the ends.
  static func trim(_ call: FunctionContext, _ left: Bool, _ right: Bool) throws(SQLError) {
    guard let text = try call.text(0) else { return call.setNull() }
    guard var start = text.baseAddress, text.count > 0 else {
      if call.count == 2 && call.isNull(1) { return call.setNull() }
      return call.setStatic("")
    }
    var end = start + text.count
    if call.count == 1 {
      while left && start < end && start.pointee == 0x20 { start += 1 }
      while right && start < end && (end - 1).pointee == 0x20 { end -= 1 }
    } else {
      guard let set = try call.cString(1) else { return call.setNull() }
      while left, let size = match(set, start, end, atEnd: false) { start += size }
      while right, let size = match(set, start, end, atEnd: true) { end -= size }
    }
    try call.setText(FunctionContext.Bytes(start: start, count: end - start))
  }

  /// The size of the first character of `set` that the text begins or ends with.
  private static func match(
    _ set: FunctionContext.Bytes, _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
    atEnd: Bool
  ) -> Int? {
    guard var position = set.baseAddress, start < end else { return nil }
    let limit = position + set.count
    while position < limit {
      let character = position
      skipCharacter(&position, limit)
      let size = position - character
      if size > end - start { continue }
      if Memory.compare(character, atEnd ? end - size : start, size) == 0 { return size }
    }
    return nil
  }

  @Sendable static func replace(_ call: FunctionContext) throws(SQLError) {
    guard let text = try call.text(0), let pattern = try call.text(1) else {
      return call.setNull()
    }
    // SQLite takes a pattern that begins with NUL for an empty one.
    guard pattern.count > 0 && pattern[0] != 0 else { return try call.setText(text) }
    guard let replacement = try call.text(2) else { return call.setNull() }
    guard let source = text.baseAddress, let wanted = pattern.baseAddress,
      let inserted = replacement.baseAddress
    else { return call.setStatic("") }
    let occurrences = count(of: pattern, in: text)
    let total = text.count &+ occurrences &* (replacement.count &- pattern.count)
    let target = try call.reserve(total)
    var index = 0, written = 0
    while index < text.count {
      let isMatch = index <= text.count - pattern.count && source[index] == wanted[0]
        && Memory.compare(source + index, wanted, pattern.count) == 0
      if isMatch {
        Memory.copy(from: inserted, to: target + written, replacement.count)
        written += replacement.count
        index += pattern.count
      } else {
        target[written] = source[index]
        written += 1
        index += 1
      }
    }
    call.finish(.text, written)
  }

  private static func count(
    of pattern: FunctionContext.Bytes, in text: FunctionContext.Bytes
  ) -> Int {
    guard let source = text.baseAddress, let wanted = pattern.baseAddress else { return 0 }
    var index = 0, count = 0
    while index <= text.count - pattern.count {
      if source[index] == wanted[0]
        && Memory.compare(source + index, wanted, pattern.count) == 0
      {
        count += 1
        index += pattern.count
      } else {
        index += 1
      }
    }
    return count
  }

  @Sendable static func concatenate(_ call: FunctionContext) throws(SQLError) {
    try join(call, from: 0, separator: FunctionContext.Bytes(start: nil, count: 0))
  }

  @Sendable static func concatenateSeparated(_ call: FunctionContext) throws(SQLError) {
    // The separator is kept apart, as later arguments reuse the places for texts of numbers.
    var separator = Register()
    defer { separator.deinitialize() }
    guard let bytes = try call.text(0) else { return call.setNull() }
    try separator.setOwned(
      .text, copying: bytes.baseAddress ?? Register.emptyBytes, bytes.count)
    try join(call, from: 1, separator: separator.byteBuffer)
  }

  private static func join(
    _ call: FunctionContext, from first: Int, separator: FunctionContext.Bytes
  ) throws(SQLError) {
    var total = 0, isFirst = true
    for index in first..<call.count {
      guard let text = try call.text(index) else { continue }
      total += text.count + (isFirst ? 0 : separator.count)
      isFirst = false
    }
    let target = try call.reserve(total)
    var written = 0
    isFirst = true
    for index in first..<call.count {
      guard let text = try call.text(index) else { continue }
      if !isFirst, let bytes = separator.baseAddress {
        Memory.copy(from: bytes, to: target + written, separator.count)
        written += separator.count
      }
      isFirst = false
      if let bytes = text.baseAddress {
        Memory.copy(from: bytes, to: target + written, text.count)
        written += text.count
      }
    }
    call.finish(.text, written)
  }
}
