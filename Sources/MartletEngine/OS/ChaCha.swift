/// Random bytes as SQLite makes them: the stream of ChaCha20 under a key of 44 random bytes.
///
/// What a key gives is what SQLite gives for it, so that tests which set it can be repeated.
public struct ChaCha: Sendable {
  public static let keySize = 44

  /// The 16 words of a block in four rows. They are mixed one by one, in registers: as vectors they
  /// took three times as long.
  private struct Block {
    typealias Row = SIMD4<UInt32>

    var a: Row, b: Row, c: Row, d: Row

    /// What 20 rounds make of it, added to it.
    var mixed: Block {
      var a0 = a.x, a1 = a.y, a2 = a.z, a3 = a.w
      var b0 = b.x, b1 = b.y, b2 = b.z, b3 = b.w
      var c0 = c.x, c1 = c.y, c2 = c.z, c3 = c.w
      var d0 = d.x, d1 = d.y, d2 = d.z, d3 = d.w
      for _ in 0..<10 {
        Block.mix(&a0, &b0, &c0, &d0)
        Block.mix(&a1, &b1, &c1, &d1)
        Block.mix(&a2, &b2, &c2, &d2)
        Block.mix(&a3, &b3, &c3, &d3)
        Block.mix(&a0, &b1, &c2, &d3)
        Block.mix(&a1, &b2, &c3, &d0)
        Block.mix(&a2, &b3, &c0, &d1)
        Block.mix(&a3, &b0, &c1, &d2)
      }
      return Block(
        a: a &+ Row(a0, a1, a2, a3), b: b &+ Row(b0, b1, b2, b3), c: c &+ Row(c0, c1, c2, c3),
        d: d &+ Row(d0, d1, d2, d3))
    }

    /// A column, or a diagonal.
    @inline(__always)
    private static func mix(
      _ a: inout UInt32, _ b: inout UInt32, _ c: inout UInt32, _ d: inout UInt32
    ) {
      a &+= b
      d = rotated(d ^ a, 16)
      c &+= d
      b = rotated(b ^ c, 12)
      a &+= b
      d = rotated(d ^ a, 8)
      c &+= d
      b = rotated(b ^ c, 7)
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
      word &<< count | word &>> (32 &- count)
    }
  }

  private var state: Block
  private var output: Block
  /// Bytes of the block that were not given out; they are its first ones.
  private var left = 0

  /// Of a key that is too short, the rest is zero.
  public init(key: some Sequence<UInt8>) {
    var words = [UInt32](repeating: 0, count: 11)
    for (index, byte) in key.prefix(ChaCha.keySize).enumerated() {
      words[index / 4] |= UInt32(byte) << UInt32(index % 4 * 8)
    }
    // "expand 32-byte k"
    let name = Block.Row(0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574)
    // The 13th word counts the blocks; what stood there comes last.
    state = Block(
      a: name, b: Block.Row(words[0], words[1], words[2], words[3]),
      c: Block.Row(words[4], words[5], words[6], words[7]),
      d: Block.Row(0, words[9], words[10], words[8]))
    output = state
  }

  public mutating func fill(_ target: UnsafeMutableRawBufferPointer) {
    var done = 0
    while done < target.count {
      if left == 0 {
        state.d.x &+= 1
        output = state.mixed
        left = 64
      }
      let count = min(target.count - done, left)
      // Enough bytes are taken from the end, too few are all there are.
      left -= count
      let start = left
      withUnsafeBytes(of: output) { bytes in
        UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
      }
      done += count
    }
  }
}
