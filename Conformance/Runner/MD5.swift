import Foundation

// MD5 (RFC 1321): the digest that sqllogictest scripts carry in place of long results.

/// An MD5 digest under construction.
struct MD5 {
  private var state: (UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476
  )
  private var pending: [UInt8] = []
  private var byteCount: UInt64 = 0

  private static let blockSize = 64

  /// How far each of the 64 steps rotates: four amounts per round, repeated four times.
  private static let rotations: [[UInt32]] = [
    [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
  ]

  /// `floor(2^32 * abs(sin(i + 1)))` for the 64 steps, computed once by the runner.
  private static let sines: [UInt32] = (0..<64).map { step in
    UInt32(truncatingIfNeeded: Int64(abs(sin(Double(step + 1))) * 4_294_967_296))
  }

  init() { pending.reserveCapacity(Self.blockSize) }

  mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      pending.append(byte)
      byteCount &+= 1
      if pending.count == Self.blockSize {
        pending.withUnsafeBytes { absorb($0) }
        pending.removeAll(keepingCapacity: true)
      }
    }
  }

  /// Whole blocks straight from memory: for files.
  mutating func update(block bytes: UnsafeRawBufferPointer) {
    var offset = 0
    if pending.isEmpty {
      while offset + Self.blockSize <= bytes.count {
        absorb(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.blockSize]))
        offset += Self.blockSize
      }
      byteCount &+= UInt64(offset)
    }
    update(bytes[offset...])
  }

  /// Pads, and gives the digest as 32 lower-case hexadecimal digits.
  mutating func finish() -> String {
    let bitCount = byteCount &* 8
    update([0x80])
    while pending.count != Self.blockSize - 8 { update([0]) }
    update((0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (8 * UInt64($0))) })
    let words = [state.0, state.1, state.2, state.3]
    return words.map { hexadecimal($0) }.joined()
  }

  private func hexadecimal(_ word: UInt32) -> String {
    let digits = Array("0123456789abcdef")
    return String(
      (0..<4).flatMap { index -> [Character] in
        let byte = Int(word >> (8 * UInt32(index)) & 0xff)
        return [digits[byte >> 4], digits[byte & 15]]
      })
  }

  private mutating func absorb(_ block: UnsafeRawBufferPointer) {
    var (a, b, c, d) = state
    for step in 0..<64 {
      let (mix, word) = Self.mixed(step, b, c, d)
      let message = block.loadUnaligned(fromByteOffset: 4 * word, as: UInt32.self)
      let sum = a &+ mix &+ Self.sines[step] &+ UInt32(littleEndian: message)
      let rotation = Self.rotations[step >> 4][step & 3]
      (a, d, c, b) = (d, c, b, b &+ (sum << rotation | sum >> (32 - rotation)))
    }
    state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
  }

  /// The round's boolean function, and which word of the block the step adds.
  private static func mixed(_ step: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> (UInt32, Int) {
    switch step >> 4 {
    case 0: ((b & c) | (~b & d), step)
    case 1: ((d & b) | (~d & c), (5 * step + 1) & 15)
    case 2: (b ^ c ^ d, (3 * step + 5) & 15)
    default: (c ^ (b | ~d), (7 * step) & 15)
    }
  }
}
