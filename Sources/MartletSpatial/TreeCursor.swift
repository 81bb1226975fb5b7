import MartletEngine

/// A scan of an R-tree: the row of a rowid, or a search from the root down.
final class TreeCursor: VirtualTableCursor {
  private let table: RTree
  @exclusivity(unchecked) private var queue: SearchQueue
  @exclusivity(unchecked) private var ranges = RangeConstraints()
  @exclusivity(unchecked) private var matches: [MatchConstraint] = []
  /// Some of them decide which box comes first.
  @exclusivity(unchecked) private var hasScores = false
  /// Where a cell's coordinates are while a MATCH is asked about it.
  @exclusivity(unchecked) private var bounds: UnsafeMutablePointer<Double>?
  /// There is no row any more.
  @exclusivity(unchecked) private var isDone = true
  /// The cell of the current row, once it was asked for.
  @exclusivity(unchecked) private var cell: UnsafeRawPointer?
  /// Gives the auxiliary columns.
  @exclusivity(unchecked) private var auxiliaryReader: Statement?
  /// It stands at the current row.
  @exclusivity(unchecked) private var hasAuxiliary = false
  /// Nodes that were met, and how many may be met before they are counted: a damaged tree may lead
  /// to the same nodes again and again.
  @exclusivity(unchecked) private var metNodeCount: Int64 = 0
  @exclusivity(unchecked) private var expectedNodeCount: Int64 = 4_096

  init(_ table: RTree) throws(SQLError) {
    self.table = table
    queue = try SearchQueue()
  }

  deinit {
    queue.removeAll(of: table)
    queue.free()
    ranges.free()
    MemoryUse.free(bounds)
  }

