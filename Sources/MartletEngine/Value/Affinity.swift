/// What storage class a column or expression prefers (datatype3 §3).
///
/// Raw values are SQLite's letters, as shown by EXPLAIN, and ordered: from `numeric` on, an
/// affinity wants numbers.
enum Affinity: UInt8, Sendable {
  /// No affinity at all: an expression that is neither a column nor a cast.
  case none = 0x40
  case blob = 0x41
  case text = 0x42
  case numeric = 0x43
  case integer = 0x44
  case real = 0x45
  /// Of subquery and view columns that may give numbers or texts (SQLite's FLEXNUM).
  case flexnum = 0x46

  @inline(__always) var isNumeric: Bool { rawValue >= Affinity.numeric.rawValue }

  /// The affinity of a column declared with this type (datatype3 §3.1). No type means BLOB.
  init(declaredType: some Sequence<UInt8>) {
    self = .numeric
    var isEmpty = true
    var window: UInt32 = 0
    var found = Affinity.numeric
    for byte in declaredType {
      isEmpty = false
      window = window << 8 | UInt32(byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)
      switch window {
      case Word.char, Word.clob, Word.text: found = .text
      case Word.blob where found == .numeric || found == .real: found = .blob
      case Word.real, Word.floa, Word.doub: if found == .numeric { found = .real }
      default:
        if window & 0xff_ffff == Word.int {
          self = .integer
          return
        }
      }
    }
    self = isEmpty ? .blob : found
  }

  init(declaredType: String) { self.init(declaredType: declaredType.utf8) }

  /// The substrings that decide, as big-endian words.
  private enum Word {
    static let char: UInt32 = 0x6368_6172
    static let clob: UInt32 = 0x636c_6f62
    static let text: UInt32 = 0x7465_7874
    static let blob: UInt32 = 0x626c_6f62
    static let real: UInt32 = 0x7265_616c
    static let floa: UInt32 = 0x666c_6f61
    static let doub: UInt32 = 0x646f_7562
    static let int: UInt32 = 0x69_6e74
  }
}

extension Affinity {
  /// Converts a value that is to be stored in a column of this affinity, where nothing is lost.
  ///
  /// REAL makes reals of integers; a record may nevertheless store them as integers.
  @inline(__always)
  func apply(to value: inout Register, encoding: TextEncoding) throws(SQLError) {
    if rawValue <= Affinity.blob.rawValue || value.tag == .null { return }
    try applySlow(to: &value, encoding)
  }

  @inline(never)
  private func applySlow(to value: inout Register, _ encoding: TextEncoding) throws(SQLError) {
    if self == .text { return try Affinity.applyText(to: &value, encoding) }
    if value.tag == .text { Affinity.makeNumeric(&value, encoding, preferringInteger: true) }
    if self == .real {
      if value.tag == .integer { value.setReal(Double(value.integer)) }
      // SQLite makes an integer of it on the way, which has no sign.
      if value.tag == .real && value.real == 0 { value.setReal(0) }
    } else if value.tag == .real && self != .flexnum {
      Affinity.makeIntegerIfExact(&value)
    }
  }

  /// Converts a value for a record: as `apply`, but a whole number in a REAL column becomes an
  /// integer that stands for the real, because it takes less room (fileformat2 §2.1).
  @inline(__always)
  func applyForStorage(
    to value: inout Register, encoding: TextEncoding
  ) throws(SQLError) {
    if rawValue <= Affinity.blob.rawValue || value.tag == .null { return }
    if self == .real {
      Affinity.makeStoredReal(&value, encoding)
    } else {
      try applySlow(to: &value, encoding)
    }
  }

  @inline(never)
  private static func makeStoredReal(_ value: inout Register, _ encoding: TextEncoding) {
    if value.tag == .text { makeNumeric(&value, encoding, preferringInteger: true) }
    if value.tag == .real { makeIntegerIfExact(&value) }
    guard value.tag == .integer else { return }
    if (-0x8000_0000_0000...0x7fff_ffff_ffff).contains(value.integer) {
      value.flags.insert(.integerAsReal)
    } else {
      // As long as the real. Keys must compare as what will be stored.
      value.setReal(Double(value.integer))
    }
  }

  /// Converts an operand before a comparison of this affinity (datatype3 §4.2).
  @inline(__always)
  func applyForComparison(
    to value: inout Register, encoding: TextEncoding
  ) throws(SQLError) {
    if isNumeric {
      if value.tag == .text { Affinity.makeNumeric(&value, encoding, preferringInteger: false) }
    } else if self == .text {
      try Affinity.applyText(to: &value, encoding)
    }
  }

  /// Numbers become text; blobs stay.
  @inline(__always)
  static func applyText(to value: inout Register, _ encoding: TextEncoding) throws(SQLError) {
    if value.tag == .integer || value.tag == .real { try value.convertNumberToText(encoding) }
  }

  /// Text that is a well-formed number as a whole becomes that number.
  static func makeNumeric(
    _ value: inout Register, _ encoding: TextEncoding, preferringInteger: Bool
  ) {
    let number = NumericText(value.bytes.unsafelyUnwrapped, Int(value.byteCount), encoding)
    guard number.isComplete else { return }
    if number.isPlainInteger {
      value.setInteger(number.integer)
    } else {
      value.setReal(number.real)
      if preferringInteger { makeIntegerIfExact(&value) }
    }
  }

  /// A real that equals an integer becomes it, but for the two ends of the range.
  static func makeIntegerIfExact(_ value: inout Register) {
    let integer = Cast.integer(of: value.real)
    if Double(integer) == value.real && integer != .min && integer != .max {
      value.setInteger(integer)
    }
  }
}

extension Register {
  /// Replaces a number by the text that shows it.
  mutating func convertNumberToText(_ encoding: TextEncoding) throws(SQLError) {
    let isInteger = tag == .integer, integer = integer, real = real
    let target = try reserveBuffer(2 * NumberText.bufferSize)
    let narrow = encoding == .utf8 ? target : target + NumberText.bufferSize
    var byteCount =
      isInteger
      ? NumberText.write(integer, to: narrow) : NumberText.writeShown(real, to: narrow)
    if encoding != .utf8 {
      let low = encoding == .utf16LittleEndian ? 0 : 1
      // Numbers are at most 26 characters, so the narrow ones are read before they are overwritten.
      for index in 0..<byteCount {
        let byte = narrow[index]
        target[2 * index + low] = byte
        target[2 * index + 1 - low] = 0
      }
      byteCount *= 2
    }
    adoptBuffer(.text, byteCount)
  }
}
