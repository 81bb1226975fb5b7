/// A stream of numbers that one seed decides, on every machine (SplitMix64).
struct RandomSource {
  private var state: UInt64

  /// How far the state goes with each number.
  private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// States that lie a few steps apart give the same stream but for its first numbers: what begins with
  /// seeds that follow each other has to be mixed.
  init(seed: UInt64) { state = Self.mixed(seed &+ Self.step) }

  mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to but not including `bound`, which is positive.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }

  /// `count` different elements of `choices`, in random order.
  mutating func sample<Element>(_ choices: [Element], _ count: Int) -> [Element] {
    var left = choices
    var taken: [Element] = []
    while taken.count < count, !left.isEmpty { taken.append(left.remove(at: below(left.count))) }
    return taken
  }
}
