/// Conversions of values that never fail, only lose: CAST (lang_expr §13) and what operators need.
enum Cast {
  /// A number: what arithmetic makes of a value.
  struct Number {
    /// `integer` or `real`.
    var tag: StorageClass
    var bits: UInt64

    @inline(__always) var integer: Int64 { Int64(bitPattern: bits) }

    /// The value as a real, whichever class it has.
    @inline(__always) var real: Double {
      tag == .integer ? Double(integer) : Double(bitPattern: bits)
    }

    @inline(__always)
    init(_ value: Int64) {
      tag = .integer
      bits = UInt64(bitPattern: value)
    }

    @inline(__always)
    init(_ value: Double) {
      tag = .real
      bits = value.bitPattern
    }
  }

  /// The integer part of a real, limited to 64 bits.
  @inline(__always)
  static func integer(of value: Double) -> Int64 {
    if value < -9_223_372_036_854_774_784.0 { return .min }
    if value > 9_223_372_036_854_774_784.0 { return .max }
    return value == value ? Int64(value) : 0
  }

  /// The value as an integer, as by CAST; NULL is 0.
  @inline(__always)
  static func integer(of value: UnsafePointer<Register>, _ encoding: TextEncoding) -> Int64 {
    if value.pointee.tag == .integer { return value.pointee.integer }
    return integerSlow(value, encoding)
  }

  @inline(never)
  private static func integerSlow(
    _ value: UnsafePointer<Register>, _ encoding: TextEncoding
  ) -> Int64 {
    switch value.pointee.tag {
    case .null: 0
    case .integer: value.pointee.integer
    case .real: integer(of: value.pointee.real)
    case .text, .blob: numericText(value, encoding).integer
    }
  }

  /// The value as a real, as by CAST; NULL is 0.
  @inline(__always)
  static func real(of value: UnsafePointer<Register>, _ encoding: TextEncoding) -> Double {
    if value.pointee.tag == .real { return value.pointee.real }
    return realSlow(value, encoding)
  }

  @inline(never)
  private static func realSlow(
    _ value: UnsafePointer<Register>, _ encoding: TextEncoding
  ) -> Double {
    switch value.pointee.tag {
    case .null: 0
    case .integer: Double(value.pointee.integer)
    case .real: value.pointee.real
    case .text, .blob: numericText(value, encoding).real
    }
  }

  /// An operand of arithmetic (datatype3 §5): texts and blobs by their numeric prefix.
  @inline(__always)
  static func number(of value: UnsafePointer<Register>, _ encoding: TextEncoding) -> Number {
    switch value.pointee.tag {
    case .null: return Number(Int64(0))
    case .integer: return Number(value.pointee.integer)
    case .real: return Number(value.pointee.real)
    case .text, .blob:
      let text = numericText(value, encoding)
      return text.isPlainInteger ? Number(text.integer) : Number(text.real)
    }
  }

  /// Whether the value is true as a condition; nil for NULL.
  @inline(__always)
  static func truth(of value: UnsafePointer<Register>, _ encoding: TextEncoding) -> Bool? {
    if value.pointee.tag == .integer { return value.pointee.integer != 0 }
    if value.pointee.tag == .null { return nil }
    return real(of: value, encoding) != 0
  }

  @inline(__always)
  static func numericText(
    _ value: UnsafePointer<Register>, _ encoding: TextEncoding
  ) -> NumericText {
    value.pointee.byteCount == 0
      ? NumericText()
      : NumericText(value.pointee.bytes.unsafelyUnwrapped, Int(value.pointee.byteCount), encoding)
  }

  /// CAST in place. `none` casts to BLOB, as a type name without an affinity does.
  static func apply(
    _ affinity: Affinity, to value: inout Register, encoding: TextEncoding
  ) throws(SQLError) {
    if value.tag == .null { return }
    switch affinity {
    case .none, .blob:
      try Affinity.applyText(to: &value, encoding)
      value.tag = .blob
    case .text: try castToText(&value, encoding)
    case .integer: value.setInteger(integer(of: &value, encoding))
    case .real: value.setReal(real(of: &value, encoding))
    case .numeric, .flexnum: castToNumeric(&value, encoding)
    }
  }

  private static func castToText(
    _ value: inout Register, _ encoding: TextEncoding
  ) throws(SQLError) {
    if value.tag == .blob {
      try value.expandZeros()
      value.tag = .text
      // Half a UTF-16 character cannot be text.
      if encoding != .utf8 { value.byteCount &= ~1 }
    } else {
      try Affinity.applyText(to: &value, encoding)
    }
  }

  private static func castToNumeric(_ value: inout Register, _ encoding: TextEncoding) {
    guard value.tag == .text || value.tag == .blob else { return }
    let text = numericText(&value, encoding)
    if text.isInteger { return value.setInteger(text.integer) }
    let real = text.real, integer = integer(of: real)
    // Beyond 51 bits a real that looks like an integer may stand for its neighbours too.
    let isExact = Double(integer).bitPattern == real.bitPattern
      && integer >= -(1 << 51) && integer < 1 << 51
    if real == 0 || isExact { value.setInteger(integer) } else { value.setReal(real) }
  }
}
