// Records in the scopes of a row, and in the rows that were fetched beside it.

extension Row {
  /// The record of a scope, at any depth. Without it the program stops; `decode` throws.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
    do { return try decode(Record.self, forKey: scope) } catch { stop(error) }
  }

  /// The record of a scope, at any depth; nil if the scope is missing, or all its columns are NULL.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
    do { return try decodeIfPresent(Record.self, forKey: scope) } catch { stop(error) }
  }

  /// The records of an association to many. Without them the program stops; `decode` throws.
  public subscript<Records>(
    _ key: String
  ) -> Records where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    do { return try decode(Records.self, forKey: key) } catch { stop(error) }
  }

  /// The records of an association to many. Without them the program stops; `decode` throws.
  public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
    do { return try decode(Set<Record>.self, forKey: key) } catch { stop(error) }
  }

  /// The record of a scope, at any depth; nil if the scope is missing, or all its columns are NULL.
  public func decodeIfPresent<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record? {
    guard let row = scopesTree[scope], row.containsNonNullValue else { return nil }
    return try Record(row: row)
  }

  /// The record of a scope, at any depth.
  public func decode<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record {
    guard let row = scopesTree[scope] else {
      throw RowDecodingError.keyNotFound(.scope(scope), in: self)
    }
    return try Record(row: row)
  }

  private func rows(forKey key: String) throws -> [Row] {
    guard let rows = prefetchedRows[key] else {
      throw RowDecodingError.keyNotFound(.prefetchKey(key), in: self)
    }
    return rows
  }

  /// The records of an association to many.
  public func decode<Records>(
    _ type: Records.Type = Records.self, forKey key: String
  ) throws -> Records where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    var records = Records()
    for row in try rows(forKey: key) { records.append(try Records.Element(row: row)) }
    return records
  }

  /// The records of an association to many.
  public func decode<Record: FetchableRecord & Hashable>(
    _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
  ) throws -> Set<Record> {
    try Set(rows(forKey: key).map { try Record(row: $0) })
  }
}
