/// What a token is. The order carries meaning: see the properties below.
enum TokenKind: UInt8 {
  /// The end of the text, and a run of bytes that is no token.
  case endOfText, illegal

  case semicolon, leftParenthesis, rightParenthesis, comma, dot
  case star, plus, minus, slash, percent, concat
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  case ampersand, bar, shiftLeft, shiftRight, tilde
  /// `->` and `->>`.
  case arrow, longArrow
  case integer, float
  /// A number with `_` between digits, which only expressions take.
  case separatedNumber
  case blob, variable

  // Keywords that are never names.
  case add, all, alter, and, `as`, autoincrement, between, `case`, check, collate, commit
  case constraint, create, `default`, deferrable, delete, distinct, drop, `else`, escape, except
  case exists, foreign, from, group, having, `in`, index, insert, intersect, into, `is`, isnull
  case join, limit, not, nothing, notnull, null, on, or, order, primary, references, returning
  case select, set, table, then, to, transaction, union, unique, update, using, values, when
  case `where`

  // Keywords only where the tokens around them say so, identifiers elsewhere.
  case filter, over, window

  /// A string in single quotes; wherever a name is expected it is a name.
  case string

  // Words of joins: names, but not where a name may follow without AS.
  case cross, full, inner, left, natural, outer, right

  case indexed

  case identifier

  // Keywords that are identifiers wherever the grammar has no other use for them.
  case abort, action, after, always, analyze, asc, attach, before, begin, by, cascade, cast
  case column, conflict, current, currentDate, currentTime, currentTimestamp, database, deferred
  case desc, detach, `do`, each, end, exclude, exclusive, explain, fail, first, following, `for`
  case generated, glob, groups, `if`, ignore, immediate, initially, instead, key, last, like
  case match, materialized, no, nulls, of, offset, others, partition, plan, pragma, preceding
  case query, raise, range, recursive, regexp, reindex, release, rename, replace, restrict
  case rollback, row, rows, savepoint, temp, temporary, ties, trigger, unbounded, vacuum, view
  case virtual, with, without

  static let firstKeyword = TokenKind.add

  /// Can be an alias without AS, a type or a collation ("ids" in SQLite's grammar).
  @inline(__always)
  var isPlainNameOrString: Bool { self >= .identifier || self == .string }

  /// Can be the name of a column or function in an expression ("idj").
  @inline(__always)
  var isIdentifier: Bool { self > .string }

  /// Can be the name of a table, column or other object ("nm").
  @inline(__always)
  var isName: Bool { self >= .string }
}

extension TokenKind: Comparable {
  @inline(__always)
  static func < (left: TokenKind, right: TokenKind) -> Bool { left.rawValue < right.rawValue }
}

/// One token: its kind and the half-open range of its bytes.
struct Token {
  let kind: TokenKind
  let start: Int
  let end: Int
}
