/// A scan of a virtual table (vtab §2.6 to §2.12). Subclass it.
///
/// One cursor serves all scans that one place in a statement makes, one after the other. It is a
/// class and no protocol because it is called for every row and every column: a call through `any
/// Protocol` costs four times as much.
open class VirtualTableCursor {
  /// Longest text or blob of a column, set when the cursor is opened.
  @exclusivity(unchecked) final var lengthLimit = Int(Int32.max)

  public init() {}

  /// Begins a scan as `planScan` described it, and moves to its first row (`xFilter`).
  open func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {}

  /// Moves to the next row (`xNext`).
  open func advance() throws(SQLError) {}

  /// There is no row any more (`xEof`).
  open var isAtEnd: Bool { true }

  /// Gives a column of the current row; NULL if nothing is set (`xColumn`).
  open func read(_ column: Int, into value: borrowing VirtualTableValue) throws(SQLError) {}

  /// The rowid of the current row (`xRowid`).
  open func rowid() throws(SQLError) -> Int64 { 0 }

  // MARK: As the engine calls it

  // The engine's own tables override these, and work on registers.

  /// Returns whether there is a row.
  func start(
    _ scan: VirtualScan, _ arguments: UnsafeMutablePointer<Register>,
    _ surroundings: ScanSurroundings
  ) throws(SQLError) -> Bool {
    try filter(VirtualTableArguments(scan, base: arguments, surroundings))
    return !isAtEnd
  }

  /// Returns whether there is another row.
  func next() throws(SQLError) -> Bool {
    try advance()
    return !isAtEnd
  }

  /// Reads a column of the current row, -1 for the rowid.
  func read(
    _ column: Int, into target: UnsafeMutablePointer<Register>, _ encoding: TextEncoding,
    isUnchanged: Bool
  ) throws(SQLError) {
    if column < 0 { return target.pointee.setInteger(try rowid()) }
    target.pointee.setNull()
    if isUnchanged { target.pointee.flags = .noChange }
    try read(
      column,
      into: VirtualTableValue(
        target, encoding: encoding, isUnchanged: isUnchanged, lengthLimit: lengthLimit))
  }
}

/// What a scan needs besides its arguments.
struct ScanSurroundings {
  let encoding: TextEncoding
  /// Gives the next value of a list, the first one if asked so: false at its end.
  var nextInList: ((Int, Bool) throws(SQLError) -> UnsafeMutablePointer<Register>?)? = nil
}

/// The values that a scan was planned to get, and the number and text of the plan.
public struct VirtualTableArguments: ~Copyable {
  /// `VirtualTablePlan.number` and `text`.
  public let number: Int32
  public let text: String?
  /// `VirtualTablePlan.keptText`.
  public let keptText: VirtualTablePlanText?
  public let count: Int
  let base: UnsafeMutablePointer<Register>
  let listArguments: UInt64
  let surroundings: ScanSurroundings

  init(
    _ scan: VirtualScan, base: UnsafeMutablePointer<Register>, _ surroundings: ScanSurroundings
  ) {
    number = scan.number
    text = scan.text
    keptText = scan.keptText
    count = scan.argumentCount
    listArguments = scan.listArguments
    self.base = base
    self.surroundings = surroundings
  }


  /// An argument; NULL if there is none at that position.
  public subscript(position: Int) -> VirtualTableArgument {
    guard position >= 0, position < count else { return VirtualTableArgument(nil, surroundings) }
    return VirtualTableArgument(base + position, surroundings)
  }

  /// Calls `body` with each value of an argument that is a whole list (`sqlite3_vtab_in_first` and
  /// `sqlite3_vtab_in_next`) until it returns false. The values come in order, and each once.
  public func forEach(
    inList position: Int, _ body: (VirtualTableArgument) throws(SQLError) -> Bool
  ) throws(SQLError) {
    guard let next = surroundings.nextInList, position >= 0, position < count else { return }
    var value = try next(position, true)
    while let register = value {
      guard try body(VirtualTableArgument(register, surroundings)) else { return }
      value = try next(position, false)
    }
  }
}

/// A value that a virtual table is given (`sqlite3_value`). It is lent for the call.
public struct VirtualTableArgument {
  let register: UnsafeMutablePointer<Register>?
  private let surroundings: ScanSurroundings

