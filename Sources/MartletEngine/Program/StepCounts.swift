/// How often programs went on in their loops, for `Statement.count(of:)`. What P5 of `next` and
/// `previous` says is the position of the loop's counter.
struct StepCounts {
  /// P5 of loops over all rows of a table or index.
  static let fullScan: UInt8 = 1
  /// P5 of loops that gather the rows of a hash table, which SQLite has automatic indexes for.
  static let automaticIndex: UInt8 = 3

  private static let other = 0, ends = 2, count = 4

  private let counts: UnsafeMutablePointer<Int>

  static let byteCount = count * MemoryLayout<Int>.stride

  /// - Parameter memory: of `byteCount` bytes, aligned for integers.
  init(in memory: UnsafeMutableRawPointer) {
    counts = memory.bindMemory(to: Int.self, capacity: StepCounts.count)
    counts.initialize(repeating: 0, count: StepCounts.count)
  }

  @inline(__always)
  func note(_ position: UInt8) { counts[Int(position & 3)] &+= 1 }

  func noteEnd() { counts[StepCounts.ends] &+= 1 }

  func take(fullScan resetting: Bool) -> Int { take(Int(StepCounts.fullScan), resetting) }

  func take(automaticIndex resetting: Bool) -> Int {
    take(Int(StepCounts.automaticIndex), resetting)
  }

  /// An estimate of the instructions that ran: loops count as eight a turn, as for the progress
  /// handler.
  func steps(inProgramOf instructionCount: Int) -> Int {
    let turns =
      counts[StepCounts.other] &+ counts[Int(StepCounts.fullScan)]
      &+ counts[Int(StepCounts.automaticIndex)]
    return turns &* 8 &+ counts[StepCounts.ends] &* instructionCount
  }

  private func take(_ position: Int, _ resetting: Bool) -> Int {
    let count = counts[position]
    if resetting {
      counts[position] = 0
      counts[StepCounts.other] &+= count
    }
    return count
  }

  /// Takes over what another machine has counted.
  func add(_ other: StepCounts) {
    for position in 0..<StepCounts.count {
      counts[position] &+= other.counts[position]
      other.counts[position] = 0
    }
  }
}
