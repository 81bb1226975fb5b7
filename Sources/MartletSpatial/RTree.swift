import MartletEngine

/// A virtual table of the module `rtree` or `rtree_i32` (rtree §3).
final class RTree: VirtualTable {
  let layout: NodeLayout
  let auxiliaryCount: Int
  /// Bytes of every node.
  let nodeSize: Int
  /// How many cells fit into a node, and how many it has at least.
  let capacity: Int
  let minimum: Int
  let shadow: ShadowTables
  let name: String
  /// Rows that a query without constraints is planned to give.
  private(set) var rowEstimate: Int64
  /// Levels below the root, as its node says; known while the root is in memory.
  @exclusivity(unchecked) var depth = 0
  @exclusivity(unchecked) var nodes = LiveNodes()
  @exclusivity(unchecked) var keptNodes: KeptNodes
  /// Nodes that had too few cells, which are to find their place again; the latest is the first.
  @exclusivity(unchecked) var removed: [Node] = []
  /// Holds a box while a place is looked for.
  let scratch: CellList
  unowned(unsafe) let connection: Connection

  init(
    _ request: VirtualTableRequest, _ coordinates: CoordinateKind, isNew: Bool
  ) throws(SQLError) {
    guard let connection = request.connection else { throw SQLError(.misuse) }
    if request.arguments.count >= 3 && request.arguments.count <= 100 {
      request.configure([.constraintSupport, .innocuous])
    }
    let declaration = try SpatialDeclaration(request.arguments, coordinates) {
      sql throws(SQLError) in try request.declare(sql)
    }
    self.connection = connection
    name = request.tableName
    layout = declaration.layout
    auxiliaryCount = declaration.auxiliaryCount
    let database = request.databaseName
    nodeSize =
      isNew
      ? try ShadowTables.newNodeSize(connection, database, layout)
      : try ShadowTables.nodeSize(connection, database, name)
    capacity = (nodeSize - NodeLayout.headerSize) / layout.cellSize
    minimum = capacity / 3
    keptNodes = KeptNodes(nodeSize: nodeSize)
    if isNew {
      try ShadowTables.create(
        connection, database, name, auxiliaryCount: auxiliaryCount, nodeSize: nodeSize)
    }
    rowEstimate = try ShadowTables.rowEstimate(connection, database, name)
    shadow = try ShadowTables(connection, database, name, auxiliaryCount: auxiliaryCount)
    scratch = try CellList(2, layout)
  }

  deinit { scratch.free() }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { try TreeCursor(self) }

  func destroy() throws(SQLError) { try shadow.drop() }

  func rename(to newName: String) throws(SQLError) { try shadow.rename(to: newName) }

  func checkIntegrity(
    schema: String, table: String, isQuick: Bool
  ) throws(SQLError) -> String? {
    guard
      let report = try TreeCheck.plainReport(connection, database: shadow.database, table: name)
    else { return nil }
    return "In RTree \(shadow.database).\(name):\n\(report)"
  }
}

// MARK: - Nodes

extension RTree {
  /// A node that is referred to once more: of those in memory, or read.
  ///
  /// - Parameters:
  ///   - parent: Where the node was found, if the tree may change.
  ///   - isInner: A scan asks, for a node that is no leaf: it may be kept.
  /// - Throws: `corruptVirtualTable` where there is no such node, or none of the right size.
  func acquire(
    _ number: Int64, parent: Node? = nil, isInner: Bool = false
  ) throws(SQLError) -> Node {
    if let node = nodes.find(number) {
      if let parent, parent !== node.parent { throw .spatialCorrupt }
      node.referenceCount &+= 1
      return node
    }
    if isInner, let node = keptNodes.find(number) {
      assert(node.referenceCount == 0 && !node.isDirty && node.parent == nil)
      node.referenceCount = 1
      if number == Node.rootNumber { depth = NodeLayout.readUInt16(node.data) }
      nodes.insert(node)
      nodes.count &+= 1
      return node
    }
    let node = try Node(number, size: nodeSize)
    try shadow.readNode(number, into: node.data, size: nodeSize)
    if number == Node.rootNumber {
      depth = NodeLayout.readUInt16(node.data)
      if depth > NodeLayout.deepestTree { throw .spatialCorrupt }
    }
    if node.cellCount > capacity { throw .spatialCorrupt }
    if let parent {
      parent.referenceCount &+= 1
      node.parent = parent
    }
    nodes.insert(node)
    nodes.count &+= 1
    if isInner { keptNodes.keep(node) }
    return node
  }

