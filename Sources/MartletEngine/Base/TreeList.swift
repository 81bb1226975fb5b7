/// A list that grows, in a statement's `TreeMemory`.
///
/// A list is plain data: reading it counts no references. Who copies one and appends to the copy has
/// two lists that share what they had. Of literals there is only `[]`: items need memory.
struct TreeList<Item: BitwiseCopyable>: RandomAccessCollection, BitwiseCopyable,
  ExpressibleByArrayLiteral
{
  private var start: UnsafeMutablePointer<Item>?
  private(set) var count = 0
  private var capacity = 0

  init() {}

  init(arrayLiteral items: Never...) {}

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

  /// The items, which are not changed any more: a list stays the list that it is.
  init(keeping items: some Collection<Item>, in memory: TreeMemory) {
    if let list = items as? TreeList<Item> {
      self = list.closed
    } else {
      self.init(items, in: memory)
    }
  }

  /// The items and one more, as a list of its own.
  init(_ items: TreeList, adding item: Item, in memory: TreeMemory) {
    capacity = items.count + 1
    count = capacity
    let copy = memory.room(for: Item.self, count: capacity)
    if let start = items.start { copy.update(from: start, count: items.count) }
    (copy + items.count).initialize(to: item)
    start = copy
  }

  mutating func append(_ item: Item, in memory: TreeMemory) {
    if count == capacity { grow(in: memory) }
    (start.unsafelyUnwrapped + count).initialize(to: item)
    count += 1
  }

  /// The same list for who may append to it on its own: that begins another piece of memory.
  var closed: TreeList {
    var list = self
    list.capacity = count
    return list
  }

  mutating func replace(at position: Int, with item: Item) {
    precondition(position >= 0 && position < count, "no such item")
    start.unsafelyUnwrapped[position] = item
  }

  mutating func remove(at position: Int) {
    precondition(position >= 0 && position < count, "no such item")
    let place = start.unsafelyUnwrapped + position
    count -= 1
    place.update(from: place + 1, count: count - position)
  }

  @discardableResult
  mutating func removeLast() -> Item {
    let last = self[count - 1]
    count -= 1
    return last
  }

  mutating func truncate(to newCount: Int) { count = Swift.min(count, newCount) }

  private mutating func grow(in memory: TreeMemory) {
    capacity = Swift.max(4, capacity * 2)
    let larger = memory.room(for: Item.self, count: capacity)
    if let start { larger.update(from: start, count: count) }
    start = larger
  }
}
