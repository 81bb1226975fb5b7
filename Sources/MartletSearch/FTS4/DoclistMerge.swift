import MartletEngine

/// Whole doclists, combined. Rows without places are left out.
enum DoclistMerge {
  /// Rows of any of the lists, with the places of all.
  static func union(_ lists: [Doclist], isDescending: Bool) throws(SQLError) -> Doclist {
    var lists = lists
    while lists.count > 1 {
      var merged: [Doclist] = []
      for index in stride(from: 0, to: lists.count - 1, by: 2) {
        merged.append(try union(lists[index], lists[index + 1], isDescending))
      }
      if lists.count % 2 == 1 { merged.append(lists[lists.count - 1]) }
      lists = merged
    }
    return lists.first ?? Doclist()
  }

  private static func union(
    _ left: Doclist, _ right: Doclist, _ isDescending: Bool
  ) throws(SQLError) -> Doclist {
    var one = DoclistReader(left, isDescending: isDescending)
    var other = DoclistReader(right, isDescending: isDescending)
    var merged = DoclistWriter(
      ByteBlock(capacity: left.count + right.count), isDescending: isDescending)
    while true {
      while !one.isAtEnd, one.list.isEmpty { one.advance() }
      while !other.isAtEnd, other.list.isEmpty { other.advance() }
      if one.isAtEnd && other.isAtEnd { return Doclist(merged.block) }
      if !one.isAtEnd && !other.isAtEnd && one.docid == other.docid {
        try merged.begin(one.docid)
        union(one.list, other.list, merged.block)
        merged.end()
        one.advance()
        other.advance()
      } else if other.isAtEnd || !one.isAtEnd && (one.docid < other.docid) != isDescending {
        try merged.add(one.docid, one.list)
        one.advance()
      } else {
        try merged.add(other.docid, other.list)
        other.advance()
      }
    }
  }

  private static func union(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ block: ByteBlock
  ) {
    var one = PlaceReader(left), other = PlaceReader(right)
    var writer = PlaceWriter(block)
    var first = one.next(), second = other.next()
    while first >= 0 || second >= 0 {
      if second < 0 || first >= 0 && first < second {
        writer.add(first)
        first = one.next()
      } else {
        if first == second { first = one.next() }
        writer.add(second)
        second = other.next()
      }
    }
  }

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
