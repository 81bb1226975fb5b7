/// What the marks of a program have counted (`ScanMark`).
///
/// Time goes to the loop that was marked last: from one mark to the next it is that loop's, so that
/// a loop's time is without that of the loops inside it.
final class ScanCounts {
  struct Count {
    var runs: Int64 = 0
    var rows: Int64 = 0
    var nanoseconds: Int64 = 0
  }

  private(set) var counts: [Count]
  /// Time that belongs to no loop.
  private(set) var otherNanoseconds: Int64 = 0
  private var current = -1
  private var last: Int64 = 0

  init(loopCount: Int) { counts = Array(repeating: Count(), count: loopCount) }

  func note(_ mark: ScanMark, _ loop: Int) {
    let now = System.monotonicTime()
    if mark != .resume { add(now &- last) }
    last = now
    switch mark {
    case .go: current = loop
    case .enter:
      current = loop
      counts[loop].runs &+= 1
    case .row:
      current = loop
      counts[loop].rows &+= 1
    case .pause, .resume: break
    }
  }

  private func add(_ nanoseconds: Int64) {
    if counts.indices.contains(current) {
      counts[current].nanoseconds &+= nanoseconds
    } else {
      otherNanoseconds &+= nanoseconds
    }
  }

  func reset() {
    counts = Array(repeating: Count(), count: counts.count)
    otherNanoseconds = 0
  }
}

extension VM {
  func noteScan(_ op: UnsafePointer<Instruction>) {
    guard host.measuresScans, let mark = ScanMark(rawValue: op.pointee.p2) else { return }
    scanCounts?.note(mark, op.p1)
  }
}