  init(_ register: UnsafeMutablePointer<Register>?, _ surroundings: ScanSurroundings) {
    self.register = register
    self.surroundings = surroundings
  }

  public var type: StorageClass { register?.pointee.tag ?? .null }
  public var isNull: Bool { type == .null }

  /// An UPDATE leaves the column as it is, and the table did not read it
  /// (`sqlite3_value_nochange`).
  public var isUnchanged: Bool { register?.pointee.flags.contains(.noChange) ?? false }

  /// As CAST makes an integer of it.
  public var int64: Int64 {
    register.map { Cast.integer(of: $0, surroundings.encoding) } ?? 0
  }

  /// As CAST makes a real of it.
  public var double: Double { register.map { Cast.real(of: $0, surroundings.encoding) } ?? 0 }

  /// nil for NULL. Bytes that are not UTF-8 are replaced.
  public func text() throws(SQLError) -> String? {
    isNull ? nil : String(decoding: try bytes(), as: UTF8.self)
  }

  /// The value as a name, which a zero byte ends: its bytes come back (`String.textBytes`).
  func name() throws(SQLError) -> String? {
    if isNull { return nil }
    let bytes = try bytes().bindMemory(to: UInt8.self).prefix { $0 != 0 }
    return String(text: UnsafeBufferPointer(rebasing: bytes))
  }

  /// The bytes of a blob, or of the value as UTF-8 text; empty for NULL. They are valid until the
  /// table returns.
  public func bytes() throws(SQLError) -> UnsafeRawBufferPointer {
    guard let register, !isNull else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    if register.pointee.tag == .blob {
      try register.pointee.expandZeros()
    } else {
      try Cast.apply(.text, to: &register.pointee, encoding: surroundings.encoding)
      if surroundings.encoding != .utf8 { try convertInPlace(register) }
    }
    return UnsafeRawBufferPointer(register.pointee.byteBuffer)
  }

  /// A text in another encoding than the database's would not be known as such: it becomes a blob
  /// of its bytes, which nobody but the table sees.
  private func convertInPlace(_ register: UnsafeMutablePointer<Register>) throws(SQLError) {
    try register.pointee.changeEncoding(from: surroundings.encoding, to: .utf8)
    register.pointee.tag = .blob
  }

  /// A copy of the value.
  public func value() throws(SQLError) -> Value {
    guard let register else { return .null }
    return try Value(copying: register.pointee, encoding: surroundings.encoding)
  }

  /// The subtype that a function gave the value, or 0.
  public var subtype: UInt8 {
    guard let register, register.pointee.flags.contains(.subtype) else { return 0 }
    return register.pointee.subtype
  }
}

/// Where a virtual table puts the value of a column (`sqlite3_context`).
public struct VirtualTableValue: ~Copyable {
  @usableFromInline let target: UnsafeMutablePointer<Register>
  @usableFromInline let encoding: TextEncoding
  /// The statement updates the row and leaves this column as it is: a column that is not set then
  /// is known to `VirtualTableChange` as unchanged (`sqlite3_vtab_nochange`).
  public let isUnchanged: Bool
  @usableFromInline let lengthLimit: Int

  init(
    _ target: UnsafeMutablePointer<Register>, encoding: TextEncoding, isUnchanged: Bool,
    lengthLimit: Int = Int(Int32.max)
  ) {
    self.target = target
    self.encoding = encoding
    self.isUnchanged = isUnchanged
    self.lengthLimit = lengthLimit
  }

  /// The same for callers that have values in any encoding, valid until the table returns.
  @inlinable
  public var place: ResultPlace {
    ResultPlace(target, encoding: encoding, lengthLimit: lengthLimit)
  }

  public func setNull() { target.pointee.setNull() }
  public func set(_ value: Int64) { target.pointee.setInteger(value) }
  public func set(_ value: Int) { target.pointee.setInteger(Int64(value)) }
  /// NaN is NULL.
  public func set(_ value: Double) { target.pointee.setReal(value) }

  public func set(text: String) throws(SQLError) {
    var text = text
    // `withUTF8` passes no typed errors on.
    let result = text.withUTF8 { bytes in
      Result { () throws(SQLError) in try set(text: UnsafeRawBufferPointer(bytes)) }
    }
    try result.get()
  }

