// Inserting into an R*-tree (Beckmann and others 1990): from the root down to the child that suits
// the new box best, then up again, splitting nodes that overflow.
import MartletEngine

extension RTree {
  /// The node of a level that a box suits best, 0 for the leaves. It is referred to, with its
  /// parents.
  func chooseNode(for bounds: Bounds, level: Int) throws(SQLError) -> Node {
    var node = try acquire(Node.rootNumber)
    var remaining = depth - level
    while remaining > 0 {
      let child = try acquire(bestChild(of: node, for: bounds), parent: node)
      // Its child refers to it.
      try release(node)
      node = child
      remaining -= 1
    }
    return node
  }

  /// The child for a box: the smallest that contains it, else the one that grows least, and of
  /// those the smallest.
  private func bestChild(of node: Node, for bounds: Bounds) -> Int64 {
    let count = node.cellCount, box = scratch[0]
    let first = UnsafeRawPointer(cell(0, of: node))
    var place = first
    var best: Int64 = 0, bestArea = 0.0, isFound = false
    for _ in 0..<count {
      if layout.contains(at: place + 8, bounds) {
        layout.read(place + 8, into: box)
        let area = layout.area(box)
        if !isFound || area < bestArea {
          best = NodeLayout.readInt64(place)
          bestArea = area
          isFound = true
        }
      }
      place += layout.cellSize
    }
    if isFound { return best }
    var bestGrowth = 0.0
    place = first
    for index in 0..<count {
      layout.read(place + 8, into: box)
      let area = layout.area(box)
      layout.extend(box, by: bounds)
      let growth = layout.area(box) - area
      if index == 0 || growth < bestGrowth || growth == bestGrowth && area < bestArea {
        best = NodeLayout.readInt64(place)
        bestGrowth = growth
        bestArea = area
      }
      place += layout.cellSize
    }
    return best
  }

  /// Inserts a cell into a node of that level, and notes where it is.
  func insert(
    _ number: Int64, _ bounds: Bounds, into node: Node, level: Int
  ) throws(SQLError) {
    if level > 0, let child = nodes.find(number) { try setParent(node, of: child) }
    guard append(number, bounds, to: node) else {
      return try split(node, adding: number, bounds, level: level)
    }
    try growParents(of: node, by: bounds)
    try setPlace(of: number, to: node, level: level)
  }

  private func setParent(_ parent: Node, of child: Node) throws(SQLError) {
    let old = child.parent
    parent.referenceCount &+= 1
    child.parent = parent
    if let old { try release(old) }
  }

  /// Makes the boxes around a node contain a box that it has got.
  func growParents(of node: Node, by bounds: Bounds) throws(SQLError) {
    let box = scratch[0]
    var child = node, steps = 0
    while let parent = child.parent {
      steps += 1
      guard steps <= 100 else { throw .spatialCorrupt }
      let index = try index(of: child.number, in: parent)
      readCell(index, of: parent, into: box)
      if !layout.contains(box, bounds) {
        layout.extend(box, by: bounds)
        writeCell(index, of: parent, child.number, box)
      }
      child = parent
    }
  }

  /// Notes which node a row is in, or which is the parent of a node.
  private func setPlace(of number: Int64, to node: Node, level: Int) throws(SQLError) {
    if level == 0 {
      try shadow.setNode(node.number, ofRow: number)
    } else {
      try shadow.setParent(node.number, ofNode: number)
    }
  }

  /// The same for a cell that another node had before.
  private func moveCell(_ number: Int64, to node: Node, level: Int) throws(SQLError) {
    if level > 0, let child = nodes.find(number) {
      var ancestor: Node? = node
      while let known = ancestor {
        if known === child { throw .spatialCorrupt }
        ancestor = known.parent
      }
      try setParent(node, of: child)
    }
    try setPlace(of: number, to: node, level: level)
  }

  // MARK: Splitting

  /// Divides the cells of a full node, and one more, between two: a new one and the node itself;
  /// two new ones below the root, which gets a level more.
  private func split(
    _ node: Node, adding number: Int64, _ bounds: Bounds, level: Int
  ) throws(SQLError) {
    let split = try NodeSplit(self, node, adding: number, bounds)
    defer { split.free() }
    let isRoot = node.isRoot
    let right = try makeNode(parent: isRoot ? node : node.parent)
    let left = isRoot ? try makeNode(parent: node) : node
    if isRoot {
      depth += 1
      node.data.initializeMemory(as: UInt8.self, repeating: 0, count: nodeSize)
      NodeLayout.writeUInt16(depth, node.data)
      node.isDirty = true
    } else {
      node.referenceCount &+= 1
      node.data.initializeMemory(as: UInt8.self, repeating: 0, count: nodeSize)
    }
    split.distribute(to: left, right, of: self)
    // Their numbers are needed above.
    try write(right)
    if left.number == 0 { try write(left) }
    if isRoot {
      try insert(left.number, split.leftBox, into: node, level: level + 1)
    } else {
      guard let parent = left.parent else { throw .spatialCorrupt }
      writeCell(try indexInParent(of: left), of: parent, left.number, split.leftBox)
      try growParents(of: parent, by: split.leftBox)
    }
    guard let parent = right.parent else { throw .spatialCorrupt }
    try insert(right.number, split.rightBox, into: parent, level: level + 1)
    let isNewCellRight = try moveCells(of: right, level: level, finding: number)
    if isRoot {
      _ = try moveCells(of: left, level: level, finding: number)
    } else if !isNewCellRight {
      try moveCell(number, to: left, level: level)
    }
    try release(right)
    try release(left)
  }

  /// Returns whether one of the cells is that of `number`.
  private func moveCells(
    of node: Node, level: Int, finding number: Int64
  ) throws(SQLError) -> Bool {
    var isFound = false
    for index in 0..<node.cellCount {
      let moved = cellNumber(index, of: node)
      try moveCell(moved, to: node, level: level)
      isFound = isFound || moved == number
    }
    return isFound
  }
}

extension NodeLayout {
  /// `contains` for an outer box in a node.
  @inline(__always)
  func contains(at place: UnsafeRawPointer, _ inner: Bounds) -> Bool {
    var index = 0
    while index < coordinateCount {
      if inner[index] < coordinate(place, index)
        || inner[index &+ 1] > coordinate(place, index &+ 1)
      {
        return false
      }
      index &+= 2
    }
    return true
  }
}
