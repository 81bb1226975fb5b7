extension TableRequest where Self: FilteredRequest {
  /// Filters the rows of a full-text table that match a pattern; none where it is nil.
  ///
  /// ```swift
  /// // SELECT * FROM book WHERE book MATCH 'sqlite OR database'
  /// Book.all().matching(FTS3Pattern(matchingAnyTokenIn: "SQLite Database"))
  /// ```
  public func matching(_ pattern: FTS3Pattern?) -> Self {
    pattern.map { filter(SQLExpression(.tableMatch($0.sqlExpression))) } ?? none()
  }

  /// Filters the rows of a full-text table that match a pattern; none where it is nil.
  ///
  /// ```swift
  /// // SELECT * FROM book WHERE book MATCH 'sqlite OR database'
  /// Book.all().matching(FTS5Pattern(matchingAnyTokenIn: "SQLite Database"))
  /// ```
  public func matching(_ pattern: FTS5Pattern?) -> Self {
    pattern.map { filter(SQLExpression(.tableMatch($0.sqlExpression))) } ?? none()
  }
}

extension TableRecord {
  /// The rows of a full-text table that match a pattern; none where it is nil.
  public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }

  /// The rows of a full-text table that match a pattern; none where it is nil.
  public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }
}

extension ColumnExpression {
  /// Whether the column matches a pattern; a column with the table's name stands for all of them.
  /// Where the pattern is nil, nothing matches.
  public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
    .binary(.match, sqlExpression, pattern?.sqlExpression ?? .null)
  }

  /// Whether the column matches a pattern; a column with the table's name stands for all of them.
  public func match(_ pattern: FTS5Pattern) -> SQLExpression {
    .binary(.match, sqlExpression, pattern.sqlExpression)
  }
}
