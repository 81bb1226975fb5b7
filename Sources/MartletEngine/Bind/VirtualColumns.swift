/// Virtual columns that are computed from each other (gencol §2.2).
enum VirtualColumns {
  /// How many may lead to each other: binding and emitting them recurses.
  static let deepest = 200

  static var tooDeep: SQLError {
    .sql("virtual columns are computed from each other too deep (maximum depth \(deepest))")
  }

  /// Looks for columns that are computed from themselves.
  struct LoopSearch {
    private let source: BoundSource
    /// The columns on the way.
    private var busy: Set<Int32> = []
    /// Nothing that they are computed from leads into a loop.
    private var sound: Set<Int32> = []
    /// What was found on the ways of the current search, each of which is gone once only: there may
    /// be more ways than time.
    private var found: [Int32: Int32] = [:]

    init(_ source: BoundSource) { self.source = source }

    /// The column that a way from one leads back to; nil if there is none.
    mutating func loop(from column: Int32) -> Int32? {
      found.removeAll()
      return loop(through: column)
    }

    private mutating func loop(through column: Int32) -> Int32? {
      if sound.contains(column) { return nil }
      if let known = found[column] { return known }
      guard let virtual = source.virtualColumns.first(where: { $0.column == column }) else {
        return nil
      }
      if !busy.insert(column).inserted { return column }
      defer { busy.remove(column) }
      var others: [Int32] = []
      virtual.expression.forEachColumn { _, other in others.append(other) }
      var last: Int32?
      for other in others { last = loop(through: other) ?? last }
      if let last { found[column] = last } else { sound.insert(column) }
      return last
    }
  }
}
