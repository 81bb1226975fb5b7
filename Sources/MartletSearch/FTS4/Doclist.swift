// Doclists: the rows that have a term, and where (fts3 §9.2.3). For each row, in order of docids:
//
//     | docid, or how far it is from the one before | position list | 0 |
//
// A position list has, for each column but the first that is there, a byte of 1 and the column's
// number, then for each place the distance from the one before in the column, and 2.
import MartletEngine

/// Reads a doclist row by row.
struct DoclistReader {
  private let block: ByteBlock
  private let base: UnsafePointer<UInt8>
  private let start: Int
  private let end: Int
  private let isDescending: Bool
  private(set) var docid: Int64 = 0
  private(set) var isAtEnd = false
  private var listStart = 0
  private var listEnd = 0
  private var isFirst = true

  init(_ doclist: Doclist, isDescending: Bool) {
    block = doclist.block
    base = UnsafePointer(doclist.block.start)
    start = doclist.range.lowerBound
    end = doclist.range.upperBound
    self.isDescending = isDescending
    read(from: start)
  }

  /// Goes back to the first row.
  mutating func restart() {
    docid = 0
    isAtEnd = false
    isFirst = true
    read(from: start)
  }

  /// The position list of the current row, without the zero behind it.
  var list: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + listStart, count: listEnd &- listStart)
  }

  /// Moves to the next row.
  @inline(__always)
  mutating func advance() { read(from: listEnd &+ 1) }

  /// Rows that follow each other as they are written: from the list of the first to that of the
  /// last.
  struct Run {
    let bytes: UnsafeBufferPointer<UInt8>
    let lastDocid: Int64
  }

  /// Goes over the rows that can be copied together, the current one in front, and moves to the
  /// one behind them. They end before docids that are not less than `bound`, both with the bits of
  /// `mask` turned, and before rows that are written otherwise than this engine writes them.
  @inline(__always)
  mutating func run(before bound: Int64, mask: Int64, withEmpty: Bool) -> Run {
    let first = listStart
    var last = docid, lastEnd = listEnd
    while true {
      let next = listEnd &+ 1
      advance()
      guard !isAtEnd, docid ^ mask < bound, docid ^ mask > last ^ mask,
        withEmpty || listEnd > listStart
      else { break }
      let distance = UInt64(bitPattern: isDescending ? last &- docid : docid &- last)
      guard listStart &- next == FTS4Number.length(distance) else { break }
      last = docid
      lastEnd = listEnd
    }
    let bytes = UnsafeBufferPointer(start: base + first, count: lastEnd &- first)
    return Run(bytes: bytes, lastDocid: last)
  }

  private mutating func read(from start: Int) {
    var offset = start
    // Zeros that were written over what was removed.
    if !isFirst { while offset < end, base[offset] == 0 { offset &+= 1 } }
    guard offset < end else { return finish() }
    var byte = base[offset]
    offset &+= 1
    var number = UInt64(byte & 0x7f), shift: UInt64 = 7
    while byte >= 0x80, offset < end, shift <= 63 {
      byte = base[offset]
      offset &+= 1
      number |= UInt64(byte & 0x7f) << shift
      shift &+= 7
    }
    guard offset < end else { return finish() }
    let known = UInt64(bitPattern: docid)
    docid = Int64(bitPattern: isFirst || !isDescending ? known &+ number : known &- number)
    isFirst = false
    listStart = offset
    var isInside: UInt8 = 0
    while offset < end, base[offset] | isInside != 0 {
      isInside = base[offset] & 0x80
      offset &+= 1
    }
    listEnd = offset
  }

  private mutating func finish() {
    isAtEnd = true
    listStart = end
    listEnd = end
  }
}

/// Writes a doclist row by row.
struct DoclistWriter {
  let block: ByteBlock
  private let isDescending: Bool
  private var previous: Int64 = 0
  private var isFirst = true
  /// What was before the current row.
  private var before = (count: 0, docid: Int64(0), isFirst: true)

  init(_ block: ByteBlock = ByteBlock(), isDescending: Bool) {
    self.block = block
    self.isDescending = isDescending
  }

  /// Begins a row.
  ///
  /// - Throws: `corruptVirtualTable` where docids are not in order.
  @inline(__always)
  mutating func begin(_ docid: Int64) throws(SQLError) {
    if !isFirst && (isDescending ? previous <= docid : previous >= docid) { throw .searchCorrupt }
    before = (block.count, previous, isFirst)
    let new = UInt64(bitPattern: docid), old = UInt64(bitPattern: previous)
    try block.append(number: isFirst ? new : isDescending ? old &- new : new &- old)
    isFirst = false
    previous = docid
  }

  func end() throws(SQLError) { try block.append(0) }

  /// Takes the current row back.
  mutating func cancel() {
    block.shrink(to: before.count)
    previous = before.docid
    isFirst = before.isFirst
  }

  @inline(__always)
  mutating func add(
    _ docid: Int64, _ list: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    try begin(docid)
    if let start = list.baseAddress { try block.append(start, list.count) }
    try end()
  }

