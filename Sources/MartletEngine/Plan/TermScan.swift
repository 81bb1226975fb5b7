/// Finds the terms that constrain one column of an index, or a column that must be equal to it
/// (SQLite's WhereScan). The terms of the clauses around a part of an OR count too.
struct TermScan {
  private struct Place {
    let source: Int
    let column: Int32
    /// The collation by which it equals the first column: only what compares by the same may be asked
    /// of the one in place of the other. Nil where they are the same bytes.
    var collation: Collation?
  }

  private let start: WhereClause
  private let wanted: WhereTerm.Operators
  private let columnAffinity: Affinity
  /// Nil for the rowid, which takes any comparison.
  private let collation: Name?
  private let expression: BoundExpression?
  private let first: Place
  /// Columns that must be equal to the first, in the order in which they are found.
  private var followed: [Place] = []
  private var placeIndex = 0
  private var outer: WhereClause?
  /// The terms of the clause that is looked at.
  private var terms: TreeList<WhereTerm>
  private var position = 0

  /// At most so many columns are followed from one to the next.
  private static let maximumPlaceCount = 11

  /// The column at `position` of what `probe` describes.
  init(
    _ clause: WhereClause, _ probe: borrowing LoopBuilder.Probe, _ position: Int,
    _ wanted: WhereTerm.Operators
  ) {
    let column = probe.column(position)
    var affinity = Affinity.none
    var expression: BoundExpression?
    if column == -2 {
      expression = probe.expressions?.columns[position]
      affinity = expression?.affinity ?? .none
    } else if column >= 0 {
      affinity = probe.table.columns[column].affinity
    }
    self.init(
      clause, source: probe.source, column: Int32(column), affinity: affinity,
      collation: column == -1 ? nil : probe.index?.columns[position].collation ?? .binaryCollation,
      expression: expression, wanted)
  }

  /// A column, whatever index it may be in.
  init(
    _ clause: WhereClause, source: Int, column: Int32, affinity: Affinity = .none,
    collation: Name? = nil, expression: BoundExpression? = nil, _ wanted: WhereTerm.Operators
  ) {
    start = clause
    terms = clause.terms
    outer = clause.outer
    self.wanted = wanted
    columnAffinity = affinity
    self.collation = collation
    self.expression = expression
    first = Place(source: source, column: column)
  }

  /// The term found last follows from an equality with another column.
  var isTransitive: Bool { placeIndex > 0 }

  mutating func next() -> WhereTerm? {
    while true {
      let place = placeIndex == 0 ? first : followed[placeIndex - 1]
      repeat {
        while position < terms.count {
          let term = terms[position]
          position += 1
          guard term.source == place.source, term.column == place.column,
            place.column != -2 || isExpression(term), placeIndex == 0 || !term.isOuterOn
          else { continue }
          if term.operators.contains(.equivalence) { follow(term) }
          if !term.operators.isDisjoint(with: wanted), fits(term) { return term }
        }
      } while goOutward()
      if placeIndex >= followed.count { return nil }
      placeIndex += 1
      look(at: start)
    }
  }

  /// The first term whose right side is known, but better an equality with a constant (SQLite's
  /// sqlite3WhereFindTerm).
  mutating func best(ready: SourceMask) -> WhereTerm? {
    var found: WhereTerm?
    while let candidate = next() {
      guard candidate.rightPrerequisites.isSubset(of: ready) else { continue }
      if candidate.rightPrerequisites.isEmpty,
        !candidate.operators.isDisjoint(with: .anyEquality)
      {
        return candidate
      }
      if found == nil { found = candidate }
    }
    return found
  }

  private mutating func look(at clause: WhereClause) {
    terms = clause.terms
    outer = clause.outer
    position = 0
  }

  /// As `WhereClause.columnReference`.
  private func columnReference(_ expression: BoundExpression) -> (source: Int, column: Int32)? {
    start.columnReference(expression)
  }

  /// Goes on with the clause around the present one, if there is one.
  private mutating func goOutward() -> Bool {
    guard let outer else { return false }
    look(at: outer)
    return true
  }

  private func isExpression(_ term: WhereTerm) -> Bool {
    guard let expression, let left = term.left else { return false }
    return left.isSame(as: expression, ignoringCollate: true)
  }

  private mutating func follow(_ term: WhereTerm) {
    guard let right = term.right, case .column = right.withoutCollate.kind,
      let (source, column) = columnReference(right), let comparison = term.comparison,
      followed.count + 1 < TermScan.maximumPlaceCount,
      source != first.source || column != first.column,
      !followed.contains(where: { $0.source == source && $0.column == column })
    else { return }
    var place = Place(source: source, column: column)
    if placeIndex > 0 { place.collation = followed[placeIndex - 1].collation }
    if comparison.collation !== Collation.binary {
      guard place.collation == nil || place.collation === comparison.collation else { return }
      place.collation = comparison.collation
    }
    followed.append(place)
  }

  /// The term compares as the index does, and is not the equality that led here.
  private func fits(_ term: WhereTerm) -> Bool {
    if let collation, !term.operators.contains(.isNull) {
      guard let comparison = term.comparison, comparison.allowsIndex(on: columnAffinity),
        comparison.collation.isNamed(collation)
      else { return false }
    }
    if placeIndex > 0, !term.operators.contains(.isNull),
      let collation = followed[placeIndex - 1].collation, term.comparison?.collation !== collation
    {
      return false
    }
    if placeIndex > 0, !term.operators.isDisjoint(with: .anyEquality), let right = term.right,
      let (source, column) = columnReference(right), source == first.source,
      column == first.column
    {
      return false
    }
    return true
  }
}
