/// A growing array of plain data. Its memory comes from `Memory`, which throws where Swift's own
/// arrays trap; who has it gives it back with `deallocate`.
struct PlainArray<Element: BitwiseCopyable> {
  private(set) var base: UnsafeMutablePointer<Element>?
  private(set) var count = 0
  private(set) var capacity = 0

  /// Bytes that are taken.
  var byteCount: Int { capacity * MemoryLayout<Element>.stride }

  @inline(__always)
  mutating func append(_ element: Element) throws(SQLError) {
    if count == capacity { try grow() }
    base.unsafelyUnwrapped[count] = element
    count &+= 1
  }

  @inline(never)
  private mutating func grow() throws(SQLError) {
    let larger = max(16, capacity * 2)
    let memory = try Memory.reallocate(base, larger * MemoryLayout<Element>.stride)
    base = memory.bindMemory(to: Element.self, capacity: larger)
    capacity = larger
  }

  /// Keeps the first, the third, and so on.
  mutating func removeEverySecond() {
    guard let base else { return }
    count = (count &+ 1) / 2
    for index in 0..<count { base[index] = base[2 &* index] }
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count, "the caller compares with count first")
      return base.unsafelyUnwrapped[index]
    }
    nonmutating set {
      assert(index >= 0 && index < count, "the caller compares with count first")
      base.unsafelyUnwrapped[index] = newValue
    }
  }

  mutating func removeLast() {
    assert(count > 0, "there is a last element")
    count &-= 1
  }

  /// Forgets all elements. The memory stays.
  mutating func removeAll() { count = 0 }

  mutating func deallocate() {
    Memory.free(base)
    self = PlainArray()
  }
}
