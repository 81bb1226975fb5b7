import MartletEngine

/// The rows of a query, one after the other.
public struct RowIterator: FailableIterator {
  /// What it gives.
  public typealias Element = Row

  /// The statement, which goes back to the connection when nobody has the iterator any more.
  private final class Source {
    private var query: PreparedQuery?
    private let statement: Statement?
    let connection: Connection
    /// Known from the first row on: its step may find a new schema.
    private var columns: RowColumns?
    private let findColumns: () throws -> RowColumns

    init(_ query: PreparedQuery, _ findColumns: @escaping () throws -> RowColumns) {
      self.query = query
      statement = nil
      connection = query.connection
      self.findColumns = findColumns
    }

    init(_ statement: Statement) {
      query = nil
      self.statement = statement
      connection = statement.connection
      findColumns = { RowColumns(statement.columnNames.map(\.quotedIdentifier)) }
    }

    func next() throws -> Row? {
      try connection.sync {
        guard try step(), let core = query?.core ?? statement?.core else {
          query = nil
          return nil
        }
        let known = try columns ?? findColumns()
        columns = known
        return Row(known, core.currentRow)
      }
    }

    private func step() throws -> Bool {
      if let statement { return try statement.step() }
      do {
        return try query?.step() ?? false
      } catch {
        query = nil
        throw error
      }
    }
  }

  private let source: Source

  init(_ query: PreparedQuery, _ columns: @escaping () throws -> RowColumns) {
    source = Source(query, columns)
  }

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

extension Array {
  /// All that an iterator gives.
  @_disfavoredOverload
  public init<I: FailableIterator>(_ failableIterator: I) throws where Element == I.Element {
    self.init()
    while let element = try failableIterator.failableNext() { append(element) }
  }
}

extension Statement {
  /// The rows of the statement, whose columns are found by their names.
  public func prepareRowIterator() -> RowIterator {
    reset(clearBindings: false)
    return RowIterator(self)
  }
}
