import MartletEngine

/// A node in memory. While something refers to it, a table has each of its nodes only once.
final class Node {
  /// 0 before it is first written.
  @exclusivity(unchecked) var number: Int64
  /// As many bytes as all nodes have.
  let data: UnsafeMutableRawPointer
  /// Where it is known: scans do not need it. The parent is referred to.
  @exclusivity(unchecked) var parent: Node?
  /// Who refers to it: scans, children, and what runs just now. With the last the node is written.
  @exclusivity(unchecked) var referenceCount = 1
  /// It is to be written.
  @exclusivity(unchecked) var isDirty = false
  /// The next one in its chain of `LiveNodes`.
  @exclusivity(unchecked) var next: Node?
  /// Of a node that was taken from the tree: the level that its cells belong to.
  @exclusivity(unchecked) var level = 0

  /// - Throws: `outOfMemory`.
  init(_ number: Int64, size: Int) throws(SQLError) {
    guard let data = MemoryUse.allocate(size) else { throw SQLError(.outOfMemory) }
    self.number = number
    self.data = data
  }

  deinit { MemoryUse.free(data) }

  static let rootNumber: Int64 = 1

  @inline(__always)
  var isRoot: Bool { number == Node.rootNumber }

  @inline(__always)
  var cellCount: Int {
    get { NodeLayout.readUInt16(data + 2) }
    set { NodeLayout.writeUInt16(newValue, data + 2) }
  }
}

/// The nodes that something refers to, by number: a table of chains.
struct LiveNodes {
  private static let bucketCount: UInt64 = 64

  private var buckets = [Node?](repeating: nil, count: Int(bucketCount))
  /// How many there are, with those that have no number yet.
  var count = 0

  @inline(__always)
  private func bucket(_ number: Int64) -> Int {
    Int(UInt64(bitPattern: number) % LiveNodes.bucketCount)
  }

  @inline(__always)
  func find(_ number: Int64) -> Node? {
    var next = buckets[bucket(number)]
    while let node = next {
      if node.number == number { return node }
      next = node.next
    }
    return nil
  }

  @inline(__always)
  mutating func insert(_ node: Node) {
    let index = bucket(node.number)
    node.next = buckets[index]
    buckets[index] = node
  }

  @inline(__always)
  mutating func remove(_ node: Node) {
    let index = bucket(node.number)
    let rest = node.next
    node.next = nil
    if buckets[index] === node {
      buckets[index] = rest
      return
    }
    var before = buckets[index]
    while let known = before {
      if known.next === node {
        known.next = rest
        return
      }
      before = known.next
    }
  }

  /// After an error: nothing refers to any node, and nodes do not refer to each other.
  mutating func forgetAll() {
    for index in buckets.indices {
      while let node = buckets[index] {
        buckets[index] = node.next
        node.next = nil
        node.parent = nil
      }
    }
    count = 0
  }
}
