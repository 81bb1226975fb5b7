/// Random bytes as SQLite makes them: the stream of ChaCha20 under a key of 44 random bytes.
///
/// What a key gives is what SQLite gives for it, so that tests which set it can be repeated.
public struct ChaCha: Sendable {
  public static let keySize = 44

  private typealias Block = SIMD16<UInt32>

  private var state: Block
  private var output = Block.zero
  /// Bytes of the block that were not given out; they are its first ones.
  private var left = 0

  /// Of a key that is too short, the rest is zero.
  public init(key: some Sequence<UInt8>) {
    state = Block.zero
    // "expand 32-byte k"
    state[0] = 0x6170_7865
    state[1] = 0x3320_646e
    state[2] = 0x7962_2d32
    state[3] = 0x6b20_6574
    for (index, byte) in key.prefix(ChaCha.keySize).enumerated() {
      state[4 + index / 4] |= UInt32(byte) << UInt32(index % 4 * 8)
    }
    // The 13th word counts the blocks.
    state[15] = state[12]
    state[12] = 0
  }

  public mutating func fill(_ target: UnsafeMutableRawBufferPointer) {
    var done = 0
    while done < target.count {
      if left == 0 {
        state[12] &+= 1
        output = ChaCha.block(state)
        left = 64
      }
      let count = min(target.count - done, left)
      // Enough bytes are taken from the end, too few are all there are.
      let start = left - count
      for index in 0..<count {
        let place = start + index
        target[done + index] = UInt8(
          truncatingIfNeeded: output[place / 4] >> UInt32(place % 4 * 8))
      }
      left = start
      done += count
    }
  }

  private static func block(_ input: Block) -> Block {
    var mixed = input
    for _ in 0..<10 {
      for column in 0..<4 { mix(&mixed, column, column + 4, column + 8, column + 12) }
      for column in 0..<4 {
        mix(&mixed, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)
      }
    }
    return mixed &+ input
  }

  private static func mix(_ block: inout Block, _ a: Int, _ b: Int, _ c: Int, _ d: Int) {
    func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
      value << count | value >> (32 - count)
    }
    block[a] &+= block[b]
    block[d] = rotate(block[d] ^ block[a], 16)
    block[c] &+= block[d]
    block[b] = rotate(block[b] ^ block[c], 12)
    block[a] &+= block[b]
    block[d] = rotate(block[d] ^ block[a], 8)
    block[c] &+= block[d]
    block[b] = rotate(block[b] ^ block[c], 7)
  }
}
