import MartletEngine

/// The rows that have a token, or any of several, in order.
final class TermRows {
  /// Of one token: the entries are read as they are wanted.
  private let merger: EntryMerger?
  /// The same, where nobody counts references to get it.
  private let reference: Unmanaged<EntryMerger>?
  /// Of several: they were collected.
  private let collected: CollectedRows?
  private let scratch = GrowingBytes()
  @exclusivity(unchecked) private var index = 0

  init(_ merger: EntryMerger) {
    self.merger = merger
    reference = Unmanaged.passUnretained(merger)
    collected = nil
  }

  init(_ rows: CollectedRows) {
    merger = nil
    reference = nil
    collected = rows
  }

  @inline(__always)
  var isAtEnd: Bool {
    if let reference { return reference._withUnsafeGuaranteedRef { $0.isAtEnd } }
    return index >= (collected?.count ?? 0)
  }

  /// Of a row that there is.
  @inline(__always)
  var rowid: Int64 {
    if let reference {
      return reference._withUnsafeGuaranteedRef { $0.entry?.pointee.rowid ?? 0 }
    }
    return collected?.rowid(index) ?? 0
  }

  @inline(__always)
  func advance() throws(SQLError) {
    if let reference {
      return try reference.lend { merger throws(SQLError) in try merger.advance() }
    }
    index &+= 1
  }

  /// Moves to the first row that is not less.
  @inline(__always)
  func advance(to rowid: Int64) throws(SQLError) {
    if let reference {
      return try reference.lend { merger throws(SQLError) in try merger.advance(to: rowid) }
    }
    guard let collected else { return }
    index = collected.firstIndex(notLess: rowid, from: index)
  }

  /// The positions of the row, valid until the cursor moves.
  @inline(__always)
  func positions() throws(SQLError) -> UnsafeRawBufferPointer {
    if let merger { return try merger.positions(scratch) }
    return collected?.positions(index) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }
}

/// Rows that several tokens have, with the positions of all of them.
final class CollectedRows {
  private struct Row {
    var rowid: Int64
    var offset: Int
    var count: Int
  }

  private var rows: [Row] = []
  private let bytes = GrowingBytes()
  private let scratch = GrowingBytes()
  private var isSorted = true
  private let hasPositions: Bool
  /// Rows without positions in these are left out; nil for all.
  private let columns: [Int]?
  private let detail: Detail
  private lazy var filtered = Positions()

  init(_ detail: Detail, columns: [Int]?) {
    hasPositions = detail != .none
    self.detail = detail
    self.columns = detail == .none ? nil : columns
  }

  var count: Int { rows.count }

  func rowid(_ index: Int) -> Int64 { rows[index].rowid }

  func positions(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes.start + rows[index].offset, count: rows[index].count)
  }

  func firstIndex(notLess rowid: Int64, from first: Int) -> Int {
    var low = first, high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].rowid < rowid { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds an entry, in any order of rowids.
  func add(_ entry: EntryReader) throws(SQLError) {
    let offset = bytes.count
    if let columns {
      filtered.decode(try entry.positions(scratch))
      filtered.keep(inColumns: columns, detail)
      if filtered.count == 0 { return }
      var writer = PositionWriter()
      for place in 0..<filtered.count { try writer.append(filtered[place], to: bytes) }
    } else if hasPositions {
      let positions = try entry.positions(scratch)
      try bytes.append(positions)
    }
    if let last = rows.last, last.rowid >= entry.rowid { isSorted = false }
    rows.append(Row(rowid: entry.rowid, offset: offset, count: bytes.count - offset))
  }

  /// All entries are there: those of the same row become one.
  func finish() throws(SQLError) {
    guard !isSorted else { return }
    rows.sort { $0.rowid != $1.rowid ? $0.rowid < $1.rowid : $0.offset < $1.offset }
    var merged: [Row] = []
    let positions = Positions()
    var first = 0
    while first < rows.count {
      var end = first + 1
      while end < rows.count && rows[end].rowid == rows[first].rowid { end += 1 }
      merged.append(end == first + 1 ? rows[first] : try join(first..<end, positions))
      first = end
    }
    rows = merged
    isSorted = true
  }

  private func join(
    _ range: Range<Int>, _ positions: Positions
  ) throws(SQLError) -> Row {
    guard hasPositions else { return rows[range.lowerBound] }
    var all: [Int64] = []
    for index in range {
      positions.decode(self.positions(index))
      for place in 0..<positions.count { all.append(positions[place]) }
    }
    all.sort()
    let offset = bytes.count
    var writer = PositionWriter()
    var previous: Int64?
    for position in all where position != previous {
      try writer.append(position, to: bytes)
      previous = position
    }
    return Row(rowid: rows[range.lowerBound].rowid, offset: offset, count: bytes.count - offset)
  }
}

