/// Number of a register of a program; 0 means none.
struct RegisterIndex: RawRepresentable, Hashable {
  let rawValue: Int32

  init(rawValue: Int32) { self.rawValue = rawValue }
  init(_ rawValue: Int32) { self.rawValue = rawValue }

  static let none = RegisterIndex(0)

  static func + (base: RegisterIndex, offset: Int) -> RegisterIndex {
    RegisterIndex(base.rawValue + Int32(offset))
  }
}

/// Number of a cursor of a program.
struct CursorID: RawRepresentable, Hashable {
  let rawValue: Int32

  static let none = CursorID(-1)

  init(rawValue: Int32) { self.rawValue = rawValue }
  init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// A place in a program that is still being built; its address is known once it is placed.
struct Label: Hashable {
  /// Index in the builder's table of labels.
  let index: Int32

  /// What an operand holds until the program is finished: never a valid address.
  var operand: Int32 { -1 - index }
}

/// One instruction of the virtual machine. Plain data of 20 bytes.
struct Instruction {
  var opcode: Opcode
  var p5: UInt8 = 0
  var p1: Int32 = 0
  var p2: Int32 = 0
  var p3: Int32 = 0
  /// Index into the side table of the opcode, or a small number.
  var p4: Int32 = -1

  init(
    _ opcode: Opcode, _ p1: Int32 = 0, _ p2: Int32 = 0, _ p3: Int32 = 0, p4: Int32 = -1,
    p5: UInt8 = 0
  ) {
    self.opcode = opcode
    self.p1 = p1
    self.p2 = p2
    self.p3 = p3
    self.p4 = p4
    self.p5 = p5
  }
}

/// P5 of the comparison opcodes: an affinity in the low bits, and how NULLs compare.
struct ComparisonFlags: OptionSet {
  let rawValue: UInt8
  /// The low four bits hold the raw value of the `Affinity` that is applied to both operands.
  static let affinityMask: UInt8 = 0x0f
  /// Jump when an operand is NULL.
  static let jumpIfNull = ComparisonFlags(rawValue: 0x10)
  /// NULL equals NULL (IS, IS NOT): the result is never NULL.
  static let nullsAreEqual = ComparisonFlags(rawValue: 0x80)
}

/// P5 of `column` and `virtualColumn`.
struct ColumnFlags: OptionSet {
  let rawValue: UInt8
  /// The statement leaves the column unchanged: a virtual table need not read it.
  static let isUnchanged = ColumnFlags(rawValue: 8)
  /// Only the length is wanted (argument of length): the content need not be loaded.
  static let lengthOnly = ColumnFlags(rawValue: 1)
  /// Only the type is wanted (argument of typeof).
  static let typeOnly = ColumnFlags(rawValue: 2)
  /// Only the byte count is wanted (argument of octet_length).
  static let byteLengthOnly = ColumnFlags(rawValue: 4)
}

/// P5 of the seek opcodes.
struct SeekFlags: OptionSet {
  let rawValue: UInt8
  /// The seek is for equality: no entry but an equal one will be used.
  static let equalityOnly = SeekFlags(rawValue: 1)
}

/// P5 of the opcodes that change trees.
struct ChangeFlags: OptionSet {
  let rawValue: UInt8
  /// The row counts in `changes()`.
  static let countsChange = ChangeFlags(rawValue: 1)
  /// The rowid is what `last_insert_rowid()` gives.
  static let setsLastRowid = ChangeFlags(rawValue: 2)
  /// The cursor's last search was for this very key and nothing has moved it since.
  static let usesSeekResult = ChangeFlags(rawValue: 4)
  /// The cursor keeps its place: on the new entry, or between the neighbours of the deleted one.
  static let keepsPosition = ChangeFlags(rawValue: 8)
  /// The change is a part of an UPDATE. An entry of an index tree is one that stays where it is: the
  /// cursor may be on it.
  static let isUpdate = ChangeFlags(rawValue: 16)
  /// A deletion leaves the cursor beside the entry's place, for a new one with the same key.
  static let keepsPlace = ChangeFlags(rawValue: 32)
}

/// What happens to a row.
enum RowChangeKind: UInt8 {
  case insert, update, delete

  /// SQLite's number for it (c3ref c_alter_table).
  var code: Int32 {
    switch self {
    case .insert: 18
    case .update: 23
    case .delete: 9
    }
  }
}

extension StorageClass {
  /// The storage class in the masks of `isType`.
  var bit: UInt8 { self == .null ? 16 : 1 << (rawValue - 1) }
}
