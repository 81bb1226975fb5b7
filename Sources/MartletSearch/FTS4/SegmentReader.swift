// Segments: trees of terms in order, each with its doclist (fts3 §9.2). Leaves are blocks that
// follow each other, or there is one, which is the root:
//
//     | 0 | term size | term | doclist size | doclist |
//         | shared prefix | suffix size | suffix | doclist size | doclist | …
//
// Nodes above have terms without doclists; the children have block numbers that follow each other:
//
//     | height | block of the first child | term size | term | shared prefix | suffix size | …
import MartletEngine

/// Reads the terms of a segment in order, or those that wait to be written.
final class SegmentReader {
  /// Of equal terms the greatest is the newest.
  let age: Int
  let startBlock: Int64
  let endBlock: Int64
  let isRoot: Bool
  private let lastLeaf: Int64
  @exclusivity(unchecked) private var currentBlock: Int64
  @exclusivity(unchecked) private var node = ByteBlock()
  @exclusivity(unchecked) private(set) var term: [UInt8] = []
  /// Where the node has the doclist.
  @exclusivity(unchecked) private var doclistRange = 0..<0
  @exclusivity(unchecked) private(set) var isAtEnd = false
  /// Nothing has been read yet.
  @exclusivity(unchecked) private var isFresh = true
  /// Only one term is looked for.
  var isLookUp = false
  @exclusivity(unchecked) private var pending: PendingSource?

  /// Terms that wait.
  struct PendingSource {
    let terms: PendingTerms
    let indexes: [Int]
    let isDescending: Bool
    var position = 0
  }

  init(pending: PendingSource) {
    age = .max
    startBlock = 0
    endBlock = 0
    isRoot = false
    lastLeaf = 0
    currentBlock = 0
    self.pending = pending
  }

  /// - Parameter firstLeaf: Where to begin, or 0 if the root is the only node.
  init(
    age: Int, startBlock: Int64, firstLeaf: Int64, lastLeaf: Int64, endBlock: Int64, root: ByteBlock
  ) throws(SQLError) {
    self.age = age
    self.startBlock = startBlock
    self.endBlock = endBlock
    self.lastLeaf = lastLeaf
    isRoot = firstLeaf == 0
    if isRoot {
      if lastLeaf != 0 { throw .searchCorrupt }
      node = root
      currentBlock = 0
    } else {
      currentBlock = firstLeaf &- 1
    }
  }

  var isPending: Bool { pending != nil }

  /// The doclist, of which pending ones are made when they are asked for.
  var doclist: Doclist {
    if let pending {
      let index = pending.indexes[pending.position - 1]
      return pending.terms.doclist(index, isDescending: pending.isDescending)
    }
    return Doclist(node, doclistRange)
  }

  func setAtEnd() { isAtEnd = true }

  /// Moves to the next term.
  func advance(_ shadow: FTS4Shadow) throws(SQLError) {
    if isAtEnd { return }
    if pending != nil { return advancePending() }
    var offset = isFresh ? 0 : doclistRange.upperBound
    if isFresh ? !isRoot : offset >= node.count {
      if isRoot || currentBlock >= lastLeaf {
        isAtEnd = true
        return
      }
      currentBlock += 1
      node = try shadow.readNode(currentBlock)
      offset = 0
    }
    isFresh = false
    try readTerm(at: offset)
  }

  private func advancePending() {
    guard var source = pending else { return }
    pending = nil
    if source.position >= source.indexes.count {
      isAtEnd = true
    } else {
      term = Array(source.terms.key(source.indexes[source.position]))
      source.position += 1
    }
    pending = source
  }

  private func readTerm(at offset: Int) throws(SQLError) {
    var reader = ByteReader(node.contents)
    reader.offset = offset
    let shared = reader.smallNumber(), suffixCount = reader.smallNumber()
    guard suffixCount > 0, suffixCount <= node.count - reader.offset, shared <= term.count else {
      throw .searchCorrupt
    }
    term.removeLast(term.count - shared)
    term.append(
      contentsOf: UnsafeBufferPointer(start: node.start + reader.offset, count: suffixCount))
    reader.offset += suffixCount
    let listCount = reader.smallNumber()
    guard listCount > 0, listCount <= node.count - reader.offset,
      node.start[reader.offset + listCount - 1] == 0
    else { throw .searchCorrupt }
    doclistRange = reader.offset..<reader.offset + listCount
  }
}

/// Finds the leaf that may have a term.
enum SegmentTree {
  /// - Parameter root: A node above the leaves.
  static func leaf(
    for term: [UInt8], under root: [UInt8], _ shadow: FTS4Shadow
  ) throws(SQLError) -> Int64 {
    var node = root
    while true {
      let (height, child) = try node.withBytes { bytes throws(SQLError) in
        try self.child(for: term, in: bytes)
      }
      guard height > 1 else { return child }
      node = try shadow.readBlock(child)
      let lower = node.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        return reader.smallNumber()
      }
      // Otherwise a tree without end were possible.
      if lower >= height { throw .searchCorrupt }
    }
  }

  private static func child(
    for term: [UInt8], in node: UnsafeRawBufferPointer
  ) throws(SQLError) -> (height: Int, child: Int64) {
    var reader = ByteReader(node)
    let height = reader.smallNumber()
    var child = Int64(bitPattern: reader.number())
    if reader.offset > node.count { throw .searchCorrupt }
    var known: [UInt8] = []
    var isFirst = true
    while !reader.isAtEnd {
      let prefixCount = isFirst ? 0 : reader.smallNumber()
      isFirst = false
      let suffixCount = reader.smallNumber()
      guard prefixCount <= known.count, suffixCount > 0, suffixCount <= node.count - reader.offset
      else { throw .searchCorrupt }
      known.removeLast(known.count - prefixCount)
      known.append(contentsOf: node[reader.offset..<reader.offset + suffixCount])
      reader.offset += suffixCount
      if [UInt8].compare(term, known) < 0 { break }
      child &+= 1
    }
    return (height, child)
  }
}
