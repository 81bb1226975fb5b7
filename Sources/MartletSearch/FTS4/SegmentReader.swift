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
    get throws(SQLError) {
      if let pending {
        let index = pending.indexes[pending.position - 1]
        return try pending.terms.doclist(index, isDescending: pending.isDescending)
      }
      return Doclist(node, doclistRange)
    }
  }

  func setAtEnd() { isAtEnd = true }

  /// Moves to the next term.
  func advance(_ shadow: FTS4Shadow) throws(SQLError) {
    if isAtEnd { return }
    if pending != nil { return advancePending() }
    guard let offset = try nextOffset(shadow) else { return }
    let entry = try readEntry(at: offset, behind: term.count)
    term.removeLast(term.count - entry.shared)
    term.append(contentsOf: entry.suffix)
  }

  /// Moves to the first term that is not less, from the first one on.
  ///
  /// Terms have a prefix in common with the one before: as long as that is longer than what the
  /// sought one has in common, they are all less.
  func seek(_ sought: [UInt8], _ shadow: FTS4Shadow) throws(SQLError) {
    if pending != nil {
      repeat { advancePending() } while !isAtEnd && [UInt8].compare(term, sought) < 0
      return
    }
    var matched = 0, count = 0
    while let offset = try nextOffset(shadow) {
      // A node begins with a whole term.
      if offset == 0 { matched = 0 }
      let entry = try readEntry(at: offset, behind: count)
      count = entry.shared + entry.suffix.count
      if entry.shared > matched { continue }
      if entry.shared == matched {
        let common = sought.commonPrefix(with: entry.suffix, from: matched)
        matched += common
        if matched < sought.count,
          common == entry.suffix.count || entry.suffix[common] < sought[matched]
        {
          continue
        }
      }
      term = Array(sought[..<entry.shared])
      term.append(contentsOf: entry.suffix)
      return
    }
  }

  /// Where the next entry is, in this node or at the beginning of the next; nil at the end.
  private func nextOffset(_ shadow: FTS4Shadow) throws(SQLError) -> Int? {
    var offset = doclistRange.upperBound
    if isFresh ? !isRoot : offset >= node.count {
      if isRoot || currentBlock >= lastLeaf {
        isAtEnd = true
        return nil
      }
      currentBlock += 1
      node = try shadow.readNode(currentBlock)
      offset = 0
    }
    isFresh = false
    return offset
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

  /// Reads an entry: how many bytes its term shares with the one before, and the rest of it.
  ///
  /// - Parameter count: Bytes of the term before.
  private func readEntry(
    at offset: Int, behind count: Int
  ) throws(SQLError) -> (shared: Int, suffix: UnsafeBufferPointer<UInt8>) {
    var reader = ByteReader(node.contents)
    reader.offset = offset
    let shared = reader.smallNumber(), suffixCount = reader.smallNumber()
    guard suffixCount > 0, suffixCount <= node.count - reader.offset, shared <= count else {
      throw .searchCorrupt
    }
    let suffix = UnsafeBufferPointer(
      start: UnsafePointer(node.start + reader.offset), count: suffixCount)
    reader.offset += suffixCount
    let listCount = reader.smallNumber()
    guard listCount > 0, listCount <= node.count - reader.offset,
      node.start[reader.offset + listCount - 1] == 0
    else { throw .searchCorrupt }
    doclistRange = reader.offset..<reader.offset + listCount
    return (shared, suffix)
  }
}

/// Finds the leaf that may have a term.
enum SegmentTree {
  /// - Parameter root: A node above the leaves.
  static func leaf(
    for term: [UInt8], under root: ByteBlock, _ shadow: FTS4Shadow
  ) throws(SQLError) -> Int64 {
    var node = root
    while true {
      let (height, child) = try child(for: term, in: node)
      guard height > 1 else { return child }
      node = try shadow.readNode(child)
      var reader = ByteReader(node.contents)
      // Otherwise a tree without end were possible.
      if reader.smallNumber() >= height { throw .searchCorrupt }
    }
  }

  /// The child behind the last term that is not greater.
  private static func child(
    for term: [UInt8], in node: ByteBlock
  ) throws(SQLError) -> (height: Int, child: Int64) {
    var reader = ByteReader(node.contents)
    let height = reader.smallNumber()
    var child = Int64(bitPattern: reader.number())
    if reader.offset > node.count { throw .searchCorrupt }
    // How many bytes the term before has, and how many of them are those of the sought one.
    var count = 0, matched = 0, isFirst = true
    while !reader.isAtEnd {
      let shared = isFirst ? 0 : reader.smallNumber()
      isFirst = false
      let suffixCount = reader.smallNumber()
      guard shared <= count, suffixCount > 0, suffixCount <= node.count - reader.offset else {
        throw .searchCorrupt
      }
      let suffix = UnsafeBufferPointer(
        start: UnsafePointer(node.start + reader.offset), count: suffixCount)
      reader.offset += suffixCount
      count = shared + suffixCount
      if shared < matched { break }
      if shared == matched {
        let common = term.commonPrefix(with: suffix, from: matched)
        matched += common
        if common < suffixCount, matched == term.count || suffix[common] > term[matched] { break }
      }
      child &+= 1
    }
    return (height, child)
  }
}

extension [UInt8] {
  /// How many bytes from `start` on are those of `other`.
  fileprivate func commonPrefix(with other: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let limit = Swift.min(count - start, other.count)
    var common = 0
    while common < limit, self[start + common] == other[common] { common += 1 }
    return common
  }
}
