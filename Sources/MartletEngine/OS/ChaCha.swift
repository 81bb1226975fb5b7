/// Random bytes as SQLite makes them: the stream of ChaCha20 under a key of 44 random bytes.
///
/// What a key gives is what SQLite gives for it, so that tests which set it can be repeated.
public struct ChaCha: Sendable {
  public static let keySize = 44

  /// The 16 words of a block in four rows.
  private struct Block {
    typealias Row = SIMD4<UInt32>

    var a: Row, b: Row, c: Row, d: Row

    /// The four columns at once.
    @inline(__always)
    mutating func mixColumns() {
      a &+= b
      d = Block.rotated(d ^ a, 16)
      c &+= d
      b = Block.rotated(b ^ c, 12)
      a &+= b
      d = Block.rotated(d ^ a, 8)
      c &+= d
      b = Block.rotated(b ^ c, 7)
    }

    private static func rotated(_ row: Row, _ count: UInt32) -> Row {
      row &<< Row(repeating: count) | row &>> Row(repeating: 32 - count)
    }

    /// What 20 rounds make of it, added to it.
    var mixed: Block {
      var block = self
      for _ in 0..<10 {
        block.mixColumns()
        block.turn(by: 1)
        block.mixColumns()
        block.turn(by: 3)
      }
      return Block(a: block.a &+ a, b: block.b &+ b, c: block.c &+ c, d: block.d &+ d)
    }

    /// Makes columns of diagonals, or the other way around.
    @inline(__always)
    private mutating func turn(by count: Int) {
      if count == 1 {
        b = Row(b.y, b.z, b.w, b.x)
        d = Row(d.w, d.x, d.y, d.z)
      } else {
        b = Row(b.w, b.x, b.y, b.z)
        d = Row(d.y, d.z, d.w, d.x)
      }
      c = Row(c.z, c.w, c.x, c.y)
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
