import MartletEngine

/// A token of a query, or the beginning of one.
struct QueryToken {
  var text: [UInt8]
  var isPrefix = false
  /// It has to be the first in its column (`^`).
  var isFirst = false
}

/// Tokens that have to follow each other, and how far the search for them is (fts3 §3).
final class MatchPhrase {
  let tokens: [QueryToken]
  /// The column in which it is looked for; nil for all.
  let column: Int?
  let doclist = PhraseDoclist()

  init(_ tokens: [QueryToken], column: Int?) {
    self.tokens = tokens
    self.column = column
  }
}

/// A node of a query (fts3 §3.1, §3.2).
final class MatchExpression {
  /// In order of how tightly they bind.
  enum Kind: Int {
    case near = 1
    case not, and, or, phrase
  }

  let kind: Kind
  /// Of NEAR: how many tokens may be between.
  let distance: Int
  let phrase: MatchPhrase?
  @exclusivity(unchecked) private(set) var left: MatchExpression?
  @exclusivity(unchecked) private(set) var right: MatchExpression?
  /// The same, and the rows of a phrase, where nobody counts references to get them.
  @exclusivity(unchecked) private(set) var leftReference: Unmanaged<MatchExpression>?
  @exclusivity(unchecked) private(set) var rightReference: Unmanaged<MatchExpression>?
  let doclistReference: Unmanaged<PhraseDoclist>?
  unowned(unsafe) var parent: MatchExpression?

  // MARK: Where the evaluation is

  @exclusivity(unchecked) var docid: Int64 = 0
  @exclusivity(unchecked) var isAtEnd = false
  @exclusivity(unchecked) var hasStarted = false
  /// Of a phrase: how often it is in each column, and in how many rows, over the whole table, two
  /// numbers a column; nil until it was counted.
  @exclusivity(unchecked) private(set) var totals: UnsafeMutablePointer<UInt32>?
  /// Of the uppermost NEAR of a chain: its phrases from left to right, and the distances between.
  var chain: NearChain {
    if let knownChain { return knownChain }
    let made = NearChain(self)
    knownChain = made
    return made
  }
  @exclusivity(unchecked) private var knownChain: NearChain?

  init(_ kind: Kind, distance: Int = 0, phrase: MatchPhrase? = nil) {
    self.kind = kind
    self.distance = distance
    self.phrase = phrase
    doclistReference = (phrase?.doclist).map { Unmanaged.passUnretained($0) }
  }

  deinit {
    MemoryUse.free(totals)
    // Without recursion: a query may have very many terms, each below the one before.
    var waiting = [left, right].compactMap { $0 }
    left = nil
    right = nil
    while var node = waiting.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      if let left = node.left { waiting.append(left) }
      if let right = node.right { waiting.append(right) }
      node.left = nil
      node.right = nil
    }
  }

  /// Begins to count with zeros.
  func makeTotals(columnCount: Int) throws(SQLError) -> UnsafeMutablePointer<UInt32> {
    let count = 2 * columnCount
    let size = max(count, 1) * MemoryLayout<UInt32>.stride
    guard let memory = totals ?? MemoryUse.allocate(size)?.assumingMemoryBound(to: UInt32.self)
    else { throw SQLError(.outOfMemory) }
    memory.initialize(repeating: 0, count: count)
    totals = memory
    return memory
  }

  func setLeft(_ child: MatchExpression?) {
    left = child
    leftReference = child.map { Unmanaged.passUnretained($0) }
    child?.parent = self
  }

  func setRight(_ child: MatchExpression?) {
    right = child
    rightReference = child.map { Unmanaged.passUnretained($0) }
    child?.parent = self
  }

  /// The phrases from left to right.
  var phrases: [MatchExpression] {
    if phrase != nil { return [self] }
    return (left?.phrases ?? []) + (right?.phrases ?? [])
  }

  /// The phrases that can be matched: not those that are excluded by NOT (fts3 §4).
  var matchablePhrases: [MatchExpression] {
    if phrase != nil { return [self] }
    let first = left?.matchablePhrases ?? []
    return kind == .not ? first : first + (right?.matchablePhrases ?? [])
  }
}

// MARK: - Depth

extension MatchExpression {
  /// Deeper queries are errors.
  static let deepest = 12

  /// What is wrong with a query's shape.
  enum ShapeError: Error { case malformed, tooLarge }

  /// The same query with its ANDs and ORs in trees as low as possible.
  func balanced(_ depth: Int = deepest) throws(ShapeError) -> MatchExpression {
    if depth == 0 { throw .malformed }
    switch kind {
    case .and, .or: return try combine(leaves(of: kind), depth)
    case .not:
      let first = left, second = right
      setLeft(try first?.balanced(depth - 1))
      setRight(try second?.balanced(depth - 1))
      return self
    case .near, .phrase: return self
    }
  }

  private func leaves(of kind: Kind) -> [MatchExpression] {
    var leaves: [MatchExpression] = []
    // Without recursion: a query may have very many terms.
    var waiting = [self]
    while let node = waiting.popLast() {
      if node.kind == kind, let left = node.left, let right = node.right {
        waiting.append(right)
        waiting.append(left)
      } else {
        leaves.append(node)
      }
    }
    return leaves
  }

  private func combine(
    _ leaves: [MatchExpression], _ depth: Int
  ) throws(ShapeError) -> MatchExpression {
    // Trees of 1, 2, 4 … leaves, as the digits of a binary number.
    var trees = [MatchExpression?](repeating: nil, count: depth)
    for leaf in leaves {
      var tree: MatchExpression? = try leaf.balanced(depth - 1)
      for level in 0..<depth {
        guard let right = tree else { break }
        if let left = trees[level] {
          tree = MatchExpression.joined(kind, left, right)
          trees[level] = nil
        } else {
          trees[level] = right
          tree = nil
        }
      }
      if tree != nil { throw .tooLarge }
    }
    var result: MatchExpression?
    for tree in trees {
      guard let tree else { continue }
      result = result.map { MatchExpression.joined(kind, tree, $0) } ?? tree
    }
    result?.parent = nil
    return result ?? self
  }

  private static func joined(
    _ kind: Kind, _ left: MatchExpression, _ right: MatchExpression
  ) -> MatchExpression {
    let node = MatchExpression(kind)
    node.setLeft(left)
    node.setRight(right)
    return node
  }

  func checkDepth(_ depth: Int = deepest) throws(ShapeError) {
    if depth < 0 { throw .tooLarge }
    try left?.checkDepth(depth - 1)
    try right?.checkDepth(depth - 1)
  }
}
