import MartletEngine

/// A number that stands for a set of places of terms, whatever their order.
private struct PlaceSum {
  private(set) var value: UInt64 = 0

  /// What all places of a term in an index have in common.
  @inline(__always)
  static func hash(_ term: UnsafeRawBufferPointer, language: Int64, index: Int) -> UInt64 {
    var hash = UInt64(bitPattern: language) &* 9 &+ UInt64(truncatingIfNeeded: index)
    for byte in term { hash = (hash &+ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash ^ hash >> 29
  }

  @inline(__always)
  mutating func add(_ term: UInt64, docid: Int64, column: Int, position: Int) {
    var hash = UInt64(bitPattern: docid) &* 0x9e37_79b9_7f4a_7c15 &+ term
    hash = (hash ^ hash >> 32) &* 0xbf58_476d_1ce4_e5b9
    hash = hash &+ UInt64(truncatingIfNeeded: column) &* 0xd6e8_feb8_6659_fd93
    hash = (hash ^ hash >> 29) &+ UInt64(truncatingIfNeeded: position)
    // Places that differ a little must not add up to each other's sum.
    hash = hash &* 0x94d0_49bb_1331_11eb
    value ^= hash ^ hash >> 31
  }
}

extension FTS4Table {
  /// `integrity-check` (fts3 §7.4): whether the index says what is in the content.
  func isIntact() throws(SQLError) -> Bool {
    do throws(SQLError) {
      return try indexIsThatOfContent()
    } catch {
      // An index that cannot be read is wrong, too.
      if error.code == .corruptVirtualTable { return false }
      throw error
    }
  }

  private func indexIsThatOfContent() throws(SQLError) -> Bool {
    var sum = PlaceSum()
    var languages: [Int64] = []
    try shadow.forEach(.languages, [index.pendingLanguage, Int64(index.prefixLengths.count)]) {
      statement throws(SQLError) in
      languages.append(Int64(Int32(truncatingIfNeeded: statement.columnInt64(0))))
    }
    for language in languages {
      for number in index.prefixLengths.indices {
        let scan = try index.scanAll(number, language: language)
        while try scan.step() { try add(scan, language, number, &sum) }
      }
    }
    let indexed = sum.value
    sum = PlaceSum()
    try addContent(&sum)
    return indexed == sum.value
  }

  private func add(
    _ scan: TermScan, _ language: Int64, _ number: Int, _ sum: inout PlaceSum
  ) throws(SQLError) {
    let term = scan.term.withUnsafeBytes {
      PlaceSum.hash($0, language: language, index: number)
    }
    var reader = DoclistReader(scan.doclist, isDescending: index.isDescending)
    while !reader.isAtEnd {
      var places = PlaceReader(reader.list)
      while true {
        let place = places.next()
        if place < 0 { break }
        sum.add(
          term, docid: reader.docid, column: PositionList.column(place),
          position: PositionList.position(place))
      }
      reader.advance()
    }
  }

  private func addContent(_ sum: inout PlaceSum) throws(SQLError) {
    let rows: Statement
    do throws(SQLError) {
      rows = try connection.prepare(forVirtualTable: "SELECT \(shadow.readList)")
    } catch {
      throw SQLError(error.code)
    }
    var total = sum
    let lengths = index.prefixLengths
    try shadow.forEach(rows) { row throws(SQLError) in
      let docid = row.columnInt64(0), language = language(ofRow: row)
      for column in 0..<columnCount where !declaration.notIndexed[column] {
        let text = try text(of: row, column)
        try tokenize(text, language: language) { token, _, _, position throws(SQLError) in
          for number in lengths.indices where token.count >= lengths[number] {
            let part =
              number == 0
              ? token : UnsafeRawBufferPointer(rebasing: token[..<lengths[number]])
            total.add(
              PlaceSum.hash(part, language: language, index: number), docid: docid,
              column: column, position: position)
          }
        }
      }
    }
    sum = total
  }

  func checkIntegrity(
    schema: String, table: String, isQuick: Bool
  ) throws(SQLError) -> String? {
    let kind = declaration.isFTS4 ? "FTS4" : "FTS3"
    do throws(SQLError) {
      if try isIntact() { return nil }
    } catch {
      guard error.code.primary == .corrupt || error.code == .error else { throw error }
      return "unable to validate the inverted index for \(kind) table \(schema).\(table): "
        + error.code.description
    }
    return "malformed inverted index for \(kind) table \(schema).\(table)"
  }
}
