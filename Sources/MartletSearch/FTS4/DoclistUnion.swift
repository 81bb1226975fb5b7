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
  @exclusivity(unchecked) private var rows: UnsafeMutablePointer<Row>
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var capacity = 64
  /// Docids have only gone on so far.
  @exclusivity(unchecked) private var isSorted = true
  /// Bytes of all lists.
  @exclusivity(unchecked) private var byteCount = 0
  /// The lists lie in these.
  @exclusivity(unchecked) private var blocks: [ByteBlock] = []
  /// Places of a row that several lists have.
  @exclusivity(unchecked) private var places: [Place] = []

  init(isDescending: Bool) {
    self.isDescending = isDescending
    rows = .allocate(capacity: capacity)
  }

  deinit { rows.deallocate() }

  // MARK: Collecting

  /// Adds what segments have of a term, if no row is in two of them.
  ///
  /// - Parameter lists: The newest first, so that docids mostly go back from list to list.
  /// - Returns: false where that does not hold, and nothing was added.
  func add(_ lists: some BidirectionalCollection<Doclist>) throws(SQLError) -> Bool {
    let known = (count: count, byteCount: byteCount, isSorted: isSorted)
    var last: Int64?
    for list in lists.reversed() {
      var reader = DoclistReader(list, isDescending: isDescending)
      guard !reader.isAtEnd else { continue }
      if let last, !isBefore(last, reader.docid) {
        (count, byteCount, isSorted) = known
        return false
      }
      last = try add(&reader)
      if blocks.last !== list.block { blocks.append(list.block) }
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
    if count > 0, !isBefore(rows[count &- 1].docid, last) { isSorted = false }
    while !reader.isAtEnd {
      let docid = reader.docid, list = reader.list
      if !isFirst, !isBefore(last, docid) { throw .searchCorrupt }
      isFirst = false
      last = docid
      // Rows that were deleted have no places.
      if let start = list.baseAddress, !list.isEmpty {
        if count == capacity { grow() }
        (rows + count).initialize(to: Row(docid: docid, list: start, count: list.count))
        count &+= 1
        byteCount &+= list.count
      }
      reader.advance()
    }
    return last
  }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<Row>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: rows, count: count)
    rows.deallocate()
    rows = larger
    capacity *= 2
  }

  // MARK: Writing

  /// The doclist of all that was added.
  func finish() throws(SQLError) -> Doclist {
    if !isSorted {
      let mask: Int64 = isDescending ? -1 : 0
      RowidSort.sort(&rows, count: count, capacity: capacity) { $0.pointee.docid ^ mask }
    }
    // A docid takes three bytes at the most where many rows follow each other.
    var writer = DoclistWriter(
      ByteBlock(capacity: byteCount + 4 * count), isDescending: isDescending)
    var index = 0
    while index < count {
      let row = rows[index]
      var end = index &+ 1
      while end < count, rows[end].docid == row.docid { end &+= 1 }
      if end == index &+ 1 {
        try writer.add(row.docid, UnsafeBufferPointer(start: row.list, count: row.count))
      } else {
        try writer.begin(row.docid)
        writePlaces(of: index..<end, writer.block)
        writer.end()
      }
      index = end
    }
    return withExtendedLifetime(blocks) { Doclist(writer.block) }
  }

  /// Writes the places of several rows, each once.
  private func writePlaces(of rows: Range<Int>, _ block: ByteBlock) {
    places.removeAll(keepingCapacity: true)
    for row in rows {
      var reader = PlaceReader(
        UnsafeBufferPointer(start: self.rows[row].list, count: self.rows[row].count))
      while true {
        let place = reader.next()
        if place < 0 { break }
        places.append(place)
      }
    }
    places.sort()
    var writer = PlaceWriter(block), last: Place = -1
    for place in places where place != last {
      writer.add(place)
      last = place
    }
  }
}
