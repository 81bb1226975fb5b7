/// The numbers inside a page as `Int`s and page numbers; bounds are the caller's concern.
extension UnsafeMutablePointer<UInt8> {
  @inline(__always)
  func uint16(at offset: Int) -> Int { Int(bigEndianUInt16(at: offset)) }

  @inline(__always)
  func setUInt16(_ value: Int, at offset: Int) {
    UnsafeMutableRawPointer(self).storeBigEndian(UInt16(truncatingIfNeeded: value), at: offset)
  }

  @inline(__always)
  func uint32(at offset: Int) -> UInt32 { bigEndianUInt32(at: offset) }

  @inline(__always)
  func setUInt32(_ value: UInt32, at offset: Int) {
    UnsafeMutableRawPointer(self).storeBigEndian(value, at: offset)
  }

  @inline(__always)
  func pageNumber(at offset: Int) -> PageNumber { PageNumber(bigEndianUInt32(at: offset)) }
}
