import MartletEngine

/// Which terms and places a scan of the index gives.
struct TermFilter {
  var term: [UInt8] = []
  /// Terms that begin with `term`, instead of only that.
  var isPrefix = false
  /// Terms from `term` on.
  var isScan = false
  /// Places in that column only.
  var column: Int?
  /// Places at the beginning of a column only.
  var isFirst = false
  /// Leaves out docids without places, which rows that were deleted have.
  var ignoresEmpty = false
  /// The reader of the doclists leaves rows without places out itself.
  var takesListsAsTheyAre = false
}

/// Reads several segments as if they were one: terms in order, and of equal docids what the newest
/// segment says (SQLite's Fts3MultiSegReader).
final class TermScan {
  /// In order of their terms once the scan has begun; the newest of equal ones first.
  @exclusivity(unchecked) private(set) var readers: [SegmentReader]
  private let shadow: FTS4Shadow
  private let isDescending: Bool
  @exclusivity(unchecked) private var filter = TermFilter()
  /// Readers at the front whose terms were given.
  @exclusivity(unchecked) private var givenCount = 0

  @exclusivity(unchecked) private(set) var term: [UInt8] = []
  @exclusivity(unchecked) private(set) var doclist = Doclist()
  @exclusivity(unchecked) private var merged = ByteBlock()
  /// Puts the doclists of a term together.
  private let merger = DoclistMerger()

  init(_ readers: [SegmentReader], _ shadow: FTS4Shadow, isDescending: Bool) {
    self.readers = readers
    self.shadow = shadow
    self.isDescending = isDescending
  }

  func start(_ filter: TermFilter) throws(SQLError) {
    self.filter = filter
    givenCount = 0
    for reader in readers {
      if filter.term.isEmpty {
        try reader.advance(shadow)
      } else {
        try reader.seek(filter.term, shadow)
      }
      if reader.isLookUp, !reader.isAtEnd, reader.term != filter.term { reader.setAtEnd() }
    }
    readers.sort(by: TermScan.isBefore)
  }

  private static func isBefore(_ left: SegmentReader, _ right: SegmentReader) -> Bool {
    if left.isAtEnd || right.isAtEnd {
      return left.isAtEnd == right.isAtEnd ? left.age > right.age : right.isAtEnd
    }
    let order = [UInt8].compare(left.term, right.term)
    return order == 0 ? left.age > right.age : order < 0
  }

  /// Moves to the next term that has a doclist; false where there is none.
  func step() throws(SQLError) -> Bool {
    while try stepToTerm() {
      if givenCount == 1 && takesListsAsTheyAre {
        doclist = try readers[0].doclist
        return true
      }
      doclist = try mergedDoclist()
      if !doclist.isEmpty { return true }
    }
    return false
  }

  /// Moves to the next term, which the first `givenCount` readers have.
  private func stepToTerm() throws(SQLError) -> Bool {
    try advanceGiven()
    guard let first = readers.first, !first.isAtEnd, isWanted(first.term) else { return false }
    term = first.term
    var count = 1
    while count < readers.count, !readers[count].isAtEnd, readers[count].term == term {
      count += 1
    }
    givenCount = count
    return true
  }

  /// Nothing is to be left out of doclists.
  private var takesListsAsTheyAre: Bool {
    (!filter.ignoresEmpty || filter.takesListsAsTheyAre && filter.column == nil) && !filter.isFirst
  }

  /// Finds the rows of all terms that are wanted.
  func find(_ rows: DoclistMerger) throws(SQLError) {
    rows.clear(isDescending: isDescending)
    guard try stepToTerm() else { return }
    if readers.contains(where: { !$0.isLookUp }) {
      try rows.add(union())
    } else if takesListsAsTheyAre {
      try addLists(to: rows)
    } else {
      try rows.add(mergedDoclist())
    }
    rows.start()
  }

  /// The rows of this term and those behind it.
  private func union() throws(SQLError) -> Doclist {
    let union = DoclistUnion(isDescending: isDescending)
    repeat {
      var isAdded = false
      if takesListsAsTheyAre {
        var lists: [Doclist] = []
        for reader in readers[..<givenCount] { lists.append(try reader.doclist) }
        isAdded = try union.add(lists)
      }
      if !isAdded { _ = try union.add([mergedDoclist()]) }
    } while try stepToTerm()
    return try union.finish()
  }

  private func advanceGiven() throws(SQLError) {
    for index in 0..<givenCount {
      if readers[index].isLookUp {
        readers[index].setAtEnd()
      } else {
        try readers[index].advance(shadow)
      }
    }
    // Those that were advanced find their place among the others.
    for index in stride(from: givenCount - 1, through: 0, by: -1) {
      var place = index
      while place + 1 < readers.count, TermScan.isBefore(readers[place + 1], readers[place]) {
        readers.swapAt(place, place + 1)
        place += 1
      }
    }
    givenCount = 0
  }

  private func isWanted(_ term: [UInt8]) -> Bool {
    if filter.isScan || filter.term.isEmpty { return true }
    return filter.isPrefix ? term.starts(with: filter.term) : term == filter.term
  }

  // MARK: Doclists

  /// The readers that have the term come from the newest to the oldest.
  private func addLists(to rows: DoclistMerger) throws(SQLError) {
    for index in 0..<givenCount { try rows.add(readers[index].doclist) }
  }

  private func mergedDoclist() throws(SQLError) -> Doclist {
    merger.clear(isDescending: isDescending)
    defer { merger.clear(isDescending: isDescending) }
    try addLists(to: merger)
    merger.start()
    // Who keeps the last doclist keeps its bytes.
    doclist = Doclist()
    if isKnownUniquelyReferenced(&merged) { merged.removeAll() } else { merged = ByteBlock() }
    var writer = DoclistWriter(merged, isDescending: isDescending)
    if filter.column == nil && !filter.isFirst {
      try merger.write(to: &writer, withEmpty: !filter.ignoresEmpty)
    } else {
      while !merger.isAtEnd {
        try add(merger.docid, merger.list, to: &writer)
        merger.advance()
      }
    }
    return Doclist(merged)
  }

  private func add(
    _ docid: Int64, _ row: UnsafeBufferPointer<UInt8>, to writer: inout DoclistWriter
  ) throws(SQLError) {
    var list = row
    if let column = filter.column { list = PositionList.part(of: column, in: list) }
    if filter.ignoresEmpty && list.isEmpty { return }
    guard filter.isFirst else { return try writer.add(docid, list) }
    try writer.begin(docid)
    var reader = PlaceReader(list), placeWriter = PlaceWriter(writer.block), isFound = false
    while true {
      let place = reader.next()
      if place < 0 { break }
      guard PositionList.position(place) == 0 else { continue }
      try placeWriter.add(place)
      isFound = true
    }
    if isFound { try writer.end() } else { writer.cancel() }
  }
}
