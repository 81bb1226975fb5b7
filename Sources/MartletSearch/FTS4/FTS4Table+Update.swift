import MartletEngine

/// How many tokens the columns of a row have, and how many bytes all of them.
struct RowSizes {
  var tokens: [UInt32]
  var byteCount: UInt32 = 0

  init(columnCount: Int) { tokens = Array(repeating: 0, count: columnCount) }

  var all: [UInt32] { tokens + [byteCount] }
}

extension FTS4Table {
  /// What a change adds to the totals in `%_stat`.
  private struct Totals {
    var inserted: RowSizes
    var deleted: RowSizes
    var rowCount: Int64 = 0

    init(columnCount: Int) {
      inserted = RowSizes(columnCount: columnCount)
      deleted = RowSizes(columnCount: columnCount)
    }
  }

  /// Inserts, changes or deletes a row, or runs a command (fts3 §1.3, §7).
  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    let isWritten = change.kind != .delete
    if isWritten {
      if change.oldRowid.isNull, !change[columnCount].isNull {
        try runCommand(change[columnCount])
        return 0
      }
      if language(change) < 0 { throw SQLError(.constraint) }
    }
    if index.isIdle { try beginWriting() }
    var totals = Totals(columnCount: columnCount)
    var docid: Int64 = 0, isInserted = false
    if isWritten, declaration.content == nil {
      let hasDocid = !change[columnCount + 1].isNull
      let new = hasDocid ? change[columnCount + 1] : change.newRowid
      if !new.isNull, change.oldRowid.isNull || change.oldRowid.int64 != new.int64 {
        if change.conflictPolicy == .replace {
          try delete(change.reference(hasDocid ? columnCount + 3 : 1), &totals)
        } else {
          docid = try insertContent(change)
          isInserted = true
        }
      }
    }
    if !change.oldRowid.isNull { try delete(change.reference(0), &totals) }
    if isWritten {
      if !isInserted { docid = try insertAgain(change) }
      try index.beginRow(docid, language: language(change), isDeletion: false)
      for column in 0..<columnCount where !declaration.notIndexed[column] {
        try add(change[column], column, language(change), &totals.inserted)
      }
      if declaration.hasDocSizes { try writeSizes(totals.inserted) }
      totals.rowCount += 1
    }
    if declaration.isFTS4 {
      try updateTotals(totals.inserted, totals.deleted, rowCount: totals.rowCount)
    }
    return docid
  }

  /// Gets the write lock before anything waits in memory.
  private func beginWriting() throws(SQLError) {
    let statement = try shadow.statement(.deleteLevel)
    try statement.bindNull(at: 1)
    try shadow.run(statement)
  }

  private func language(_ change: borrowing VirtualTableChange) -> Int64 {
    Int64(Int32(truncatingIfNeeded: change[columnCount + 2].int64))
  }

  private func insertAgain(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    do throws(SQLError) {
      return try insertContent(change)
    } catch {
      // The row was deleted, or has a new docid: somebody else has changed the table.
      let isCorrupt = error.code.primary == .constraint && declaration.content == nil
      throw isCorrupt ? .searchCorrupt : error
    }
  }

  /// Writes a row to `%_content`, unless the content is somewhere else.
  private func insertContent(
    _ change: borrowing VirtualTableChange
  ) throws(SQLError) -> Int64 {
    let docid = change[columnCount + 1]
    guard declaration.content == nil else {
      let rowid = docid.isNull ? change.newRowid : docid
      guard rowid.type == .integer else { throw SQLError(.constraint) }
      return rowid.int64
    }
    let statement = try shadow.statement(.insertContent)
    for position in 0...columnCount {
      guard let value = change.reference(position + 1) else { break }
      try statement.bind(value, at: position + 1)
    }
    if declaration.languageColumn != nil {
      try statement.bind(language(change), at: columnCount + 2)
    }
    if !docid.isNull {
      if change.oldRowid.isNull && !change.newRowid.isNull { throw SQLError(.error) }
      if let value = change.reference(columnCount + 3) { try statement.bind(value, at: 1) }
    }
    do throws(SQLError) {
      try shadow.run(statement)
    } catch {
      // Which constraint of `%_content` it was, is no matter of the table's.
      throw error.code.primary == .constraint ? SQLError(.constraint) : error
    }
    return connection.lastInsertRowID
  }

  // MARK: Terms

  private func add(
    _ value: VirtualTableArgument, _ column: Int, _ language: Int64, _ sizes: inout RowSizes
  ) throws(SQLError) {
    if value.isNull {
      sizes.tokens[column] = 0
      return
    }
    try add(try value.bytes(), column: column, to: column, language: language, &sizes)
  }

  /// Cuts a text into tokens, which wait in memory for the index.
  ///
  /// - Parameter column: What the index is told; -1 for a row that is deleted.
  func add(
    _ text: UnsafeRawBufferPointer, column: Int, to sizeColumn: Int, language: Int64,
    _ sizes: inout RowSizes
  ) throws(SQLError) {
    var count = 0, isWrong = false
    let index = index
    try tokenize(text, language: language) { token, _, _, position throws(SQLError) in
      if token.isEmpty || position < 0 { isWrong = true }
      if isWrong { return }
      try index.add(token, column: column, position: position)
      count = max(count, position &+ 1)
    }
    if isWrong { throw SQLError(.error) }
    sizes.tokens[sizeColumn] &+= UInt32(truncatingIfNeeded: count)
    sizes.byteCount &+= UInt32(truncatingIfNeeded: text.count)
  }

  /// Cuts a text, up to a zero byte unless it is whole, into tokens.
  func tokenize(
    _ text: UnsafeRawBufferPointer, language: Int64, isWhole: Bool = false,
    _ body: (
      UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ position: Int
    ) throws(SQLError) -> Void
  ) throws(SQLError) {
    let count = isWhole ? text.count : text.firstIndex(of: 0) ?? text.count
    do {
      try tokenizer.tokenize(
        UnsafeRawBufferPointer(rebasing: text[..<count]), language: language, body)
    } catch let error as SQLError {
      throw error
    } catch {
      throw SQLError(.error)
    }
  }

  /// Cuts a text into tokens as long as `body` says so.
  func tokenizeUpTo(
    _ text: UnsafeRawBufferPointer, language: Int64,
    _ body: (_ start: Int, _ end: Int, _ position: Int) -> Bool
  ) throws(SQLError) {
    struct Enough: Error {}
    do {
      try tokenizer.tokenize(text, language: language) { _, start, end, position in
        if !body(start, end, position) { throw Enough() }
      }
    } catch let error as SQLError {
      throw error
    } catch is Enough {
      return
    } catch {
      throw SQLError(.error)
    }
  }

  /// - Parameter value: Any value; a number with a fraction is no row's docid.
  private func delete(_ value: ValueReference?, _ totals: inout Totals) throws(SQLError) {
    guard let value, let docid = try deleteTerms(value, &totals.deleted) else { return }
    if declaration.content == nil, try shadow.number(.isEmpty, docid) == 1 {
      try deleteAll(withContent: true)
      totals.rowCount = 0
      totals.deleted = RowSizes(columnCount: columnCount)
      return
    }
    totals.rowCount -= 1
    if declaration.content == nil { try shadow.run(.deleteContent, docid) }
    if declaration.hasDocSizes { try shadow.run(.deleteDocSize, docid) }
  }

  /// Tells the index of the terms that a row had.
  ///
  /// - Returns: Its docid; nil where there is no such row.
  private func deleteTerms(
    _ value: ValueReference, _ sizes: inout RowSizes
  ) throws(SQLError) -> Int64? {
    var found: Int64?
    var deleted = sizes
    let rows = try shadow.statement(.selectContent)
    try rows.bind(value, at: 1)
    try shadow.forEach(rows) { row throws(SQLError) in
      let docid = row.columnInt64(0)
      found = docid
      let language = language(ofRow: row)
      try index.beginRow(docid, language: language, isDeletion: true)
      for column in 0..<columnCount where !declaration.notIndexed[column] {
        if row.columnType(column + 1) == .null {
          // Quirk: of two rows that go at once, the first counts for nothing then, as in
          // `UPDATE OR REPLACE t SET docid = 1 WHERE docid = 2` with a NULL in row 2.
          deleted.tokens[column] = 0
          continue
        }
        try add(try text(of: row, column), column: -1, to: column, language: language, &deleted)
      }
    }
    sizes = deleted
    return found
  }

  func language(ofRow row: Statement) -> Int64 {
    guard declaration.languageColumn != nil else { return 0 }
    return Int64(Int32(truncatingIfNeeded: row.columnInt64(columnCount + 1)))
  }

  /// A column of a row as text.
  func text(of row: Statement, _ column: Int) throws(SQLError) -> UnsafeRawBufferPointer {
    try row.columnTextBytes(column + 1)
  }

  func deleteAll(withContent: Bool) throws(SQLError) {
    index.dropPending()
    if withContent { try shadow.run(.deleteAllContent) }
    try shadow.run(.deleteAllBlocks)
    try shadow.run(.deleteAllSegments)
    if declaration.hasDocSizes { try shadow.run(.deleteAllDocSizes) }
    if index.hasStat { try shadow.run(.deleteAllStats) }
  }

  // MARK: Sizes

  private func writeSizes(_ sizes: RowSizes) throws(SQLError) {
    try shadow.write(.writeDocSize, index.pendingDocid, FTS4Number.encode(sizes.tokens))
  }

  private func updateTotals(
    _ inserted: RowSizes, _ deleted: RowSizes, rowCount: Int64
  ) throws(SQLError) {
    let known = try shadow.bytes(.readStat, FTS4Stat.totals) ?? []
    var totals = known.withUnsafeBytes { FTS4Number.decode($0, count: columnCount + 2) }
    let change = UInt32(truncatingIfNeeded: rowCount)
    let isBelowZero = rowCount < 0 && Int64(totals[0]) < -rowCount
    totals[0] = isBelowZero ? 0 : totals[0] &+ change
    for (index, (added, removed)) in zip(inserted.all, deleted.all).enumerated() {
      let sum = totals[index + 1] &+ added
      totals[index + 1] = sum < removed ? 0 : sum &- removed
    }
    try shadow.write(.writeStat, FTS4Stat.totals, FTS4Number.encode(totals))
  }

  // MARK: Commands

  /// `INSERT INTO table(table) VALUES(…)`
  private func runCommand(_ value: VirtualTableArgument) throws(SQLError) {
    let text = String(
      decoding: try value.bytes().map { ASCIILetters.lower($0) }, as: UTF8.self)
    switch text {
    case "optimize": _ = try index.optimize()
    case "rebuild": try rebuild()
    case "integrity-check": if try !isIntact() { throw .searchCorrupt }
    case "flush": try index.flush()
    default:
      if text.hasPrefix("merge="), text.utf8.count > 6 {
        try index.mergeIncrementally(Array(text.utf8.dropFirst(6)))
      } else if text.hasPrefix("automerge="), text.utf8.count > 10 {
        try setAutomerge(Array(text.utf8.dropFirst(10)))
      } else {
        throw SQLError(.error)
      }
    }
  }

  /// Builds the index again from the content.
  private func rebuild() throws(SQLError) {
    try deleteAll(withContent: false)
    var inserted = RowSizes(columnCount: columnCount)
    var rowCount: Int64 = 0
    let rows: Statement
    do throws(SQLError) {
      rows = try connection.prepare(forVirtualTable: "SELECT \(shadow.readList)")
    } catch {
      throw SQLError(error.code)
    }
    try shadow.forEach(rows) { row throws(SQLError) in
      let language = language(ofRow: row)
      try index.beginRow(row.columnInt64(0), language: language, isDeletion: false)
      var sizes = RowSizes(columnCount: columnCount)
      for column in 0..<columnCount where !declaration.notIndexed[column] {
        if row.columnType(column + 1) == .null { continue }
        try add(try text(of: row, column), column: column, to: column, language: language, &sizes)
      }
      if declaration.hasDocSizes { try writeSizes(sizes) }
      rowCount += 1
      for column in 0..<columnCount { inserted.tokens[column] &+= sizes.tokens[column] }
      inserted.byteCount &+= sizes.byteCount
    }
    if declaration.isFTS4 {
      try updateTotals(inserted, RowSizes(columnCount: columnCount), rowCount: rowCount)
    }
  }

  private func setAutomerge(_ text: [UInt8]) throws(SQLError) {
    var reader = text[...]
    var count = FTS4Index.readNumber(&reader)
    if count == 1 || count > FTS4Index.mergeCount { count = 8 }
    index.automerge = count
    if !index.hasStat {
      try shadow.makeStatTable()
      index.hasStat = true
    }
    try shadow.run(.writeStat, FTS4Stat.automerge, Int64(count))
  }
}
