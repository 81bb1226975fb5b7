/// The codes of a canonical Huffman code, by their lengths.
struct HuffmanCode {
  let lengths: [Int]
  /// The bits of each symbol as they stand in the stream: the highest comes first.
  let reversed: [UInt32]

  init(lengths: [Int]) {
    self.lengths = lengths
    var counts = [Int](repeating: 0, count: HuffmanDecoder.longest + 1)
    for length in lengths where length > 0 { counts[length] += 1 }
    var next = [UInt32](repeating: 0, count: counts.count)
    for length in 1..<counts.count {
      next[length] = (next[length - 1] &+ UInt32(counts[length - 1])) &* 2
    }
    reversed = lengths.map { length in
      guard length > 0 else { return 0 }
      var code = next[length], result: UInt32 = 0
      next[length] &+= 1
      for _ in 0..<length {
        result = result << 1 | code & 1
        code >>= 1
      }
      return result
    }
  }
}

/// The tables of DEFLATE (RFC 1951 §3.2.5, §3.2.6).
enum DeflateCodes {
  /// What a symbol stands for: a base, and how many bits behind it are added.
  struct Range {
    let base: Int
    let extraBitCount: Int
  }

  /// The lengths of symbols from 257 on. The last one is 258 alone.
  static let lengths: [Range] =
    (0..<28).map { symbol in
      let extra = symbol < 8 ? 0 : symbol / 4 - 1
      let base = symbol < 8 ? 3 + symbol : (4 + symbol % 4) << extra + 3
      return Range(base: base, extraBitCount: extra)
    } + [Range(base: 258, extraBitCount: 0)]

  static let distances: [Range] = (0..<30).map { symbol in
    let extra = symbol < 4 ? 0 : symbol / 2 - 1
    let base = symbol < 4 ? 1 + symbol : (2 + symbol % 2) << extra + 1
    return Range(base: base, extraBitCount: extra)
  }

  static let fixedLengths =
    [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
    + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8)
  static let fixedDistanceLengths = [Int](repeating: 5, count: 30)

  static let fixedCode = HuffmanCode(lengths: fixedLengths)
  static let fixedDistanceCode = HuffmanCode(lengths: fixedDistanceLengths)

  static let fixedLiterals = decoder(fixedLengths)
  static let fixedDistances = decoder(fixedDistanceLengths)

  private static func decoder(_ lengths: [Int]) -> HuffmanDecoder {
    do { return try HuffmanDecoder(lengths) } catch { preconditionFailure("a code of our own") }
  }
}
