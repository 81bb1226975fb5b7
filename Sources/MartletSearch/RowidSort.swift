/// Sorts what many lists have of rows by their rowids.
enum RowidSort {
  /// Elements with the same rowid keep their order.
  ///
  /// - Parameters:
  ///   - elements: May be another place afterwards.
  ///   - capacity: Elements for which there is room.
  ///   - rowid: Gives the number that an element is sorted by.
  @inline(__always)
  static func sort<Element: BitwiseCopyable>(
    _ elements: inout UnsafeMutablePointer<Element>, count: Int, capacity: Int,
    by rowid: (UnsafeMutablePointer<Element>) -> Int64
  ) {
    guard count > 1 else { return }
    var least = Int64.max, greatest = Int64.min
    for index in 0..<count {
      let rowid = rowid(elements + index)
      least = min(least, rowid)
      greatest = max(greatest, rowid)
    }
    let range = UInt64(bitPattern: greatest &- least)
    // Few elements do not pay for counting many digits.
    let bits: UInt64 = count < 512 ? 6 : 11, digits = 1 << Int(bits), mask = UInt64(digits - 1)
    let counts = UnsafeMutablePointer<Int>.allocate(capacity: digits)
    defer { counts.deallocate() }
    var other = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
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
    other.deallocate()
  }
}
