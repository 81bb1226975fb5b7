import MartletEngine

/// How texts are compared (datatype3 §7).
public enum Collation: Sendable, Hashable {
  /// Byte by byte.
  case binary
  /// As if the letters A to Z were small.
  case nocase
  /// Without blanks at the end.
  case rtrim
  /// By a collation of the application: `Connection.createCollation`.
  case custom(String)
}

extension Collation: Expressible, CustomStringConvertible {
  /// The name as it stands in SQL.
  public var expression: Expression<Void> { Expression(literal: description) }

  /// The name as it stands in SQL.
  public var description: String {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    case .custom(let name): name.quotedIdentifier
    }
  }
}
