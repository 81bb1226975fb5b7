/// A value where it is: a column of the current row, an argument of a function, a bound parameter,
/// or a copy that the caller made (`sqlite3_value`).
///
/// It is no more than a pointer. Who hands it out says how long it is valid. Reading an integer or
/// a real costs a comparison and a load, also in another module.
public struct ValueReference {
  @usableFromInline let register: UnsafeMutablePointer<Register>
  /// That of its text, and of a blob that is read as text.
  public let encoding: TextEncoding

  @inlinable
  init(_ register: UnsafeMutablePointer<Register>, encoding: TextEncoding) {
    self.register = register
    self.encoding = encoding
  }

  /// The storage class.
  @inlinable
  public var type: StorageClass { register.pointee.tag }

  /// The value as an integer, converted as CAST does.
  @inlinable
  public var int64: Int64 {
    if register.pointee.tag == .integer { return Int64(bitPattern: register.pointee.bits) }
    return castInteger()
  }

  /// The value as a real, converted as CAST does.
  @inlinable
  public var double: Double {
    if register.pointee.tag == .real { return Double(bitPattern: register.pointee.bits) }
    return castReal()
  }

  @usableFromInline
  func castInteger() -> Int64 { Cast.integer(of: register, encoding) }

  @usableFromInline
  func castReal() -> Double { Cast.real(of: register, encoding) }

  /// The storage class that the value has once a text that is a number counts as that number
  /// (`sqlite3_value_numeric_type`).
  public var numericType: StorageClass {
    guard type == .text else { return type }
    var number = Register()
    number.borrow(from: register.pointee)
    Affinity.makeNumeric(&number, encoding, preferringInteger: false)
    return number.tag
  }

  /// The subtype that a function gave the value, or 0 (`sqlite3_value_subtype`).
  public var subtype: UInt8 {
    register.pointee.flags.contains(.subtype) ? register.pointee.subtype : 0
  }

  /// The value is a bound parameter (`sqlite3_value_frombind`).
  public var isFromBind: Bool { register.pointee.flags.contains(.fromBind) }

  /// UPDATE leaves the column as it is (`sqlite3_value_nochange`).
  public var isUnchanged: Bool { register.pointee.flags.contains(.noChange) }

  /// The bytes of a text in its encoding or of a blob, where they are; empty for other values. The
  /// zeros of a zeroblob are written out first.
  public func bytes() throws(SQLError) -> UnsafeRawBufferPointer {
    guard type >= .text else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    try register.pointee.expandZeros()
    return UnsafeRawBufferPointer(register.pointee.byteBuffer)
  }

  /// The bytes of a text or blob where they are, if they belong to the value and have zero bytes
  /// behind them: so do the arguments of `RawInvocation` that were read from a page.
  public var terminatedBytes: UnsafeMutableRawPointer? {
    guard type >= .text, register.pointee.isTerminated else { return nil }
    return UnsafeMutableRawPointer(mutating: register.pointee.bytes)
  }

  /// The bytes of a text or blob where they are, if they belong to the value and not to a page.
  public var ownedBytes: UnsafeMutableRawPointer? {
    guard type >= .text, register.pointee.ownsBytes else { return nil }
    return UnsafeMutableRawPointer(mutating: register.pointee.bytes)
  }

  /// How many bytes a text or blob has, without looking at them; 0 for other values.
  @inlinable
  public var byteCount: Int {
    register.pointee.tag.rawValue < StorageClass.text.rawValue
      ? 0 : Int(register.pointee.byteCount) &+ Int(register.pointee.zeroCount)
  }

  /// The value, copied out of the engine.
  public func value() throws(SQLError) -> Value {
    try Value(copying: register.pointee, encoding: encoding)
  }

  /// A copy that lives until `deallocate()`.
  public func copy() throws(SQLError) -> ValueReference {
    try ValueReference.copy(of: register.pointee, encoding: encoding)
  }

  static func copy(
    of value: borrowing Register, encoding: TextEncoding
  ) throws(SQLError) -> ValueReference {
    let copy = try ValueReference.makeNull().register
    do throws(SQLError) {
      try copy.pointee.assign(from: value)
    } catch {
      Memory.free(copy)
      throw error
    }
    return ValueReference(copy, encoding: encoding)
  }

  /// A NULL that lives until `deallocate()`.
  public static func makeNull() throws(SQLError) -> ValueReference {
    let memory = try Memory.allocate(MemoryLayout<Register>.stride)
    let null = memory.bindMemory(to: Register.self, capacity: 1)
    null.initialize(to: Register())
    return ValueReference(null, encoding: .utf8)
  }

  /// A NULL that nobody sets or frees. It is there whatever becomes of memory: one that could not be
  /// made would be missing for as long as the process runs.
  nonisolated(unsafe) package static let lastingNull: ValueReference = {
    let null = Memory.take(MemoryLayout<Register>.stride)
      .bindMemory(to: Register.self, capacity: 1)
    null.initialize(to: Register())
    return ValueReference(null, encoding: .utf8)
  }()

  /// A value that lives until `deallocate()`.
  public static func make(_ value: Value) throws(SQLError) -> ValueReference {
    let made = try makeNull()
    let place = VirtualTableValue(made.register, encoding: .utf8, isUnchanged: false)
    do throws(SQLError) {
      try place.set(value)
    } catch {
      made.deallocate()
      throw error
    }
    return made
  }

  /// A text in UTF-8, which need not be valid, or a blob, that lives until `deallocate()`.
  public static func make(
    copying bytes: UnsafeRawBufferPointer, isText: Bool
  ) throws(SQLError) -> ValueReference {
    let made = try makeNull()
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Register.emptyBytes
    do throws(SQLError) {
      try made.register.pointee.setOwned(isText ? .text : .blob, copying: start, bytes.count)
    } catch {
      made.deallocate()
      throw error
    }
    return made
  }

