// The write-ahead log (fileformat2 §4.1), all numbers big-endian:
//
//     | header | frame | frame | … |
//
//     header    4  magic; its last bit is set where checksums read numbers big-endian
//               4  format version
//               4  page size
//               4  how often the log was started again
//               8  two salts                      frame   4  page number
//               8  checksum of the above                  4  size of the image in pages after a
//                                                            commit that ends here, else 0
//                                                         8  the salts
//                                                         8  checksum of all that is before it
//                                                         n  page
//
// Frames are counted from 1. The checksum of a frame goes on from that of the frame before it, and
// is taken of the first eight bytes of its header and of the page.

enum WALFormat {
  static let magic: UInt32 = 0x377f_0682
  static let version: UInt32 = 3_007_000
  static let headerByteCount = 32
  static let frameHeaderByteCount = 24

  static func frameByteCount(pageSize: Int) -> Int { pageSize + frameHeaderByteCount }

  /// Where a frame begins.
  static func offset(ofFrame frame: UInt32, pageSize: Int) -> Int64 {
    Int64(headerByteCount) + (Int64(frame) - 1) * Int64(frameByteCount(pageSize: pageSize))
  }
}

/// Two sums over pairs of numbers (fileformat2 §4.2).
struct WALChecksum: Equatable {
  var first: UInt32 = 0
  var second: UInt32 = 0

  /// Goes on over bytes, whose number is a multiple of 8.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawPointer, _ byteCount: Int, isBigEndian: Bool) {
    if isBigEndian == (UInt32(bigEndian: 1) == 1) {
      add(bytes, byteCount) { $0 }
    } else {
      add(bytes, byteCount) { $0.byteSwapped }
    }
  }

  @inline(__always)
  private mutating func add(
    _ bytes: UnsafeRawPointer, _ byteCount: Int, _ number: (UInt32) -> UInt32
  ) {
    var first = first, second = second
    var offset = 0
    while offset < byteCount {
      first &+=
        number(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) &+ second
      second &+=
        number(bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)) &+ first
      offset += 8
    }
    self.first = first
    self.second = second
  }
}
