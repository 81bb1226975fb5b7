import MartletEngine

/// What many lists have of rows, sorted by their rowids. There may be more of it than there is memory.
struct RowList<Element: BitwiseCopyable>: ~Copyable {
  private var elements: UnsafeMutablePointer<Element>?
  private(set) var count = 0
  private var capacity = 0

  deinit { MemoryUse.free(elements) }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count)
      return elements.unsafelyUnwrapped[index]
    }
    set {
      assert(index >= 0 && index < count)
      elements.unsafelyUnwrapped[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) throws(SQLError) {
    if count == capacity { try grow() }
    (elements.unsafelyUnwrapped + count).initialize(to: element)
    count &+= 1
  }

  /// Takes back what was added since there were so many elements.
  mutating func shrink(to smaller: Int) {
    assert(smaller <= count)
    count = smaller
  }

  @inline(never)
  private mutating func grow() throws(SQLError) {
    let newCapacity = max(64, capacity * 2)
    guard
      let larger = MemoryUse.reallocate(elements, newCapacity * MemoryLayout<Element>.stride)
    else { throw SQLError(.outOfMemory) }
    elements = larger.assumingMemoryBound(to: Element.self)
    capacity = newCapacity
  }

  /// Elements with the same rowid keep their order.
  ///
  /// - Parameter rowid: Gives the number that an element is sorted by.
  @inline(__always)
  mutating func sort(by rowid: (UnsafeMutablePointer<Element>) -> Int64) throws(SQLError) {
    guard count > 1, var elements else { return }
    if count <= RowList.fewElements { return insert(elements, by: rowid) }
    var least = Int64.max, greatest = Int64.min
    for index in 0..<count {
      let rowid = rowid(elements + index)
      least = min(least, rowid)
      greatest = max(greatest, rowid)
    }
    let range = UInt64(bitPattern: greatest &- least)
    // Few elements do not pay for counting many digits.
    let bits: UInt64 = count < 512 ? 6 : 11, digits = 1 << Int(bits), mask = UInt64(digits - 1)
    let stride = MemoryLayout<Element>.stride
    guard let counters = MemoryUse.allocate(digits * MemoryLayout<Int>.stride) else {
      throw SQLError(.outOfMemory)
    }
    defer { MemoryUse.free(counters) }
    guard let memory = MemoryUse.allocate(capacity * stride) else { throw SQLError(.outOfMemory) }
    let counts = counters.bindMemory(to: Int.self, capacity: digits)
    var other = memory.assumingMemoryBound(to: Element.self)
    var shift: UInt64 = 0
    // By so many bits at a time, the lowest first.
    while shift < 64, range >> shift != 0 {
      counts.initialize(repeating: 0, count: digits)
      for index in 0..<count {
        let key = UInt64(bitPattern: rowid(elements + index) &- least) >> shift & mask
        counts[Int(truncatingIfNeeded: key)] &+= 1
      }
      var sum = 0
      for digit in 0..<digits {
        let own = counts[digit]
        counts[digit] = sum
        sum &+= own
      }
      for index in 0..<count {
        let key = UInt64(bitPattern: rowid(elements + index) &- least) >> shift & mask
        let digit = Int(truncatingIfNeeded: key)
        (other + counts[digit]).initialize(to: elements[index])
        counts[digit] &+= 1
      }
      swap(&elements, &other)
      shift += bits
    }
    self.elements = elements
    MemoryUse.free(other)
  }

  /// So few elements are sorted by insertion.
  private static var fewElements: Int { 24 }

  @inline(__always)
  private func insert(
    _ elements: UnsafeMutablePointer<Element>, by rowid: (UnsafeMutablePointer<Element>) -> Int64
  ) {
    for index in 1..<count {
      let element = elements[index], number = rowid(elements + index)
      var place = index
      while place > 0, rowid(elements + place - 1) > number {
        elements[place] = elements[place - 1]
        place -= 1
      }
      elements[place] = element
    }
  }
}
