import MartletEngine

/// The rows of several terms, combined. Those without places are left out.
enum DoclistMerge {
  /// Rows that have a place of the other list so far behind one of the first; these places.
  static func phrase(
    _ one: DoclistMerger, _ other: DoclistMerger, distance: Int
  ) throws(SQLError) -> Doclist {
    let isDescending = one.isDescending
    var merged = DoclistWriter(isDescending: isDescending)
    while !one.isAtEnd && !other.isAtEnd {
      if one.docid == other.docid {
        try merged.begin(one.docid)
        if try follow(one.list, other.list, Int64(distance), merged.block) {
          try merged.end()
        } else {
          merged.cancel()
        }
        one.advance()
        other.advance()
      } else if (one.docid < other.docid) != isDescending {
        one.advance()
      } else {
        other.advance()
      }
    }
    return Doclist(merged.block)
  }

  /// Writes the places of the right list that are just so far behind one of the left; false where
  /// there is none.
  private static func follow(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ distance: Int64,
    _ block: ByteBlock
  ) throws(SQLError) -> Bool {
    var one = PlaceReader(left), other = PlaceReader(right)
    var writer = PlaceWriter(block)
    var isFound = false
    var first = one.next(), second = other.next()
    while first >= 0, second >= 0 {
      // No text is so long that a sum reaches the next column.
      let wanted = first &+ distance
      if wanted == second {
        try writer.add(second)
        isFound = true
      }
      if wanted <= second { first = one.next() }
      if wanted >= second { second = other.next() }
    }
    return isFound
  }
}
