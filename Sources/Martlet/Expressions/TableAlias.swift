import MartletEngine
import Synchronization

/// A table of a query, so that expressions can say which of several tables they mean.
public class TableAliasBase: @unchecked Sendable {
  private let state: Mutex<State>

  private struct State {
    /// The name that the application wants the table to have in the query.
    var userName: String?
    var tableName: String?
    /// The alias that this one has become a second name of.
    var base: TableAliasBase?
  }

  init(userName: String?, tableName: String? = nil) {
    state = Mutex(State(userName: userName, tableName: tableName))
  }

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

// MARK: - Aliases of one table

extension TableAliasBase {
  /// The alias that stands for the table: itself, unless it was given to a table that has one.
  var root: TableAliasBase {
    var alias = self
    while let base = alias.state.withLock({ $0.base }) { alias = base }
    return alias
  }

  var userName: String? { root.state.withLock { $0.userName } }

  /// The table; nil before the alias is given to one.
  var tableName: String? { root.state.withLock { $0.tableName } }

  /// What the table is called unless another one of the query is called the same.
  var identityName: String? { root.state.withLock { $0.userName ?? $0.tableName } }

  /// The alias is given to a table. The table that it was given first stays.
  func setTableName(_ name: String) {
    root.state.withLock { state in
      if state.tableName == nil { state.tableName = name }
    }
  }

  /// From now on, the alias means what another one means.
  func join(_ other: TableAliasBase) {
    let root = root
    let base = other.root
    guard root !== base else { return }
    let userName = root.state.withLock { state in
      state.base = base
      return state.userName
    }
    if let userName { base.state.withLock { $0.userName = userName } }
  }

  /// The alias of a table that has got both; nil if they cannot be aliases of one table.
  func merged(with other: TableAliasBase) -> TableAliasBase? {
    if self == other { return other }
    guard tableName?.nameKey == other.tableName?.nameKey else { return nil }
    if let userName, let name = other.userName, !name.hasSameBytes(as: userName) { return nil }
    join(other)
    return other.root
  }
}

extension TableAliasBase: Hashable {
  /// Aliases are equal that stand for one table of one query.
  public static func == (left: TableAliasBase, right: TableAliasBase) -> Bool {
    left.root === right.root
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(root)) }
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
  /// - Parameters:
  ///   - name: The name of the table in the query; nil chooses one.
  ///   - record: The type of the records.
  public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) {
    super.init(userName: name)
  }

  /// Another alias as that of a record type's table.
  init(_ base: TableAliasBase) {
    super.init(userName: nil)
    join(base)
  }
}
