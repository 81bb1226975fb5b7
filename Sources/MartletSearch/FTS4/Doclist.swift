// Doclists: the rows that have a term, and where (fts3 §9.2.3). For each row, in order of docids:
//
//     | docid, or how far it is from the one before | position list | 0 |
//
// A position list has, for each column but the first that is there, a byte of 1 and the column's
// number, then for each place the distance from the one before in the column, and 2.
import MartletEngine

/// Reads a doclist row by row.
struct DoclistReader {
  let bytes: [UInt8]
  private let isDescending: Bool
  private(set) var docid: Int64 = 0
  /// The position list of the current row, without the zero behind it.
  private(set) var list = 0..<0
  private(set) var isAtEnd = false
  private var isFirst = true

  init(_ bytes: [UInt8], isDescending: Bool) {
    self.bytes = bytes
    self.isDescending = isDescending
    read(from: 0)
  }

  /// Moves to the next row.
  mutating func advance() throws(SQLError) { read(from: list.upperBound + 1) }

  private mutating func read(from offset: Int) {
    let (delta, range) = bytes.withUnsafeBytes { bytes -> (UInt64, Range<Int>) in
      var reader = ByteReader(bytes)
      reader.offset = offset
      // Zeros that were written over what was removed.
      if !isFirst { while !reader.isAtEnd, reader.byte == 0 { reader.offset += 1 } }
      guard !reader.isAtEnd else { return (0, bytes.count..<bytes.count) }
      let delta = reader.number()
      let start = Swift.min(reader.offset, bytes.count)
      return (delta, start..<Swift.max(start, reader.skipPositions(ofColumn: false)))
    }
    guard range.lowerBound < bytes.count else {
      isAtEnd = true
      return
    }
    let known = UInt64(bitPattern: docid)
    docid = Int64(bitPattern: isFirst || !isDescending ? known &+ delta : known &- delta)
    isFirst = false
    list = range
  }
}

/// Writes a doclist row by row.
struct DoclistWriter {
  private(set) var bytes: [UInt8] = []
  private let isDescending: Bool
  private var previous: Int64 = 0

  init(isDescending: Bool) { self.isDescending = isDescending }

  /// - Throws: `corruptVirtualTable` where docids are not in order.
  mutating func add(_ docid: Int64, _ list: ArraySlice<UInt8>) throws(SQLError) {
    let isFirst = bytes.isEmpty
    if !isFirst && (isDescending ? previous <= docid : previous >= docid) { throw .searchCorrupt }
    let new = UInt64(bitPattern: docid), old = UInt64(bitPattern: previous)
    bytes.append(number: isFirst ? new : isDescending ? old &- new : new &- old)
    bytes += list
    bytes.append(0)
    previous = docid
  }
}

/// Position lists, as bytes and as places.
enum PositionList {
  /// What a list has of a column.
  static func range(of column: Int, in bytes: [UInt8], _ list: Range<Int>) -> Range<Int> {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<list.upperBound]))
      reader.offset = list.lowerBound
      var current = 0, start = list.lowerBound
      while true {
        let end = reader.skipPositions(ofColumn: true)
        if current == column { return start..<end }
        if end >= list.upperBound { return end..<end }
        start = end
        reader.offset = end + 1
        current = reader.smallNumber()
      }
    }
  }

  /// The places at the beginning of columns.
  static func firstPlaces(in bytes: [UInt8], _ list: Range<Int>) -> [UInt8] {
    var first: [UInt8] = []
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<list.upperBound]))
      reader.offset = list.lowerBound
      if reader.byte != 1 {
        if reader.byte == 2 { first.append(2) }
        _ = reader.skipPositions(ofColumn: true)
      }
      while !reader.isAtEnd {
        reader.offset += 1
        let column = reader.number()
        if reader.byte == 2 {
          first.append(1)
          first.append(number: column)
          first.append(2)
        }
        _ = reader.skipPositions(ofColumn: true)
      }
    }
    return first
  }

  /// A place: the column, and the token's number in it.
  typealias Place = Int64

  @inline(__always)
  static func place(_ column: Int, _ position: Int64) -> Place {
    Int64(column) << 32 | position & 0x7fff_ffff
  }

  static func column(_ place: Place) -> Int { Int(place >> 32) }
  static func position(_ place: Place) -> Int { Int(place & 0xffff_ffff) }

  /// The places of a list, in order.
  static func places(in bytes: [UInt8], _ list: Range<Int>) -> [Place] {
    var places: [Place] = []
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<list.upperBound]))
      reader.offset = list.lowerBound
      var column = 0, position: Int64 = 0
      while !reader.isAtEnd {
        let number = reader.number()
        if number == 0 { break }
        if number == 1 {
          column = reader.smallNumber()
          position = 0
        } else {
          position &+= Int64(bitPattern: number) &- 2
          places.append(place(column, position))
        }
      }
    }
    return places
  }

  static func encode(_ places: [Place]) -> [UInt8] {
    var bytes: [UInt8] = []
    var column = 0, previous = 0
    for place in places {
      if self.column(place) != column {
        column = self.column(place)
        previous = 0
        bytes.append(1)
        bytes.append(number: column)
      }
      bytes.append(number: position(place) - previous + 2)
      previous = position(place)
    }
    return bytes
  }

  /// All places of two lists.
  static func union(_ left: [Place], _ right: [Place]) -> [Place] {
    var result: [Place] = []
    result.reserveCapacity(left.count + right.count)
    var one = 0, other = 0
    while one < left.count || other < right.count {
      if other == right.count || one < left.count && left[one] < right[other] {
        result.append(left[one])
        one += 1
      } else {
        if one < left.count && left[one] == right[other] { one += 1 }
        result.append(right[other])
        other += 1
      }
    }
    return result
  }

  /// Places of the right list that are just so far behind one of the left.
  static func following(_ left: [Place], _ right: [Place], distance: Int) -> [Place] {
    var result: [Place] = []
    var one = 0
    for place in right {
      let wanted = place - Int64(distance)
      while one < left.count, left[one] < wanted { one += 1 }
      if one == left.count { break }
      if left[one] == wanted && column(wanted) == column(place) { result.append(place) }
    }
    return result
  }

  /// Places of the list `near` that have one of `other` in their column: at most `before` tokens
  /// before them or at most `behind` behind them.
  static func near(_ near: [Place], _ other: [Place], before: Int, behind: Int) -> [Place] {
    var result: [Place] = []
    var first = 0
    for place in near {
      let low = place - Int64(before)
      while first < other.count, other[first] < low { first += 1 }
      var index = first
      while index < other.count, other[index] <= place + Int64(behind) {
        if other[index] != place && column(other[index]) == column(place) {
          result.append(place)
          break
        }
        index += 1
      }
    }
    return result
  }
}
