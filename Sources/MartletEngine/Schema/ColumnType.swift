extension Affinity {
  /// The affinity of a type that is written somewhere, which says nothing where it is empty (`''`).
  init(writtenType type: ByteSlice) {
    self = type.count == 0 ? .numeric : Affinity(declaredType: type.buffer)
  }
}

/// What a column's declared type means (datatype3 §3.1), and how large its values may be.
struct ColumnType: Sendable {
  /// As PRAGMA table_info shows it; nil where none is declared.
  let declared: String?
  let affinity: Affinity
  /// A quarter of the estimated bytes, at most 255 (SQLite's szEst).
  let sizeEstimate: UInt8
  /// One of the six types of STRICT tables, whose name is shown in upper case.
  let standard: Standard?

  enum Standard: UInt8, Sendable { case any, blob, int, integer, real, text }

  static let none = ColumnType(
    declared: nil, affinity: .blob, sizeEstimate: 1, standard: nil)

  /// ANY in a STRICT table keeps values as they are (stricttables §3).
  static let strictAny = ColumnType(
    declared: "ANY", affinity: .blob, sizeEstimate: 1, standard: .any)

  private init(declared: String?, affinity: Affinity, sizeEstimate: UInt8, standard: Standard?) {
    self.declared = declared
    self.affinity = affinity
    self.sizeEstimate = sizeEstimate
    self.standard = standard
  }

  /// - Parameter text: The type without quotes; nil where there is none. One that is there and empty
  ///   (`''`) is like any word that says nothing.
  init(_ text: ByteSlice?) {
    guard let text else {
      self = .none
      return
    }
    if let standard = ColumnType.standardType(text) {
      self = standard
      return
    }
    let affinity = Affinity(writtenType: text)
    self.init(
      declared: text.string, affinity: affinity,
      sizeEstimate: ColumnType.sizeEstimate(text, affinity), standard: nil)
  }

  private static func standardType(_ text: ByteSlice) -> ColumnType? {
    func matches(_ name: StaticString) -> Bool {
      Name(start: text.start, count: text.count) == Name(name)
    }
    func make(_ declared: String, _ affinity: Affinity, _ standard: Standard) -> ColumnType {
      let isLong = affinity == .blob || affinity == .text
      return ColumnType(
        declared: declared, affinity: affinity, sizeEstimate: isLong ? 5 : 1,
        standard: standard)
    }
    switch text.count {
    case 3 where matches("ANY"): return make("ANY", .numeric, .any)
    case 3 where matches("INT"): return make("INT", .integer, .int)
    case 4 where matches("BLOB"): return make("BLOB", .blob, .blob)
    case 4 where matches("REAL"): return make("REAL", .real, .real)
    case 4 where matches("TEXT"): return make("TEXT", .text, .text)
    case 7 where matches("INTEGER"): return make("INTEGER", .integer, .integer)
    default: return nil
    }
  }

  /// Texts and blobs are guessed at 20 bytes, or by the number in VARCHAR(40) and its like.
  private static func sizeEstimate(_ text: ByteSlice, _ affinity: Affinity) -> UInt8 {
    guard affinity == .text || affinity == .blob else { return 1 }
    var units = 16
    if let start = endOfSizedWord(text) {
      units = 0
      var index = start
      while index < text.count && text.start[index] &- 0x30 > 9 { index += 1 }
      while index < text.count && text.start[index] &- 0x30 <= 9 && units < 1_000_000 {
        units = units * 10 + Int(text.start[index] &- 0x30)
        index += 1
      }
    }
    return UInt8(min(255, units / 4 + 1))
  }

  /// Where a number may follow: behind the last "char", or behind "blob" with a parenthesis.
  private static func endOfSizedWord(_ text: ByteSlice) -> Int? {
    var end: Int?
    var window: UInt32 = 0
    let char: UInt32 = 0x6368_6172, blob: UInt32 = 0x626c_6f62
    for index in 0..<text.count {
      window = window << 8 | UInt32(Name.fold(text.start[index]))
      if window == char { end = index + 1 }
      if window == blob, index + 1 < text.count, text.start[index + 1] == UInt8(ascii: "(") {
        end = index + 1
      }
    }
    return end
  }
}
