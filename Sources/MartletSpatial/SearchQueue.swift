// The order in which a search meets nodes and entries: a binary heap by score, and by level where
// scores are equal. What is next stands beside the heap while it has just been added, so that a
// depth first search seldom moves anything.
//
// The order of equal points is that of C's heap: it is the order of rows.
import MartletEngine

/// A node or an entry that waits for its turn.
struct SearchPoint {
  /// The lowest comes first.
  var score: Double
  /// The node; of an entry, the leaf that it is in.
  var node: Int64 = 0
  /// The cell that is next; of an entry, its own.
  var cell = 0
  /// 0 for entries, 1 for leaves.
  var level: Int
  var visibility = SpatialVisibility.partly

  @inline(__always)
  func isBefore(_ other: SearchPoint) -> Bool {
    score < other.score || !(score > other.score) && level < other.level
  }
}

/// The points of a scan. Some of the first ones keep their nodes in memory.
struct SearchQueue {
  /// Points that keep their nodes: the next one, and the first of the heap behind it.
  static let keptNodeCount = 5
  /// More levels than a tree has.
  private static let levelCount = 64

  /// The next point, if it was added last.
  private(set) var hasNext = false
  private var next = SearchPoint(score: 0, level: 0)
  private var heap: UnsafeMutablePointer<SearchPoint>?
  private(set) var heapCount = 0
  private var capacity = 0
  /// Index 0 is of `next`, n of point n - 1 of the heap. Nodes that are referred to live.
  private let nodes: UnsafeMutablePointer<Unmanaged<Node>?>
  /// How many points there are of each level.
  let counts: UnsafeMutablePointer<UInt32>

  init() throws(SQLError) {
    let nodesSize = SearchQueue.keptNodeCount * MemoryLayout<Unmanaged<Node>?>.stride
    let countsSize = SearchQueue.levelCount * MemoryLayout<UInt32>.stride
    guard let memory = MemoryUse.allocate(nodesSize + countsSize) else {
      throw SQLError(.outOfMemory)
    }
    nodes = memory.bindMemory(to: Unmanaged<Node>?.self, capacity: SearchQueue.keptNodeCount)
    nodes.initialize(repeating: nil, count: SearchQueue.keptNodeCount)
    counts = (memory + nodesSize).bindMemory(to: UInt32.self, capacity: SearchQueue.levelCount)
    counts.initialize(repeating: 0, count: SearchQueue.levelCount)
  }

  /// Frees the memory of a queue that is empty.
  func free() {
    assert(!hasNext && heapCount == 0, "nodes are given back first")
    MemoryUse.free(nodes)
    MemoryUse.free(heap)
  }

  var isEmpty: Bool { !hasNext && heapCount == 0 }

  /// The point whose turn it is; nil at the end.
  @inline(__always)
  var first: SearchPoint? {
    if hasNext { return next }
    guard heapCount > 0, let heap else { return nil }
    return heap[0]
  }

  /// The cell of the first point that is next.
  @inline(__always)
  mutating func setFirstCell(_ cell: Int) {
    if hasNext { next.cell = cell } else { heap?[0].cell = cell }
  }

  /// The node of the first point, which is read if it is not in memory.
  @inline(__always)
  func firstNode(of table: RTree) throws(SQLError) -> Unmanaged<Node> {
    if let node = nodes[hasNext ? 0 : 1] { return node }
    return try readFirstNode(of: table)
  }

  @inline(never)
  private func readFirstNode(of table: RTree) throws(SQLError) -> Unmanaged<Node> {
    guard let point = first else { throw .spatialCorrupt }
    let node = Unmanaged.passUnretained(try table.acquire(point.node, isInner: point.level > 1))
    nodes[hasNext ? 0 : 1] = node
    return node
  }

  /// Hands over the node of the first point.
  func keepFirstNode(_ node: Node) {
    assert(nodes[hasNext ? 0 : 1] == nil, "it has none yet")
    nodes[hasNext ? 0 : 1] = .passUnretained(node)
  }

  /// A node waits in the heap.
  func waits(_ node: Int64) -> Bool {
    guard let heap else { return false }
    for index in 0..<heapCount where heap[index].node == node { return true }
    return false
  }

  // MARK: Changes

  /// Adds a point.
  @inline(__always)
  mutating func add(_ point: SearchPoint, of table: RTree) throws(SQLError) {
    counts[point.level] &+= 1
    if let first, !point.isBefore(first) {
      let place = try enqueue(point, of: table)
      heap?[place] = point
      return
    }
    if hasNext {
      // What was next goes before all others: its place is found as that of the new point.
      let place = try enqueue(point, of: table)
      heap?[place] = next
      move(0, to: place + 1, of: table)
    }
    next = point
    hasNext = true
  }