  /// UTF-8 bytes, which are copied and need not be valid.
  public func set(text: UnsafeRawBufferPointer) throws(SQLError) {
    try copy(.text, text)
    if encoding != .utf8 { try target.pointee.changeEncoding(from: .utf8, to: encoding) }
  }

  public func set(blob: UnsafeRawBufferPointer) throws(SQLError) { try copy(.blob, blob) }

  /// UTF-8 bytes that stay where they are until the cursor moves: nothing is copied.
  public func lend(text: UnsafeRawBufferPointer) throws(SQLError) {
    if encoding != .utf8 { return try set(text: text) }
    lend(.text, text)
  }

  /// Bytes that stay where they are until the cursor moves.
  public func lend(blob: UnsafeRawBufferPointer) { lend(.blob, blob) }

  /// A blob of zeros, which takes memory only where it is looked at.
  public func set(zeroBlobCount: Int) throws(SQLError) {
    guard zeroBlobCount <= Int(Int32.max) else { throw .tooBig }
    target.pointee.setBorrowed(.blob, Register.emptyBytes, 0)
    target.pointee.zeroCount = Int32(max(0, zeroBlobCount))
  }

  public func set(_ value: Value) throws(SQLError) {
    switch value {
    case .null: setNull()
    case .integer(let number): set(number)
    case .real(let number): set(number)
    case .text(let text): try set(text: text)
    case .blob(let bytes):
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(SQLError) in try set(blob: bytes) }
      }
      try result.get()
    }
  }

  /// A copy of a value that the table was given.
  public func set(_ argument: VirtualTableArgument) throws(SQLError) {
    if let source = argument.register { try target.pointee.assign(from: source.pointee) } else { setNull() }
  }

  /// Gives the value that was set a subtype.
  public func setSubtype(_ subtype: UInt8) {
    target.pointee.subtype = subtype
    target.pointee.flags.insert(.subtype)
  }

  private func copy(_ tag: StorageClass, _ bytes: UnsafeRawBufferPointer) throws(SQLError) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    try target.pointee.setOwned(tag, copying: start ?? Register.emptyBytes, bytes.count)
  }

  private func lend(_ tag: StorageClass, _ bytes: UnsafeRawBufferPointer) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    target.pointee.setBorrowed(tag, start ?? Register.emptyBytes, bytes.count)
  }
}

/// A row that INSERT, UPDATE or DELETE changes in a virtual table (vtab §2.13).
public struct VirtualTableChange: ~Copyable {
  public enum Kind: Sendable { case insert, update, delete }

  public let kind: Kind
  /// What is to be done about constraints (`sqlite3_vtab_on_conflict`).
  public let conflictPolicy: VirtualTableConflictPolicy
  let base: UnsafeMutablePointer<Register>
  let count: Int
  let surroundings: ScanSurroundings

  init(
    base: UnsafeMutablePointer<Register>, count: Int, policy: VirtualTableConflictPolicy,
    _ surroundings: ScanSurroundings
  ) {
    self.base = base
    self.count = count
    conflictPolicy = policy
    self.surroundings = surroundings
    kind = count == 1 ? .delete : base.pointee.isNull ? .insert : .update
  }

  /// The rowid of the row that is updated or deleted, or its primary key if the table has no rowid.
  public var oldRowid: VirtualTableArgument { argument(0) }

  /// The rowid of the row as it will be; NULL for a row that is to be inserted wherever the table
  /// likes.
  public var newRowid: VirtualTableArgument { argument(1) }

  /// How many columns there are; none for a row that is deleted.
  public var columnCount: Int { max(0, count - 2) }

  /// The new value of a column, hidden ones included.
  public subscript(column: Int) -> VirtualTableArgument { argument(column + 2) }

  private func argument(_ position: Int) -> VirtualTableArgument {
    let isThere = position >= 0 && position < count
    return VirtualTableArgument(isThere ? base + position : nil, surroundings)
  }
}

/// What a statement wants done when a row breaks a constraint (lang_conflict). The numbers are
/// those of `sqlite3_vtab_on_conflict`.
public enum VirtualTableConflictPolicy: Int32, Sendable {
  case rollback = 1
  case ignore = 2
  case fail = 3
  case abort = 4
  case replace = 5
}
