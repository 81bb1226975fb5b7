import MartletEngine

/// Rows of any of many doclists, with the places of all: those of the terms of a prefix.
///
/// Rows are collected as they come, sorted by their docids, and written once, which costs the same
/// for each row however many lists there are.
final class DoclistUnion {
  private struct Row: BitwiseCopyable {
    let docid: Int64
    let list: UnsafePointer<UInt8>
    let count: Int
  }

  private let isDescending: Bool
  @exclusivity(unchecked) private var rows = RowList<Row>()
  /// Docids have only gone on so far.
  @exclusivity(unchecked) private var isSorted = true
  /// Bytes of all lists.
  @exclusivity(unchecked) private var byteCount = 0
  /// The lists lie in these.
  @exclusivity(unchecked) private var blocks: [ByteBlock] = []
  /// Places of a row that several lists have.
  @exclusivity(unchecked) private var places = RowList<Place>()

  init(isDescending: Bool) {
    self.isDescending = isDescending
  }

  // MARK: Collecting

  /// Adds what segments have of a term, if no row is in two of them.
  ///
  /// - Parameter lists: The newest first. Mostly it has the greatest docids.
  /// - Returns: false where that does not hold, and nothing was added.
  func add(_ lists: [Doclist]) throws(SQLError) -> Bool {
    let known = (count: rows.count, byteCount: byteCount, isSorted: isSorted)
    var last: Int64?
    for index in lists.indices {
      let list = lists[isDescending ? index : lists.count - 1 - index]
      var reader = DoclistReader(list, isDescending: isDescending)
      guard !reader.isAtEnd else { continue }
      if let last, !isBefore(last, reader.docid) {
        rows.shrink(to: known.count)
        (byteCount, isSorted) = (known.byteCount, known.isSorted)
        return false
      }
      last = try add(&reader)
      if blocks.last !== list.block {
        try blocks.makeRoom()
        blocks.append(list.block)
      }
    }
    return true
  }

  private func isBefore(_ left: Int64, _ right: Int64) -> Bool {
    isDescending ? left > right : left < right
  }

  /// Adds all rows of a list.
  ///
  /// - Returns: The last docid.
  private func add(_ reader: inout DoclistReader) throws(SQLError) -> Int64 {
    var last = reader.docid, isFirst = true
    if rows.count > 0, !isBefore(rows[rows.count &- 1].docid, last) { isSorted = false }
    while !reader.isAtEnd {
      let docid = reader.docid, list = reader.list
      if !isFirst, !isBefore(last, docid) { throw .searchCorrupt }
      isFirst = false
      last = docid
      // Rows that were deleted have no places.
      if let start = list.baseAddress, !list.isEmpty {
        try rows.append(Row(docid: docid, list: start, count: list.count))
        byteCount &+= list.count
      }
      reader.advance()
    }
    return last
  }

  // MARK: Writing

  /// The doclist of all that was added.
  func finish() throws(SQLError) -> Doclist {
    if !isSorted {
      let mask: Int64 = isDescending ? -1 : 0
      try rows.sort { $0.pointee.docid ^ mask }
    }
    // A docid takes three bytes at the most where many rows follow each other.
    var writer = DoclistWriter(
      try ByteBlock(capacity: byteCount + 4 * rows.count), isDescending: isDescending)
    var index = 0
    while index < rows.count {
      let row = rows[index]
      var end = index &+ 1
      while end < rows.count, rows[end].docid == row.docid { end &+= 1 }
      if end == index &+ 1 {
        try writer.add(row.docid, UnsafeBufferPointer(start: row.list, count: row.count))
      } else {
        try writer.begin(row.docid)
        try writePlaces(of: index..<end, writer.block)
        try writer.end()
      }
      index = end
    }
    return withExtendedLifetime(blocks) { Doclist(writer.block) }
  }

  /// Writes the places of several rows, each once.
  private func writePlaces(of rows: Range<Int>, _ block: ByteBlock) throws(SQLError) {
    places.shrink(to: 0)
    for row in rows {
      var reader = PlaceReader(
        UnsafeBufferPointer(start: self.rows[row].list, count: self.rows[row].count))
      while true {
        let place = reader.next()
        if place < 0 { break }
        try places.append(place)
      }
    }
    try places.sort { $0.pointee }
    var writer = PlaceWriter(block), last: Place = -1
    for index in 0..<places.count where places[index] != last {
      last = places[index]
      try writer.add(last)
    }
  }
}