  /// Where a value that `copy()`, `make` or `makeNull()` has made can be set.
  public var place: ResultPlace {
    ResultPlace(register, encoding: encoding, lengthLimit: Int(Int32.max))
  }

  /// Frees what `copy()`, `make` or `makeNull()` has made.
  public func deallocate() {
    register.pointee.deinitialize()
    Memory.free(register)
  }
}

extension ValueReference {
  /// The object that the value stands for, if it was given under that type
  /// (`sqlite3_value_pointer`).
  public func pointer(type: String) -> AnyObject? {
    PassedPointer.object(register.pointee, type: type)
  }
}

@available(*, unavailable)
extension ValueReference: Sendable {}

extension ResultPlace {
  /// What it has now.
  public var value: ValueReference { ValueReference(register, encoding: encoding) }

  /// A copy of a value, with its subtype.
  ///
  /// - Throws: `tooBig`, `outOfMemory`.
  public func set(_ value: ValueReference) throws(SQLError) {
    try register.pointee.assign(from: value.register.pointee)
    guard value.type >= .text else { return }
    if value.type == .text {
      try register.pointee.changeEncoding(from: value.encoding, to: encoding)
    }
    if value.byteCount > lengthLimit { throw .tooBig }
  }
}

extension StorageClass: Comparable {
  @inlinable
  public static func < (left: StorageClass, right: StorageClass) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension ResultRow {
  /// A column where it is, valid until the next step or reset, its bytes as long as those of
  /// `bytes`; nil where there is none.
  @inlinable
  public func value(_ index: Int) -> ValueReference? {
    guard let register = register(index) else { return nil }
    return ValueReference(register, encoding: state.pointee.encoding)
  }
}

/// A value as text with zero bytes behind it, as C's programs read it, in memory that is used again
/// for the next value.
public struct TerminatedText {
  /// nil before the first text.
  @usableFromInline var memory: UnsafeMutableRawPointer?
  @usableFromInline var capacity = 0
  /// Bytes of the text without the zeros behind it.
  public private(set) var byteCount = 0

  public init() {}

  /// The text.
  @inlinable
  public var bytes: UnsafeMutableRawPointer? { memory }

  /// Takes a value as text, in the encoding that is asked for; blobs are taken by their bytes.
  ///
  /// - Throws: `outOfMemory`.
  public mutating func set(
    _ value: ValueReference, encoding: TextEncoding
  ) throws(SQLError) {
    let source = value.register
    switch value.type {
    case .null: try set(UnsafeRawBufferPointer(start: nil, count: 0), .utf8, encoding)
    case .text where value.encoding == encoding:
      let count = Int(source.pointee.byteCount)
      let target = try reserve(count)
      if let bytes = source.pointee.bytes { Memory.copy(from: bytes, to: target, count) }
      end(target, count)
    case .text, .blob: try set(value.bytes(), value.encoding, encoding)
    case .integer, .real:
      if encoding != .utf8 { return try setWideNumber(source, encoding) }
      let target = try reserve(NumberText.bufferSize)
      end(target, TerminatedText.write(source, to: target))
    }
  }

  @inline(__always)
  private static func write(
    _ number: UnsafePointer<Register>, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    number.pointee.tag == .integer
      ? NumberText.write(number.pointee.integer, to: target)
      : NumberText.writeShown(number.pointee.real, to: target)
  }

  private mutating func setWideNumber(
    _ number: UnsafePointer<Register>, _ encoding: TextEncoding
  ) throws(SQLError) {
    let target = try reserve(2 * NumberText.bufferSize)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberText.bufferSize) { buffer in
      let bytes = buffer.baseAddress.unsafelyUnwrapped
      let count = TerminatedText.write(number, to: bytes)
      end(target, TextConversion.convert(bytes, count, from: .utf8, to: encoding, into: target))
    }
  }

  /// Room for that many bytes and the zeros behind them.
  @inline(__always)
  private mutating func reserve(_ count: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    if let memory, capacity >= count &+ Register.terminatorSize {
      return memory.assumingMemoryBound(to: UInt8.self)
    }
    return try grow(count)
  }

  @inline(never)
  private mutating func grow(_ count: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    Memory.free(memory)
    memory = nil
    capacity = 0
    let size = count + count / 4 + 32
    let made = try Memory.allocate(size)
    memory = made
    capacity = size
    return made.bindMemory(to: UInt8.self, capacity: size)
  }

  @inline(__always)
  private mutating func end(_ target: UnsafeMutablePointer<UInt8>, _ count: Int) {
    byteCount = count
    for index in 0..<Register.terminatorSize { target[count &+ index] = 0 }
  }

  /// Takes bytes of a text, turned from one encoding into another.
  public mutating func set(
    _ source: UnsafeRawBufferPointer, _ encoding: TextEncoding, _ target: TextEncoding
  ) throws(SQLError) {
    let limit = TextConversion.maximumByteCount(source.count, from: encoding, to: target)
    let bytes = try reserve(limit)
    guard let start = source.baseAddress else { return end(bytes, 0) }
    let count = TextConversion.convert(
      start.assumingMemoryBound(to: UInt8.self), source.count, from: encoding, to: target,
      into: bytes)
    end(bytes, count)
  }

  /// Gives back a buffer that is larger than what is worth keeping.
  @inlinable
  public mutating func deallocateLarge() {
    if capacity > TerminatedText.keptByteCount { deallocate() }
  }

  @usableFromInline static var keptByteCount: Int { 64 << 10 }

  public mutating func deallocate() {
    Memory.free(memory)
    self = TerminatedText()
  }
}

@available(*, unavailable)
extension TerminatedText: Sendable {}
