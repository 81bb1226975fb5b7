import MartletEngine

/// The rows that have a token, or any of several, in order.
final class TermRows {
  /// Of one token: the entries are read as they are wanted.
  private let merger: EntryMerger?
  /// The same, where nobody counts references to get it.
  private let reference: Unmanaged<EntryMerger>?
  /// Of several: they were collected.
  private let collected: CollectedRows?
  /// Of what the term wants, the tokens that each row has, once somebody has asked for them.
  @exclusivity(unchecked) var tokens: CollectedRows?
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
    tokens = rows.hasTokens ? rows : nil
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
    if let reference {
      return try reference.lend { merger throws(SQLError) in try merger.positions(scratch) }
    }
    return try collected?.positions(index) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }
}

extension FTS5Index {
  /// The entries of a term are read as they are wanted, so that its rows can be found anew from any
  /// rowid on.
  func isReadInOrder(_ term: QueryTerm) -> Bool {
    guard term.synonyms.isEmpty, !configuration.hasTokenData else { return false }
    return !term.isPrefix || prefixKey(term.token) != nil
  }

  /// The rows of a term.
  ///
  /// - Parameter columns: Where it has to be, as far as the rows can be told apart at once.
  func cursor(of term: QueryTerm, columns: [Int]?) throws(SQLError) -> TermRows {
    // Quirk: with tokendata=1, a query writes what waits for the end of the transaction. It shows
    // in `changes()`, and in the segments.
    // `BEGIN; INSERT INTO t VALUES('a'); SELECT * FROM t('a'); SELECT changes()`
    if configuration.hasTokenData && !term.isPrefix { try flush() }
    if isReadInOrder(term) {
      if !term.isPrefix { return try cursor(ofKey: [IndexFormat.mainPrefix] + term.token) }
      if let key = prefixKey(term.token) { return try cursor(ofKey: key) }
    }
    // Prefix indexes have no tokens: they are searched for when somebody asks.
    let keepsTokens = term.keepsTokens && prefixKey(term.token, longerBy: 1) == nil
    return TermRows(try rows(of: term, columns: columns, hasTokens: keepsTokens))
  }

  private func rows(
    of term: QueryTerm, columns: [Int]?, hasTokens: Bool
  ) throws(SQLError) -> CollectedRows {
    let rows = CollectedRows(detail, columns: columns, hasTokens: hasTokens)
    for token in [term.token] + term.synonyms {
      let key = [IndexFormat.mainPrefix] + token
      if term.isPrefix, !hasTokens, !configuration.hasTokenData,
        let longer = prefixKey(token, longerBy: 1)
      {
        // A prefix index of one character more has all but the token itself, in fewer terms.
        try collect(key, isPrefix: false, into: rows)
        try collect(longer, isPrefix: true, into: rows)
      } else {
        try collect(key, isPrefix: term.isPrefix, into: rows)
      }
    }
    try rows.finish()
    return rows
  }

  /// The token that stands at a place of a row, of those that a term wants; nil where none of them
  /// does. The first time, the index is searched for all of them, unless the query has kept them
  /// (fts5 §6.6).
  func token(
    at position: Int64, ofRow rowid: Int64, for term: QueryTerm, _ rows: TermRows
  ) throws(SQLError) -> [UInt8]? {
    let known =
      if let tokens = rows.tokens { tokens } else {
        try self.rows(of: term, columns: nil, hasTokens: true)
      }
    rows.tokens = known
    return known.token(at: position, ofRow: rowid)
  }

  /// The key with which a prefix index of so many characters, or of some more, has the token.
  private func prefixKey(_ token: [UInt8], longerBy extra: Int = 0) -> [UInt8]? {
    let count = token.count { $0 & 0xc0 != 0x80 } + extra
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
    if withPending, let pending = try EntryReader.pending(self, term: term) {
      readers.append(pending)
    }
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
      while !cursor.isAtEnd {
        try rows.add(cursor)
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
    var isWanted = false
    while let entry = entries.entry {
      if entries.mayBeNewTerm {
        let term = entry.pointee.term, count = entry.pointee.termCount
        guard count >= key.count,
          ByteOrder.commonPrefix(term, start, limit: key.count) == key.count
        else { return }
        // With tokendata=1, a token ends at its first zero byte.
        isWanted = isPrefix || count == key.count || term[key.count] == 0
        if !isWanted && !configuration.hasTokenData { return }
        if isWanted {
          rows.begin(token: UnsafeBufferPointer(start: term + 1, count: count - 1))
        }
      }
      if isWanted { try rows.add(entries) }
      try entries.advance()
    }
  }
}
