// Deleting: the cell leaves its leaf, and boxes above shrink. A node that gets too small leaves the
// tree, and its cells find new places.
import MartletEngine

extension RTree {
  /// Deletes a row, if there is one.
  func deleteRow(_ rowid: Int64) throws(SQLError) {
    // The depth is known while the root is in memory.
    let root = try acquire(Node.rootNumber)
    if let leaf = try leaf(of: rowid) {
      try deleteCell(try index(of: rowid, in: leaf), of: leaf, level: 0)
      try release(leaf)
    }
    try shadow.removeRow(rowid)
    if depth > 0 && root.cellCount == 1 { try removeLevel(below: root) }
    while let node = removed.popLast() {
      try reinsertCells(of: node)
      nodes.count &-= 1
    }
    try release(root)
  }

  /// The root has one child only, whose cells find new places: the tree has a level less.
  private func removeLevel(below root: Node) throws(SQLError) {
    let child = try acquire(cellNumber(0, of: root), parent: root)
    try remove(child, level: depth - 1)
    try release(child)
    depth -= 1
    NodeLayout.writeUInt16(depth, root.data)
    root.isDirty = true
  }

  private func deleteCell(_ index: Int, of node: Node, level: Int) throws(SQLError) {
    try findParents(of: node)
    removeCell(index, of: node)
    guard node.parent != nil else { return }
    if node.cellCount < minimum {
      try remove(node, level: level)
    } else {
      try shrinkParents(of: node)
    }
  }

  /// Reads all nodes above one, which a leaf that was found by its rowid does not have.
  private func findParents(of leaf: Node) throws(SQLError) {
    var child = leaf, level = 0
    while !child.isRoot && child.parent == nil {
      // What is done to the nodes of a way up recurses.
      level += 1
      guard level <= NodeLayout.deepestTree else { throw .spatialCorrupt }
      guard let number = try shadow.parent(ofNode: child.number) else { throw .spatialCorrupt }
      // A node that is its own ancestor would never be released.
      var known: Node? = leaf
      while let node = known {
        if node.number == number { throw .spatialCorrupt }
        known = node.parent
      }
      let parent = try acquire(number)
      child.parent = parent
      child = parent
    }
  }

  /// Takes a node of that level out of the tree. Its cells wait in `removed`.
  private func remove(_ node: Node, level: Int) throws(SQLError) {
    let index = try indexInParent(of: node)
    guard let parent = node.parent else { throw .spatialCorrupt }
    node.parent = nil
    try deleteCell(index, of: parent, level: level + 1)
    try release(parent)
    try shadow.removeNode(node.number)
    nodes.remove(node)
    node.level = level
    node.isDirty = false
    node.referenceCount &+= 1
    removed.append(node)
  }

  /// Makes the boxes above a node as small as they can be.
  private func shrinkParents(of node: Node) throws(SQLError) {
    let box = scratch[0], other = scratch[1]
    var child = node
    while let parent = child.parent {
      readCell(0, of: child, into: box)
      for index in 1..<max(child.cellCount, 1) {
        readCell(index, of: child, into: other)
        layout.extend(box, by: other)
      }
      let index = try index(of: child.number, in: parent)
      writeCell(index, of: parent, child.number, box)
      child = parent
    }
  }

  private func reinsertCells(of node: Node) throws(SQLError) {
    let cell = try CellList(1, layout)
    defer { cell.free() }
    for index in 0..<node.cellCount {
      let number = cellNumber(index, of: node)
      readCell(index, of: node, into: cell[0])
      let target = try chooseNode(for: cell[0], level: node.level)
      try insert(number, cell[0], into: target, level: node.level)
      try release(target)
    }
  }
}