extension FTS5Index {
  /// The rows of a term.
  ///
  /// - Parameter columns: Where it has to be, as far as the rows can be told apart at once.
  func cursor(of term: QueryTerm, columns: [Int]?) throws(SQLError) -> TermRows {
    if term.synonyms.isEmpty && !configuration.hasTokenData {
      if !term.isPrefix { return try cursor(ofKey: [IndexFormat.mainPrefix] + term.token) }
      if let key = prefixKey(term.token) { return try cursor(ofKey: key) }
    }
    let rows = CollectedRows(detail, columns: columns)
    for token in [term.token] + term.synonyms {
      try collect([IndexFormat.mainPrefix] + token, isPrefix: term.isPrefix, into: rows)
    }
    try rows.finish()
    return TermRows(rows)
  }

  /// The key that a prefix index has of these characters.
  private func prefixKey(_ token: [UInt8]) -> [UInt8]? {
    let count = token.count { $0 & 0xc0 != 0x80 }
    guard let number = configuration.prefixes.firstIndex(of: count) else { return nil }
    return [IndexFormat.mainPrefix &+ UInt8(truncatingIfNeeded: number + 1)] + token
  }

  func cursor(ofKey key: [UInt8]) throws(SQLError) -> TermRows {
    try key.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in
        TermRows(
          try EntryMerger(try readers(ofTerm: bytes), isOneTerm: true, skipsDeletions: true))
      }
    }.get()
  }

  /// Those that have the term, the newest first.
  func readers(
    ofTerm term: UnsafeRawBufferPointer, withPending: Bool = true
  ) throws(SQLError) -> [EntryReader] {
    let structure = try structure()
    var readers: [EntryReader] = []
    if withPending, let pending = try EntryReader.pending(self, term: term) { readers.append(pending) }
    for level in structure.levels {
      for segment in level.segments.reversed() {
        let reader = try EntryReader(self, segment, term: term, orGreater: false)
        if !reader.isAtEnd { readers.append(reader) }
      }
    }
    return readers
  }

  /// All entries from a term on, the beginning without one.
  func merger(from term: UnsafeRawBufferPointer?) throws(SQLError) -> EntryMerger {
    let structure = try structure()
    var readers: [EntryReader] = []
    if let pending = try EntryReader.pending(self, from: term) { readers.append(pending) }
    for level in structure.levels {
      for segment in level.segments.reversed() {
        let reader =
          if let term {
            try EntryReader(self, segment, term: term, orGreater: true)
          } else {
            try EntryReader(self, firstOf: segment)
          }
        if !reader.isAtEnd { readers.append(reader) }
      }
    }
    return try EntryMerger(readers, isOneTerm: false, skipsDeletions: true)
  }

  private func collect(
    _ key: [UInt8], isPrefix: Bool, into rows: CollectedRows
  ) throws(SQLError) {
    if !isPrefix && !configuration.hasTokenData {
      let cursor = try key.withUnsafeBytes { bytes in
        Result { () throws(SQLError) in
          try EntryMerger(try readers(ofTerm: bytes), isOneTerm: true, skipsDeletions: true)
        }
      }.get()
      while let entry = cursor.current {
        try rows.add(entry)
        try cursor.advance()
      }
      return
    }
    try key.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in try collect(from: bytes, isPrefix: isPrefix, into: rows) }
    }.get()
  }

  private func collect(
    from key: UnsafeRawBufferPointer, isPrefix: Bool, into rows: CollectedRows
  ) throws(SQLError) {
    guard let start = key.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let entries = try merger(from: key)
    while let entry = entries.current {
      let term = entry.term
      guard term.count >= key.count,
        ByteOrder.commonPrefix(term.start, start, limit: key.count) == key.count
      else { return }
      // With tokendata=1, a token ends at its first zero byte.
      if isPrefix || term.count == key.count || term.start[key.count] == 0 {
        try rows.add(entry)
      } else if !configuration.hasTokenData {
        return
      }
      try entries.advance()
    }
  }
}
