import MartletEngine

/// The rows of a query, one after the other.
public struct RowIterator: FailableIterator {
  /// What it gives.
  public typealias Element = Row

  /// The statement, which goes back to the connection when nobody has the iterator any more.
  private final class Source {
    var query: PreparedQuery?
    let statement: Statement?
    let connection: Connection
    let columns: RowColumns

    init(_ query: PreparedQuery, _ columns: RowColumns) {
      self.query = query
      statement = nil
      connection = query.connection
      self.columns = columns
    }

    init(_ statement: Statement) {
      query = nil
      self.statement = statement
      connection = statement.connection
      columns = RowColumns(statement.columnNames.map(\.quotedIdentifier))
    }

    func next() throws -> Row? {
      try connection.sync {
        if let statement {
          return try statement.step() ? Row(columns, statement.core.currentRow) : nil
        }
        guard let query else { return nil }
        do {
          if try query.step() { return Row(columns, query.core.currentRow) }
        } catch {
          self.query = nil
          throw error
        }
        self.query = nil
        return nil
      }
    }
  }

  private let source: Source

  init(_ query: PreparedQuery, _ columns: RowColumns) { source = Source(query, columns) }

  init(_ statement: Statement) { source = Source(statement) }

  /// The next row; nil at the end.
  public func failableNext() throws -> Row? { try source.next() }

  /// The next row; nil at the end, and where the statement fails:
  /// `Connection.iterationFailure` is what it has failed with then.
  public func next() -> Row? {
    do {
      return try source.next()
    } catch {
      source.connection.note(error)
      return nil
    }
  }

  /// What a closure makes of the rows.
  public func map<Content>(_ transform: (Row) throws -> Content) throws -> [Content] {
    var contents: [Content] = []
    while let row = try failableNext() { contents.append(try transform(row)) }
    return contents
  }

  /// What a closure makes of the rows, but for nil.
  public func compactMap<Content>(_ transform: (Row) throws -> Content?) throws -> [Content] {
    var contents: [Content] = []
    while let row = try failableNext() {
      if let content = try transform(row) { contents.append(content) }
    }
    return contents
  }
}

extension Statement {
  /// The rows of the statement, whose columns are found by their names.
  public func prepareRowIterator() -> RowIterator {
    reset(clearBindings: false)
    return RowIterator(self)
  }
}