  // MARK: Scan

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    try dropAuxiliary()
    cell = nil
    queue.removeAll(of: table)
    ranges.removeAll()
    if !matches.isEmpty { matches.removeAll() }
    hasScores = false
    metNodeCount = 0
    isDone = true
    if scan.number == RTree.Plan.lookUp { return try lookUp(scan.reference(0)) }
    table.beginSearch()
    let root = try table.acquire(Node.rootNumber, isInner: true)
    do throws(SQLError) {
      try readConstraints(scan)
      var point = SearchPoint(score: 0, level: table.depth + 1)
      point.node = Node.rootNumber
      try queue.add(point, of: table)
    } catch {
      table.giveBack(root)
      throw error
    }
    queue.keepFirstNode(root)
    try findEntry()
  }

  private func lookUp(_ value: ValueReference?) throws(SQLError) {
    guard let value, let rowid = TreeCursor.rowid(value), let leaf = try table.leaf(of: rowid)
    else { return }
    do throws(SQLError) {
      var point = SearchPoint(score: 0, level: 0)
      point.node = leaf.number
      point.cell = try table.index(of: rowid, in: leaf)
      try queue.add(point, of: table)
    } catch {
      table.giveBack(leaf)
      throw error
    }
    queue.keepFirstNode(leaf)
    isDone = false
  }

  /// The rowid that equals a value.
  private static func rowid(_ value: ValueReference) -> Int64? {
    switch value.numericType {
    case .integer: value.int64
    case .real: Int64(exactly: value.double) == value.int64 ? value.int64 : nil
    default: nil
    }
  }

  private func readConstraints(
    _ scan: borrowing VirtualTableArguments
  ) throws(SQLError) {
    guard scan.count > 0, let text = scan.text else { return }
    var characters = text.utf8.makeIterator()
    for index in 0..<scan.count {
      guard let symbol = characters.next(), let digit = characters.next(),
        let comparison = BoxOperator(rawValue: symbol), let value = scan.reference(index)
      else { throw SQLError(.internal) }
      if comparison != .match {
        let range = RangeConstraint(comparison, Int(digit) - 0x30, value)
        if let range { try ranges.append(range) }
        continue
      }
      // The digit stands for a column of any kind.
      if digit >= 0x80 { _ = characters.next() }
      guard let match = value.pointer(type: SpatialMatch.pointerType) as? SpatialMatch else {
        throw SQLError(.error)
      }
      if bounds == nil {
        bounds = MemoryUse.allocate(MemoryLayout<Double>.stride * table.layout.coordinateCount)?
          .assumingMemoryBound(to: Double.self)
        if bounds == nil { throw SQLError(.outOfMemory) }
      }
      let query = try match.function.makeQuery(match)
      if query.isScored { hasScores = true }
      matches.append(MatchConstraint(query: query))
    }
  }

  override func advance() throws(SQLError) {
    if hasAuxiliary { try dropAuxiliary() }
    // Without scores, what is next in a leaf is next of all.
    if !hasScores {
      while let next = queue.advanceInLeaf(ranges, table.layout) {
        var verdict = Verdict(visibility: .inside, score: 0)
        if !matches.isEmpty { try ask(about: next, SearchPoint(score: 0, level: 1), &verdict) }
        guard verdict.visibility != .outside else { continue }
        cell = next
        return
      }
    }
    cell = nil
    queue.removeFirst(of: table)
    try findEntry()
  }

  override var isAtEnd: Bool { isDone }

  /// Goes on until an entry is next.
  private func findEntry() throws(SQLError) {
    isDone = true
    while let point = queue.first {
      if point.level == 0 {
        isDone = false
        return
      }
      try openNode(point)
    }
  }

  /// Looks for the next cell of the first point, which is a node, that the constraints let in. Of a
  /// node without more such cells the point goes.
  private func openNode(_ point: SearchPoint) throws(SQLError) {
    let data = try queue.firstNode(of: table)._withUnsafeGuaranteedRef { $0.data }
    let count = NodeLayout.readUInt16(data + 2), cellSize = table.layout.cellSize
    let cells = UnsafeRawPointer(data + NodeLayout.headerSize)
    var index = point.cell
    while true {
      let found = ranges.firstMatch(
        from: index, to: count, cells + index &* cellSize, isEntry: point.level == 1, table.layout)
      guard found < count else { break }
      index = found &+ 1
      let place = cells + found &* cellSize
      var verdict = Verdict(visibility: .inside, score: 0)
      if !matches.isEmpty { try ask(about: place, point, &verdict) }
      if verdict.visibility != .outside {
        return try follow(place, index, of: point, isLast: index >= count, verdict)
      }
    }
    queue.removeFirst(of: table)
  }

  private func ask(
    about place: UnsafeRawPointer, _ point: SearchPoint, _ verdict: inout Verdict
  ) throws(SQLError) {
    guard let bounds else { return }
    verdict.score = -1
    var index = 0
    while index < matches.count, verdict.visibility != .outside {
      // The scan keeps it: nothing that it calls can begin the scan anew.
      let query = Unmanaged.passUnretained(matches[index].query)
      try query.lend { (query) throws(SQLError) in
        try query.examine(
          place, point, table.layout, queue.counts, table.depth, bounds, &verdict)
      }
      index &+= 1
    }
  }

  /// Adds the point of a cell; `next` is the index of the cell behind it.
  private func follow(
    _ place: UnsafeRawPointer, _ next: Int, of point: SearchPoint, isLast: Bool,
    _ verdict: Verdict
  ) throws(SQLError) {
    var new = SearchPoint(score: max(verdict.score, 0), level: point.level - 1)
    new.visibility = verdict.visibility
    if new.level > 0 {
      new.node = NodeLayout.readInt64(place)
      if queue.waits(new.node) { throw .spatialCorrupt }
      metNodeCount += 1
      if metNodeCount > expectedNodeCount { try countNodes() }
    } else {
      new.node = point.node
      new.cell = next - 1
    }
    if isLast { queue.removeFirst(of: table) } else { queue.setFirstCell(next) }
    try queue.add(new, of: table)
  }

  /// No node is met twice in a tree.
  private func countNodes() throws(SQLError) {
    let count = try table.shadow.countNodes()
    if metNodeCount > count { throw .spatialCorrupt }
    expectedNodeCount = max(count, 2 * expectedNodeCount)
  }

  // MARK: Row

  override func rowid() throws(SQLError) -> Int64 { NodeLayout.readInt64(try currentCell()) }

  @inline(__always)
  private func currentCell() throws(SQLError) -> UnsafeRawPointer {
    if let cell { return cell }
    return try findCell()
  }

  /// The node is referred to until the cursor moves.
  @inline(never)
  private func findCell() throws(SQLError) -> UnsafeRawPointer {
    let data = try queue.firstNode(of: table)._withUnsafeGuaranteedRef { $0.data }
    guard let index = queue.first?.cell, index < NodeLayout.readUInt16(data + 2) else {
      throw SQLError(.abort)
    }
    let found = UnsafeRawPointer(data + NodeLayout.headerSize + index * table.layout.cellSize)
    cell = found
    return found
  }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    let cell = try currentCell()
    guard column > 0 else { return value.place.set(NodeLayout.readInt64(cell)) }
    let layout = table.layout
    guard column <= layout.coordinateCount else {
      return try readAuxiliary(column - layout.coordinateCount + 1, cell, into: value)
    }
    let coordinate = layout.coordinate(cell + 8, column - 1)
    if layout.isInteger {
      value.place.set(Int64(coordinate))
    } else {
      value.place.set(coordinate)
    }
  }

  /// Gives a column of the row in `%_rowid`.
  private func readAuxiliary(
    _ column: Int, _ cell: UnsafeRawPointer, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    if !hasAuxiliary {
      let reader: Statement
      if let known = auxiliaryReader {
        reader = known
      } else {
        reader = try table.shadow.makeAuxiliaryReader()
        auxiliaryReader = reader
      }
      try reader.bind(NodeLayout.readInt64(cell), at: 1)
      do throws(SQLError) { hasAuxiliary = try reader.step() } catch { throw SQLError(error.code) }
      guard hasAuxiliary else { return try reader.reset() }
    }
    guard let known = auxiliaryReader?.currentRow.value(column) else { return }
    try value.place.set(known)
  }

  private func dropAuxiliary() throws(SQLError) {
    guard hasAuxiliary else { return }
    hasAuxiliary = false
    try auxiliaryReader?.reset()
  }
}
