import MartletEngine

/// A query that runs on an index (SQLite's Fts5Expr).
final class QueryExpression {
  let phrases: [QueryPhrase]
  /// nil for phrases that nothing asks for.
  private(set) var matches: [PhraseMatch?]
  private let root: QueryNode
  private let index: FTS5Index

  /// - Parameter columns: Where the whole query has to match; nil for all columns.
  init(_ tree: QueryTree, _ phrases: [QueryPhrase], _ index: FTS5Index) {
    self.phrases = phrases
    self.index = index
    var builder = NodeBuilder(phrases, index)
    root = builder.node(tree, isRoot: true)
    matches = builder.matches
  }

  var isAtEnd: Bool { root.isAtEnd }
  var rowid: Int64 { root.rowid }

  /// Rows can be found anew from any rowid on without reading all of them.
  var isReadInOrder: Bool {
    phrases.allSatisfy { $0.terms.allSatisfy { index.isReadInOrder($0) } }
  }

  /// Moves to the first row that is not less.
  func first(from rowid: Int64) throws(SQLError) {
    try root.first()
    if !root.isAtEnd && root.rowid < rowid { try root.next(from: rowid) }
    try root.findMatch()
  }

  func next() throws(SQLError) {
    try root.next(from: nil)
    try root.findMatch()
  }

  /// Where a phrase is in the current row; nil where it is not in it.
  ///
  /// A phrase of a NEAR group counts also where the group does not match after all, as in C.
  func positions(ofPhrase number: Int) throws(SQLError) -> Positions? {
    guard let match = matches[number], let group = match.group, !group.isAtEnd,
      group.rowid == root.rowid
    else { return nil }
    try match.locate()
    return match.positions.count > 0 ? match.positions : nil
  }

  /// The same as the index has them, where they need not be looked at: of a term that is wherever
  /// its entries are. Valid until the query moves.
  func storedPositions(ofPhrase number: Int) throws(SQLError) -> UnsafeRawBufferPointer? {
    guard let match = matches[number], !match.isForgotten, let group = match.group,
      group.isPlain, !group.isAtEnd, group.rowid == root.rowid
    else { return nil }
    return try match.cursors[0].positions()
  }

  /// The token of a row that stands for one of a phrase (`xInstToken`).
  func token(
    ofPhrase number: Int, at termIndex: Int, _ position: Int64, ofRow rowid: Int64
  ) throws(SQLError) -> [UInt8]? {
    let term = phrases[number].terms[termIndex]
    guard term.isPrefix || index.configuration.hasTokenData else { return term.token }
    guard let cursors = matches[number]?.cursors, cursors.indices.contains(termIndex) else {
      return nil
    }
    return try index.token(at: position, ofRow: rowid, for: term, cursors[termIndex])
  }

  /// Whether the current row has a phrase.
  func isHit(_ number: Int) throws(SQLError) -> Bool {
    if index.detail != .none { return try positions(ofPhrase: number) != nil }
    guard let match = matches[number], let group = match.group else { return false }
    return !group.isAtEnd && group.rowid == root.rowid && !match.isForgotten
  }

  /// Forgets what was found in a text of parts of the query that do not match.
  func keepFound(_ found: [Positions]) { _ = root.keepFound(found) }

  /// Where a phrase has to be; nil for all columns.
  func columns(ofPhrase number: Int) -> [Int]? { matches[number]?.columns }

  /// All rows that have a phrase of this query, wherever it stands in the query.
  func expression(ofPhrase number: Int) -> QueryExpression {
    let phrase = phrases[number]
    let group = QueryGroup([phrase])
    group.columns = matches[number]?.columns
    group.isEmpty = phrase.terms.isEmpty
    return QueryExpression(.group(group), [phrase], index)
  }
}

private struct NodeBuilder {
  let phrases: [QueryPhrase]
  let index: FTS5Index
  var matches: [PhraseMatch?]

  init(_ phrases: [QueryPhrase], _ index: FTS5Index) {
    self.phrases = phrases
    self.index = index
    matches = Array(repeating: nil, count: phrases.count)
  }

  mutating func node(_ tree: QueryTree, isRoot: Bool = false) -> QueryNode {
    switch tree {
    case .and(let children):
      var nodes: [QueryNode] = []
      for child in children { nodes.append(node(child)) }
      return AndNode(nodes, isRoot: isRoot)
    case .or(let children):
      var nodes: [QueryNode] = []
      for child in children { nodes.append(node(child)) }
      return OrNode(nodes)
    case .not(let left, let right): return NotNode(node(left), node(right))
    case .group(let group): return node(group)
    }
  }

  private mutating func node(_ group: QueryGroup) -> QueryNode {
    var members: [PhraseMatch] = []
    for phrase in group.phrases {
      let match = PhraseMatch(phrase, columns: group.columns, index.detail)
      members.append(match)
      if let number = phrases.firstIndex(where: { $0 === phrase }) {
        matches[number] = match
        match.number = number
      }
    }
    if group.isEmpty { return EmptyNode() }
    return GroupNode(members, distance: group.distance, index)
  }
}
