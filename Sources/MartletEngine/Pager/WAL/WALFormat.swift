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

/// Two sums over pairs of numbers (fileformat2 §4.2):
///
///     first += a + second; second += b + first        for each pair a, b
///
/// Each step waits for the one before it. But a step is linear: n pairs make of two sums what n pairs
/// of zeros make of them, plus what the pairs alone come to. So the parts of a page are summed side
/// by side, each from zero, and put together at the end.
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
    let partByteCount = byteCount / 4 & ~7
    guard partByteCount >= 64 else {
      for offset in stride(from: 0, to: byteCount, by: 8) { addPair(bytes + offset, number) }
      return
    }
    var second = WALChecksum(), third = WALChecksum(), fourth = WALChecksum()
    var place = bytes
    let end = bytes + partByteCount
    while place < end {
      addPair(place, number)
      second.addPair(place + partByteCount, number)
      third.addPair(place + 2 * partByteCount, number)
      fourth.addPair(place + 3 * partByteCount, number)
      place += 8
    }
    let zeros = Zeros(pairCount: partByteCount / 8)
    zeros.advance(&self, adding: second)
    zeros.advance(&self, adding: third)
    zeros.advance(&self, adding: fourth)
    for offset in stride(from: 4 * partByteCount, to: byteCount, by: 8) {
      addPair(bytes + offset, number)
    }
  }

  @inline(__always)
  private mutating func addPair(_ bytes: UnsafeRawPointer, _ number: (UInt32) -> UInt32) {
    first &+= number(bytes.loadUnaligned(as: UInt32.self)) &+ second
    second &+= number(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) &+ first
  }

  /// What pairs of zeros make of two sums: the matrix | a b | b a+b |, whose numbers are Fibonacci's.
  /// One pair is | 1 1 | 1 2 |.
  private struct Zeros {
    private var a: UInt32 = 1
    private var b: UInt32 = 0

    init(pairCount: Int) {
      var power = (a: UInt32(1), b: UInt32(1)), left = pairCount
      while left > 0 {
        if left & 1 == 1 { (a, b) = Self.product((a, b), power) }
        power = Self.product(power, power)
        left >>= 1
      }
    }

    private static func product(
      _ left: (a: UInt32, b: UInt32), _ right: (a: UInt32, b: UInt32)
    ) -> (UInt32, UInt32) {
      let b = left.b &* right.b
      return (left.a &* right.a &+ b, left.a &* right.b &+ left.b &* right.a &+ b)
    }

    /// Goes on over pairs that come to `part` by themselves.
    func advance(_ sums: inout WALChecksum, adding part: WALChecksum) {
      let first = sums.first, second = sums.second
      sums.first = a &* first &+ b &* second &+ part.first
      sums.second = b &* first &+ (a &+ b) &* second &+ part.second
    }
  }
}
