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
/// Each number is added to the two sums before it, as Fibonacci's are:
/// `t[j] = t[j-1] + t[j-2] + x[j]`. Hence `t[j] = 7 t[j-4] - t[j-8]` for what came before: four
/// neighbours are summed side by side. So are the quarters of a page, each from zero: n pairs make
/// of two sums what n pairs of zeros make of them, plus what the pairs alone come to.
struct WALChecksum: Equatable {
  var first: UInt32 = 0
  var second: UInt32 = 0

  /// Goes on over bytes, whose number is a multiple of 8.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawPointer, _ byteCount: Int, isBigEndian: Bool) {
    let isOwnOrder = isBigEndian == (UInt32(bigEndian: 1) == 1)
    if isOwnOrder, byteCount >= 512, byteCount & (byteCount - 1) == 0 {
      addPage(bytes, byteCount)
    } else {
      for offset in stride(from: 0, to: byteCount, by: 8) {
        let pair = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt32>.self)
        first &+= (isOwnOrder ? pair.x : pair.x.byteSwapped) &+ second
        second &+= (isOwnOrder ? pair.y : pair.y.byteSwapped) &+ first
      }
    }
  }

  /// Goes on over a power of two of bytes.
  private mutating func addPage(_ bytes: UnsafeRawPointer, _ byteCount: Int) {
    let quarter = byteCount / 4
    var (one, two, three, four) = (Neighbours(), Neighbours(), Neighbours(), Neighbours())
    var place = bytes
    let end = bytes + quarter
    while place < end {
      one.add(place)
      two.add(place + quarter)
      three.add(place + 2 * quarter)
      four.add(place + 3 * quarter)
      place += 16
    }
    let zeros = Zeros(pairCountLog2: (quarter / 8).trailingZeroBitCount)
    zeros.advance(&self, adding: one.sums)
    zeros.advance(&self, adding: two.sums)
    zeros.advance(&self, adding: three.sums)
    zeros.advance(&self, adding: four.sums)
  }

  /// Each number added to seven times the sum four places before it, less that eight places before.
  private struct Neighbours {
    private var last = SIMD4<UInt32>()
    private var before = SIMD4<UInt32>()

    @inline(__always)
    mutating func add(_ bytes: UnsafeRawPointer) {
      let numbers = bytes.loadUnaligned(as: SIMD4<UInt32>.self)
      (last, before) = ((last &<< 3) &- last &+ (numbers &- before), last)
    }

    /// What all numbers come to from zero: each is in the sum with the Fibonacci number of its
    /// distance to the end, F(4m+c) = F(c) g(m) + (F(c+4) - 7 F(c)) g(m-1), where
    /// g(m) = 7 g(m-1) - g(m-2).
    var sums: WALChecksum {
      let weighted = (
        last &* SIMD4(2, 1, 1, 0) &+ before &* SIMD4(~0, 1, ~1, 3),
        last &* SIMD4(3, 2, 1, 1) &+ before &* SIMD4(0, ~0, 1, ~1)
      )
      return WALChecksum(first: weighted.0.wrappedSum(), second: weighted.1.wrappedSum())
    }
  }

  /// What pairs of zeros make of two sums: the matrix | a b | b a+b | of Fibonacci numbers.
  private struct Zeros {
    private var a: UInt32 = 1
    private var b: UInt32 = 1

    /// One pair is | 1 1 | 1 2 |; twice as many are its square.
    init(pairCountLog2: Int) {
      for _ in 0..<pairCountLog2 { (a, b) = (a &* a &+ b &* b, b &* (2 &* a &+ b)) }
    }

    /// Goes on over pairs that come to `part` by themselves.
    @inline(__always)
    func advance(_ sums: inout WALChecksum, adding part: WALChecksum) {
      let first = sums.first, second = sums.second
      sums.first = a &* first &+ b &* second &+ part.first
      sums.second = b &* first &+ (a &+ b) &* second &+ part.second
    }
  }
}
