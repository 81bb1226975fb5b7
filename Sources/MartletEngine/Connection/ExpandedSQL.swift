/// A statement's text with literals in the places of its parameters (`sqlite3_expanded_sql`).
struct ExpandedSQL {
  private let source: StatementSource
  /// Values of the parameters, the first at index 0.
  private let values: [BoundValue]
  private let range: ByteRange

  /// - Parameter wholeByteCount: So many bytes of the text, from its beginning; nil for the
  ///   statement alone.
  init(_ source: StatementSource, _ values: [BoundValue], wholeByteCount: Int? = nil) {
    self.source = source
    self.values = values
    range = wholeByteCount.map { ByteRange(start: 0, end: Int32(clamping: $0)) } ?? source.range
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  var bytes: [UInt8] {
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
    return bytes
  }

  /// `?` takes the number behind the largest so far, `?7` its own, a name that of its name.
  private func number(of written: UnsafeBufferPointer<UInt8>, after largest: Int) -> Int {
    if written.count == 1 { return largest + 1 }
    if written.first == UInt8(ascii: "?") {
      return written.dropFirst().reduce(0) { ($0 &* 10) &+ Int($1 &- 0x30) }
    }
    let known = source.parameterNames.first { known in
      known.name.buffer.elementsEqual(written)
    }
    return known.map { Int($0.number) } ?? largest + 1
  }

  private func literal(_ number: Int) -> String {
    guard values.indices.contains(number - 1) else { return "NULL" }
    switch values[number - 1] {
    case .zeroBlob(let count): return "zeroblob(\(count))"
    case .value(let value): return ExpandedSQL.literal(value)
    }
  }

  private static func literal(_ value: Value) -> String {
    switch value {
    case .null: return "NULL"
    case .integer(let value): return "\(value)"
    case .real(let value): return literal(value)
    case .text(let text):
      // By bytes: a quote and a combining mark behind it are one Character. A zero byte would end
      // the whole for who reads it as a C string, and SQLite ends the text there.
      var quoted = [UInt8(ascii: "'")]
      for byte in text.utf8.prefix(while: { $0 != 0 }) {
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

  /// A real in 15 digits, with a point.
  private static func literal(_ real: Double) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FunctionMemory.digitsSize) { digits in
      guard let start = digits.baseAddress else { return "" }
      var writer = FormatWriter(
        OneReal(value: real), output: TextBuilder(limit: 400), digits: start)
      let format = Array("%!.15g".utf8)
      let result = format.withUnsafeBufferPointer { format in
        Result { () throws(SQLError) in try writer.write(format) }
      }
      var output = writer.output
      defer { output.deallocate() }
      // Without memory for its digits the number is left out, as C leaves it out.
      guard case .success = result else { return "" }
      return String(decoding: output.bytes, as: UTF8.self)
    }
  }
}

/// What a parameter is bound to, as expanded SQL shows it.
enum BoundValue {
  case value(Value)
  case zeroBlob(Int)

  init(_ register: UnsafePointer<Register>, _ encoding: TextEncoding) {
    if register.pointee.tag == .blob && register.pointee.zeroCount > 0 {
      self = .zeroBlob(Int(register.pointee.byteCount) + Int(register.pointee.zeroCount))
      return
    }
    do throws(SQLError) {
      self = .value(try Value(copying: register.pointee, encoding: encoding))
    } catch {
      self = .value(.null)
    }
  }
}

/// The argument of a format for one real.
private struct OneReal: FormatArguments {
  let value: Double

  func real() -> Double { value }
  func size() -> Int32 { 0 }
  func integer(_ specification: FormatSpecification) -> Int64 { 0 }
  func text(
    _ specification: FormatSpecification
  ) throws(SQLError) -> UnsafeBufferPointer<UInt8>? { nil }
  func character(_ target: UnsafeMutablePointer<UInt8>) throws(SQLError) -> Int { 0 }
  func store(count: Int) {}
}

extension Statement {
  /// The text with the values of the parameters in their places (`sqlite3_expanded_sql`).
  public var expandedSQL: String { traced().expandedSQL }

  /// The same of the first bytes of the text that was given to `prepare`, which may hold blanks and
  /// comments before the statement, and its semicolon. While a function runs the statement inside
  /// another, it is a comment, and the parameters are as they were written. The bytes come back
  /// (`String.textBytes`).
  public func wholeExpandedSQL(byteCount: Int) -> String {
    guard connection.workingStatementCount > 1 else {
      return ExpandedSQL(source, boundValues(), wholeByteCount: byteCount).bytes
        .withUnsafeBufferPointer { String(text: $0) }
    }
    let whole = ByteRange(start: 0, end: Int32(clamping: min(byteCount, source.text.count)))
    var lines = source.text.string(whole).split(
      separator: "\n", omittingEmptySubsequences: false)
    let endsLine = lines.last?.isEmpty ?? false
    if endsLine { lines.removeLast() }
    return lines.map { "-- \($0)" }.joined(separator: "\n") + (endsLine ? "\n" : "")
  }
}
