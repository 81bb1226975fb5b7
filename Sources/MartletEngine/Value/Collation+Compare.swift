// Comparing two texts (datatype3 §7).
//
// BINARY is memcmp in the database's encoding, the shorter text first. NOCASE and RTRIM are defined
// on UTF-8: UTF-16 texts are compared as their UTF-8 would be, code point by code point, which is
// the same order. A custom function gets the texts in the encoding that it was registered for.

extension Collation {
  /// Negative, zero or positive as `left` sorts before, with or after `right`. Both are in
  /// `encoding`.
  @inline(__always)
  func compare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>,
    encoding: TextEncoding
  ) throws(SQLError) -> Int {
    if kind == .binary { return Collation.compareBinary(left, right) }
    return try compareFolded(left, right, encoding: encoding)
  }

  /// BINARY: bytes, then length.
  @inline(__always)
  static func compareBinary(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let common = min(left.count, right.count)
    guard common > 0, let leftBytes = left.baseAddress, let rightBytes = right.baseAddress else {
      return left.count &- right.count
    }
    let order = compareBytes(leftBytes, rightBytes, common)
    return order != 0 ? order : left.count &- right.count
  }

  /// `memcmp` that decides by the first 8 bytes without a call where it can.
  @inline(__always)
  static func compareBytes(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ byteCount: Int
  ) -> Int {
    if byteCount >= 8 {
      let leftWord = left.bigEndianUInt64(), rightWord = right.bigEndianUInt64()
      if leftWord != rightWord { return leftWord < rightWord ? -1 : 1 }
      return byteCount == 8 ? 0 : Memory.compare(left + 8, right + 8, byteCount &- 8)
    }
    if byteCount >= 4 {
      let leftStart = left.bigEndianUInt32(), rightStart = right.bigEndianUInt32()
      if leftStart != rightStart { return leftStart < rightStart ? -1 : 1 }
      // What both words have in common is equal.
      let offset = byteCount &- 4
      return Int((left + offset).bigEndianUInt32()) &- Int((right + offset).bigEndianUInt32())
    }
    guard byteCount > 0 else { return 0 }
    return threeBytes(left, byteCount) &- threeBytes(right, byteCount)
  }

  /// One to three bytes as a number in their order; one or two stand twice.
  @inline(__always)
  private static func threeBytes(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    Int(bytes[0]) &<< 16 | Int(bytes[count &>> 1]) &<< 8 | Int(bytes[count &- 1])
  }

  /// All collations but BINARY.
  @inline(never)
  func compareFolded(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>,
    encoding: TextEncoding
  ) throws(SQLError) -> Int {
    switch (kind, encoding) {
    case (.binary, _): return Collation.compareBinary(left, right)
    case (.noCase, .utf8): return Collation.compareNoCase(left, right)
    case (.noCase, _): return UTF16Text(left, encoding).compareNoCase(UTF16Text(right, encoding))
    case (.rightTrim, .utf8): return Collation.compareRightTrim(left, right)
    case (.rightTrim, _):
      return UTF16Text(left, encoding).compareRightTrim(UTF16Text(right, encoding))
    case (.custom, _): return try callFunction(left, right, encoding: encoding)
    }
  }

  /// NOCASE: the 26 ASCII letters fold. As in SQLite, a NUL that both texts have at one place ends
  /// the comparison of bytes, and the lengths decide.
  static func compareNoCase(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let common = min(left.count, right.count)
    guard common > 0, let leftBytes = left.baseAddress, let rightBytes = right.baseAddress else {
      return left.count &- right.count
    }
    var index = 0
    while index &+ 8 <= common {
      let leftWord = foldWord(UnsafeRawPointer(leftBytes + index).loadUnaligned(as: UInt64.self))
      let rightWord = foldWord(UnsafeRawPointer(rightBytes + index).loadUnaligned(as: UInt64.self))
      if leftWord != rightWord || hasZeroByte(leftWord) { break }
      index &+= 8
    }
    while index < common {
      let leftByte = fold(leftBytes[index]), rightByte = fold(rightBytes[index])
      if leftByte != rightByte { return Int(leftByte) &- Int(rightByte) }
      if leftByte == 0 { break }
      index &+= 1
    }
    return left.count &- right.count
  }

  /// RTRIM: BINARY without trailing spaces.
  static func compareRightTrim(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    compareBinary(withoutTrailingSpaces(left), withoutTrailingSpaces(right))
  }

  private static func withoutTrailingSpaces(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var count = text.count
    while count > 0, text[count - 1] == 0x20 { count &-= 1 }
    return UnsafeBufferPointer(start: text.baseAddress, count: count)
  }

  /// ASCII upper case to lower case.
  @inline(__always)
  static func fold(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// `fold` on 8 bytes at once: the sums carry into a byte's high bit from A on and from Z+1 on.
  @inline(__always)
  private static func foldWord(_ word: UInt64) -> UInt64 {
    let low = word & 0x7f7f_7f7f_7f7f_7f7f
    let fromA = low &+ 0x3f3f_3f3f_3f3f_3f3f
    let behindZ = low &+ 0x2525_2525_2525_2525
    let isUpper = (fromA ^ behindZ) & ~word & 0x8080_8080_8080_8080
    return word | isUpper &>> 2
  }

  @inline(__always)
  private static func hasZeroByte(_ word: UInt64) -> Bool {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
  }

  /// Calls the application's function, with copies in its encoding where that is another.
  private func callFunction(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>,
    encoding: TextEncoding
  ) throws(SQLError) -> Int {
    if self.encoding == encoding {
      return function(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
    }
    let leftCopy = try TranscodedText(left, from: encoding, to: self.encoding)
    defer { leftCopy.deallocate() }
    let rightCopy = try TranscodedText(right, from: encoding, to: self.encoding)
    defer { rightCopy.deallocate() }
    return function(leftCopy.bytes, rightCopy.bytes)
  }
}
