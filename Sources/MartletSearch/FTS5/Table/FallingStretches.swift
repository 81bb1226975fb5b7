/// Which rowids a scan looks at next that gives them from the last to the first, as lists of rows
/// are read from the first to the last: a few at the end of the table, then more and more, so that
/// the first rows come soon, and all of them in not much more time than in the other order.
struct FallingStretches {
  private let lowest: Int64
  /// The end of the next stretch; nil when all rowids were looked at.
  private var end: Int64?
  /// Above it there are no rows, as far as is known.
  private let top: Int64
  private var width: UInt64

  private static let firstShare: UInt64 = 1_024
  private static let growth: UInt64 = 8
  /// So few rowids are looked at together.
  private static let fewRows: UInt64 = 32
  /// So few matches of a small table are found before the first stretch.
  static let fewMatches = 32
  private static let smallSpan: UInt64 = 4_096

  /// - Parameter known: Where the rows of the table are; nil for one stretch.
  init(lowest: Int64, highest: Int64, known: ClosedRange<Int64>?) {
    self.lowest = lowest
    end = lowest > highest ? nil : highest
    top = known.map { min($0.upperBound, highest) } ?? highest
    width = .max
    guard let known, max(known.lowerBound, lowest) < top else { return }
    let span = UInt64(bitPattern: top &- max(known.lowerBound, lowest))
    width = max(span / Self.firstShare, Self.fewRows)
  }

  /// To read the beginning of a table's lists costs little beside what a stretch does.
  static func isSmall(_ known: ClosedRange<Int64>) -> Bool {
    UInt64(bitPattern: known.upperBound &- known.lowerBound) <= smallSpan
  }

  /// The next rowids to look at; nil where there are no more.
  ///
  /// - Parameter isLastEmpty: No row matched in the last stretch: where that is so, few do at all.
  mutating func next(isLastEmpty: Bool) -> ClosedRange<Int64>? {
    guard let end else { return nil }
    if isLastEmpty { width = .max }
    let last = min(end, top)
    var first = lowest
    if last > lowest, UInt64(bitPattern: last &- lowest) > width {
      first = last &- Int64(bitPattern: width)
    }
    self.end = first > lowest ? first - 1 : nil
    width = width > .max / Self.growth ? .max : width * Self.growth
    return first...end
  }
}
