/// Where the result of a function goes, or a column of a virtual table, for callers that have
/// values in any encoding (`sqlite3_result_blob` and its kin).
///
/// It is no more than a pointer. Who hands it out says how long it is valid.
public struct ResultPlace {
  @usableFromInline let register: UnsafeMutablePointer<Register>
  /// That of texts in the register.
  public let encoding: TextEncoding
  /// Longest text or blob in bytes (limits §1).
  public let lengthLimit: Int

  @inlinable @inline(__always)
  init(_ register: UnsafeMutablePointer<Register>, encoding: TextEncoding, lengthLimit: Int) {
    self.register = register
    self.encoding = encoding
    self.lengthLimit = lengthLimit
  }

  @inlinable
  public func setNull() { register.pointee.setNull() }

  @inlinable
  public func set(_ value: Int64) { register.pointee.setInteger(value) }

  /// NaN is NULL.
  @inlinable
  public func set(_ value: Double) { register.pointee.setReal(value) }

  /// A copy of a text. The byte order mark of UTF-16 is left out and counts more than the encoding
  /// that is given; so is an odd byte at its end.
  ///
  /// - Throws: `tooBig`, `outOfMemory`.
  public func set(
    text: UnsafeRawBufferPointer, encoding source: TextEncoding
  ) throws(SQLError) {
    guard text.count <= lengthLimit else { throw .tooBig }
    var bytes = text, source = source
    if source != .utf8 { (bytes, source) = ResultPlace.withoutByteOrderMark(text, source) }
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Register.emptyBytes
    try register.pointee.setOwned(.text, copying: start, bytes.count)
    guard source != encoding else { return }
    try register.pointee.changeEncoding(from: source, to: encoding)
    if Int(register.pointee.byteCount) > lengthLimit { throw .tooBig }
  }

  /// The text behind its byte order mark, and the encoding that this says; without an odd byte at the
  /// end.
  static func withoutByteOrderMark(
    _ text: UnsafeRawBufferPointer, _ encoding: TextEncoding
  ) -> (UnsafeRawBufferPointer, TextEncoding) {
    let whole = UnsafeRawBufferPointer(rebasing: text[..<(text.count & ~1)])
    guard whole.count >= 2 else { return (whole, encoding) }
    let rest = UnsafeRawBufferPointer(rebasing: whole[2...])
    switch (whole[0], whole[1]) {
    case (0xfe, 0xff): return (rest, .utf16BigEndian)
    case (0xff, 0xfe): return (rest, .utf16LittleEndian)
    default: return (whole, encoding)
    }
  }

  /// A copy of a blob.
  public func set(blob: UnsafeRawBufferPointer) throws(SQLError) {
    guard blob.count <= lengthLimit else { throw .tooBig }
    let start = blob.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Register.emptyBytes
    try register.pointee.setOwned(.blob, copying: start, blob.count)
  }

  /// A blob of zeros, which takes memory only where it is looked at.
  public func set(zeroBlobCount: Int) throws(SQLError) {
    guard zeroBlobCount <= lengthLimit else { throw .tooBig }
    register.pointee.setBorrowed(.blob, Register.emptyBytes, 0)
    register.pointee.zeroCount = Int32(truncatingIfNeeded: max(0, zeroBlobCount))
  }

  /// Gives the value that was set a subtype.
  public func setSubtype(_ subtype: UInt8) {
    register.pointee.subtype = subtype
    register.pointee.flags.insert(.subtype)
  }
}

@available(*, unavailable)
extension ResultPlace: Sendable {}
