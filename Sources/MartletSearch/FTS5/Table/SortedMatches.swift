import MartletEngine

/// The matches of a query in the order of their ranks, or from the last rowid to the first, with
/// where its phrases are.
final class SortedMatches {
  private struct Match {
    var number: Double
    var rowid: Int64
    /// Of the lists of positions.
    var offset: Int
    /// In the order of `others`; 0 where the rank is a number.
    var other: Int
  }

  @exclusivity(unchecked) private var matches: [Match] = []
  /// Ranks that are no reals.
  @exclusivity(unchecked) private var others: [ValueReference] = []
  private let bytes = GrowingBytes()
  private let phraseCount: Int
  @exclusivity(unchecked) private var current = 0
  @exclusivity(unchecked) private(set) var isRanked = false
  private let list = Positions()

  private let hasPositions: Bool

  init(phraseCount: Int, hasPositions: Bool) {
    self.phraseCount = phraseCount
    self.hasPositions = hasPositions
  }

  deinit { for value in others { value.deallocate() } }

  /// Adds the row at which the query is.
  func add(_ expression: QueryExpression, _ key: ValueReference?) throws(SQLError) {
    var match = Match(number: 0, rowid: expression.rowid, offset: bytes.count, other: 0)
    if let key {
      if key.type == .real {
        match.number = key.double
      } else {
        try others.makeRoom()
        others.append(try key.copy())
        match.other = others.count
      }
    }
    for number in 0..<phraseCount {
      let sizeOffset = bytes.count
      for _ in 0..<4 { try bytes.append(0) }
      if !hasPositions {
        // That it is there is all that is known.
        if try expression.isHit(number) { try bytes.append(2) }
      } else if let list = try expression.storedPositions(ofPhrase: number) {
        if let start = list.baseAddress {
          try bytes.append(start.assumingMemoryBound(to: UInt8.self), list.count)
        }
      } else if let positions = try expression.positions(ofPhrase: number) {
        var writer = PositionWriter()
        for index in 0..<positions.count { try writer.append(positions[index], to: bytes) }
      }
      let size = bytes.count - sizeOffset - 4
      bytes.putUInt16(size >> 16, at: sizeOffset)
      bytes.putUInt16(size & 0xffff, at: sizeOffset + 2)
    }
    try matches.makeRoom()
    matches.append(match)
  }

  /// All matches are there. Those of the same rank keep their order.
  func finish(isRanked: Bool, isDescending: Bool) throws(SQLError) {
    self.isRanked = isRanked
    guard isRanked else { return matches.reverse() }
    try matches.requireRoomForCopy()
    if others.isEmpty {
      matches.sort {
        if $0.number != $1.number {
          return isDescending ? $0.number > $1.number : $0.number < $1.number
        }
        return $0.rowid < $1.rowid
      }
      return
    }
    matches.sort {
      let order = compare($0, $1)
      if order != 0 { return isDescending ? order > 0 : order < 0 }
      return $0.rowid < $1.rowid
    }
  }

  private func compare(_ left: Match, _ right: Match) -> Int {
    RankOrder.compare(rank(left), rank(right))
  }

  private func rank(_ match: Match) -> RankOrder.Key {
    match.other == 0 ? .number(match.number) : RankOrder.key(others[match.other - 1])
  }

  var isEmpty: Bool { matches.isEmpty }
  var count: Int { matches.count }
  var isAtEnd: Bool { current >= matches.count }
  var rowid: Int64 { isAtEnd ? 0 : matches[current].rowid }

  func advance() { current += 1 }

  /// The rank of the row where it is a real; nil where it has to be asked for.
  var number: Double? {
    guard isRanked, !isAtEnd, matches[current].other == 0 else { return nil }
    return matches[current].number
  }

  /// Where a phrase is in the row.
  func positions(ofPhrase number: Int) -> Positions? {
    guard !isAtEnd, number < phraseCount else { return nil }
    var offset = matches[current].offset
    for _ in 0..<number { offset += 4 + size(at: offset) }
    list.decode(
      UnsafeRawBufferPointer(start: bytes.start + offset + 4, count: size(at: offset)))
    return list.count > 0 ? list : nil
  }

  private func size(at offset: Int) -> Int {
    var size = 0
    for index in 0..<4 { size = size << 8 | Int(bytes.start[offset + index]) }
    return size
  }
}

/// Ranks that are not all reals, in the order of SQL's values.
enum RankOrder {
  enum Key {
    case null
    case integer(Int64)
    case number(Double)
    case text([UInt8])
    case blob([UInt8])
  }

  static func key(_ value: ValueReference) -> Key {
    switch value.type {
    case .null: return .null
    case .integer: return .integer(value.int64)
    case .real: return .number(value.double)
    case .text: return .text(bytes(value))
    default: return .blob(bytes(value))
    }
  }

  private static func bytes(_ value: ValueReference) -> [UInt8] {
    do throws(SQLError) { return Array(try value.bytes()) } catch { return [] }
  }

  static func compare(_ left: Key, _ right: Key) -> Int {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.number(let a), .number(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .number(let b)): return compare(.number(Double(a)), .number(b))
    case (.number(let a), .integer(let b)): return compare(.number(a), .number(Double(b)))
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)):
      return a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
    default: return order(left) - order(right)
    }
  }

  private static func order(_ key: Key) -> Int {
    switch key {
    case .null: 0
    case .integer, .number: 1
    case .text: 2
    case .blob: 3
    }
  }
}
