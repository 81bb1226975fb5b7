/// Checks of blobs that say they are JSONB (json1 §4.21).
extension JSONElements {
  /// Whether the blob looks like JSONB, from outside. Short ones that could be JSON text, too, are
  /// looked at as a whole.
  var looksValid: Bool {
    guard count > 0 else { return false }
    let first = bytes[0], type = first & 15, header = header(at: 0)
    guard type <= JSONType.object, header.isValid, header.total == count else { return false }
    if type <= JSONType.false && header.payload != 0 { return false }
    if header.payload > 7 { return true }
    let couldBeText = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      || ASCII.isDigit(first)
    return !couldBeText || errorPosition(at: 0, end: count, depth: 1) == 0
  }

  /// The position, from 1 on, of what is wrong; 0 if the whole blob is valid.
  var errorPosition: Int { errorPosition(at: 0, end: count, depth: 1) }

  private func errorPosition(at offset: Int, end: Int, depth: Int) -> Int {
    if depth > JSONLimits.depth { return offset + 1 }
    let header = header(at: offset), start = offset + header.size
    guard header.isValid, start + header.payload == end else { return offset + 1 }
    switch bytes[offset] & 15 {
    case JSONType.null, JSONType.true, JSONType.false: return header.total == 1 ? 0 : offset + 1
    case JSONType.integer: return integerError(offset, start, end)
    case JSONType.integer5: return hexadecimalError(offset, start, end)
    case JSONType.float: return realError(offset, start, end, isCanonical: true)
    case JSONType.float5: return realError(offset, start, end, isCanonical: false)
    case JSONType.text:
      for index in start..<end where !isPlain(bytes[index]) { return index + 1 }
      return 0
    case JSONType.escapedText: return escapeError(start, end, isCanonical: true)
    case JSONType.text5: return escapeError(start, end, isCanonical: false)
    case JSONType.rawText: return 0
    case JSONType.array: return childError(start, end, isObject: false, depth)
    case JSONType.object: return childError(start, end, isObject: true, depth)
    default: return offset + 1
    }
  }

  private func childError(_ start: Int, _ end: Int, isObject: Bool, _ depth: Int) -> Int {
    var position = start, childCount = 0
    while position < end {
      let child = header(at: position)
      guard child.isValid, position + child.total <= end else { return position + 1 }
      if isObject, childCount & 1 == 0, !JSONType.isText(bytes[position] & 15) {
        return position + 1
      }
      let error = errorPosition(at: position, end: position + child.total, depth: depth + 1)
      if error != 0 { return error }
      childCount += 1
      position += child.total
    }
    return isObject && childCount & 1 == 1 ? position + 1 : 0
  }

  private func integerError(_ offset: Int, _ start: Int, _ end: Int) -> Int {
    guard start < end else { return offset + 1 }
    var position = start
    if bytes[position] == UInt8(ascii: "-") {
      position += 1
      if position == end { return offset + 1 }
    }
    while position < end {
      if !ASCII.isDigit(bytes[position]) { return position + 1 }
      position += 1
    }
    return 0
  }

  private func hexadecimalError(_ offset: Int, _ start: Int, _ end: Int) -> Int {
    guard end - start >= 3 else { return offset + 1 }
    var position = start
    if bytes[position] == UInt8(ascii: "-") {
      if end - start < 4 { return offset + 1 }
      position += 1
    }
    guard bytes[position] == UInt8(ascii: "0") else { return offset + 1 }
    guard bytes[position + 1] | 0x20 == UInt8(ascii: "x") else { return position + 2 }
    position += 2
    while position < end {
      if !JSONCharacters.isHex(bytes[position]) { return position + 1 }
      position += 1
    }
    return 0
  }

  private func realError(
    _ offset: Int, _ start: Int, _ end: Int, isCanonical: Bool
  ) -> Int {
    guard end - start >= 2 else { return offset + 1 }
    let point = UInt8(ascii: ".")
    var position = start, hasPoint = false, hasExponent = false
    if bytes[position] == UInt8(ascii: "-") {
      position += 1
      if end - start < 3 { return offset + 1 }
    }
    if bytes[position] == point {
      if isCanonical || !ASCII.isDigit(bytes[position + 1]) { return position + 1 }
      position += 2
      hasPoint = true
    } else if bytes[position] == UInt8(ascii: "0") && isCanonical {
      guard position + 3 <= end else { return position + 1 }
      let next = bytes[position + 1]
      guard next == point || next | 0x20 == UInt8(ascii: "e") else { return position + 1 }
      position += 1
    }
    while position < end {
      let byte = bytes[position]
      if byte == point {
        if hasPoint || hasExponent { return position + 1 }
        let isLast = position == end - 1
        if isCanonical, isLast || !ASCII.isDigit(bytes[position + 1]) { return position + 1 }
        hasPoint = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        if hasExponent || position == end - 1 { return position + 1 }
        let next = bytes[position + 1]
        if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") {
          position += 1
          if position == end - 1 { return position + 1 }
        }
        hasExponent = true
      } else if !ASCII.isDigit(byte) {
        return position + 1
      }
      position += 1
    }
    return hasPoint || hasExponent ? 0 : offset + 1
  }

  private func isPlain(_ byte: UInt8) -> Bool {
    JSONCharacters.isPlain(byte) || byte == UInt8(ascii: "'")
  }

  private func escapeError(_ start: Int, _ end: Int, isCanonical: Bool) -> Int {
    let text = UnsafeBufferPointer(start: bytes + start, count: end - start)
    var index = 0
    while index < text.count {
      let byte = text[index]
      if isPlain(byte) {
        index += 1
        continue
      }
      let error = start + index + 1
      if byte != UInt8(ascii: "\\") {
        // Quotes and control characters.
        if isCanonical { return error }
        index += 1
        continue
      }
      guard index + 1 < text.count else { return error }
      switch text[index + 1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
        UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), 0:
        index += 2
      case UInt8(ascii: "u"):
        guard index + 5 < text.count,
          JSONCharacters.areHex(bytes + start + index + 2, 4)
        else { return error }
        index += 2
      default:
        if isCanonical { return error }
        let (scalar, width) = JSONEscapes.character(in: text, at: index)
        if scalar == JSONEscapes.invalid { return error }
        index += width
      }
    }
    return 0
  }
}
