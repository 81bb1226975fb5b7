import MartletEngine

/// Writes the terms of a new segment in order: leaves when they are full, then the nodes above.
struct SegmentWriter {
  private let index: FTS4Index
  private let firstBlock: Int64
  private var nextBlock: Int64
  private var leaf: [UInt8] = []
  private var term: [UInt8] = []
  /// Bytes of all leaves, which decide when small segments are merged.
  private(set) var leafByteCount: Int64 = 0
  private var tree: [TreeLevel] = []

  init(_ index: FTS4Index) throws(SQLError) {
    self.index = index
    nextBlock = try index.shadow.number(.nextBlock) ?? 1
    firstBlock = nextBlock
  }

  mutating func add(_ newTerm: [UInt8], _ doclist: Doclist) throws(SQLError) {
    var shared = SegmentWriter.sharedCount(term, newTerm)
    guard shared < newTerm.count else { throw .searchCorrupt }
    let listSize = FTS4Number.length(doclist.count) + doclist.count
    var suffixCount = newTerm.count - shared
    var needed =
      FTS4Number.length(shared) + FTS4Number.length(suffixCount) + suffixCount + listSize
    if !leaf.isEmpty && leaf.count + needed > index.nodeSize {
      try writeBlock(leaf)
      index.addedLeafCount += 1
      // As much of the term as tells it from the one before.
      try addToTree(Array(newTerm[...shared]))
      leaf.removeAll(keepingCapacity: true)
      shared = 0
      suffixCount = newTerm.count
      needed = 1 + FTS4Number.length(suffixCount) + suffixCount + listSize
    }
    leafByteCount += Int64(needed)
    leaf.append(number: shared)
    leaf.append(number: suffixCount)
    leaf += newTerm[shared...]
    leaf.append(number: doclist.count)
    leaf.append(contentsOf: doclist.bytes)
    term = newTerm
  }

  static func sharedCount(_ left: [UInt8], _ right: [UInt8]) -> Int {
    let most = min(left.count, right.count)
    var count = 0
    while count < most, left[count] == right[count] { count += 1 }
    return count
  }

  private mutating func writeBlock(_ bytes: [UInt8]) throws(SQLError) {
    guard nextBlock != .max else { throw .searchCorrupt }
    try index.shadow.write(.writeBlock, nextBlock, bytes)
    nextBlock += 1
  }

  /// Writes what is left, and the row of `%_segdir`.
  mutating func finish(level: Int64, position: Int64) throws(SQLError) {
    var row = SegmentRow(level: level, position: position, byteCount: leafByteCount)
    if tree.isEmpty {
      row.root = leaf
    } else {
      row.startBlock = firstBlock
      row.lastLeaf = nextBlock
      try writeBlock(leaf)
      try writeTree(&row)
    }
    try row.insert(index.shadow)
    index.addedLeafCount += 1
  }

  // MARK: Nodes above the leaves

  /// A node that is being filled. Its header takes place as if it had the greatest length.
  private struct TreeNode {
    static let headerSize = 11
    var bytes: [UInt8] = []
    var term: [UInt8] = []
    var termCount = 0

    /// Adds a term if there is room, and as the first in any case.
    mutating func add(_ newTerm: [UInt8], _ nodeSize: Int) throws(SQLError) -> Bool {
      let shared = SegmentWriter.sharedCount(term, newTerm)
      let suffixCount = newTerm.count - shared
      guard suffixCount > 0 else { throw .searchCorrupt }
      let needed =
        FTS4Number.length(shared) + FTS4Number.length(suffixCount) + suffixCount
      guard termCount == 0 || TreeNode.headerSize + bytes.count + needed <= nodeSize else {
        return false
      }
      if termCount > 0 { bytes.append(number: shared) }
      bytes.append(number: suffixCount)
      bytes += newTerm[shared...]
      term = newTerm
      termCount += 1
      return true
    }

    func contents(height: Int, firstChild: Int64) -> [UInt8] {
      var node = [UInt8(truncatingIfNeeded: height)]
      node.append(number: UInt64(bitPattern: firstChild))
      return node + bytes
    }
  }

  private struct TreeLevel {
    var nodes = [TreeNode()]
  }

  /// Adds a term that divides two children. Where a node is full, the term goes to the level above,
  /// and a new node begins without it.
  private mutating func addToTree(_ term: [UInt8]) throws(SQLError) {
    for height in 0... {
      if height == tree.count { tree.append(TreeLevel()) }
      let last = tree[height].nodes.count - 1
      if try tree[height].nodes[last].add(term, index.nodeSize) { return }
      tree[height].nodes.append(TreeNode())
    }
  }

  private mutating func writeTree(_ row: inout SegmentRow) throws(SQLError) {
    var firstChild = firstBlock
    for (height, level) in tree.enumerated() {
      let firstOfLevel = nextBlock
      for node in level.nodes {
        let bytes = node.contents(height: height + 1, firstChild: firstChild)
        if height == tree.count - 1 {
          row.endBlock = nextBlock - 1
          row.root = bytes
          return
        }
        try writeBlock(bytes)
        firstChild += Int64(node.termCount + 1)
      }
      firstChild = firstOfLevel
    }
  }
}

/// A row of `%_segdir`.
struct SegmentRow {
  var level: Int64
  var position: Int64
  var startBlock: Int64 = 0
  var lastLeaf: Int64 = 0
  var endBlock: Int64 = 0
  /// Bytes of the leaves, which stand behind the end block; 0 where they are not known.
  var byteCount: Int64
  var root: [UInt8] = []

  func insert(_ shadow: FTS4Shadow) throws(SQLError) {
    let statement = try shadow.statement(.insertSegment)
    for (index, number) in [level, position, startBlock, lastLeaf].enumerated() {
      try statement.bind(number, at: index + 1)
    }
    if byteCount == 0 {
      try statement.bind(endBlock, at: 5)
    } else {
      try statement.bind(text: "\(endBlock) \(byteCount)", at: 5)
    }
    try root.withBytes { bytes throws(SQLError) in try statement.bind(blob: bytes, at: 6) }
    try shadow.run(statement)
  }

  /// The end block of a row, and how many bytes the leaves have, 0 where that is not known.
  static func readEnd(_ text: UnsafeRawBufferPointer) -> (block: Int64, byteCount: Int64) {
    var index = 0
    func number() -> Int64 {
      var number: UInt64 = 0
      while index < text.count, text[index] &- 0x30 < 10 {
        number = number &* 10 &+ UInt64(text[index] &- 0x30)
        index += 1
      }
      return Int64(bitPattern: number)
    }
    let block = number()
    while index < text.count, text[index] == 0x20 { index += 1 }
    let isNegative = index < text.count && text[index] == 0x2d
    if isNegative { index += 1 }
    let count = number()
    return (block, isNegative ? 0 &- count : count)
  }
}
