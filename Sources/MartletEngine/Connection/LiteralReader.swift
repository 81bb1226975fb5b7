/// A literal in a text: NULL, a string, a blob, or a number with or without a minus.
struct LiteralToken: BitwiseCopyable {
  /// `integer`, `float`, `string`, `blob` or `null`.
  let kind: TokenKind
  let isNegated: Bool
  /// The token without its minus.
  let start: Int, end: Int

  /// The literal that begins at `offset`, without anything before it.
  init?(_ text: SQLText, at offset: Int) {
    var token = Tokenizer.token(text.start, from: offset)
    guard token.start == offset else { return nil }
    let isNegated = token.kind == .minus
    if isNegated {
      token = Tokenizer.token(text.start, from: token.end)
      guard token.kind == .integer || token.kind == .float else { return nil }
    }
    switch token.kind {
    case .integer, .float, .string, .blob, .null: break
    default: return nil
    }
    kind = token.kind
    self.isNegated = isNegated
    start = token.start
    end = token.end
  }

  func digits(in text: SQLText) -> ByteSlice {
    ByteSlice(start: text.start + start, count: end &- start)
  }

  /// -1, 0 or 1, with which equalities rule out less than with others (`isCommonInteger` of bound
  /// expressions), or no integer at all, being too large.
  func isCommonInteger(in text: SQLText) -> Bool {
    guard case .integer(let value) = NumberLiteral(digits(in: text), isNegated: isNegated) else {
      return true
    }
    return value >= -1 && value <= 1
  }
}

/// Puts literals straight into registers, as `Binder` and `Emitter` would make constants of them.
///
/// UTF-8 is not copied: the text must outlive the registers.
struct LiteralReader {
  let text: SQLText
  /// The encoding of the database.
  let encoding: TextEncoding
  /// The longest string or blob.
  let lengthLimit: Int

  /// Reads a literal; returns whether there is such a value.
  @inline(__always)
  func read(
    _ literal: LiteralToken, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    switch literal.kind {
    case .integer, .float:
      switch NumberLiteral(literal.digits(in: text), isNegated: literal.isNegated) {
      case .integer(let value): register.pointee.setInteger(value)
      case .real(let value): register.pointee.setReal(value)
      case .tooBig: return false
      }
    case .string: return try readString(literal, into: register)
    case .blob: return try readBlob(literal, into: register)
    default: register.pointee.setNull()
    }
    return true
  }

  private func readString(
    _ literal: LiteralToken, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    let content = try text.unquoted(
      Token(kind: .string, start: literal.start, end: literal.end))
    guard content.count <= lengthLimit else { return false }
    register.pointee.setBorrowed(.text, content.start, content.count)
    if encoding != .utf8 { try register.pointee.changeEncoding(from: .utf8, to: encoding) }
    return true
  }

  private func readBlob(
    _ literal: LiteralToken, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    let digits = text.start + (literal.start &+ 2)
    let count = (literal.end &- literal.start &- 3) / 2
    guard count <= lengthLimit else { return false }
    let bytes = try register.pointee.reserveBuffer(count)
    NumberLiteral.decodeBlob(digits, count, into: bytes)
    register.pointee.adoptBuffer(.blob, count)
    return true
  }
}
