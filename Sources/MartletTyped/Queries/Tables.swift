/// A table, and queries of it.
///
/// ```swift
/// let users = Table("users")
/// for user in try db.prepare(users.filter(name != nil).order(email)) { … }
/// ```
public struct Table: SchemaType {
  /// `TABLE`.
  public static var identifier: String { "TABLE" }

  /// What the query consists of.
  public var clauses: QueryClauses

  /// The table of that name.
  ///
  /// - Parameter database: Where it is; nil looks in all.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, alias: nil, database: database)
  }
}

/// A view, and queries of it.
public struct View: SchemaType {
  /// `VIEW`.
  public static var identifier: String { "VIEW" }

  /// What the query consists of.
  public var clauses: QueryClauses

  /// The view of that name.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, alias: nil, database: database)
  }
}

/// A virtual table, and queries of it.
public struct VirtualTable: SchemaType {
  /// `VIRTUAL TABLE`.
  public static var identifier: String { "VIRTUAL TABLE" }

  /// What the query consists of.
  public var clauses: QueryClauses

  /// The virtual table of that name.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, alias: nil, database: database)
  }
}

/// A query of one column, which gives values.
public struct ScalarQuery<V>: QueryType {
  /// What the query consists of.
  public var clauses: QueryClauses

  /// A query of that table.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, alias: nil, database: database)
  }
}

/// A SELECT that gives one value.
public struct Select<T>: ExpressionType, Sendable {
  /// The SQL, with `?` for each value.
  public let template: String
  /// The values, from left to right.
  public let bindings: [(any Binding)?]

  /// A SELECT of its SQL and values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}

/// An INSERT.
public struct Insert: ExpressionType, Sendable {
  /// The SQL, with `?` for each value.
  public let template: String
  /// The values, from left to right.
  public let bindings: [(any Binding)?]

  /// An INSERT of its SQL and values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}

/// An UPDATE.
public struct Update: ExpressionType, Sendable {
  /// The SQL, with `?` for each value.
  public let template: String
  /// The values, from left to right.
  public let bindings: [(any Binding)?]

  /// An UPDATE of its SQL and values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}

/// A DELETE.
public struct Delete: ExpressionType, Sendable {
  /// The SQL, with `?` for each value.
  public let template: String
  /// The values, from left to right.
  public let bindings: [(any Binding)?]

  /// A DELETE of its SQL and values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}
