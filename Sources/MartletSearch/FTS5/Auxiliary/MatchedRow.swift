import MartletEngine

/// What was asked of the current row.
struct MatchedRow {
  /// Phrase, column and offset of each instance, in order; nil before they are wanted.
  var instances: [PhraseInstance]?
  /// Tokens of each column.
  var sizes: [Int]?
  /// Where each phrase is, found in the row's text: for tables whose index does not know.
  var found: [Positions]?
  /// The result of a query that is none.
  var special: Int64 = 0

  mutating func clear() {
    if instances != nil { instances = nil }
    if sizes != nil { sizes = nil }
    if found != nil { found = nil }
  }
}

/// Where a phrase of the query is in a row.
public struct PhraseInstance: Sendable {
  public let phrase: Int
  public let column: Int
  /// Of its first token.
  public let offset: Int
}

// MARK: - What auxiliary functions ask (fts5 §7.2)

extension FTS5Cursor {
  /// Columns of the table (`xColumnCount`).
  public var columnCount: Int { configuration.columns.count }

  /// Rows of the table (`xRowCount`).
  public func rowCount() throws(SQLError) -> Int64 { try table.storage.rowCount() }

  /// Tokens of a column in all rows; of all columns with nil (`xColumnTotalSize`).
  public func totalSize(ofColumn column: Int?) throws(SQLError) -> Int64 {
    try table.storage.totalSize(ofColumn: column)
  }

  /// Phrases of the query (`xPhraseCount`).
  public var phraseCount: Int { expression?.phrases.count ?? 0 }

  /// Tokens of a phrase (`xPhraseSize`).
  public func size(ofPhrase number: Int) -> Int {
    guard let expression, expression.phrases.indices.contains(number) else { return 0 }
    return expression.phrases[number].terms.count
  }

  /// Where a phrase is in the row, in order; nil where it is not there.
  func positions(ofPhrase number: Int) throws(SQLError) -> Positions? {
    guard configuration.detail == .full else {
      let found = try foundPhrases()
      return found.indices.contains(number) && found[number].count > 0 ? found[number] : nil
    }
    if let sorted { return sorted.positions(ofPhrase: number) }
    guard plan == .match else { return nil }
    return try expression?.positions(ofPhrase: number)
  }

  /// Looks for the phrases of the query in the row's text. With detail=column or none each has one
  /// token.
  private func foundPhrases() throws(SQLError) -> [Positions] {
    if let known = row.found { return known }
    let phrases = expression?.phrases ?? []
    let found = phrases.map { _ in Positions() }
    guard !configuration.isContentless, plan == .match || plan == .sorted else { return found }
    var isHit: [Bool] = []
    for number in phrases.indices {
      // Behind sorting by rank, the whole query is looked for anew.
      if let sorted {
        isHit.append(sorted.isRanked || sorted.positions(ofPhrase: number) != nil)
      } else {
        isHit.append(try expression?.isHit(number) ?? false)
      }
    }
    for column in 0..<columnCount {
      var offset = -1
      try withText(ofColumn: column) { text, locale throws(SQLError) in
        guard let text else { return }
        try configuration.tokenize(text, .document, locale: locale) {
          token, isColocated, _, _ throws(SQLError) in
          if !isColocated { offset += 1 }
          for number in phrases.indices where isHit[number] {
            if let columns = expression?.columns(ofPhrase: number), !columns.contains(column) {
              continue
            }
            guard phrases[number].terms.first?.matches(token, configuration) ?? false else {
              continue
            }
            found[number].append(Position.make(column, max(offset, 0)))
          }
        }
      }
    }
    if let sorted, sorted.isRanked { expression?.keepFound(found) }
    row.found = found
    return found
  }

  /// All instances of phrases in the row, by their positions (`xInstCount`, `xInst`).
  public func instances() throws(SQLError) -> [PhraseInstance] {
    if let known = row.instances { return known }
    var found: [(position: Int64, phrase: Int)] = []
    for number in 0..<phraseCount {
      guard let positions = try positions(ofPhrase: number) else { continue }
      for index in 0..<positions.count { found.append((positions[index], number)) }
    }
    if phraseCount > 1 {
      found.sort { $0.position != $1.position ? $0.position < $1.position : $0.phrase < $1.phrase }
    }
    var instances: [PhraseInstance] = []
    instances.reserveCapacity(found.count)
    for (position, phrase) in found {
      let column = Position.column(position)
      guard column < columnCount else { throw table.index.corruptIndex }
      instances.append(
        PhraseInstance(phrase: phrase, column: column, offset: Position.offset(position)))
    }
    row.instances = instances
    return instances
  }

