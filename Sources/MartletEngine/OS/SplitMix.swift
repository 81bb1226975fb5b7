/// Random numbers that a seed decides (the SplitMix64 generator). Not for secrets.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }

  /// True with a probability.
  mutating func hits(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &self) < chance }
}
