import MartletEngine

/// Whole doclists, combined.
enum DoclistMerge {
  /// Rows of any of the lists, with the places of all.
  static func union(_ lists: [[UInt8]], isDescending: Bool) throws(SQLError) -> [UInt8] {
    var lists = lists
    while lists.count > 1 {
      var merged: [[UInt8]] = []
      for index in stride(from: 0, to: lists.count - 1, by: 2) {
        merged.append(try union(lists[index], lists[index + 1], isDescending))
      }
      if lists.count % 2 == 1 { merged.append(lists[lists.count - 1]) }
      lists = merged
    }
    return lists.first ?? []
  }

  private static func union(
    _ left: [UInt8], _ right: [UInt8], _ isDescending: Bool
  ) throws(SQLError) -> [UInt8] {
    var one = DoclistReader(left, isDescending: isDescending)
    var other = DoclistReader(right, isDescending: isDescending)
    var merged = DoclistWriter(isDescending: isDescending)
    while !one.isAtEnd || !other.isAtEnd {
      if !one.isAtEnd && !other.isAtEnd && one.docid == other.docid {
        let places = PositionList.union(
          PositionList.places(in: one.bytes, one.list),
          PositionList.places(in: other.bytes, other.list))
        try merged.add(one.docid, PositionList.encode(places)[...])
        try one.advance()
        try other.advance()
      } else if other.isAtEnd || !one.isAtEnd && (one.docid < other.docid) != isDescending {
        try merged.add(one.docid, one.bytes[one.list])
        try one.advance()
      } else {
        try merged.add(other.docid, other.bytes[other.list])
        try other.advance()
      }
    }
    return merged.bytes
  }

  /// Rows that have a place of the right list so far behind one of the left; these places.
  static func phrase(
    _ left: [UInt8], _ right: [UInt8], distance: Int, isDescending: Bool
  ) throws(SQLError) -> [UInt8] {
    var one = DoclistReader(left, isDescending: isDescending)
    var other = DoclistReader(right, isDescending: isDescending)
    var merged = DoclistWriter(isDescending: isDescending)
    while !one.isAtEnd && !other.isAtEnd {
      if one.docid == other.docid {
        let places = PositionList.following(
          PositionList.places(in: one.bytes, one.list),
          PositionList.places(in: other.bytes, other.list), distance: distance)
        if !places.isEmpty { try merged.add(one.docid, PositionList.encode(places)[...]) }
        try one.advance()
        try other.advance()
      } else if (one.docid < other.docid) != isDescending {
        try one.advance()
      } else {
        try other.advance()
      }
    }
    return merged.bytes
  }
}
