import MartletEngine

extension FTS5Index {
  /// The token that stands at a place of a row, of those that a term of a query wants; nil where
  /// none of them does.
  func token(
    at position: Int64, ofRow rowid: Int64, for term: QueryTerm
  ) throws(SQLError) -> [UInt8]? {
    let positions = Positions()
    for token in [term.token] + term.synonyms {
      let wanted = [IndexFormat.mainPrefix] + token
      var key = wanted
      while let found = try firstTerm(from: key), found.starts(with: wanted) {
        if isWanted(found, wanted, term) {
          let rows = try cursor(ofKey: found)
          if !rows.isAtEnd { try rows.advance(to: rowid) }
          if !rows.isAtEnd, rows.rowid == rowid {
            positions.decode(try rows.positions())
            for index in 0..<positions.count where positions[index] == position {
              return Array(found.dropFirst())
            }
          }
        }
        // No term comes between.
        key = found + [0]
      }
    }
    return nil
  }

  private func isWanted(_ found: [UInt8], _ wanted: [UInt8], _ term: QueryTerm) -> Bool {
    if term.isPrefix || found.count == wanted.count { return true }
    return configuration.hasTokenData && found[wanted.count] == 0
  }

  private func firstTerm(from key: [UInt8]) throws(SQLError) -> [UInt8]? {
    let entries = try key.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in try merger(from: bytes) }
    }.get()
    guard let entry = entries.entry else { return nil }
    return Array(UnsafeBufferPointer(start: entry.pointee.term, count: entry.pointee.termCount))
  }
}
