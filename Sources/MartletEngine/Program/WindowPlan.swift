/// What the machine needs to know of a window (`windowOpen`).
final class WindowPlan {
  enum Bound: UInt8 { case unbounded, currentRow, preceding, following }

  struct Call {
    let function: AggregateFunction
    let collation: Collation
    /// Columns of an input row: the arguments, then the subtypes of those if they matter.
    let arguments: [Int]
    let subtypes: [Int]
    /// The column of FILTER, or -1.
    let filter: Int
  }

  /// How many columns input rows have.
  let columnCount: Int
  let calls: [Call]
  /// Columns of ORDER BY, by which rows are peers.
  let orderColumns: [Int]
  let order: KeyInfo
  let unit: WindowFrame.Unit
  let start: Bound, end: Bound
  let exclusion: WindowFrame.Exclusion

  init(
    columnCount: Int, calls: [Call], orderColumns: [Int], order: KeyInfo,
    unit: WindowFrame.Unit, start: Bound, end: Bound, exclusion: WindowFrame.Exclusion
  ) {
    self.columnCount = columnCount
    self.calls = calls
    self.orderColumns = orderColumns
    self.order = order
    self.unit = unit
    self.start = start
    self.end = end
    self.exclusion = exclusion
  }
}