  /// Calls `body` with a column of the row as UTF-8, and its locale (`xColumnText`,
  /// `xColumnLocale`). The text is nil where the table has none.
  ///
  /// - Throws: `range` for a column that there is not.
  public func withText(
    ofColumn column: Int,
    _ body: (UnsafeRawBufferPointer?, _ locale: UnsafeRawBufferPointer?) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard (0..<columnCount).contains(column) else { throw SQLError(.range) }
    if configuration.contentKind == .none
      || configuration.contentKind == .unindexed && !configuration.isUnindexed[column]
    {
      return try body(nil, nil)
    }
    let row = try plainContentRow()
    guard let value = row.currentRow.value(column + 1) else { return try body(nil, nil) }
    let place = table.storage.localeColumn(column)
    // Who works with a text may ask for others meanwhile: where phrases are, for instance.
    let bytes = idleText ?? ValueBytes()
    idleText = nil
    defer { idleText = bytes }
    let (locale, text) = try bytes.parts(
      value, place.flatMap { row.currentRow.value($0) }, configuration)
    try body(text, locale)
  }

  /// Auxiliary functions are told only the code of what is wrong with the content.
  private func plainContentRow() throws(SQLError) -> Statement {
    do throws(SQLError) { return try contentRow() } catch { throw SQLError(error.code) }
  }

  /// Cuts a text into tokens as the table does (`xTokenize_v2`).
  public func tokenize(
    _ text: UnsafeRawBufferPointer, locale: UnsafeRawBufferPointer?,
    _ body: (
      _ token: UnsafeRawBufferPointer, _ isColocated: Bool, _ start: Int, _ end: Int
    ) throws(SQLError) -> Void
  ) throws(SQLError) {
    try configuration.tokenize(text, .auxiliary, locale: locale, body)
  }

  /// Tokens of a column of the row, of all columns with nil (`xColumnSize`); -1 where nobody knows.
  ///
  /// - Throws: `range` for a column that there is not.
  public func size(ofColumn column: Int?) throws(SQLError) -> Int {
    if column == nil, row.sizes == nil, configuration.hasColumnSizes {
      guard let size = try table.storage.readSize(ofRow: try rowid()) else {
        throw table.index.corruptIndex
      }
      return size
    }
    let sizes = try columnSizes()
    guard let column else { return sizes.reduce(0, &+) }
    guard sizes.indices.contains(column) else { throw SQLError(.range) }
    return sizes[column]
  }

  private func columnSizes() throws(SQLError) -> [Int] {
    if let known = row.sizes { return known }
    var sizes = Array(repeating: 0, count: columnCount)
    if configuration.hasColumnSizes {
      guard try table.storage.readSizes(ofRow: try rowid(), into: &sizes) else {
        throw table.index.corruptIndex
      }
    } else {
      for column in sizes.indices where !configuration.isUnindexed[column] {
        sizes[column] = try countTokens(ofColumn: column)
      }
    }
    row.sizes = sizes
    return sizes
  }

  private func countTokens(ofColumn column: Int) throws(SQLError) -> Int {
    if configuration.isContentless { return -1 }
    var count = 0
    try withText(ofColumn: column) { text, locale throws(SQLError) in
      guard let text else { return }
      try tokenize(text, locale: locale) { _, isColocated, _, _ throws(SQLError) in
        if !isColocated { count += 1 }
      }
    }
    return count
  }

  /// How many rows of the table have a phrase (`xQueryPhrase`).
  public func rowCount(ofPhrase number: Int) throws(SQLError) -> Int64 {
    guard let rows = expression?.expression(ofPhrase: number) else { return 0 }
    var count: Int64 = 0
    try rows.first(from: Int64.min)
    while !rows.isAtEnd {
      count += 1
      try rows.next()
    }
    return count
  }
}