  /// Makes room for a point in the heap, and gives its place. What is written there must belong
  /// there.
  private mutating func enqueue(
    _ point: SearchPoint, of table: RTree
  ) throws(SQLError) -> Int {
    if heapCount == capacity { try grow() }
    guard let heap else { throw SQLError(.outOfMemory) }
    var place = heapCount
    heapCount += 1
    (heap + place).initialize(to: point)
    while place > 0 {
      let parent = (place - 1) / 2
      guard heap[place].isBefore(heap[parent]) else { break }
      swap(parent, place, of: table)
      place = parent
    }
    return place
  }

  private mutating func grow() throws(SQLError) {
    let wanted = 2 * capacity + 8
    let size = wanted * MemoryLayout<SearchPoint>.stride
    guard let memory = MemoryUse.reallocate(heap.map { UnsafeMutableRawPointer($0) }, size) else {
      throw SQLError(.outOfMemory)
    }
    heap = memory.bindMemory(to: SearchPoint.self, capacity: wanted)
    capacity = wanted
  }

  private func swap(_ left: Int, _ right: Int, of table: RTree) {
    guard let heap else { return }
    let point = heap[left]
    heap[left] = heap[right]
    heap[right] = point
    if left + 1 >= SearchQueue.keptNodeCount { return }
    if right + 1 >= SearchQueue.keptNodeCount {
      giveBack(left + 1, of: table)
    } else {
      let node = nodes[left + 1]
      nodes[left + 1] = nodes[right + 1]
      nodes[right + 1] = node
    }
  }

  private func move(_ from: Int, to index: Int, of table: RTree) {
    guard let node = nodes[from] else { return }
    nodes[from] = nil
    if index < SearchQueue.keptNodeCount, nodes[index] == nil {
      nodes[index] = node
    } else {
      table.giveBack(node.takeUnretainedValue())
    }
  }

  private func giveBack(_ index: Int, of table: RTree) {
    guard let node = nodes[index] else { return }
    nodes[index] = nil
    table.giveBack(node.takeUnretainedValue())
  }

  /// Takes the first point out.
  @inline(__always)
  mutating func removeFirst(of table: RTree) {
    giveBack(hasNext ? 0 : 1, of: table)
    if hasNext {
      counts[next.level] &-= 1
      hasNext = false
      return
    }
    guard heapCount > 0, let heap else { return }
    counts[heap[0].level] &-= 1
    heapCount -= 1
    heap[0] = heap[heapCount]
    if heapCount < SearchQueue.keptNodeCount - 1 {
      nodes[1] = nodes[heapCount + 1]
      if heapCount > 0 { nodes[heapCount + 1] = nil }
    }
    sink(of: table)
  }

  /// Moves the first point of the heap down to where it belongs.
  private func sink(of table: RTree) {
    guard let heap else { return }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heapCount else { return }
      if child + 1 < heapCount, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(heap[place]) else { return }
      swap(place, child, of: table)
      place = child
    }
  }

  /// Puts the next entry of a leaf in the place of the one before it, if both are of the leaf that
  /// waits first, and it stays there: where nothing but ranges decides, this is what taking the
  /// entry out and looking for the next one comes to.
  ///
  /// - Returns: The entry's cell.
  @inline(__always)
  mutating func advanceInLeaf(
    _ ranges: RangeConstraints, _ layout: NodeLayout
  ) -> UnsafeRawPointer? {
    guard hasNext, heapCount > 0, let heap, next.level == 0, heap[0].level == 1,
      heap[0].node == next.node, let leaf = nodes[1]
    else { return nil }
    let data = leaf._withUnsafeGuaranteedRef { $0.data }
    let count = NodeLayout.readUInt16(data + 2), start = heap[0].cell
    let cells = UnsafeRawPointer(data + NodeLayout.headerSize)
    let found = ranges.firstMatch(
      from: start, to: count, cells + start &* layout.cellSize, isEntry: true, layout)
    guard found &+ 1 < count else { return nil }
    next.cell = found
    heap[0].cell = found &+ 1
    return cells + found &* layout.cellSize
  }

  /// Takes all points out.
  mutating func removeAll(of table: RTree) {
    for index in 0..<SearchQueue.keptNodeCount { giveBack(index, of: table) }
    hasNext = false
    heapCount = 0
    counts.update(repeating: 0, count: SearchQueue.levelCount)
  }
}

extension RTree {
  /// Ends a scan's reference, which has changed nothing.
  @inline(__always)
  func giveBack(_ node: Node) {
    if node.referenceCount > 1 {
      node.referenceCount &-= 1
      return
    }
    do throws(SQLError) {
      try release(node)
    } catch {
      // Nodes are changed only while no scan refers to any: there is nothing to be written.
      assertionFailure("\(error)")
    }
  }
}
