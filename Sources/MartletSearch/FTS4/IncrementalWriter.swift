import MartletEngine

/// Writes a segment to which later steps append: block numbers for all of its nodes are reserved,
/// those of each height one behind the other.
struct IncrementalWriter {
  private let index: FTS4Index
  private let level: Int64
  private let position: Int64
  private let firstBlock: Int64
  private let lastBlock: Int64
  /// Blocks that each height has.
  private let reservedCount: Int64
  private var nodes: [Node]
  /// Leaves that are full.
  private(set) var writtenCount: Int64 = 0
  private(set) var byteCount: Int64 = 0
  private(set) var knowsByteCount = true

  private static let greatestHeight = 16

  /// The node of a height that is being filled.
  private struct Node {
    var block: Int64
    var bytes: [UInt8] = []
    var key: [UInt8] = []

    mutating func append(_ term: [UInt8], _ doclist: [UInt8]?) throws(SQLError) {
      try SegmentNode.append(term, doclist, to: &bytes, after: &key)
    }
  }

  /// Begins a segment.
  init(
    _ index: FTS4Index, level: Int64, position: Int64, segmentCount: Int
  ) throws(SQLError) {
    self.index = index
    self.level = level
    self.position = position
    let estimate = try index.shadow.number(.leafEstimate, level, Int64(segmentCount)) ?? 0
    // Damaged rows of segments may have any numbers.
    guard estimate >= 0, estimate <= Int64(Int32.max) else { throw .searchCorrupt }
    reservedCount = estimate
    firstBlock = try index.shadow.number(.nextBlock) ?? 1
    lastBlock = firstBlock &- 1 &+ estimate * Int64(Self.greatestHeight)
    try index.shadow.reserveBlock(lastBlock)
    nodes = []
    for height in 0..<Self.greatestHeight {
      nodes.append(Node(block: firstBlock &+ Int64(height) * estimate))
    }
  }

  // MARK: Going on

  /// A row of `%_segdir`, and what the writer knows by it.
  private struct Row {
    var firstBlock: Int64 = 0
    var lastLeaf: Int64 = 0
    var lastBlock: Int64 = 0
    var byteCount: Int64 = 0
    var root: [UInt8] = []
  }

  /// A writer that appends to a segment; nil where terms from `nextTerm` on cannot be appended.
  static func resumed(
    _ index: FTS4Index, level: Int64, position: Int64, nextTerm: [UInt8]
  ) throws(SQLError) -> IncrementalWriter? {
    var row: Row?
    try index.shadow.forEach(.selectSegment, [level + 1, position]) { statement throws(SQLError) in
      let end = SegmentRow.readEnd(statement.columnBytes(3))
      row = Row(
        firstBlock: statement.columnInt64(1), lastLeaf: statement.columnInt64(2),
        lastBlock: end.block, byteCount: end.byteCount, root: Array(statement.columnBytes(4)))
    }
    guard let row else { return nil }
    if row.root.isEmpty { throw .searchCorrupt }
    guard try index.shadow.number(.isAppendable, row.lastBlock) != nil else { return nil }
    let leaf = try SegmentNode.read(index.shadow.readBlock(row.lastLeaf))
    guard [UInt8].compare(nextTerm, leaf.last) > 0 else { return nil }
    return try IncrementalWriter(index, level, position, row)
  }

  private init(
    _ index: FTS4Index, _ level: Int64, _ position: Int64, _ row: Row
  ) throws(SQLError) {
    let height = Int(row.root[0])
    guard height >= 1, height < Self.greatestHeight, row.lastBlock >= row.firstBlock else {
      throw .searchCorrupt
    }
    self.index = index
    self.level = level
    self.position = position
    firstBlock = row.firstBlock
    lastBlock = row.lastBlock
    byteCount = row.byteCount < 0 ? 0 &- row.byteCount : row.byteCount
    knowsByteCount = byteCount != 0
    reservedCount = (row.lastBlock &- row.firstBlock &+ 1) / Int64(Self.greatestHeight)
    nodes = []
    for height in 0..<Self.greatestHeight {
      nodes.append(Node(block: firstBlock &+ Int64(height) &* reservedCount))
    }
    nodes[height].bytes = row.root
    for height in stride(from: height, through: 0, by: -1) {
      let contents = try SegmentNode.read(nodes[height].bytes)
      nodes[height].key = contents.last
      if height > 0 {
        nodes[height - 1].block = contents.lastChild
        nodes[height - 1].bytes = try index.shadow.readBlock(contents.lastChild)
      }
    }
  }

  // MARK: Writing

  mutating func append(_ term: [UInt8], _ doclist: Doclist) throws(SQLError) {
    let shared = SegmentWriter.sharedCount(nodes[0].key, term)
    var suffixCount = term.count - shared
    guard suffixCount > 0 else { throw .searchCorrupt }
    let listSize = FTS4Number.length(doclist.count) + doclist.count
    var needed =
      FTS4Number.length(shared) + FTS4Number.length(suffixCount) + suffixCount + listSize
    if !nodes[0].bytes.isEmpty, nodes[0].bytes.count + needed > index.nodeSize,
      nodes[0].block < firstBlock &+ reservedCount
    {
      try index.shadow.write(.writeBlock, nodes[0].block, nodes[0].bytes)
      writtenCount += 1
      try addToTree(Array(term[...shared]))
      nodes[0].block &+= 1
      nodes[0].key = []
      nodes[0].bytes = []
      suffixCount = term.count
      needed = 1 + FTS4Number.length(suffixCount) + suffixCount + listSize
    }
    byteCount &+= Int64(needed)
    if nodes[0].bytes.isEmpty { nodes[0].bytes = [0] }
    try nodes[0].append(term, Array(doclist.bytes))
  }

