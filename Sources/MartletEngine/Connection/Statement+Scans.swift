// What the loops of a statement have done, beside what the planner thought of them
// (c3ref/stmt_scanstatus).

/// A node of a statement's query plan, with what was counted of it.
public struct ScanElement: Sendable {
  /// As in the first two columns of EXPLAIN QUERY PLAN.
  public let id: Int
  public let parent: Int
  /// The text of EXPLAIN QUERY PLAN.
  public let detail: String
  /// The loop of the node; nil where it is none, and nothing of it is counted.
  public let loop: Loop?

  /// A loop of a query plan.
  public struct Loop: Sendable {
    /// The index or table that it goes over.
    public let name: String
    /// Rows that one run was taken to give.
    public let estimatedRowCount: Double
    /// How often it was run.
    public let runCount: Int64
    /// Rows that it has visited in all runs.
    public let rowCount: Int64
    /// Time that it took, without that of the loops inside it.
    public let nanoseconds: Int64
  }
}

extension Statement {
  /// The nodes of the query plan in the order of the program. There are none unless
  /// `ConnectionSwitch.statementScanStatus` was on when the statement was prepared.
  public var scanElements: [ScanElement] {
    connection.locked {
      guard program.isMeasured else { return [] }
      let loops = program.tables.scanLoops, counts = vm.scanCounts?.counts ?? []
      return program.planNodes.map { node in
        let number = loops.firstIndex { $0.line == node.p1 }
        let loop = number.map { number in
          let count = counts.indices.contains(number) ? counts[number] : ScanCounts.Count()
          return ScanElement.Loop(
            name: loops[number].name, estimatedRowCount: loops[number].estimate.real,
            runCount: count.runs, rowCount: count.rows, nanoseconds: count.nanoseconds)
        }
        return ScanElement(
          id: Int(node.p1), parent: Int(node.p2), detail: program.tables.texts[Int(node.p4)],
          loop: loop)
      }
    }
  }

  /// Time that the loops of the statement and what lies between them took; 0 where nothing is
  /// measured.
  public var scanNanoseconds: Int64 {
    connection.locked {
      guard let counts = vm.scanCounts else { return 0 }
      return counts.counts.reduce(counts.otherNanoseconds) { $0 &+ $1.nanoseconds }
    }
  }

  /// Sets everything that was counted to 0 (`sqlite3_stmt_scanstatus_reset`).
  public func resetScanCounts() { connection.locked { vm.scanCounts?.reset() } }
}

extension LogEst {
  /// The number that is estimated, which may be less than one.
  fileprivate var real: Double {
    var estimate = self, factor = 1.0
    while estimate < 100 {
      estimate += 10
      factor /= 2
    }
    return factor * Double(estimate.count)
  }
}
