/// Bytes as characters that travel anywhere, in lines, and back.
enum TextCodes {
  private static let base64Digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let base64Line = 72, base85Line = 80
  private static let lineFeed = UInt8(ascii: "\n")

  static func base64(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for digit in 0..<4 {
        let number = Int(value >> UInt32(18 - 6 * digit) & 63)
        text.append(digit <= group.count ? base64Digits[number] : UInt8(ascii: "="))
      }
      if start / 3 % (base64Line / 4) == base64Line / 4 - 1 { text.append(lineFeed) }
    }
    if text.last != lineFeed, !text.isEmpty { text.append(lineFeed) }
    return text
  }

  /// Characters that mean nothing are skipped; `=` ends the text.
  static func fromBase64(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    var held: UInt32 = 0, bitCount: UInt32 = 0
    for character in text {
      if character == UInt8(ascii: "=") { break }
      guard let digit = base64Digits.firstIndex(of: character) else { continue }
      held = held << 6 | UInt32(digit)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: held >> bitCount))
    }
    return bytes
  }

  // MARK: Base 85

  /// `#` to `&` are 0 to 3, and `*` to `z` the others.
  private static func base85Value(_ character: UInt8) -> UInt64? {
    switch character {
    case UInt8(ascii: "#")...UInt8(ascii: "&"): UInt64(character - UInt8(ascii: "#"))
    case UInt8(ascii: "*")...UInt8(ascii: "z"): UInt64(character - UInt8(ascii: "*")) + 4
    default: nil
    }
  }

  private static func base85Digit(_ value: UInt64) -> UInt8 {
    value < 4
      ? UInt8(ascii: "#") + UInt8(truncatingIfNeeded: value)
      : UInt8(ascii: "*") + UInt8(truncatingIfNeeded: value - 4)
  }

  /// Four bytes are five digits; fewer at the end, one digit more than bytes.
  static func base85(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 4) {
      let group = bytes[start..<min(start + 4, bytes.count)]
      var value = group.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      var digits: [UInt8] = []
      for _ in 0...group.count {
        digits.append(base85Digit(value % 85))
        value /= 85
      }
      text += digits.reversed()
      if start / 4 % (base85Line / 5) == base85Line / 5 - 1 { text.append(lineFeed) }
    }
    if text.last != lineFeed, !text.isEmpty { text.append(lineFeed) }
    return text
  }

  /// Characters that mean nothing end a group.
  static func fromBase85(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    var group: [UInt64] = []
    func flush() {
      defer { group = [] }
      guard group.count > 1 else { return }
      let value = group.reduce(UInt64(0)) { $0 &* 85 &+ $1 }
      for index in (0..<group.count - 1).reversed() {
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
      }
    }
    for character in text {
      guard let value = base85Value(character) else {
        if !isSpace(character) { flush() }
        continue
      }
      group.append(value)
      if group.count == 5 { flush() }
    }
    flush()
    return bytes
  }

  static func isBase85(_ text: UnsafeRawBufferPointer) -> Bool {
    text.allSatisfy { base85Value($0) != nil || isSpace($0) }
  }

  // MARK: UINT

  /// Texts by their bytes, but digits that follow each other by their number.
  static func compareNumbers(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int {
    var first = left[...], second = right[...]
    while let a = first.first, let b = second.first {
      guard isDigit(a), isDigit(b) else {
        if a != b { return Int(a) - Int(b) }
        (first, second) = (first.dropFirst(), second.dropFirst())
        continue
      }
      let zero = UInt8(ascii: "0")
      let one = first.drop { $0 == zero }.prefix(while: isDigit)
      let two = second.drop { $0 == zero }.prefix(while: isDigit)
      if one.count != two.count { return one.count - two.count }
      for (a, b) in zip(one, two) where a != b { return Int(a) - Int(b) }
      (first, second) = (first[one.endIndex...], second[two.endIndex...])
    }
    return first.count - second.count
  }
}
