// Parts of rows that adapters have named, and rows that were fetched beside them.

extension Row {
  /// The row as the statement gave it, without its adapter.
  public var unadapted: Row { shape.unadapted.map { reshaped($0) } ?? self }

  /// The row without its scopes and prefetched rows.
  public var unscoped: Row {
    if shape.scopes.isEmpty && prefetchedRows.isEmpty { return self }
    return reshaped(
      RowShape(names: shape.names, indexes: shape.indexes, unadapted: shape.unadapted))
  }

  /// The scopes of the row.
  public var scopes: ScopesView { ScopesView(row: self) }

  /// The scopes of the row, and theirs, at any depth.
  public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

  func scope(_ shape: RowShape, _ name: String) -> Row {
    let row = reshaped(shape)
    if let nested = prefetchedRows.scoped[name] { row.prefetchedRows = nested }
    return row
  }

  /// Rows by the names of their scopes.
  public struct ScopesView: Collection {
    let row: Row

    /// A position among the scopes.
    public struct Index: Comparable {
      let value: Int

      /// Whether a position is before another.
      public static func < (left: Index, right: Index) -> Bool { left.value < right.value }
    }

    /// The names of the scopes.
    public var names: [String] { row.shape.scopes.map { $0.name } }

    /// The position of the first scope.
    public var startIndex: Index { Index(value: 0) }

    /// The position behind the last scope.
    public var endIndex: Index { Index(value: row.shape.scopes.count) }

    /// The position after another.
    public func index(after index: Index) -> Index { Index(value: index.value + 1) }

    /// Name and row of a scope.
    public subscript(position: Index) -> (name: String, row: Row) {
      let (name, shape) = row.shape.scopes[position.value]
      return (name, row.scope(shape, name))
    }

    /// The row of a scope; nil if there is none of that name.
    public subscript(_ name: String) -> Row? {
      row.shape.scope(name).map { row.scope($0, name) }
    }
  }

  /// Rows by the names of scopes at any depth. Of several scopes of one name, the outermost is
  /// found.
  public struct ScopesTreeView {
    let row: Row

    /// The names of all scopes.
    public var names: Set<String> {
      func collect(_ shape: RowShape) -> [String] {
        shape.scopes.flatMap { [$0.name] + collect($0.shape) }
      }
      return Set(collect(row.shape))
    }

    /// The row of a scope; nil if there is none of that name.
    public subscript(_ name: String) -> Row? {
      var level = [row]
      while !level.isEmpty {
        for row in level {
          if let found = row.scopes[name] { return found }
        }
        level = level.flatMap { row in row.scopes.map { $0.row } }
      }
      return nil
    }
  }

  /// Rows of associations to many, by the key of the association.
  public struct PrefetchedRowsView: Equatable {
    var rows: [String: [Row]] = [:]
    /// Those that belong to a scope of the row.
    var scoped: [String: PrefetchedRowsView] = [:]

    /// There are none.
    public var isEmpty: Bool { rows.isEmpty && scoped.isEmpty }

    /// The keys at any depth.
    public var keys: Set<String> {
      scoped.values.reduce(into: Set(rows.keys)) { $0.formUnion($1.keys) }
    }

    /// The rows of a key; nil if there is none of that name. Of several, the outermost are found.
    public subscript(_ key: String) -> [Row]? {
      var level = [self]
      while !level.isEmpty {
        for view in level {
          if let found = view.rows[key] { return found }
        }
        level = level.flatMap { view in view.scoped.sorted { $0.key < $1.key }.map { $0.value } }
      }
      return nil
    }
  }
}
