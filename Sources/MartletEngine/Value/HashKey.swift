/// Hashes and equality of values for grouping, DISTINCT, set operations and joins.
///
/// Values that compare equal hash alike: 1 and 1.0, and texts that a collation takes for the same.
/// NULL equals NULL here. Texts of custom collations all hash alike, as nothing is known of them.
enum HashKey {
  /// Mixes the hash of one more column into that of the columns before it.
  @inline(__always)
  static func combine(_ hash: UInt64, _ next: UInt64) -> UInt64 {
    mix(hash &* 0x9e37_79b9_7f4a_7c15 ^ next)
  }

  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0x2d35_8dcc_aa6c_78a5).multipliedFullWidth(
      by: 0x8bb8_4b93_962e_acc9)
    return product.high ^ product.low
  }

  @inline(__always)
  static func hash(_ integer: Int64) -> UInt64 { mix(UInt64(bitPattern: integer)) }

  @inline(__always)
  static func hash(
    _ value: UnsafePointer<Register>, _ collation: Collation, encoding: TextEncoding
  ) throws(SQLError) -> UInt64 {
    if value.pointee.tag == .integer { return hash(value.pointee.integer) }
    return try hashSlow(value, collation, encoding)
  }

  @inline(never)
  private static func hashSlow(
    _ value: UnsafePointer<Register>, _ collation: Collation, _ encoding: TextEncoding
  ) throws(SQLError) -> UInt64 {
    switch value.pointee.tag {
    case .null: return 0x6e75_6c6c
    case .integer: return hash(value.pointee.integer)
    case .real: return hash(value.pointee.real)
    case .blob: return hashBlob(value)
    case .text:
      if collation.kind == .binary { return hash(value.pointee.byteBuffer, seed: 1) }
      return try hashFolded(value, collation, encoding)
    }
  }

  /// A real that is an integer hashes as that integer.
  private static func hash(_ real: Double) -> UInt64 {
    if let integer = Int64(exactly: real) { return hash(integer) }
    return mix(real.bitPattern ^ 0x7265_616c)
  }

  /// Trailing zeros are left out, so that a blob hashes alike with and without `zeroCount`.
  private static func hashBlob(_ value: UnsafePointer<Register>) -> UInt64 {
    var count = Int(value.pointee.byteCount)
    guard let bytes = value.pointee.bytes else { return 2 }
    while count > 0 && bytes[count &- 1] == 0 { count &-= 1 }
    return hash(UnsafeBufferPointer(start: bytes, count: count), seed: 2)
  }

  private static func hashFolded(
    _ value: UnsafePointer<Register>, _ collation: Collation, _ encoding: TextEncoding
  ) throws(SQLError) -> UInt64 {
    if collation.kind == .custom { return 3 }
    // The collation's form is that of the sort key.
    var key = SortKey()
    defer { key.deallocate() }
    try key.append(
      value, collation, isDescending: false, hasBigNulls: false, encoding: encoding)
    return hash(key.buffer, seed: 1)
  }

  /// 64 bits over bytes, eight at a time.
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
    let count = bytes.count
    guard let start = UnsafeRawPointer(bytes.baseAddress), count > 0 else { return mix(seed) }
    if count < 8 {
      var word: UInt64 = 0
      for index in 0..<count { word = word << 8 | UInt64(bytes[index]) }
      return mix(word ^ UInt64(count) << 56 &+ seed)
    }
    var hash = seed ^ UInt64(truncatingIfNeeded: count), offset = 0
    while offset &+ 8 < count {
      hash = mix(hash ^ start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    // The last eight bytes may overlap what was read before.
    return mix(hash ^ start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
  }

  /// Equality as the hash understands it.
  @inline(__always)
  static func areEqual(
    _ left: UnsafePointer<Register>, _ right: UnsafePointer<Register>, _ collation: Collation,
    encoding: TextEncoding
  ) throws(SQLError) -> Bool {
    if left.pointee.tag == .integer && right.pointee.tag == .integer {
      return left.pointee.bits == right.pointee.bits
    }
    return try Comparison.compareSlow(left, right, collation, encoding) == 0
  }
}
