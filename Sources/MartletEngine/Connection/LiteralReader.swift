/// Reads the literals of VALUES straight into registers, as `Binder` and `Emitter` would make
/// constants of them.
///
/// UTF-8 is not copied: the text must outlive the registers.
struct LiteralReader {
  let text: SQLText
  /// The encoding of the database.
  let encoding: TextEncoding

  /// Reads `count` literals and the parenthesis behind them, which must end the statement.
  ///
  /// - Returns: The offset behind the parenthesis; nil where anything else stands there.
  func read(
    _ count: Int, from start: Int, into target: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Int? {
    var offset = start
    for index in 0..<count {
      guard let end = try read(at: offset, into: target + index) else { return nil }
      let separator = Tokenizer.token(text.start, from: end)
      guard separator.kind == (index == count - 1 ? .rightParenthesis : .comma) else { return nil }
      offset = separator.end
    }
    let next = Tokenizer.token(text.start, from: offset).kind
    return next == .semicolon || next == .endOfText ? offset : nil
  }

  /// Reads one literal; returns the offset behind it.
  @inline(__always)
  private func read(
    at offset: Int, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Int? {
    let token = Tokenizer.token(text.start, from: offset)
    switch token.kind {
    case .integer, .float: return readNumber(token, isNegated: false, into: register)
    case .minus:
      let number = Tokenizer.token(text.start, from: token.end)
      guard number.kind == .integer || number.kind == .float else { return nil }
      return readNumber(number, isNegated: true, into: register)
    case .string: try readString(token, into: register)
    case .blob: try readBlob(token, into: register)
    case .null: register.pointee.setNull()
    default: return nil
    }
    return token.end
  }

  private func readNumber(
    _ token: Token, isNegated: Bool, into register: UnsafeMutablePointer<Register>
  ) -> Int? {
    let digits = ByteSlice(start: text.start + token.start, count: token.end &- token.start)
    switch NumberLiteral(digits, isNegated: isNegated) {
    case .integer(let value): register.pointee.setInteger(value)
    case .real(let value): register.pointee.setReal(value)
    case .tooBig: return nil
    }
    return token.end
  }

  private func readString(
    _ token: Token, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let content = try text.unquoted(token)
    register.pointee.setBorrowed(.text, content.start, content.count)
    if encoding != .utf8 { try register.pointee.changeEncoding(from: .utf8, to: encoding) }
  }

  private func readBlob(
    _ token: Token, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let digits = text.start + (token.start &+ 2)
    let count = (token.end &- token.start &- 3) / 2
    let bytes = try register.pointee.reserveBuffer(count)
    NumberLiteral.decodeBlob(digits, count, into: bytes)
    register.pointee.adoptBuffer(.blob, count)
  }
}
