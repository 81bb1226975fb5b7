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
  private static let rotations: [UInt32] = [
    [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
  ].flatMap { amounts in (0..<16).map { amounts[$0 & 3] } }

  /// Which word of the block each step adds.
  private static let words: [Int] = (0..<64).map { step in
    switch step >> 4 {
    case 0: step
    case 1: (5 * step + 1) & 15
    case 2: (3 * step + 5) & 15
    default: (7 * step) & 15
    }
  }

  /// `floor(2^32 * abs(sin(i + 1)))` for the 64 steps, computed once by the runner.
  private static let sines: [UInt32] = (0..<64).map { step in
    UInt32(truncatingIfNeeded: Int64(abs(sin(Double(step + 1))) * 4_294_967_296))
  }

  init() { pending.reserveCapacity(Self.blockSize) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = rest.prefix(Self.blockSize - pending.count)
      pending += missing
      rest = rest[missing.endIndex...]
      guard pending.count == Self.blockSize else { return }
      pending.withUnsafeBytes { absorb($0) }
      pending.removeAll(keepingCapacity: true)
    }
    while rest.count >= Self.blockSize {
      absorb(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize)))
      rest = rest.dropFirst(Self.blockSize)
    }
    pending += rest
  }

  /// Pads, and gives the digest as 32 lower-case hexadecimal digits.
  mutating func finish() -> String {
    let bitCount = byteCount &* 8
    pending.append(0x80)
    while pending.count % Self.blockSize != Self.blockSize - 8 { pending.append(0) }
    for shift in 0..<8 { pending.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(8 * shift))) }
    let last = pending
    last.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: Self.blockSize) {
        absorb(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.blockSize]))
      }
    }
    return String(unsafeUninitializedCapacity: 32) { digits in
      var count = 0
      for word in [state.0, state.1, state.2, state.3] {
        for index in 0..<4 {
          let byte = UInt8(truncatingIfNeeded: word >> (8 * UInt32(index)))
          for half in [byte >> 4, byte & 15] {
            digits[count] = half < 10 ? 0x30 + half : 0x57 + half
            count += 1
          }
        }
      }
      return count
    }
  }

  private mutating func absorb(_ block: UnsafeRawBufferPointer) {
    var (a, b, c, d) = state
    Self.sines.withUnsafeBufferPointer { sines in
      Self.rotations.withUnsafeBufferPointer { rotations in
        Self.words.withUnsafeBufferPointer { words in
          for step in 0..<64 {
            let message = block.loadUnaligned(fromByteOffset: 4 * words[step], as: UInt32.self)
            let sum =
              a &+ Self.mixed(step, b, c, d) &+ sines[step] &+ UInt32(littleEndian: message)
            let rotation = rotations[step]
            (a, d, c, b) = (d, c, b, b &+ (sum << rotation | sum >> (32 - rotation)))
          }
        }
      }
    }
    state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
  }

  /// The round's boolean function.
  private static func mixed(_ step: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 {
    switch step >> 4 {
    case 0: (b & c) | (~b & d)
    case 1: (d & b) | (~d & c)
    case 2: b ^ c ^ d
    default: c ^ (b | ~d)
    }
  }
}
