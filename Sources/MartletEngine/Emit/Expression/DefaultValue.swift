/// The value of a DEFAULT, for records that were written before the column was added.
///
/// ALTER TABLE ADD COLUMN takes constants only (lang_altertable §4), so literals, signs and CAST
/// are all there is.
enum DefaultValue {
  /// nil where the default is NULL or not a constant.
  static func register(
    of expression: Expression, encoding: TextEncoding
  ) throws(SQLError) -> Register? {
    var value = Register()
    let isConstant = try value.freeingOnError { (value) throws(SQLError) in
      try evaluate(expression, into: &value, isNegated: false, encoding)
    }
    if isConstant { return value }
    value.deinitialize()
    return nil
  }

  private static func evaluate(
    _ expression: Expression, into value: inout Register, isNegated: Bool,
    _ encoding: TextEncoding
  ) throws(SQLError) -> Bool {
    switch expression.kind {
    case .number(let digits):
      switch NumberLiteral(digits, isNegated: isNegated) {
      case .integer(let integer): value.setInteger(integer)
      case .real(let real): value.setReal(real)
      case .tooBig: return false
      }
    case .string(let bytes):
      try value.setOwnedText(bytes.buffer, in: encoding)
      if isNegated { return try negate(&value, encoding) }
    case .identifier(let name):
      value.setInteger(name == Name("true") ? 1 : 0)
    case .blob(let digits):
      let target = try value.reserveBuffer(digits.count / 2)
      for index in 0..<(digits.count / 2) {
        let high = NumberLiteral.hexDigit(digits.start[2 * index])
        target[index] = high << 4 | NumberLiteral.hexDigit(digits.start[2 * index + 1])
      }
      value.adoptBuffer(.blob, digits.count / 2)
    case .unary(.plus, let operand):
      return try evaluate(operand, into: &value, isNegated: isNegated, encoding)
    case .unary(.minus, let operand):
      return try evaluate(operand, into: &value, isNegated: !isNegated, encoding)
    case .cast(let operand, let type):
      guard try evaluate(operand, into: &value, isNegated: false, encoding) else { return false }
      try Cast.apply(Affinity(writtenType: type), to: &value, encoding: encoding)
      if isNegated { return try negate(&value, encoding) }
    default: return false
    }
    return true
  }

  private static func negate(
    _ value: inout Register, _ encoding: TextEncoding
  ) throws(SQLError) -> Bool {
    try Cast.apply(.numeric, to: &value, encoding: encoding)
    switch value.tag {
    case .integer where value.integer != .min: value.setInteger(-value.integer)
    case .real: value.setReal(-value.real)
    default: return false
    }
    return true
  }
}
