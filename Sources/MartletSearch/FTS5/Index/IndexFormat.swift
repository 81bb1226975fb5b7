// Where the index keeps what, in `%_data(id, block)` (fts5 §9.2.1):
//
//     1                                     the averages
//     10                                    the structure
//     segment << 37 | dlidx << 36 | height << 31 | page
//                                           a page of a segment, or of a doclist index
//     (segment + 65536) << 37 | page        a page of rowids that were deleted from a segment
//
// A page of a segment (fts5 §9.2.4.2):
//
//     | first rowid u16 | content size u16 | content … | offsets of terms, each a varint |
//
// Terms, rowids and position lists follow each other in the content. The first rowid is the offset
// of a rowid that stands before the first term, 0 where there is none. Offsets of terms are those
// from the one before.
import MartletEngine

enum IndexFormat {
  static let averagesRow: Int64 = 1
  static let structureRow: Int64 = 10
  static let headerSize = 4
  /// Segments are numbered from 1 on; there are never more than these.
  static let mostSegments = 2_000
  /// Levels that OPTIMIZE makes of a structure, without the one that it merges into.
  static let mostOptimizedLevels = 64
  /// Levels of a structure that can be read.
  static let mostLevels = 2_000
  /// A doclist index is written for a term whose list leaves so many pages without a term.
  static let fewestPagesForDoclistIndex = 4
  /// Pages that are written between two automatic merges.
  static let workUnit = 64
  /// Pages that OPTIMIZE merges before it looks again.
  static let optimizeUnit = 1_000
  /// Longest token in bytes: more of it is dropped.
  static let longestToken = 32_768
  /// The first byte of a key of the main index; prefix indexes have the characters behind it.
  static let mainPrefix: UInt8 = 0x30

  static func segmentRow(_ segment: Int, page: Int) -> Int64 {
    row(segment, isDoclistIndex: false, height: 0, page)
  }

  static func doclistIndexRow(_ segment: Int, height: Int, page: Int) -> Int64 {
    row(segment, isDoclistIndex: true, height: height, page)
  }

  static func tombstoneRow(_ segment: Int, page: Int) -> Int64 {
    row(segment + 1 << 16, isDoclistIndex: false, height: 0, page)
  }

  private static func row(
    _ segment: Int, isDoclistIndex: Bool, height: Int, _ page: Int
  ) -> Int64 {
    let high = Int64(segment) << 37 &+ (isDoclistIndex ? 1 << 36 : 0)
    return high &+ Int64(height) << 31 &+ Int64(page)
  }
}

/// What the index stores of each token (fts5 §4.6).
enum Detail: Int {
  /// Columns and offsets.
  case full
  /// Columns.
  case column
  /// That the row has it.
  case none
}

/// A position: a column, and an offset in tokens.
enum Position {
  @inline(__always)
  static func make(_ column: Int, _ offset: Int) -> Int64 {
    Int64(column) << 32 + Int64(offset)
  }

  @inline(__always)
  static func column(_ position: Int64) -> Int { Int(position >> 32) & 0x7fff_ffff }

  @inline(__always)
  static func offset(_ position: Int64) -> Int { Int(position & 0x7fff_ffff) }
}

/// Reads the positions of one row one after the other.
struct PositionReader {
  private var place: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  private(set) var position: Int64 = 0

  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    place = bytes
    end = bytes + count
  }

  /// Moves to the next position; false at the end, and where no list would go on like this.
  @inline(__always)
  mutating func next() -> Bool {
    guard place < end else { return false }
    var value = 0
    place += Varint.readSmall(place, &value)
    if value <= 1 {
      guard value == 1 else { return stop() }
      var column = 0
      place += Varint.readSmall(place, &column)
      position = Int64(column) << 32
      place += Varint.readSmall(place, &value)
      guard value >= 2 else { return stop() }
    }
    position = position & (0x7fff_ffff << 32) &+ (position &+ Int64(value) &- 2) & 0x7fff_ffff
    return true
  }

  /// Moves to the first position of the next column: as `next`, without looking at those before it.
  @inline(__always)
  mutating func nextColumn() -> Bool {
    while place < end {
      let byte = place.pointee
      if byte >= 0x80 {
        var value = 0
        let size = Varint.readSmall(place, &value)
        guard value > 1 else { return next() }
        place += size
      } else if byte > 1 {
        place += 1
      } else {
        return next()
      }
    }
    return false
  }

  private mutating func stop() -> Bool {
    place = end
    return false
  }
}

/// Writes positions in order.
struct PositionWriter {
  private var previous: Int64 = 0

  @inline(__always)
  mutating func append(_ position: Int64, to bytes: GrowingBytes) throws(SQLError) {
    let columnMask: Int64 = 0x7fff_ffff << 32
    if position & columnMask != previous & columnMask {
      try bytes.append(1)
      try bytes.append(varint: Int(position >> 32))
      previous = position & columnMask
    }
    try bytes.append(varint: UInt64(bitPattern: position &- previous &+ 2))
    previous = position
  }
}
