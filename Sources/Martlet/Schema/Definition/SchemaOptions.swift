/// How a table is created.
public struct TableOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Wraps bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nothing happens if the table exists.
  public static let ifNotExists = TableOptions(rawValue: 1)
  /// The table belongs to the connection and is gone with it.
  public static let temporary = TableOptions(rawValue: 2)
  /// Rows are stored under their primary key (withoutrowid).
  public static let withoutRowID = TableOptions(rawValue: 4)
  /// Columns refuse values of other types (stricttables).
  public static let strict = TableOptions(rawValue: 8)
}

/// How a view is created.
public struct ViewOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Wraps bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nothing happens if the view exists.
  public static let ifNotExists = ViewOptions(rawValue: 1)
  /// The view belongs to the connection and is gone with it.
  public static let temporary = ViewOptions(rawValue: 2)
}

/// How an index is created.
public struct IndexOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Wraps bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nothing happens if the index exists.
  public static let ifNotExists = IndexOptions(rawValue: 1)
  /// The index refuses equal rows.
  public static let unique = IndexOptions(rawValue: 2)
}

/// How a virtual table is created.
public struct VirtualTableOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Wraps bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nothing happens if the table exists.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1)
  /// The table belongs to the connection and is gone with it.
  public static let temporary = VirtualTableOptions(rawValue: 2)
}
