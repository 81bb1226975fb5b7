/// Gives rows other columns than their statement has: some of them, under other names, or grouped
/// in scopes.
public protocol RowAdapter: Sendable {
  /// The columns that the adapter makes of others. Martlet calls it.
  func _adaptedShape(of base: RowShape) throws -> RowShape
}

extension RowAdapter {
  /// The adapter with additional scopes, whose columns are those of the statement.
  public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
    scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
  }

  /// The columns for rows of a statement.
  func shape(of statement: Statement) throws -> RowShape {
    try adapt(statement.shape)
  }

  func adapt(_ base: RowShape) throws -> RowShape {
    try _adaptedShape(of: base).made(of: base)
  }
}

extension RowShape {
  /// The shape, and those of its scopes, which know what they were made of.
  fileprivate func made(of base: RowShape) -> RowShape {
    RowShape(
      names: names, indexes: indexes, scopes: scopes.map { ($0.name, $0.shape.made(of: base)) },
      unadapted: base)
  }

  /// Columns of this shape under names.
  func picking(_ columns: [(index: Int, name: String)]) -> RowShape {
    RowShape(
      names: columns.map { $0.name }, indexes: columns.map { indexes?[$0.index] ?? $0.index })
  }
}

/// Hides all columns.
public struct EmptyRowAdapter: RowAdapter {
  /// Makes the adapter.
  public init() {}

  /// No columns.
  public func _adaptedShape(of base: RowShape) -> RowShape { base.picking([]) }
}

/// Shows some columns under other names.
public struct ColumnMapping: RowAdapter {
  private let mapping: [String: String]

  /// Makes the adapter from new names to the names of the statement's columns.
  public init(_ mapping: [String: String]) { self.mapping = mapping }

  /// The mapped columns, in their order in the statement.
  ///
  /// - Throws: `SQLITE_MISUSE` if the statement has no column of a name.
  public func _adaptedShape(of base: RowShape) throws -> RowShape {
    let columns = try mapping.map { name, column in
      guard let index = base.index(ofColumn: column) else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "Mapping references missing column \(column). "
            + "Valid column names are: \(base.names.joined(separator: ", ")).")
      }
      return (index: index, name: name)
    }
    return base.picking(columns.sorted { $0.index < $1.index })
  }
}

/// Shows the columns from one on.
public struct SuffixRowAdapter: RowAdapter {
  private let index: Int

  /// Makes the adapter. A negative index stops the program.
  public init(fromIndex index: Int) {
    precondition(index >= 0, "negative column index is out of range")
    self.index = index
  }

  /// The columns from the index on.
  public func _adaptedShape(of base: RowShape) -> RowShape {
    RangeRowAdapter(Swift.min(index, base.names.count)..<base.names.count)
      ._adaptedShape(of: base)
  }
}

/// Shows the columns of a range.
public struct RangeRowAdapter: RowAdapter {
  private let range: Range<Int>

  /// Makes the adapter. A negative index stops the program.
  public init(_ range: CountableRange<Int>) {
    precondition(range.lowerBound >= 0, "negative column index is out of range")
    self.range = range
  }

  /// Makes the adapter. A negative index stops the program.
  public init(_ range: CountableClosedRange<Int>) { self.init(Range(range)) }

  /// The columns of the range, as far as they are there.
  public func _adaptedShape(of base: RowShape) -> RowShape {
    base.picking(
      range.clamped(to: 0..<base.names.count).map { (index: $0, name: base.names[$0]) })
  }
}

/// Adds scopes: parts of the row with names.
///
/// ```swift
/// let adapter = ScopeAdapter([
///   "player": RangeRowAdapter(0..<3),
///   "team": SuffixRowAdapter(fromIndex: 3),
/// ])
/// ```
public struct ScopeAdapter: RowAdapter {
  private let base: any RowAdapter
  private let scopes: [String: any RowAdapter]

  /// Scopes beside all columns.
  public init(_ scopes: [String: any RowAdapter]) {
    self.init(base: SuffixRowAdapter(fromIndex: 0), scopes: scopes)
  }

  /// Scopes beside what another adapter shows, and beside its scopes.
  public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
    self.base = base
    self.scopes = scopes
  }

  /// The columns of the base, with the scopes.
  public func _adaptedShape(of base: RowShape) throws -> RowShape {
    let shape = try self.base._adaptedShape(of: base)
    let added = try scopes.sorted { $0.key < $1.key }.map {
      ($0.key, try $0.value._adaptedShape(of: base))
    }
    let kept = shape.scopes.filter { scopes[$0.name] == nil }.map { ($0.name, $0.shape) }
    return RowShape(names: shape.names, indexes: shape.indexes, scopes: kept + added)
  }
}

/// Shows all columns under names that a function makes.
public struct RenameColumnAdapter: RowAdapter {
  private let transform: @Sendable (String) -> String

  /// Makes the adapter.
  public init(_ transform: @escaping @Sendable (String) -> String) { self.transform = transform }

  /// The columns under their new names.
  public func _adaptedShape(of base: RowShape) -> RowShape {
    base.picking(base.names.enumerated().map { (index: $0, name: transform($1)) })
  }
}

/// Adapters for parts of so many columns each, and one for all columns that are left.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
  var start = 0
  var adapters: [any RowAdapter] = []
  for count in columnCounts {
    adapters.append(RangeRowAdapter(start..<(start + count)))
    start += count
  }
  adapters.append(SuffixRowAdapter(fromIndex: start))
  return adapters
}
