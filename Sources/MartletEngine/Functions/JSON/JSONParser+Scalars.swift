// Scalars: words, texts and numbers.

extension JSONParser {
  /// Reads a number, text or word. Returns the offset behind it or, with `errorOffset` where it
  /// was, a `JSONStop`.
  mutating func parseScalar(at start: Int) throws(SQLError) -> Int {
    var offset = start
    while true {
      let first = text[offset]
      switch first {
      case UInt8(ascii: "\""): return try parseText(at: offset, JSONType.text)
      case UInt8(ascii: "'"):
        usesExtensions = true
        return try parseText(at: offset, JSONType.text)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
        UInt8(ascii: "."):
        return try parseNumber(at: offset)
      case 0x20, 0x09, 0x0a, 0x0d:
        offset &+= 1
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        openOffset = offset
        return JSONStop.openContainer
      case UInt8(ascii: "t"): return try parseWord("true", JSONType.true, at: offset)
      case UInt8(ascii: "f"): return try parseWord("false", JSONType.false, at: offset)
      case UInt8(ascii: "n") where isWord("null", at: offset):
        return try parseWord("null", JSONType.null, at: offset)
      case UInt8(ascii: "}"): return stop(JSONStop.endOfObject, at: offset)
      case UInt8(ascii: "]"): return stop(JSONStop.endOfArray, at: offset)
      case UInt8(ascii: ","): return stop(JSONStop.comma, at: offset)
      case UInt8(ascii: ":"): return stop(JSONStop.colon, at: offset)
      case 0: return JSONStop.endOfText
      default: break
      }
      let spaces = JSONCharacters.whitespaceCount(text + offset)
      if spaces == 0 { return try parseSpecialNumber(at: offset) }
      usesExtensions = true
      offset &+= spaces
    }
  }

  private mutating func stop(_ stop: Int, at offset: Int) -> Int {
    errorOffset = offset
    return stop
  }

  /// Appends an element with a copy of the text, whose slack lets short ones be copied as words.
  @inline(__always)
  mutating func append(
    _ type: UInt8, _ source: UnsafePointer<UInt8>, _ byteCount: Int
  ) throws(SQLError) {
    try output.reserve(byteCount &+ 9)
    guard let memory = output.memory else { return }
    let target = memory + output.count
    if byteCount <= 11 {
      target[0] = type | UInt8(truncatingIfNeeded: byteCount) << 4
      let raw = UnsafeMutableRawPointer(target) + 1, from = UnsafeRawPointer(source)
      raw.storeBytes(of: from.loadUnaligned(as: UInt64.self), as: UInt64.self)
      (raw + 8).storeBytes(of: (from + 8).loadUnaligned(as: UInt32.self), as: UInt32.self)
      output.count &+= 1 &+ byteCount
    } else {
      let size = JSONBuffer.writeHeader(type, byteCount, to: target)
      Memory.copy(from: source, to: target + size, byteCount)
      output.count &+= size &+ byteCount
    }
  }

  private mutating func appendWord(_ type: UInt8) throws(SQLError) {
    try output.reserve(1)
    output.append(type)
  }

  private func isWord(_ word: StaticString, at offset: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    for index in 0..<count where text[offset + index] != word.utf8Start[index] { return false }
    return !JSONCharacters.isAlphanumeric(text[offset + count])
  }

  private mutating func parseWord(
    _ word: StaticString, _ type: UInt8, at offset: Int
  ) throws(SQLError) -> Int {
    guard isWord(word, at: offset) else { return stop(JSONStop.error, at: offset) }
    try appendWord(type)
    return offset + word.utf8CodeUnitCount
  }

  // MARK: Texts

