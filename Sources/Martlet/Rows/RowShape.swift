import MartletEngine

/// The columns of rows, and where they find their values: what is the same for all rows of a
/// statement is looked up once.
public final class RowShape: Sendable {
  let names: [String]
  /// The columns of the statement that these columns are; nil if they are all of them, in order.
  let indexes: [Int]?
  let scopes: [(name: String, shape: RowShape)]
  /// The columns of the statement, where the shape is an adapted one.
  let unadapted: RowShape?
  /// Two names differ in case only: the leftmost must be found.
  private let hasAmbiguousNames: Bool
  /// No two names are equal for Unicode and different for SQL.
  private let hasPlainNames: Bool
  /// Columns by name, where there are too many to look through.
  private let indexesByName: [ExactText: Int]

  private static let mostNamesToLookThrough = 12

  init(
    names: [String], indexes: [Int]? = nil, scopes: [(String, RowShape)] = [],
    unadapted: RowShape? = nil
  ) {
    self.names = names
    self.indexes = indexes
    self.scopes = scopes
    self.unadapted = unadapted
    hasPlainNames = names.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
    hasAmbiguousNames =
      names.count > RowShape.mostNamesToLookThrough
      || (1..<Swift.max(names.count, 1)).contains { right in
        names[..<right].contains { $0.isSameName(as: names[right]) }
      }
    if names.count > RowShape.mostNamesToLookThrough {
      let pairs = names.enumerated().map { ($1.nameKey, $0) }
      indexesByName = Dictionary(pairs) { left, _ in left }
    } else {
      indexesByName = [:]
    }
  }

  /// The leftmost column of a name, in any case.
  ///
  /// - Parameter hint: Where the column is if columns are asked for in order.
  func index(ofColumn name: String, hint: Int = 0) -> Int? {
    if !hasAmbiguousNames {
      if hint < names.count, names[hint] == name,
        hasPlainNames || names[hint].hasSameBytes(as: name)
      {
        return hint
      }
      if hasPlainNames, let index = names.firstIndex(of: name) { return index }
    }
    let index =
      indexesByName.isEmpty
      ? names.firstIndex { $0.isSameName(as: name) }
      : indexesByName[ExactText(name)] ?? indexesByName[name.nameKey]
    if index != nil || hasPlainNames { return index }
    // One that is not there by its bytes may be for Unicode.
    let folded = name.lowercased()
    return names.firstIndex { $0 == name } ?? names.firstIndex { $0.lowercased() == folded }
  }

  func scope(_ name: String) -> RowShape? {
    scopes.first { $0.name == name }?.shape
  }

  /// The scope of a name at any depth, the outermost first.
  func deepScope(_ name: String) -> RowShape? {
    var level = [self]
    while !level.isEmpty {
      for shape in level {
        if let scope = shape.scope(name) { return scope }
      }
      level = level.flatMap { $0.scopes.map { $0.shape } }
    }
    return nil
  }
}