  /// Adds a term that divides the current leaf from the next.
  private mutating func addToTree(_ term: [UInt8]) throws(SQLError) {
    var child = nodes[0].block
    for height in 1..<Self.greatestHeight {
      let shared = SegmentWriter.sharedCount(nodes[height].key, term)
      let suffixCount = term.count - shared
      guard suffixCount > 0 else { throw .searchCorrupt }
      let needed = FTS4Number.length(shared) + FTS4Number.length(suffixCount) + suffixCount
      if nodes[height].key.isEmpty || nodes[height].bytes.count + needed <= index.nodeSize {
        if nodes[height].bytes.isEmpty {
          nodes[height].bytes = SegmentNode.start(height: height, child: child)
        }
        return try nodes[height].append(term, nil)
      }
      try index.shadow.write(.writeBlock, nodes[height].block, nodes[height].bytes)
      nodes[height].bytes = SegmentNode.start(height: height, child: child &+ 1)
      nodes[height].key = []
      child = nodes[height].block
      // What a damaged node says of its last child may be any number.
      nodes[height].block &+= 1
    }
  }

  /// Writes the nodes that are not full, and the row of `%_segdir`.
  mutating func finish(isComplete: Bool) throws(SQLError) {
    guard var height = nodes.lastIndex(where: { !$0.bytes.isEmpty }) else { return }
    if height == 0 {
      // A root that is a leaf could not have blocks reserved.
      height = 1
      nodes[1].bytes = SegmentNode.start(height: 1, child: nodes[0].block)
    }
    for node in nodes[..<height] where !node.bytes.isEmpty {
      try index.shadow.write(.writeBlock, node.block, node.bytes)
    }
    var row = SegmentRow(
      level: level + 1, position: position,
      byteCount: knowsByteCount ? (isComplete ? byteCount : 0 &- byteCount) : 0)
    row.startBlock = firstBlock
    row.lastLeaf = nodes[0].block
    row.endBlock = lastBlock
    row.root = nodes[height].bytes
    try row.insert(index.shadow)
  }
}

/// Nodes of segments' trees as bytes.
enum SegmentNode {
  static func start(height: Int, child: Int64) -> [UInt8] {
    var node = [UInt8(truncatingIfNeeded: height)]
    if child != 0 { node.append(number: UInt64(bitPattern: child)) }
    return node
  }

  /// Adds a term, with its doclist in a leaf.
  static func append(
    _ term: [UInt8], _ doclist: [UInt8]?, to node: inout [UInt8], after key: inout [UInt8]
  ) throws(SQLError) {
    let shared = SegmentWriter.sharedCount(key, term)
    guard shared < term.count else { throw .searchCorrupt }
    if !key.isEmpty { node.append(number: shared) }
    node.append(number: term.count - shared)
    node += term[shared...]
    if let doclist {
      node.append(number: doclist.count)
      node += doclist
    }
    key = term
  }

  /// The last term of a node, and the child behind it.
  static func read(_ node: [UInt8]) throws(SQLError) -> (last: [UInt8], lastChild: Int64) {
    var last: [UInt8] = []
    let child = try forEach(node) { term, _, _ throws(SQLError) in last = term }
    return (last, child)
  }

  /// The node without terms before one, and the child on the way to it, 0 in a leaf.
  static func cutOff(
    _ term: [UInt8], _ node: [UInt8]
  ) throws(SQLError) -> (node: [UInt8], child: Int64) {
    guard let height = node.first else { throw .searchCorrupt }
    var new: [UInt8] = [], key: [UInt8] = [], child: Int64 = 0
    let last = try forEach(node) { known, doclist, before throws(SQLError) in
      if new.isEmpty {
        let order = [UInt8].compare(known, term)
        if order < 0 || height != 0 && order == 0 { return }
        new = start(height: Int(height), child: before)
        child = before
      }
      try append(known, doclist, to: &new, after: &key)
    }
    if new.isEmpty {
      new = start(height: Int(height), child: last)
      child = last
    }
    return (new, child)
  }

  /// Calls `body` with each term, its doclist in a leaf, and the child before it; gives the child
  /// behind the last.
  @discardableResult
  private static func forEach(
    _ node: [UInt8], _ body: ([UInt8], [UInt8]?, Int64) throws(SQLError) -> Void
  ) throws(SQLError) -> Int64 {
    try node.withBytes { bytes throws(SQLError) in
      guard let height = bytes.first else { throw .searchCorrupt }
      var reader = ByteReader(bytes)
      reader.offset = 1
      var child = height == 0 ? 0 : Int64(bitPattern: reader.number())
      let hasChildren = child != 0
      var term: [UInt8] = []
      while !reader.isAtEnd {
        let shared = term.isEmpty ? 0 : reader.smallNumber()
        let suffixCount = reader.smallNumber()
        guard shared <= term.count, suffixCount > 0, suffixCount <= bytes.count - reader.offset
        else { throw .searchCorrupt }
        term.removeLast(term.count - shared)
        term.append(contentsOf: bytes[reader.offset..<reader.offset + suffixCount])
        reader.offset += suffixCount
        var doclist: [UInt8]?
        if !hasChildren {
          let count = reader.smallNumber()
          guard count <= bytes.count - reader.offset else { throw .searchCorrupt }
          doclist = Array(bytes[reader.offset..<reader.offset + count])
          reader.offset += count
        }
        try body(term, doclist, child)
        if hasChildren { child &+= 1 }
      }
      return child
    }
  }
}