  private mutating func parseText(at start: Int, _ type: UInt8) throws(SQLError) -> Int {
    let quote = text[start]
    var offset = start &+ 1, type = type
    while true {
      offset &+= quote == UInt8(ascii: "\"")
        ? JSONParser.plainCount(text + offset) : countBeforeQuotes(offset)
      let byte = text[offset]
      if byte == quote { break }
      if byte == UInt8(ascii: "\\") {
        offset &+= 1
        guard let width = escapeWidth(at: offset, &type) else {
          return stop(JSONStop.error, at: offset)
        }
        offset &+= width
      } else if byte <= 0x1f {
        if byte == 0 { return stop(JSONStop.error, at: offset) }
        type = JSONType.text5
        usesExtensions = true
        offset &+= 1
      } else {
        // The other kind of quotes.
        if byte == UInt8(ascii: "\"") { type = JSONType.text5 }
        offset &+= 1
      }
    }
    try append(type, text + start + 1, offset &- start &- 1)
    return offset &+ 1
  }

  /// How many bytes from `offset` on may stand in a text with either kind of quotes.
  private func countBeforeQuotes(_ offset: Int) -> Int {
    var end = offset
    while JSONCharacters.isPlain(text[end]) { end &+= 1 }
    return end &- offset
  }

  /// How many bytes of an escape stand behind its backslash that must not be looked at again.
  private mutating func escapeWidth(at offset: Int, _ type: inout UInt8) -> Int? {
    let byte = text[offset]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      if type == JSONType.text { type = JSONType.escapedText }
      return 1
    case UInt8(ascii: "u") where JSONCharacters.areHex(text + offset + 1, 4):
      if type == JSONType.text { type = JSONType.escapedText }
      return 1
    case UInt8(ascii: "'"), UInt8(ascii: "v"), 0x0a: break
    case UInt8(ascii: "0") where !ASCII.isDigit(text[offset + 1]): break
    case UInt8(ascii: "x") where JSONCharacters.areHex(text + offset + 1, 2): break
    case 0xe2 where JSONCharacters.isLineSeparator(text + offset): break
    case 0x0d:
      type = JSONType.text5
      usesExtensions = true
      return text[offset + 1] == 0x0a ? 2 : 1
    default: return nil
    }
    type = JSONType.text5
    usesExtensions = true
    return 1
  }

  // MARK: Numbers

  private mutating func parseNumber(at start: Int) throws(SQLError) -> Int {
    var number = JSONNumberText(text: text, start: start)
    guard number.read() else { return stop(JSONStop.error, at: number.end) }
    if number.usesExtensions { usesExtensions = true }
    if number.isInfinite {
      try number.isNegative ? appendInfinity("-9e999") : appendInfinity("9e999")
      return number.end
    }
    let first = text[start] == UInt8(ascii: "+") ? start + 1 : start
    try append(number.type, text + first, number.end - first)
    return number.end
  }

  private mutating func appendInfinity(_ digits: StaticString) throws(SQLError) {
    try output.append(
      JSONType.float,
      UnsafeBufferPointer(start: digits.utf8Start, count: digits.utf8CodeUnitCount))
  }

  /// The words for infinity and for what is no number (json1 §3.6).
  private mutating func parseSpecialNumber(at offset: Int) throws(SQLError) -> Int {
    func isWord(_ word: StaticString) -> Bool {
      JSONCharacters.begins(text + offset, with: word)
        && !JSONCharacters.isAlphanumeric(text[offset + word.utf8CodeUnitCount])
    }
    let count: Int
    switch ASCII.lower(text[offset]) {
    case UInt8(ascii: "i"): count = isWord("inf") ? 3 : isWord("infinity") ? 8 : 0
    case UInt8(ascii: "n"): count = isWord("nan") ? 3 : 0
    case UInt8(ascii: "q"): count = isWord("qnan") ? 4 : 0
    case UInt8(ascii: "s"): count = isWord("snan") ? 4 : 0
    default: count = 0
    }
    guard count > 0 else { return stop(JSONStop.error, at: offset) }
    usesExtensions = true
    if ASCII.lower(text[offset]) == UInt8(ascii: "i") {
      try appendInfinity("9e999")
    } else {
      try appendWord(JSONType.null)
    }
    return offset + count
  }
}
