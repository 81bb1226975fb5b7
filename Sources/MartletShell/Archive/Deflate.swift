/// Compresses to DEFLATE (RFC 1951): one block in the fixed codes, with the longest match that a
/// few earlier places with the same three bytes give.
struct Deflate {
  private let input: UnsafeRawBufferPointer
  private var output: [UInt8] = []
  private var held: UInt64 = 0
  private var heldCount: UInt64 = 0
  /// The last place of each hash of three bytes, and for each place the one before it with its
  /// hash; -1 for none.
  private var latest = [Int32](repeating: -1, count: 1 << hashBitCount)
  private var earlier: [Int32]

  private static let hashBitCount = 15
  private static let window = 1 << 15
  private static let longestMatch = 258
  private static let shortestMatch = 3
  /// Places that are looked at for a match.
  private static let patience = 48

  static func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var deflate = Deflate(bytes)
    deflate.run()
    return deflate.output
  }

  private init(_ bytes: UnsafeRawBufferPointer) {
    input = bytes
    earlier = [Int32](repeating: -1, count: Self.window)
    output.reserveCapacity(bytes.count / 2 + 16)
  }

  private mutating func run() {
    // The last block, in fixed codes.
    put(1 | 1 << 1, 3)
    var position = 0
    while position < input.count {
      let match = longestMatch(at: position)
      if match.length >= Self.shortestMatch {
        putMatch(match.length, match.distance)
        for place in position..<position + match.length { remember(place) }
        position += match.length
      } else {
        putSymbol(Int(input[position]))
        remember(position)
        position += 1
      }
    }
    putSymbol(256)
    // The rest of the last byte.
    put(0, 7)
  }

  // MARK: Matches

  private func hash(_ place: Int) -> Int? {
    guard place + 2 < input.count else { return nil }
    let bytes =
      UInt32(input[place]) | UInt32(input[place + 1]) << 8 | UInt32(input[place + 2]) << 16
    return Int((bytes &* 0x9e37_79b1) >> UInt32(32 - Self.hashBitCount))
  }

  private mutating func remember(_ place: Int) {
    guard let hash = hash(place) else { return }
    earlier[place % Self.window] = latest[hash]
    latest[hash] = Int32(truncatingIfNeeded: place)
  }

  private func longestMatch(at position: Int) -> (length: Int, distance: Int) {
    guard let hash = hash(position) else { return (0, 0) }
    let most = min(Self.longestMatch, input.count - position)
    var best = (length: 0, distance: 0)
    var candidate = Int(latest[hash])
    for _ in 0..<Self.patience {
      guard candidate >= 0, candidate < position, position - candidate < Self.window else { break }
      var length = 0
      while length < most, input[candidate + length] == input[position + length] { length += 1 }
      if length > best.length { best = (length, position - candidate) }
      if length == most { break }
      let next = Int(earlier[candidate % Self.window])
      // Places of the last turn of the window stand where older ones were.
      guard next < candidate else { break }
      candidate = next
    }
    return best
  }

  // MARK: Bits

  private mutating func put(_ bits: UInt32, _ count: Int) {
    held |= UInt64(bits) << heldCount
    heldCount += UInt64(count)
    while heldCount >= 8 {
      output.append(UInt8(truncatingIfNeeded: held))
      held >>= 8
      heldCount -= 8
    }
  }

  private mutating func putSymbol(_ symbol: Int) {
    put(DeflateCodes.fixedCode.reversed[symbol], DeflateCodes.fixedCode.lengths[symbol])
  }

  private mutating func putMatch(_ length: Int, _ distance: Int) {
    let lengthSymbol = DeflateCodes.lengths.lastIndex { $0.base <= length } ?? 0
    let lengthRange = DeflateCodes.lengths[lengthSymbol]
    putSymbol(257 + lengthSymbol)
    put(UInt32(length - lengthRange.base), lengthRange.extraBitCount)
    let symbol = DeflateCodes.distances.lastIndex { $0.base <= distance } ?? 0
    let range = DeflateCodes.distances[symbol]
    put(DeflateCodes.fixedDistanceCode.reversed[symbol], 5)
    put(UInt32(distance - range.base), range.extraBitCount)
  }
}
