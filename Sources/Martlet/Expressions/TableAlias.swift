/// A table of a query, so that expressions can say which of several tables they mean.
public class TableAliasBase: @unchecked Sendable {
  /// The name that the application wants the table to have in the query.
  let userName: String?

  init(userName: String?) { self.userName = userName }

  /// A selection of the table.
  public subscript(_ selectable: some SQLSelectable) -> SQLSelection {
    SQLSelection(.qualified(selectable.sqlSelection, self))
  }

  /// An expression over the table's columns.
  public subscript(
    _ expression: some SQLSpecificExpressible & SQLSelectable & SQLOrderingTerm
  ) -> SQLExpression {
    SQLExpression(.qualified(expression.sqlExpression, self))
  }

  /// An ordering by the table's columns.
  public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
    SQLOrdering(.qualified(ordering.sqlOrdering, self))
  }

  /// A column of the table.
  public subscript(_ column: String) -> SQLExpression {
    SQLExpression(.qualifiedColumn(column, self))
  }
}

extension TableAliasBase: Hashable {
  /// Aliases are equal that are one object.
  public static func == (left: TableAliasBase, right: TableAliasBase) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A table of a query whose rows are decoded as a certain type.
///
/// ```swift
/// let teams = TableAlias<Team>()
/// let players = Player.filter { $0.teamId == teams.id }
/// let teamsWithPlayers = Team.aliased(teams).filter(players.exists())
/// ```
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
  /// Makes an alias for any table.
  ///
  /// - Parameter name: The name of the table in the query; nil chooses one.
  public init(name: String? = nil) where RowDecoder == Void { super.init(userName: name) }

  /// Makes an alias for the table of a record type.
  ///
  /// - Parameter name: The name of the table in the query; nil chooses one.
  public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) {
    super.init(userName: name)
  }
}
