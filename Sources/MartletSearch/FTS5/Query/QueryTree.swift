import MartletEngine

/// A token that a phrase wants, with what stands for it.
struct QueryTerm {
  /// The key in the index, without its first byte. With tokendata=1, it ends before a zero byte.
  var token: [UInt8]
  /// What the tokenizer gave behind that, from the zero byte on: the query does not ask for it.
  var data: [UInt8] = []
  /// Any token that begins with it will do.
  var isPrefix = false
  /// It is the first token of its column.
  var isFirst = false
  /// Somebody may ask which tokens the rows have of those that are wanted (fts5 §6.6).
  var keepsTokens = false
  /// Other tokens at the same place.
  var synonyms: [[UInt8]] = []

  /// Whether a token of a document is one of these.
  func matches(_ token: UnsafeRawBufferPointer, _ configuration: FTS5Configuration) -> Bool {
    let end = configuration.hasTokenData ? token.firstIndex(of: 0) ?? token.count : token.count
    return ([self.token] + synonyms).contains { wanted in
      guard wanted.count == end || wanted.count < end && isPrefix else { return false }
      return token.starts(with: wanted)
    }
  }
}

/// Tokens that follow each other (fts5 §3.2).
final class QueryPhrase {
  var terms: [QueryTerm] = []
}

/// A query as it is written: phrases, NEAR groups, and how they are combined (fts5 §3).
indirect enum QueryTree {
  case group(QueryGroup)
  case and([QueryTree])
  case or([QueryTree])
  case not(QueryTree, QueryTree)

  /// Nothing can match.
  var isEmpty: Bool {
    guard case .group(let group) = self else { return false }
    return group.isEmpty
  }

  var height: Int {
    switch self {
    case .group: 0
    case .and(let children), .or(let children): 1 + (children.map(\.height).max() ?? 0)
    case .not(let left, let right): 1 + max(left.height, right.height)
    }
  }
}

/// Phrases near each other, or a phrase alone, in some of the columns.
final class QueryGroup {
  var phrases: [QueryPhrase]
  /// Tokens that may be between the first phrase and the last.
  var distance = 10
  /// In order; nil for all columns.
  var columns: [Int]?
  /// A phrase has no tokens, or no column is left.
  var isEmpty = false

  init(_ phrases: [QueryPhrase]) { self.phrases = phrases }
}
