// Serial types (fileformat2 §2.1).
//
//     0 NULL · 1…6 integer of 1, 2, 3, 4, 6, 8 bytes · 7 real · 8, 9 the integers 0 and 1
//     10, 11 reserved, read as NULL · even from 12: blob of (n-12)/2 bytes · odd from 13: text

/// Storage class and size of one column of a record.
enum SerialType {
  static let null: UInt32 = 0
  static let real: UInt32 = 7
  static let zero: UInt32 = 8
  static let one: UInt32 = 9
  static let firstBlob: UInt32 = 12

  /// Content sizes of the types whose varint has one byte.
  ///
  /// A string literal is the one constant table that Swift reads without an initialization check.
  @inline(__always)
  static var shortSizes: UnsafePointer<UInt8> {
    let table: StaticString = """
      \u{0}\u{1}\u{2}\u{3}\u{4}\u{6}\u{8}\u{8}\u{0}\u{0}\u{0}\u{0}\
      \u{0}\u{0}\u{1}\u{1}\u{2}\u{2}\u{3}\u{3}\u{4}\u{4}\u{5}\u{5}\u{6}\u{6}\u{7}\u{7}\
      \u{8}\u{8}\u{9}\u{9}\u{a}\u{a}\u{b}\u{b}\u{c}\u{c}\u{d}\u{d}\u{e}\u{e}\u{f}\u{f}\
      \u{10}\u{10}\u{11}\u{11}\u{12}\u{12}\u{13}\u{13}\u{14}\u{14}\u{15}\u{15}\
      \u{16}\u{16}\u{17}\u{17}\u{18}\u{18}\u{19}\u{19}\u{1a}\u{1a}\u{1b}\u{1b}\
      \u{1c}\u{1c}\u{1d}\u{1d}\u{1e}\u{1e}\u{1f}\u{1f}\u{20}\u{20}\u{21}\u{21}\
      \u{22}\u{22}\u{23}\u{23}\u{24}\u{24}\u{25}\u{25}\u{26}\u{26}\u{27}\u{27}\
      \u{28}\u{28}\u{29}\u{29}\u{2a}\u{2a}\u{2b}\u{2b}\u{2c}\u{2c}\u{2d}\u{2d}\
      \u{2e}\u{2e}\u{2f}\u{2f}\u{30}\u{30}\u{31}\u{31}\u{32}\u{32}\u{33}\u{33}\
      \u{34}\u{34}\u{35}\u{35}\u{36}\u{36}\u{37}\u{37}\u{38}\u{38}\u{39}\u{39}
      """
    return table.utf8Start
  }

  /// Makes the first byte of a type's varint the type, with its second byte. False if there are
  /// more, or one would do.
  @inline(__always)
  static func extend(_ type: inout UInt32, _ second: UInt8) -> Bool {
    type = (type & 0x7f) &<< 7 | UInt32(second)
    return second < 0x80 && type >= 0x80
  }

  /// Content size in bytes of any type.
  @inline(__always)
  static func byteCount(of type: UInt32) -> Int {
    type >= firstBlob ? Int((type &- firstBlob) &>> 1) : Int(shortSizes[Int(type)])
  }

  /// The storage class that a column of this type has.
  @inline(__always)
  static func storageClass(of type: UInt32) -> StorageClass {
    if type >= firstBlob { return type & 1 == 0 ? .blob : .text }
    switch type {
    case 1...6, zero, one: return .integer
    case real: return .real
    default: return .null
    }
  }

  /// Whether the type is one of the integers that have bytes of their own (1 to 6).
  @inline(__always)
  static func isStoredInteger(_ type: UInt32) -> Bool { type &- 1 < 6 }

  /// The integer of type 1 to 6 at `content`, of which 8 bytes must be readable.
  @inline(__always)
  static func integerWithSlack(_ type: UInt32, at content: UnsafePointer<UInt8>) -> Int64 {
    let word = Int64(bitPattern: content.bigEndianUInt64())
    // The bits to drop for types 0 to 7, a byte each.
    let shifts: UInt64 = 0x0000_1020_2830_3800
    return word &>> Int64(truncatingIfNeeded: (shifts &>> UInt64(type &* 8)) & 0xff)
  }

  /// The integer of type 1 to 6 at `content`; reads no byte that is not its own.
  @inline(__always)
  static func integer(_ type: UInt32, at content: UnsafePointer<UInt8>) -> Int64 {
    switch type {
    case 1: return Int64(Int8(bitPattern: content[0]))
    case 2: return Int64(Int16(bitPattern: content.bigEndianUInt16()))
    case 3:
      let high = Int64(Int8(bitPattern: content[0]))
      return high &<< 16 | Int64(content.bigEndianUInt16(at: 1))
    case 4: return Int64(Int32(bitPattern: content.bigEndianUInt32()))
    case 5:
      let high = Int64(Int16(bitPattern: content.bigEndianUInt16()))
      return high &<< 32 | Int64(content.bigEndianUInt32(at: 2))
    default: return Int64(bitPattern: content.bigEndianUInt64())
    }
  }

  /// The type that an integer is stored as, in files of schema format 4 (fileformat2 §1.3.8).
  @inline(__always)
  static func ofInteger(_ value: Int64) -> UInt32 {
    // Folding negative numbers onto positive ones leaves the magnitude's bits to compare.
    let folded = UInt64(bitPattern: value ^ (value &>> 63))
    if folded <= 0x7f { return UInt64(bitPattern: value) <= 1 ? zero &+ UInt32(folded) : 1 }
    if folded <= 0x7fff { return 2 }
    if folded <= 0x7f_ffff { return 3 }
    if folded <= 0x7fff_ffff { return 4 }
    return folded <= 0x7fff_ffff_ffff ? 5 : 6
  }
}
