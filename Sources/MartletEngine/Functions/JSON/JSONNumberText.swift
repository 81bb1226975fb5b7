/// A number in a JSON text, which ends with a NUL.
struct JSONNumberText {
  let text: UnsafePointer<UInt8>
  let start: Int
  /// Behind the number, or where it cannot go on.
  private(set) var end: Int
  private(set) var usesExtensions = false
  private(set) var isInfinite = false
  private var isReal = false
  /// Hexadecimal, or without digits on one side of the point.
  private var isIrregular = false

  init(text: UnsafePointer<UInt8>, start: Int) {
    self.text = text
    self.start = start
    end = start
  }

  var isNegative: Bool { text[start] == UInt8(ascii: "-") }

  /// Integer and real, each canonical or not.
  var type: UInt8 { JSONType.integer + (isIrregular ? 1 : 0) + (isReal ? 2 : 0) }

  /// Returns whether there is a number.
  mutating func read() -> Bool {
    let first = text[start]
    if first > UInt8(ascii: "0") { return readDigits(from: start + 1) }
    switch first {
    case UInt8(ascii: "0"): return readAfterZero(at: start)
    case UInt8(ascii: "."):
      guard ASCII.isDigit(text[start + 1]) else { return fail(at: start) }
      usesExtensions = true
      isReal = true
      isIrregular = true
      return readDigits(from: start + 1)
    default: return readSigned()
    }
  }

  private mutating func fail(at offset: Int) -> Bool {
    end = offset
    return false
  }

  private mutating func readSigned() -> Bool {
    if text[start] == UInt8(ascii: "+") { usesExtensions = true }
    let second = text[start + 1]
    if second == UInt8(ascii: "0") {
      if ASCII.isDigit(text[start + 2]) { return fail(at: start + 1) }
      if isHexadecimal(at: start + 1) { return readHexadecimal(at: start + 1) }
      return readDigits(from: start + 1)
    }
    if ASCII.isDigit(second) { return readDigits(from: start + 1) }
    if JSONCharacters.begins(text + start + 1, with: "inf") {
      usesExtensions = true
      isInfinite = true
      end = start + (JSONCharacters.begins(text + start + 4, with: "inity") ? 9 : 4)
      return true
    }
    guard second == UInt8(ascii: ".") else { return fail(at: start) }
    usesExtensions = true
    isIrregular = true
    return readDigits(from: start + 1)
  }

  private mutating func readAfterZero(at offset: Int) -> Bool {
    if isHexadecimal(at: offset) { return readHexadecimal(at: offset) }
    if ASCII.isDigit(text[offset + 1]) { return fail(at: offset + 1) }
    return readDigits(from: offset + 1)
  }

  private func isHexadecimal(at offset: Int) -> Bool {
    text[offset + 1] | 0x20 == UInt8(ascii: "x") && JSONCharacters.isHex(text[offset + 2])
  }

  private mutating func readHexadecimal(at offset: Int) -> Bool {
    usesExtensions = true
    isIrregular = true
    end = offset + 3
    while JSONCharacters.isHex(text[end]) { end += 1 }
    return true
  }

  /// Digits, a point and an exponent, in the order that numbers have them.
  private mutating func readDigits(from offset: Int) -> Bool {
    end = offset
    var hasExponent = false
    while true {
      let byte = text[end]
      if ASCII.isDigit(byte) {
        end &+= 1
        continue
      }
      if byte == UInt8(ascii: ".") {
        if isReal { return false }
        isReal = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        guard endsInDigit(), !hasExponent else { return false }
        isReal = true
        hasExponent = true
        var next = end + 1
        if text[next] == UInt8(ascii: "+") || text[next] == UInt8(ascii: "-") { next += 1 }
        guard ASCII.isDigit(text[next]) else { return fail(at: next - 1) }
        end = next - 1
      } else {
        return endsInDigit()
      }
      end &+= 1
    }
  }

  /// Whether a digit comes before, or a point behind a digit.
  private mutating func endsInDigit() -> Bool {
    if text[end - 1] >= UInt8(ascii: "0") { return true }
    guard text[end - 1] == UInt8(ascii: "."), end - 2 >= start, ASCII.isDigit(text[end - 2]) else {
      return false
    }
    usesExtensions = true
    isIrregular = true
    return true
  }
}