  /// A search begins: inner nodes of earlier ones are known if nothing has changed since.
  func beginSearch() {
    keptNodes.validate(connection, shadow.database)
  }

  /// A node without a number and cells.
  func makeNode(parent: Node?) throws(SQLError) -> Node {
    let node = try Node(0, size: nodeSize)
    node.data.initializeMemory(as: UInt8.self, repeating: 0, count: nodeSize)
    node.isDirty = true
    parent?.referenceCount &+= 1
    node.parent = parent
    nodes.count &+= 1
    return node
  }

  /// Ends a reference. With the last one the node is written, after its parent.
  func release(_ node: Node) throws(SQLError) {
    assert(node.referenceCount > 0, "each reference ends once")
    node.referenceCount &-= 1
    guard node.referenceCount == 0 else { return }
    nodes.count &-= 1
    if let parent = node.parent { try release(parent) }
    try write(node)
    nodes.remove(node)
  }

  /// Writes a node that has changed. A new one gets its number by it.
  func write(_ node: Node) throws(SQLError) {
    guard node.isDirty else { return }
    node.isDirty = false
    let isNew = node.number == 0
    try shadow.writeNode(
      isNew ? nil : node.number, UnsafeRawBufferPointer(start: node.data, count: nodeSize))
    guard isNew else { return }
    node.number = connection.lastInsertRowID
    nodes.insert(node)
  }

  // MARK: Cells

  /// Where a cell begins in its node.
  @inline(__always)
  func cell(_ index: Int, of node: Node) -> UnsafeMutableRawPointer {
    node.data + (NodeLayout.headerSize &+ index &* layout.cellSize)
  }

  @inline(__always)
  func cellNumber(_ index: Int, of node: Node) -> Int64 {
    NodeLayout.readInt64(cell(index, of: node))
  }

  @inline(__always)
  func readCell(_ index: Int, of node: Node, into bounds: Bounds) {
    layout.read(cell(index, of: node) + 8, into: bounds)
  }

  func writeCell(_ index: Int, of node: Node, _ number: Int64, _ bounds: Bounds) {
    assert(index < capacity, "the caller knows that there is room")
    let place = cell(index, of: node)
    NodeLayout.writeInt64(number, place)
    layout.write(bounds, to: place + 8)
    node.isDirty = true
  }

  /// Adds a cell; false where the node is full.
  func append(_ number: Int64, _ bounds: Bounds, to node: Node) -> Bool {
    let count = node.cellCount
    guard count < capacity else { return false }
    writeCell(count, of: node, number, bounds)
    node.cellCount = count + 1
    return true
  }

  /// Takes a cell out. Behind the last one, its bytes stay.
  func removeCell(_ index: Int, of node: Node) {
    let count = node.cellCount, place = cell(index, of: node)
    place.copyMemory(
      from: place + layout.cellSize, byteCount: (count - index - 1) * layout.cellSize)
    node.cellCount = count - 1
    node.isDirty = true
  }

  /// Where a node has the cell of a row or a child.
  func index(of number: Int64, in node: Node) throws(SQLError) -> Int {
    let count = node.cellCount
    var place = UnsafeRawPointer(node.data + NodeLayout.headerSize)
    for index in 0..<count {
      if NodeLayout.readInt64(place) == number { return index }
      place += layout.cellSize
    }
    throw .spatialCorrupt
  }

  func indexInParent(of node: Node) throws(SQLError) -> Int {
    guard let parent = node.parent else { throw .spatialCorrupt }
    return try index(of: node.number, in: parent)
  }

  /// The leaf that has a row, nil where there is none. It is referred to.
  func leaf(of rowid: Int64) throws(SQLError) -> Node? {
    guard let number = try shadow.node(ofRow: rowid) else { return nil }
    return try acquire(number)
  }
}
