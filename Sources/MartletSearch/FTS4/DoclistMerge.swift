import MartletEngine

/// Whole doclists, combined. Rows without places are left out.
enum DoclistMerge {
  /// Rows that have a place of the right list so far behind one of the left; these places.
  static func phrase(
    _ left: Doclist, _ right: Doclist, distance: Int, isDescending: Bool
  ) throws(SQLError) -> Doclist {
    var one = DoclistReader(left, isDescending: isDescending)
    var other = DoclistReader(right, isDescending: isDescending)
    var merged = DoclistWriter(isDescending: isDescending)
    while !one.isAtEnd && !other.isAtEnd {
      if one.docid == other.docid {
        try merged.begin(one.docid)
        if follow(one.list, other.list, Int64(distance), merged.block) {
          merged.end()
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
  ) -> Bool {
    var one = PlaceReader(left), other = PlaceReader(right)
    var writer = PlaceWriter(block)
    var isFound = false
    var first = one.next(), second = other.next()
    while first >= 0, second >= 0 {
      // No text is so long that a sum reaches the next column.
      let wanted = first &+ distance
      if wanted == second {
        writer.add(second)
        isFound = true
      }
      if wanted <= second { first = one.next() }
      if wanted >= second { second = other.next() }
    }
    return isFound
  }
}
