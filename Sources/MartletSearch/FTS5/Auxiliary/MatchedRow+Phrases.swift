import MartletEngine

// MARK: - More that auxiliary functions ask (fts5 §7.2)

extension FTS5Cursor {
  /// What a function keeps for all rows of the scan (`xSetAuxdata`, `xGetAuxdata`).
  public subscript(keptBy function: AnyObject) -> AnyObject? {
    get { kept[ObjectIdentifier(function)] }
    set { kept[ObjectIdentifier(function)] = newValue }
  }

  /// A token of a phrase of the query (`xQueryToken`); nil where there is none.
  public func token(ofPhrase number: Int, at index: Int) -> [UInt8]? {
    guard let phrases = expression?.phrases, phrases.indices.contains(number),
      phrases[number].terms.indices.contains(index)
    else { return nil }
    return phrases[number].terms[index].token + phrases[number].terms[index].data
  }

  /// A token of the row that belongs to an instance of a phrase (`xInstToken`); nil where there is
  /// none. It is what the index has; where that has no places, what the text does.
  public func token(ofInstance number: Int, at index: Int) throws(SQLError) -> [UInt8]? {
    let instances = try instances()
    guard instances.indices.contains(number), index >= 0,
      index < size(ofPhrase: instances[number].phrase)
    else { return nil }
    let instance = instances[number]
    if configuration.detail == .full {
      return try expression?.token(
        ofPhrase: instance.phrase, at: index,
        Position.make(instance.column, instance.offset + index), ofRow: try rowid())
    }
    var found: [UInt8]?, offset = -1
    try withText(ofColumn: instance.column) { text, locale throws(SQLError) in
      guard let text else { return }
      try configuration.tokenize(text, .document, locale: locale) {
        token, isColocated, _, _ throws(SQLError) in
        if !isColocated { offset += 1 }
        if offset == instance.offset + index && found == nil { found = Array(token) }
      }
    }
    return found
  }

  /// Where a phrase is in the row, in order (`xPhraseFirst`).
  ///
  /// A damaged index may name a column that there is not: the last one is given then, as functions
  /// count by columns.
  ///
  /// - Throws: `range` where the query has no such phrase.
  public func places(
    ofPhrase number: Int
  ) throws(SQLError) -> [(column: Int, offset: Int)] {
    guard 0..<phraseCount ~= number else { throw SQLError(.range) }
    guard let positions = try positions(ofPhrase: number) else { return [] }
    return (0..<positions.count).map {
      (min(Position.column(positions[$0]), columnCount - 1), Position.offset(positions[$0]))
    }
  }

  /// The columns of the row that have a phrase, in order (`xPhraseFirstColumn`). The last one
  /// stands for those of a damaged index that the table does not have, which C hands out.
  ///
  /// - Throws: `range` where the query has no such phrase.
  public func columns(ofPhrase number: Int) throws(SQLError) -> [Int] {
    guard 0..<phraseCount ~= number else { throw SQLError(.range) }
    var columns: [Int] = []
    func add(_ column: Int) {
      let known = min(column, columnCount - 1)
      if columns.last != known { columns.append(known) }
    }
    if configuration.detail == .column, plan == .match || plan == .sorted {
      let positions =
        if let sorted { sorted.positions(ofPhrase: number) } else {
          try expression?.positions(ofPhrase: number)
        }
      if let positions {
        for index in 0..<positions.count { add(Position.offset(positions[index])) }
        return columns
      }
    }
    guard let positions = try positions(ofPhrase: number) else { return [] }
    for index in 0..<positions.count { add(Position.column(positions[index])) }
    return columns
  }

  /// Calls `body` with each row that has a phrase of the query (`xQueryPhrase`), as a match of a
  /// query of that phrase alone, until it returns false.
  public func forEachRow(
    ofPhrase number: Int, _ body: (FTS5Cursor) throws(SQLError) -> Bool
  ) throws(SQLError) {
    guard let expression, expression.phrases.indices.contains(number) else {
      throw SQLError(.range)
    }
    let rows = FTS5Cursor(table)
    try rows.begin(expression.expression(ofPhrase: number))
    while !rows.isAtEnd {
      guard try body(rows) else { return }
      try rows.advance()
    }
  }
}
