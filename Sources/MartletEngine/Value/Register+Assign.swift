extension Register {
  @inlinable @inline(__always)
  mutating func setNull() {
    tag = .null
    flags = .none
  }

  @inlinable @inline(__always)
  mutating func setInteger(_ value: Int64) {
    bits = UInt64(bitPattern: value)
    tag = .integer
    flags = .none
  }

  /// Sets a real. NaN becomes NULL, as everywhere in SQLite.
  @inlinable @inline(__always)
  mutating func setReal(_ value: Double) {
    bits = value.bitPattern
    tag = value == value ? .real : .null
    flags = .none
  }

  @inline(__always)
  mutating func setBool(_ value: Bool) { setInteger(value ? 1 : 0) }

  /// Refers to bytes of somebody else, without copying. They must outlive the value's use.
  @inline(__always)
  mutating func setBorrowed(_ tag: StorageClass, _ bytes: UnsafePointer<UInt8>, _ byteCount: Int) {
    self.tag = tag
    flags = .borrowed
    self.bytes = bytes
    self.byteCount = Int32(truncatingIfNeeded: byteCount)
    zeroCount = 0
  }

  /// Copies bytes into the register's own buffer. The source may lie in that buffer.
  @inline(__always)
  mutating func setOwned(
    _ tag: StorageClass, copying source: UnsafePointer<UInt8>, _ byteCount: Int
  ) throws(SQLError) {
    try ownCopy(of: source, byteCount)
    self.tag = tag
    flags = .none
    zeroCount = 0
  }

  @inline(__always)
  private mutating func ownCopy(
    of source: UnsafePointer<UInt8>, _ byteCount: Int
  ) throws(SQLError) {
    guard let target = buffer, byteCount <= Int(capacity) else {
      return try ownGrowingCopy(of: source, byteCount)
    }
    Memory.move(from: source, to: target, byteCount)
    refer(to: target, byteCount)
  }

  @inline(never)
  private mutating func ownGrowingCopy(
    of source: UnsafePointer<UInt8>, _ byteCount: Int
  ) throws(SQLError) {
    let (newBuffer, newCapacity) = try Register.allocateBuffer(byteCount)
    Memory.copy(from: source, to: newBuffer, byteCount)
    Memory.free(buffer)
    buffer = newBuffer
    capacity = newCapacity
    refer(to: newBuffer, byteCount)
  }

  @inline(__always)
  private mutating func refer(to target: UnsafeMutablePointer<UInt8>, _ byteCount: Int) {
    bytes = UnsafePointer(target)
    self.byteCount = Int32(truncatingIfNeeded: byteCount)
  }

  @inline(__always)
  private mutating func finishOwned(
    _ tag: StorageClass, _ target: UnsafeMutablePointer<UInt8>, _ byteCount: Int
  ) {
    self.tag = tag
    flags = .none
    refer(to: target, byteCount)
    zeroCount = 0
  }

  /// The register's own buffer with room for `byteCount` bytes; its old content is lost.
  /// Fill it, then call `adoptBuffer`.
  mutating func reserveBuffer(_ byteCount: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    if byteCount > Int(capacity) || buffer == nil {
      let (newBuffer, newCapacity) = try Register.allocateBuffer(byteCount)
      Memory.free(buffer)
      buffer = newBuffer
      capacity = newCapacity
    }
    return buffer.unsafelyUnwrapped
  }

  /// Makes the first `byteCount` bytes of the own buffer this register's text or blob.
  @inline(__always)
  mutating func adoptBuffer(_ tag: StorageClass, _ byteCount: Int) {
    finishOwned(tag, buffer.unsafelyUnwrapped, byteCount)
  }

  private static func allocateBuffer(
    _ byteCount: Int
  ) throws(SQLError) -> (UnsafeMutablePointer<UInt8>, Int32) {
    // Rounding up lets the next, slightly longer value reuse the buffer.
    let rounded = (byteCount + 31) & ~31
    guard rounded <= Int(Int32.max) else { throw .tooBig }
    let memory = try Memory.allocate(rounded)
    return (memory.assumingMemoryBound(to: UInt8.self), Int32(rounded))
  }

  /// Deep copy: afterwards this register needs nothing of `source`.
  @inline(__always)
  mutating func assign(from source: borrowing Register) throws(SQLError) {
    if source.tag.rawValue >= StorageClass.text.rawValue {
      try assignBytes(from: source)
    } else {
      bits = source.bits
      tag = source.tag
      flags = source.flags
      subtype = source.subtype
    }
  }

  private mutating func assignBytes(from source: borrowing Register) throws(SQLError) {
    let sourceFlags = source.flags, sourceSubtype = source.subtype, zeros = source.zeroCount
    if let bytes = source.bytes {
      try setOwned(source.tag, copying: bytes, Int(source.byteCount))
    } else {
      setBorrowed(source.tag, Register.emptyBytes, 0)
    }
    zeroCount = zeros
    flags = sourceFlags.subtracting(.loan)
    subtype = sourceSubtype
  }

  /// Shallow copy: text and blob bytes stay `source`'s, which must not change meanwhile.
  @inline(__always)
  mutating func borrow(from source: borrowing Register) {
    bits = source.bits
    bytes = source.bytes
    byteCount = source.byteCount
    zeroCount = source.zeroCount
    tag = source.tag
    flags = source.flags.union(source.flags.contains(.borrowed) ? .borrowed : .loan)
    subtype = source.subtype
  }

  /// It is a text or blob of more bytes than that.
  @inline(__always)
  func isLonger(than limit: Int) -> Bool {
    tag.rawValue >= StorageClass.text.rawValue
      && Int(byteCount) + (tag == .blob ? Int(zeroCount) : 0) > limit
  }

  /// It is a text or blob whose bytes belong to somebody else.
  @inline(__always)
  var borrowsBytes: Bool {
    tag.rawValue >= StorageClass.text.rawValue && flags.contains(.borrowed)
  }

  /// The same of bytes that are not those of another register or of a row in memory. Where these
  /// have got another value since, nobody reads this one any more, and its bytes may be gone.
  @inline(__always)
  var borrowsPageBytes: Bool {
    tag.rawValue >= StorageClass.text.rawValue && flags.intersection(.loan) == .borrowed
  }

  /// Copies borrowed bytes into the own buffer, so that the lender may change.
  ///
  /// The class is not written: another thread may read it meanwhile (`ResultRow`).
  @inline(__always)
  mutating func makeOwned() throws(SQLError) {
    guard borrowsBytes else { return }
    try ownCopy(of: bytes.unsafelyUnwrapped, Int(byteCount))
    flags.subtract(.loan)
  }

  /// Zero bytes that end a text for C's programs, also UTF-16 of an odd byte count.
  static var terminatorSize: Int { 3 }

  /// The same for who reads the bytes as C's programs do: with zero bytes behind them, where the
  /// buffer has room for that (`isTerminated`).
  @inline(__always)
  mutating func makeOwnedAndTerminated() throws(SQLError) {
    guard let start = bytes else { return }
    if flags.contains(.borrowed) {
      let savedFlags = flags.subtracting(.loan), zeros = zeroCount, count = Int(byteCount)
      let size = count &+ Register.terminatorSize
      let target = size <= Int(capacity) ? buffer.unsafelyUnwrapped : try growBuffer(size)
      Memory.copy(from: start, to: target, count)
      finishOwned(tag, target, count)
      flags = savedFlags
      zeroCount = zeros
    }
    guard let end = ownEnd else { return }
    end[0] = 0
    end[1] = 0
    end[2] = 0
  }

  @inline(never)
  private mutating func growBuffer(
    _ byteCount: Int
  ) throws(SQLError) -> UnsafeMutablePointer<UInt8> { try reserveBuffer(byteCount) }

  /// Whether the register owns all its bytes.
  var ownsBytes: Bool { zeroCount == 0 && !flags.contains(.borrowed) && buffer != nil }

  /// Whether the register owns its bytes and has zero bytes behind them.
  var isTerminated: Bool {
    guard zeroCount == 0, !flags.contains(.borrowed), let end = ownEnd else { return false }
    return end[0] | end[1] | end[2] == 0
  }

  /// Behind the register's bytes, if its buffer has room for zeros there.
  @inline(__always)
  private var ownEnd: UnsafeMutablePointer<UInt8>? {
    guard let bytes, let buffer else { return nil }
    let start = bytes - UnsafePointer(buffer), end = start &+ Int(byteCount)
    return start >= 0 && end &+ Register.terminatorSize <= Int(capacity) ? buffer + end : nil
  }

  /// Writes the trailing zeros of a `zeroblob` out as bytes.
  mutating func expandZeros() throws(SQLError) {
    guard zeroCount > 0, tag == .blob else { return }
    let total = Int(byteCount) + Int(zeroCount)
    guard total <= Int(Int32.max) - 32 else { throw .tooBig }
    let (newBuffer, newCapacity) = try Register.allocateBuffer(total)
    if let bytes { Memory.copy(from: bytes, to: newBuffer, Int(byteCount)) }
    (newBuffer + Int(byteCount)).update(repeating: 0, count: Int(zeroCount))
    Memory.free(buffer)
    buffer = newBuffer
    capacity = newCapacity
    finishOwned(.blob, newBuffer, total)
  }

  /// Frees the own buffer. The register is NULL afterwards.
  mutating func deinitialize() {
    Memory.free(buffer)
    self = Register()
  }

  /// Does something with a register that nobody else knows yet: what it owns is freed where that
  /// fails.
  mutating func freeingOnError<Result>(
    _ body: (inout Register) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    do throws(SQLError) { return try body(&self) } catch {
      deinitialize()
      throw error
    }
  }

  /// What zero bytes of text or blob point to.
  static var emptyBytes: UnsafePointer<UInt8> {
    UnsafePointer(bitPattern: 0x10).unsafelyUnwrapped
  }

  /// The bytes of a text or blob.
  @inline(__always)
  var byteBuffer: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes, count: Int(byteCount))
  }
}
