// SQL literals, appended to a line that its owner keeps and reuses: `.dump` writes millions.

extension [UInt8] {
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  mutating func append(decimal value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = count
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest != 0
    self[start...].reverse()
  }

  /// Text as a literal; with control characters as `unistr('…\u001b…')`.
  mutating func append(sqlText text: UnsafeRawBufferPointer) {
    let quote = UInt8(ascii: "'")
    var needsEscapes = false
    var hasQuote = false
    for byte in text {
      if byte < 0x20 { needsEscapes = true }
      if byte == quote { hasQuote = true }
    }
    if needsEscapes { return appendEscaped(text) }
    append(quote)
    if hasQuote {
      append(text) { $0 == quote ? .doubled : .plain }
    } else {
      append(contentsOf: text)
    }
    append(quote)
  }

  private mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
    append("unistr('")
    append(text) { byte in
      if byte < 0x20 { return .escaped }
      return byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") ? .doubled : .plain
    }
    append("')")
  }

  private enum Spelling { case plain, doubled, escaped }

  /// Appends the text with some of its bytes spelled otherwise; the runs between them are copied
  /// whole.
  @inline(__always)
  private mutating func append(
    _ text: UnsafeRawBufferPointer, spelling: (UInt8) -> Spelling
  ) {
    var runStart = 0
    for index in 0..<text.count {
      let byte = text[index]
      let spelling = spelling(byte)
      if spelling == .plain { continue }
      append(contentsOf: UnsafeRawBufferPointer(rebasing: text[runStart..<index]))
      runStart = index + 1
      if spelling == .doubled {
        append(byte)
        append(byte)
      } else {
        append("\\u00")
        append(hexadecimal: byte)
      }
    }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: text[runStart...]))
  }

  /// `x'0aff'`.
  mutating func append(sqlBlob blob: UnsafeRawBufferPointer) {
    append("x'")
    let chunkSize = 1024
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * chunkSize) { digits in
      var start = 0
      while start < blob.count {
        let end = Swift.min(start + chunkSize, blob.count)
        for index in start..<end {
          digits[2 * (index - start)] = Self.digit(blob[index] >> 4)
          digits[2 * (index - start) + 1] = Self.digit(blob[index] & 15)
        }
        append(contentsOf: digits[..<(2 * (end - start))])
        start = end
      }
    }
    append(UInt8(ascii: "'"))
  }

  mutating func append(hexadecimal byte: UInt8) {
    append(Self.digit(byte >> 4))
    append(Self.digit(byte & 15))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}
