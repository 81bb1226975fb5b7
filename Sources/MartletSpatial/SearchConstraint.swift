import MartletEngine

/// What the constraints of a scan say of a cell.
struct Verdict {
  var visibility: SpatialVisibility
  /// Below 0 while nobody has given one.
  var score: Double
}

/// A comparison of a coordinate with a number, as ranges: in an entry, the coordinate is in one; in
/// a box around entries, one bound may not be above it, and the other not below.
struct RangeConstraint {
  /// Where in a cell the coordinate is, and the lower and the upper bound of its dimension.
  private let offset: Int
  private let lowerOffset: Int
  private var low = -Double.infinity
  private var high = Double.infinity
  /// What the lower bound of a box is not above, and the upper one not below.
  private var boxHigh = Double.infinity
  private var boxLow = -Double.infinity
  /// Which of the two is looked at: a damaged box may have a bound that compares with nothing.
  private var testsLower = true
  private var testsUpper = true

  /// Integers as large as these are no doubles exactly.
  private static let largestExact: Int64 = 1 << 48

  /// - Returns: nil where the comparison holds for all numbers.
  init?(_ comparison: BoxOperator, _ coordinate: Int, _ value: ValueReference) {
    offset = 8 + 4 * coordinate
    lowerOffset = 8 + 4 * (coordinate & ~1)
    switch value.numericType {
    case .integer:
      let integer = value.int64
      let isExact = integer.magnitude < RangeConstraint.largestExact
      set(comparison, Double(integer), isStrict: isExact)
    case .real: set(comparison, value.double, isStrict: true)
    case .null: setEmpty()
    case .text, .blob:
      // Texts and blobs are greater than all numbers.
      if comparison == .less || comparison == .lessOrEqual { return nil }
      setEmpty()
    }
  }

  private mutating func setEmpty() {
    low = .infinity
    high = -.infinity
    boxHigh = -.infinity
    boxLow = .infinity
  }

  private mutating func set(_ comparison: BoxOperator, _ value: Double, isStrict: Bool) {
    switch comparison {
    case .equal, .match:
      (low, high) = (value, value)
      (boxLow, boxHigh) = (value, value)
    case .lessOrEqual, .less:
      high = value
      boxHigh = value
      testsUpper = false
      guard comparison == .less, isStrict else { return }
      if value == -.infinity { low = .infinity } else { high = value.nextDown }
    case .greaterOrEqual, .greater:
      low = value
      boxLow = value
      testsLower = false
      guard comparison == .greater, isStrict else { return }
      if value == .infinity { high = -.infinity } else { low = value.nextUp }
    }
  }

  @inline(__always)
  private static func number(
    _ cell: UnsafeRawPointer, _ offset: Int, isInteger: Bool
  ) -> Double {
    let bits = UInt32(bigEndian: cell.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    return isInteger ? Double(Int32(bitPattern: bits)) : Double(Float(bitPattern: bits))
  }

  /// An entry meets the constraint.
  @inline(__always)
  func isMet(by cell: UnsafeRawPointer, isInteger: Bool) -> Bool {
    let number = RangeConstraint.number(cell, offset, isInteger: isInteger)
    return number >= low && number <= high
  }

  /// Entries in the box of a cell may meet the constraint.
  @inline(__always)
  func mayBeMet(below cell: UnsafeRawPointer, isInteger: Bool) -> Bool {
    if testsLower,
      !(RangeConstraint.number(cell, lowerOffset, isInteger: isInteger) <= boxHigh)
    {
      return false
    }
    return !testsUpper
      || RangeConstraint.number(cell, lowerOffset &+ 4, isInteger: isInteger) >= boxLow
  }
}

/// The constraints of a scan that are comparisons, in memory of their own: the innermost loop of a
/// search looks at nothing else.
struct RangeConstraints {
  private var memory: UnsafeMutablePointer<RangeConstraint>?
  private var capacity = 0
  private(set) var count = 0

  mutating func removeAll() { count = 0 }

  mutating func append(_ constraint: RangeConstraint) throws(SQLError) {
    if count == capacity {
      let size = (capacity + 8) * MemoryLayout<RangeConstraint>.stride
      guard let larger = MemoryUse.reallocate(memory.map { UnsafeMutableRawPointer($0) }, size)
      else { throw SQLError(.outOfMemory) }
      memory = larger.bindMemory(to: RangeConstraint.self, capacity: capacity + 8)
      capacity += 8
    }
    guard let memory else { throw SQLError(.outOfMemory) }
    (memory + count).initialize(to: constraint)
    count += 1
  }

  func free() { MemoryUse.free(memory) }

  @inline(__always)
  private func areMet(
    by cell: UnsafeRawPointer, isEntry: Bool, isInteger: Bool
  ) -> Bool {
    guard let memory else { return true }
    for index in 0..<count {
      let isMet =
        isEntry
        ? memory[index].isMet(by: cell, isInteger: isInteger)
        : memory[index].mayBeMet(below: cell, isInteger: isInteger)
      if !isMet { return false }
    }
    return true
  }

  /// The first of the cells of a node from `start` on that meets all constraints; `end` if none
  /// does.
  @inline(__always)
  func firstMatch(
    from start: Int, to end: Int, _ first: UnsafeRawPointer, isEntry: Bool, _ layout: NodeLayout
  ) -> Int {
    if layout.isInteger {
      return isEntry
        ? firstMatch(start, end, first, layout.cellSize, isEntry: true, isInteger: true)
        : firstMatch(start, end, first, layout.cellSize, isEntry: false, isInteger: true)
    }
    return isEntry
      ? firstMatch(start, end, first, layout.cellSize, isEntry: true, isInteger: false)
      : firstMatch(start, end, first, layout.cellSize, isEntry: false, isInteger: false)
  }

  @inline(__always)
  private func firstMatch(
    _ start: Int, _ end: Int, _ first: UnsafeRawPointer, _ cellSize: Int, isEntry: Bool,
    isInteger: Bool
  ) -> Int {
    var index = start
    var cell = first
    while index < end {
      if areMet(by: cell, isEntry: isEntry, isInteger: isInteger) { return index }
      cell += cellSize
      index &+= 1
    }
    return end
  }
}

/// A MATCH of a scan.
struct MatchConstraint {
  let query: SpatialQuery
}

extension SpatialQuery {
  /// Asks the query of a MATCH about a cell, whose coordinates go into `bounds`.
  func examine(
    _ cell: UnsafeRawPointer, _ point: SearchPoint, _ layout: NodeLayout,
    _ counts: UnsafeMutablePointer<UInt32>, _ depth: Int,
    _ bounds: UnsafeMutablePointer<Double>, _ verdict: inout Verdict
  ) throws(SQLError) {
    let count = layout.coordinateCount
    for index in 0..<count { bounds[index] = layout.coordinate(cell + 8, index) }
    var box = SpatialBox(
      bounds: UnsafeBufferPointer(start: bounds, count: count), level: point.level - 1,
      highestLevel: depth + 1, rowid: point.level == 1 ? NodeLayout.readInt64(cell) : 0,
      waitingCounts: counts, parentScore: point.score, parentVisibility: point.visibility,
      visibility: isScored ? point.visibility : .outside, score: point.score)
    try examine(&box)
    guard isScored else {
      if box.visibility == .outside { verdict.visibility = .outside }
      verdict.score = 0
      return
    }
    if box.visibility.rawValue < verdict.visibility.rawValue {
      verdict.visibility = box.visibility
    }
    if box.score < verdict.score || verdict.score < 0 { verdict.score = box.score }
  }
}