  /// Adds the rows of a run; the docid of the first is the reader's, before it went on.
  mutating func add(_ docid: Int64, _ run: DoclistReader.Run) throws(SQLError) {
    try add(docid, run.bytes)
    previous = run.lastDocid
  }
}

/// A place: the column, and the token's number in it.
typealias Place = Int64

/// Reads a position list place by place.
struct PlaceReader {
  private let base: UnsafePointer<UInt8>?
  private let count: Int
  private var offset = 0
  private var column: Int64 = 0
  private var position: Int64 = 0

  init(_ list: UnsafeBufferPointer<UInt8>) {
    base = list.baseAddress
    count = list.count
  }

  @inline(__always)
  private mutating func number() -> UInt64 {
    guard let base, offset < count else { return 0 }
    var byte = base[offset]
    offset &+= 1
    if byte < 0x80 { return UInt64(byte) }
    var number = UInt64(byte & 0x7f), shift: UInt64 = 7
    while byte >= 0x80, offset < count, shift <= 63 {
      byte = base[offset]
      offset &+= 1
      number |= UInt64(byte & 0x7f) << shift
      shift &+= 7
    }
    return number
  }

  /// The next place, -1 at the end.
  @inline(__always)
  mutating func next() -> Place {
    while true {
      let number = number()
      if number > 1 {
        position = position &+ Int64(bitPattern: number) &- 2
        return column << 32 | position & 0x7fff_ffff
      }
      if number == 0 { return -1 }
      column = Int64(self.number() & 0x7fff_ffff)
      position = 0
    }
  }
}

/// Writes a position list place by place.
struct PlaceWriter {
  private let block: ByteBlock
  private var column = 0
  private var previous = 0

  init(_ block: ByteBlock) { self.block = block }

  mutating func add(_ place: Place) throws(SQLError) {
    if PositionList.column(place) != column {
      column = PositionList.column(place)
      previous = 0
      try block.append(1)
      try block.append(number: UInt64(column))
    }
    let position = PositionList.position(place)
    try block.append(number: UInt64(bitPattern: Int64(position &- previous &+ 2)))
    previous = position
  }
}

/// Position lists, as bytes and as places.
enum PositionList {
  static func column(_ place: Place) -> Int { Int(place >> 32) }
  static func position(_ place: Place) -> Int { Int(place & 0xffff_ffff) }

  /// What a list has of a column.
  static func part(
    of column: Int, in list: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var reader = ByteReader(UnsafeRawBufferPointer(list))
    var current = 0, start = 0
    while true {
      let end = reader.skipPositions(ofColumn: true)
      if current == column { return UnsafeBufferPointer(rebasing: list[start..<end]) }
      if end >= list.count { return UnsafeBufferPointer(rebasing: list[end..<end]) }
      start = end
      reader.offset = end + 1
      current = reader.smallNumber()
      reader.offset = min(reader.offset, list.count)
    }
  }

  /// Leaves those places only that have one of `other` in their column: at most `before` tokens
  /// before them or at most `behind` behind them. Gives their number.
  static func near(
    _ places: UnsafeMutablePointer<Place>, count: Int, _ other: UnsafeBufferPointer<Place>,
    before: Int64, behind: Int64
  ) -> Int {
    var left = 0, first = 0, behindEqual = 0
    for number in 0..<count {
      let place = places[number]
      let column = place &- place & 0xffff_ffff
      let low = max(place &- before, column), high = min(place &+ behind, column | 0xffff_ffff)
      while first < other.count, other[first] < low { first &+= 1 }
      var index = first
      // A list that was not written by this engine may say the same place very often.
      if index < other.count, other[index] == place {
        behindEqual = max(behindEqual, index)
        while behindEqual < other.count, other[behindEqual] == place { behindEqual &+= 1 }
        index = behindEqual
      }
      guard index < other.count, other[index] <= high else { continue }
      places[left] = place
      left &+= 1
    }
    return left
  }

  /// Adds how many places a list has in each column to every so many numbers.
  @inline(__always)
  static func countHits(
    _ list: UnsafeBufferPointer<UInt8>, _ counts: UnsafeMutablePointer<UInt32>, stride: Int,
    columnCount: Int
  ) {
    guard let base = list.baseAddress else { return }
    let end = list.count
    var offset = 0, column = 0, hits: UInt32 = 0
    while offset < end {
      let byte = base[offset]
      offset &+= 1
      if byte > 1 {
        hits &+= 1
        if byte >= 0x80 {
          // The rest of the number, which is not asked for: nine bytes more at the most.
          let limit = min(end, offset &+ 9)
          while offset < limit, base[offset] >= 0x80 { offset &+= 1 }
          offset &+= 1
        }
        continue
      }
      if column < columnCount { counts[column &* stride] &+= hits }
      hits = 0
      // A zero ends the list; a one is followed by the number of a column.
      if byte == 0 { return }
      var reader = ByteReader(UnsafeRawBufferPointer(list))
      reader.offset = offset
      column = Int(truncatingIfNeeded: reader.number() & 0x7fff_ffff)
      offset = min(reader.offset, end)
    }
    if column < columnCount { counts[column &* stride] &+= hits }
  }
}
