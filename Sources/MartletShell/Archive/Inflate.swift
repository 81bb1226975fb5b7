/// Decompresses DEFLATE (RFC 1951).
///
///     stream | block … last block                      bits from the lowest of each byte on
///     block  | isLast 1 | kind 2 | content |
///       kind 0 stored   | to the next byte | length u16 | ~length u16 | bytes |
///       kind 1 fixed    | symbols in fixed codes, 256 last |
///       kind 2 dynamic  | codes | symbols in these codes, 256 last |
///
/// Nothing is believed: what does not fit, is too long or refers to what is not there ends it.
struct Inflate {
  /// Why there is no result: the stream breaks a rule, or gives more than was asked for.
  struct Damaged: Error {}

  private var reader: BitReader
  private var output: [UInt8] = []
  private let limit: Int

  /// What the stream at the start of `bytes` stands for, at most `limit` bytes.
  static func decompress(
    _ bytes: UnsafeRawBufferPointer, limit: Int
  ) throws(Damaged) -> [UInt8] {
    var inflate = Inflate(bytes, limit: limit)
    try inflate.run()
    return inflate.output
  }

  private init(_ bytes: UnsafeRawBufferPointer, limit: Int) {
    reader = BitReader(bytes)
    self.limit = limit
    // A wrong size must not take the memory before it is known to be wrong.
    output.reserveCapacity(min(limit, bytes.count &* 4))
  }

  private mutating func run() throws(Damaged) {
    var isLast = false
    while !isLast {
      isLast = try reader.bits(1) == 1
      switch try reader.bits(2) {
      case 0: try copyStored()
      case 1: try decode(DeflateCodes.fixedLiterals, DeflateCodes.fixedDistances)
      case 2:
        let codes = try readCodes()
        try decode(codes.literals, codes.distances)
      default: throw Damaged()
      }
    }
  }

  private mutating func copyStored() throws(Damaged) {
    reader.alignToByte()
    let length = try reader.bits(16), complement = try reader.bits(16)
    guard length ^ complement == 0xffff, output.count + length <= limit else { throw Damaged() }
    for _ in 0..<length { output.append(UInt8(try reader.bits(8))) }
  }

  private mutating func decode(
    _ literals: HuffmanDecoder, _ distances: HuffmanDecoder
  ) throws(Damaged) {
    while true {
      let symbol = try literals.next(&reader)
      if symbol < 256 {
        guard output.count < limit else { throw Damaged() }
        output.append(UInt8(symbol))
      } else if symbol == 256 {
        return
      } else {
        try copyMatch(symbol - 257, distances)
      }
    }
  }

  private mutating func copyMatch(
    _ lengthSymbol: Int, _ distances: HuffmanDecoder
  ) throws(Damaged) {
    guard lengthSymbol < DeflateCodes.lengths.count else { throw Damaged() }
    let lengthRange = DeflateCodes.lengths[lengthSymbol]
    let length = lengthRange.base + (try reader.bits(lengthRange.extraBitCount))
    let distanceSymbol = try distances.next(&reader)
    guard distanceSymbol < DeflateCodes.distances.count else { throw Damaged() }
    let distanceRange = DeflateCodes.distances[distanceSymbol]
    let distance = distanceRange.base + (try reader.bits(distanceRange.extraBitCount))
    guard distance <= output.count, output.count + length <= limit else { throw Damaged() }
    // A match may reach into what it writes itself.
    for index in output.count - distance..<output.count - distance + length {
      output.append(output[index])
    }
  }

  /// The order in which the lengths of the codes for lengths stand.
  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  private mutating func readCodes() throws(Damaged) -> (
    literals: HuffmanDecoder, distances: HuffmanDecoder
  ) {
    let literalCount = try reader.bits(5) + 257, distanceCount = try reader.bits(5) + 1
    let lengthCount = try reader.bits(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw Damaged() }
    var sizes = [Int](repeating: 0, count: 19)
    for position in 0..<lengthCount { sizes[Self.lengthOrder[position]] = try reader.bits(3) }
    let lengthCode = try HuffmanDecoder(sizes)
    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try lengthCode.next(&reader)
      switch symbol {
      case 0...15: lengths.append(symbol)
      case 16:
        guard let last = lengths.last else { throw Damaged() }
        lengths += repeatElement(last, count: 3 + (try reader.bits(2)))
      case 17: lengths += repeatElement(0, count: 3 + (try reader.bits(3)))
      default: lengths += repeatElement(0, count: 11 + (try reader.bits(7)))
      }
    }
    guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else { throw Damaged() }
    return (
      try HuffmanDecoder(Array(lengths[..<literalCount])),
      try HuffmanDecoder(Array(lengths[literalCount...]))
    )
  }
}

/// Takes bits from bytes, the lowest ones first.
struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private var held: UInt64 = 0
  private var heldCount = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// At most 16 bits.
  mutating func bits(_ count: Int) throws(Inflate.Damaged) -> Int {
    let value = Int(peek(count))
    try skip(count)
    return value
  }

  /// The next bits; those behind the end are 0.
  mutating func peek(_ count: Int) -> UInt64 {
    while heldCount < count {
      let byte = position < bytes.count ? bytes[position] : 0
      held |= UInt64(byte) << UInt64(heldCount)
      position += 1
      heldCount += 8
    }
    return held & (1 << UInt64(count) - 1)
  }

  mutating func skip(_ count: Int) throws(Inflate.Damaged) {
    held >>= UInt64(count)
    heldCount -= count
    if position - heldCount / 8 > bytes.count { throw Inflate.Damaged() }
  }

  mutating func alignToByte() {
    let rest = heldCount % 8
    held >>= UInt64(rest)
    heldCount -= rest
  }
}

/// A canonical Huffman code, by the lengths of its codes (RFC 1951 §3.2.2).
struct HuffmanDecoder {
  static let longest = 15
  /// How many codes there are of each length, and their symbols in the order of the codes.
  private var counts = [Int](repeating: 0, count: longest + 1)
  private var symbols: [Int] = []
  /// For what the next bits may be: symbol and length, 0 where the code is longer.
  private var table = [UInt16](repeating: 0, count: 1 << shortBitCount)
  private static let shortBitCount = 9

  init(_ lengths: [Int]) throws(Inflate.Damaged) {
    for length in lengths { counts[length] += 1 }
    counts[0] = 0
    var free = 1
    for length in 1...Self.longest {
      free = free * 2 - counts[length]
      if free < 0 { throw Inflate.Damaged() }
    }
    let codes = HuffmanCode(lengths: lengths)
    for length in 1...Self.longest where counts[length] > 0 {
      for symbol in lengths.indices where lengths[symbol] == length { symbols.append(symbol) }
    }
    for symbol in lengths.indices where (1...Self.shortBitCount).contains(lengths[symbol]) {
      let step = 1 << lengths[symbol]
      for entry in stride(from: Int(codes.reversed[symbol]), to: table.count, by: step) {
        table[entry] = UInt16(symbol << 4 | lengths[symbol])
      }
    }
  }

  func next(_ reader: inout BitReader) throws(Inflate.Damaged) -> Int {
    let entry = table[Int(reader.peek(Self.shortBitCount))]
    if entry != 0 {
      try reader.skip(Int(entry & 15))
      return Int(entry >> 4)
    }
    var code = 0, first = 0, position = 0
    for length in 1...Self.longest {
      code |= try reader.bits(1)
      let count = counts[length]
      if code - first < count { return symbols[position + code - first] }
      position += count
      first = (first + count) << 1
      code <<= 1
    }
    throw Inflate.Damaged()
  }
}
