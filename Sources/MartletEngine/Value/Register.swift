/// The storage class of a value (datatype3 §2), ordered as values of different classes compare.
///
/// INTEGER and REAL compare with each other by value.
public enum StorageClass: UInt8, Sendable {
  case null = 0
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
}

/// Text encoding of a database (fileformat2 §1.3.13).
public enum TextEncoding: UInt8, Sendable {
  case utf8 = 1
  case utf16LittleEndian = 2
  case utf16BigEndian = 3
}

/// A cell of the virtual machine: one SQL value as plain data (SQLite's Mem).
///
/// Registers live behind `UnsafeMutablePointer<Register>`; copying the struct does not copy a
/// value: use `assign(from:)` (deep) or `borrow(from:)` (shallow).
///
/// Invariants: (1) `bytes` and `byteCount` are meaningful for text and blob only. (2) `bytes`
/// points either into `buffer` (owned) or to memory that outlives the borrow (a pinned page, a
/// constant of the program, another register). (3) `buffer` is this register's own, of `capacity`
/// bytes, and is kept for reuse whatever the tag is; it is freed by `deinitialize()` alone.
/// (4) `zeroCount` zero bytes follow the `byteCount` bytes of a blob (`zeroblob`); call
/// `expandZeros()` before reading bytes where it can be nonzero. (5) Text is in the encoding of the
/// database of the program.
@usableFromInline
struct Register {
  /// The integer, or the bit pattern of the real.
  @usableFromInline var bits: UInt64 = 0
  /// First byte of a text or blob.
  @usableFromInline var bytes: UnsafePointer<UInt8>? = nil
  /// The register's own memory.
  var buffer: UnsafeMutablePointer<UInt8>? = nil
  @usableFromInline var byteCount: Int32 = 0
  var capacity: Int32 = 0
  @usableFromInline var zeroCount: Int32 = 0
  @usableFromInline var tag: StorageClass = .null
  @usableFromInline var flags = Flags.none
  /// The value's subtype (74 for JSON text), valid while `flags` has `.subtype`.
  var subtype: UInt8 = 0

  @usableFromInline
  struct Flags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No flag. `[]` would make an array where the optimizer gives up, as in the machine's loop.
    @inlinable @inline(__always)
    static var none: Flags { Flags(rawValue: 0) }
    /// `bytes` belongs to somebody else (a page, a register); copy before it can change.
    static let borrowed = Flags(rawValue: 1)
    static let subtype = Flags(rawValue: 2)
    /// The value came from a bound parameter (`sqlite3_value_frombind`).
    static let fromBind = Flags(rawValue: 4)
    /// UPDATE leaves this column unchanged (`sqlite3_value_nochange`).
    static let noChange = Flags(rawValue: 8)
    /// A NULL that marks "cleared": never equal to another NULL in a comparison with nullEq.
    static let cleared = Flags(rawValue: 16)
    /// An integer stored in a REAL column: to be shown as real.
    static let integerAsReal = Flags(rawValue: 32)
    /// A NULL that stands for an object of the application, known by `bits` (bindptr §1).
    static let pointer = Flags(rawValue: 64)
    /// With `borrowed`: the bytes are the own ones of another register, or those of a row in memory,
    /// which pages have nothing to do with.
    static let lent = Flags(rawValue: 128)
    static let loan = Flags(rawValue: 129)
  }

  @inline(__always) var integer: Int64 {
    get { Int64(bitPattern: bits) }
    set { bits = UInt64(bitPattern: newValue) }
  }

  @inline(__always) var real: Double {
    get { Double(bitPattern: bits) }
    set { bits = newValue.bitPattern }
  }

  @inline(__always) var isNull: Bool { tag == .null }
}
