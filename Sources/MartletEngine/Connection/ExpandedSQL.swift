/// A statement's text with literals in the places of its parameters (`sqlite3_expanded_sql`).
struct ExpandedSQL {
  private let source: StatementSource
  /// Values of the parameters, the first at index 0.
  private let values: [Value]
  private let range: ByteRange

  /// - Parameter isWhole: Also what stands before the statement, and its semicolon, as the
  ///   statement was given to `Connection.prepare`.
  init(_ source: StatementSource, _ values: [Value], isWhole: Bool = false) {
    self.source = source
    self.values = values
    range = isWhole
      ? ByteRange(start: 0, end: source.rangeWithSemicolon.end) : source.range
  }

  var text: String {
    var bytes: [UInt8] = []
    let text = source.text, end = min(Int(range.end), text.count)
    var offset = Int(range.start), largest = 0
    while offset < end {
      let token = Tokenizer.token(text.start, from: offset)
      guard token.kind != .endOfText, token.start < end, token.end > offset else { break }
      bytes.append(
        contentsOf: UnsafeBufferPointer(start: text.start + offset, count: token.start - offset))
      let written = UnsafeBufferPointer(
        start: text.start + token.start, count: min(token.end, end) - token.start)
      if token.kind == .variable {
        let number = self.number(of: written, after: largest)
        largest = max(largest, number)
        bytes.append(contentsOf: literal(number).utf8)
      } else {
        bytes.append(contentsOf: written)
      }
      offset = token.end
    }
    if offset < end {
      bytes.append(contentsOf: UnsafeBufferPointer(start: text.start + offset, count: end - offset))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `?` takes the number behind the largest so far, `?7` its own, a name that of its name.
  private func number(of written: UnsafeBufferPointer<UInt8>, after largest: Int) -> Int {
    if written.count == 1 { return largest + 1 }
    if written.first == UInt8(ascii: "?") {
      return written.dropFirst().reduce(0) { ($0 &* 10) &+ Int($1 &- 0x30) }
    }
    let known = source.parameterNames.first { known in
      known.name.string == String(decoding: written, as: UTF8.self)
    }
    return known.map { Int($0.number) } ?? largest + 1
  }

  private func literal(_ number: Int) -> String {
    guard values.indices.contains(number - 1) else { return "NULL" }
    switch values[number - 1] {
    case .null: return "NULL"
    case .integer(let value): return "\(value)"
    case .real(let value):
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberText.bufferSize) {
        buffer in
        guard let start = buffer.baseAddress else { return "" }
        let count = NumberText.write(value, to: start)
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
      }
    case .text(let text):
      // By bytes: a quote and a combining mark behind it are one Character.
      var quoted = [UInt8(ascii: "'")]
      for byte in text.utf8 {
        if byte == UInt8(ascii: "'") { quoted.append(byte) }
        quoted.append(byte)
      }
      quoted.append(UInt8(ascii: "'"))
      return String(decoding: quoted, as: UTF8.self)
    case .blob(let bytes):
      let digits = Array("0123456789abcdef".utf8)
      var text = Array("x'".utf8)
      for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
      }
      text.append(UInt8(ascii: "'"))
      return String(decoding: text, as: UTF8.self)
    }
  }
}
