import MartletEngine

// Running what the types build.

extension Connection {
  /// The rows of a query. Each iteration runs it anew.
  ///
  /// A statement that fails while it gives rows ends the iteration early: `iterationFailure` says
  /// so, and `prepareRowIterator` gives an iterator that throws.
  public func prepare(_ query: any QueryType) throws -> AnySequence<Row> {
    let expression = query.expression
    let first = try iterator(of: query, expression)
    let unused = Locked<RowIterator?>(first)
    return AnySequence {
      if let iterator = unused.withLock({ iterator in
        defer { iterator = nil }
        return iterator
      }) {
        return AnyIterator(iterator)
      }
      do {
        return AnyIterator(try self.iterator(of: query, expression))
      } catch {
        self.note(error)
        return AnyIterator { nil }
      }
    }
  }

  /// The rows of a query, by an iterator that throws.
  ///
  /// ```swift
  /// let rows = try db.prepareRowIterator(users)
  /// while let user = try rows.failableNext() { … }
  /// let names = try db.prepareRowIterator(users).map { try $0.get(name) }
  /// ```
  public func prepareRowIterator(_ query: any QueryType) throws -> RowIterator {
    try iterator(of: query, query.expression)
  }

  /// The rows of a statement, whose columns are found by their names.
  public func prepareRowIterator(
    _ statement: String, bindings: (any Binding)?...
  ) throws -> RowIterator {
    try prepare(statement, bindings).prepareRowIterator()
  }

  private func iterator(of query: any QueryType, _ select: Expression<Void>) throws -> RowIterator {
    try sync {
      let prepared = try PreparedQuery(self, select.template, select.bindings)
      return RowIterator(prepared) { [unowned prepared] in
        try self.columns(of: query, prepared)
      }
    }
  }

  /// The first row of a query; nil if there is none.
  public func pluck(_ query: any QueryType) throws -> Row? {
    let first = query.with {
      $0.limit = QueryClauses.Limit(length: 1, offset: $0.limit?.offset)
    }
    return try prepareRowIterator(first).failableNext()
  }

  // MARK: Values

  /// The value of a query.
  ///
  /// - Throws: `QueryError.unexpectedNullValue` where it has no row, or NULL.
  public func scalar<V: Value>(_ query: ScalarQuery<V>) throws -> V {
    try value(of: query.expression)
  }

  /// The value of a query; nil for NULL, and where there is no row.
  public func scalar<V: Value>(_ query: ScalarQuery<V?>) throws -> V? {
    try value(of: query.expression)
  }

  /// The value of a SELECT.
  ///
  /// - Throws: `QueryError.unexpectedNullValue` where it has no row, or NULL.
  public func scalar<V: Value>(_ query: Select<V>) throws -> V {
    try value(of: query.expression)
  }

  /// The value of a SELECT; nil for NULL, and where there is no row.
  public func scalar<V: Value>(_ query: Select<V?>) throws -> V? {
    try value(of: query.expression)
  }

  private func value<A: ColumnType>(of select: Expression<Void>) throws -> A {
    try sync {
      let query = try PreparedQuery(self, select.template, select.bindings)
      guard try query.step() else { return try A.column(from: nil, name: select.template) }
      let stored = query.core.currentRow.copy(0)
      return try A.column(
        from: A.ColumnValue.Datatype.fromStored(stored), name: select.template)
    }
  }

  // MARK: Changes

  /// Inserts, and returns the rowid of the last row that was inserted.
  ///
  /// Where OR IGNORE leaves the row out, it is that of an earlier one; `changes` is 0 then.
  @discardableResult
  public func run(_ query: Insert) throws -> Int64 {
    try sync {
      try execute(query)
      return lastInsertRowid
    }
  }

  /// Updates, and returns how many rows were changed.
  @discardableResult
  public func run(_ query: Update) throws -> Int { try changing(query) }

  /// Deletes, and returns how many rows were deleted.
  @discardableResult
  public func run(_ query: Delete) throws -> Int { try changing(query) }

  private func changing(_ query: any ExpressionType) throws -> Int {
    try sync {
      try execute(query)
      return changes
    }
  }

  private func execute(_ query: any ExpressionType) throws {
    try PreparedQuery(self, query.template, query.bindings).run()
  }

  /// Runs any statement that the types build, and returns it.
  @discardableResult
  public func run(_ query: any ExpressionType) throws -> Statement {
    try run(query.template, query.bindings)
  }

  /// Runs a query, and returns its statement; rows are dropped.
  @discardableResult
  public func run(_ query: any QueryType) throws -> Statement {
    let expression = query.expression
    return try run(expression.template, expression.bindings)
  }
}

// MARK: - Columns

extension Connection {
  /// The columns of a query, as expressions name them.
  private func columns(of query: any QueryType, _ prepared: PreparedQuery) throws -> RowColumns {
    let clauses = query.clauses
    if clauses.joins.isEmpty, clauses.columns.count == 1, clauses.columns[0].template == "*" {
      return RowColumns(prepared.columnNames.map(\.quotedIdentifier))
    }
    var names: [String] = []
    for column in clauses.columns {
      if column.template == "*" || column.template.hasSuffix(".*") {
        names += try columns(of: column.template, in: query)
      } else {
        names.append(column.template)
      }
    }
    return RowColumns(names)
  }

  /// The columns that a `*` stands for: those of each table are asked for.
  private func columns(of star: String, in query: any QueryType) throws -> [String] {
    let hasJoins = !query.clauses.joins.isEmpty
    var table = Table(query.clauses.from.name, database: query.clauses.from.database)
    table.clauses.from.alias = query.clauses.from.alias
    var names: [String] = []
    for source in [table as any QueryType] + query.clauses.joins.map(\.query) {
      let name = source.tableName().template
      guard star == "*" || star.hasSameBytes(as: name + ".*") else { continue }
      let columns = try columnNames(of: source, in: query)
      names += columns.map { hasJoins ? "\(name).\($0.quotedIdentifier)" : $0.quotedIdentifier }
    }
    return names
  }

  private func columnNames(
    of source: any QueryType, in query: any QueryType
  ) throws -> [String] {
    var asked = source
    if source.clauses.isPlain { asked.clauses.filter = nil }
    if asked.clauses.commonTables.isEmpty {
      asked.clauses.commonTables = query.clauses.commonTables
      asked.clauses.isRecursive = query.clauses.isRecursive
    }
    let select = asked.expression
    return try PreparedQuery(self, select.template, select.bindings).columnNames
  }
}
