/// Reading and writing the big-endian integers of the file format (fileformat2 §1.3).
///
/// None of these checks bounds: the caller has checked that the bytes exist.
extension UnsafeRawPointer {
  @inline(__always)
  func bigEndianUInt16(at offset: Int = 0) -> UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always)
  func bigEndianUInt32(at offset: Int = 0) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  func bigEndianUInt64(at offset: Int = 0) -> UInt64 {
    UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension UnsafeMutableRawPointer {
  @inline(__always)
  func storeBigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number, at offset: Int = 0
  ) {
    storeBytes(of: number.bigEndian, toByteOffset: offset, as: Number.self)
  }
}

extension UnsafePointer<UInt8> {
  @inline(__always)
  func bigEndianUInt16(at offset: Int = 0) -> UInt16 {
    UnsafeRawPointer(self).bigEndianUInt16(at: offset)
  }

  @inline(__always)
  func bigEndianUInt32(at offset: Int = 0) -> UInt32 {
    UnsafeRawPointer(self).bigEndianUInt32(at: offset)
  }

  @inline(__always)
  func bigEndianUInt64(at offset: Int = 0) -> UInt64 {
    UnsafeRawPointer(self).bigEndianUInt64(at: offset)
  }
}

extension UnsafeMutablePointer<UInt8> {
  @inline(__always)
  func bigEndianUInt16(at offset: Int = 0) -> UInt16 {
    UnsafeRawPointer(self).bigEndianUInt16(at: offset)
  }

  @inline(__always)
  func bigEndianUInt32(at offset: Int = 0) -> UInt32 {
    UnsafeRawPointer(self).bigEndianUInt32(at: offset)
  }

  @inline(__always)
  func bigEndianUInt64(at offset: Int = 0) -> UInt64 {
    UnsafeRawPointer(self).bigEndianUInt64(at: offset)
  }
}
