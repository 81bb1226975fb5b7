/// SHA-3 (FIPS 202), for `.sha3sum`.
///
/// The state is 25 words of 64 bits; input is mixed into its first `rate` bytes, and all of it is
/// then permuted. The capacity, twice the size of the hash, is never touched from outside.
struct SHA3 {
  private var state = [UInt64](repeating: 0, count: 25)
  private var position = 0
  private let rate: Int
  private let size: Int

  /// `bits` is 224, 256, 384 or 512.
  init(bits: Int) {
    size = bits / 8
    rate = 200 - 2 * size
  }

  mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      state[position >> 3] ^= UInt64(byte) << UInt64(8 * (position & 7))
      position += 1
      if position == rate {
        permute()
        position = 0
      }
    }
  }

  mutating func finish() -> [UInt8] {
    // The two bits that tell SHA-3 from others of its kind, and the padding 10*1.
    state[position >> 3] ^= 0x06 << UInt64(8 * (position & 7))
    let last = rate - 1
    state[last >> 3] ^= 0x80 << UInt64(8 * (last & 7))
    permute()
    return (0..<size).map { UInt8(truncatingIfNeeded: state[$0 >> 3] >> UInt64(8 * ($0 & 7))) }
  }

  /// Rotations along the path on which `rho` and `pi` move the words, from word 1.
  private static let rotations: [UInt64] = [
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
  ]
  private static let path = [
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
  ]
  private static let constants = roundConstants()

  /// The constants of the rounds come out of a shift register (FIPS 202 §3.2.5).
  private static func roundConstants() -> [UInt64] {
    var register: UInt8 = 1
    return (0..<24).map { _ in
      var constant: UInt64 = 0
      for power in 0..<7 {
        if register & 1 != 0 { constant |= 1 << UInt64((1 << power) - 1) }
        register = register & 0x80 != 0 ? register << 1 ^ 0x71 : register << 1
      }
      return constant
    }
  }

  private mutating func permute() {
    for constant in Self.constants {
      var parity = [UInt64](repeating: 0, count: 5)
      for x in 0..<5 {
        parity[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]
      }
      for x in 0..<5 {
        let next = parity[(x + 1) % 5]
        let mixed = parity[(x + 4) % 5] ^ (next << 1 | next >> 63)
        for y in stride(from: 0, to: 25, by: 5) { state[x + y] ^= mixed }
      }
      var moved = state[1]
      for (place, rotation) in zip(Self.path, Self.rotations) {
        let word = state[place]
        state[place] = moved << rotation | moved >> (64 - rotation)
        moved = word
      }
      for y in stride(from: 0, to: 25, by: 5) {
        let row = Array(state[y..<y + 5])
        for x in 0..<5 { state[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]) }
      }
      state[0] ^= constant
    }
  }
}
