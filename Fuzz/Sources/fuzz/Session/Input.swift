/// The bytes of an input, taken from the front. Where they end, there are zeros.
struct Input {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A number from 0 up to but not including `bound`.
  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  mutating func integer(bytes: Int) -> UInt64 {
    (0..<bytes).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    let taken = rest.prefix(count)
    rest = rest.dropFirst(taken.count)
    return taken
  }
}

/// An input of several parts: each but the last has its length in front, in three bytes.
struct Parts {
  var parts: [[UInt8]]

  /// Reads `count` parts; lengths that are too large end with the input.
  init(_ bytes: some Sequence<UInt8>, count: Int) {
    var input = Input(bytes)
    parts = (0..<count - 1).map { _ in Array(input.take(Int(input.integer(bytes: 3)))) }
    parts.append(Array(input.rest))
  }

  init(_ parts: [[UInt8]]) { self.parts = parts }

  var bytes: [UInt8] {
    var all: [UInt8] = []
    for part in parts.dropLast() {
      for shift in [16, 8, 0] { all.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
      all += part
    }
    return all + (parts.last ?? [])
  }
}
