/// A list that grows, in a statement's `TreeMemory`.
///
/// A list is plain data: reading it counts no references. Who copies one and appends to the copy has
/// two lists that share what they had.
struct TreeList<Item: BitwiseCopyable>: RandomAccessCollection, BitwiseCopyable {
  private var start: UnsafeMutablePointer<Item>?
  private(set) var count = 0
  private var capacity = 0

  init() {}

  init(_ items: some Collection<Item>, in memory: TreeMemory) {
    for item in items { append(item, in: memory) }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(position: Int) -> Item {
    @inline(__always) get {
      precondition(position >= 0 && position < count, "no such item")
      return start.unsafelyUnwrapped[position]
    }
  }

  mutating func append(_ item: Item, in memory: TreeMemory) {
    if count == capacity { grow(in: memory) }
    (start.unsafelyUnwrapped + count).initialize(to: item)
    count += 1
  }

  mutating func truncate(to newCount: Int) { count = Swift.min(count, newCount) }

  private mutating func grow(in memory: TreeMemory) {
    capacity = Swift.max(4, capacity * 2)
    let larger = memory.room(for: Item.self, count: capacity)
    if let start { larger.update(from: start, count: count) }
    start = larger
  }
}
