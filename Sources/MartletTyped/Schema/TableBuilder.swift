/// A condition that may be NULL or not: what CHECK takes.
public protocol ConditionType: Expressible {}

extension Expression: ConditionType
where Datatype: ColumnType, Datatype.ColumnValue == Bool {}

/// How a column is the primary key.
public enum PrimaryKey: Sendable {
  /// `PRIMARY KEY`.
  case `default`
  /// `PRIMARY KEY AUTOINCREMENT`: numbers are never used twice (autoinc).
  case autoincrement
}

/// Gathers the columns and constraints of a table that is made.
///
/// ```swift
/// try db.run(users.create { t in
///   t.column(id, primaryKey: true)
///   t.column(email, unique: true, check: email.like("%@%"))
///   t.column(name)
/// })
/// ```
public final class TableBuilder {
  var definitions: [Expression<Void>] = []
  /// The text of constraints as the first API made it.
  let style: DefinitionStyle

  init(style: DefinitionStyle = .current) { self.style = style }

  func add(_ column: ColumnText) { definitions.append(column.expression(style)) }

  // MARK: Columns

  /// A column. It is NOT NULL unless its type is optional.
  public func column<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil,
    defaultValue: Expression<A>? = nil
  ) {
    add(ColumnText(name, unique: unique, check: check, default: defaultValue))
  }

  /// A column with a value for rows that set none.
  public func column<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil, defaultValue: A
  ) {
    add(ColumnText(name, unique: unique, check: check, default: Expression(value: defaultValue)))
  }

  /// An optional column with an expression for rows that set none.
  public func column<V: Value>(
    _ name: Expression<V?>, unique: Bool = false, check: (any ConditionType)? = nil,
    defaultValue: Expression<V>
  ) {
    add(ColumnText(name, unique: unique, check: check, default: defaultValue))
  }

  /// A column that is the primary key.
  public func column<V: Value>(
    _ name: Expression<V>, primaryKey: Bool, check: (any ConditionType)? = nil,
    defaultValue: Expression<V>? = nil
  ) {
    add(
      ColumnText(
        name, primaryKey: primaryKey ? .default : nil, check: check, default: defaultValue))
  }

  /// A column that is the primary key, with a value for rows that set none.
  public func column<V: Value>(
    _ name: Expression<V>, primaryKey: Bool, check: (any ConditionType)? = nil, defaultValue: V
  ) {
    add(
      ColumnText(
        name, primaryKey: primaryKey ? .default : nil, check: check,
        default: Expression(value: defaultValue)))
  }

  /// An integer column that is the primary key.
  public func column<V: Value>(
    _ name: Expression<V>, primaryKey: PrimaryKey, check: (any ConditionType)? = nil
  ) where V.Datatype == Int64 {
    add(ColumnText(name, primaryKey: primaryKey, check: check))
  }

  /// A column that refers to a column of another table.
  public func column<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil,
    references table: any QueryType, _ other: Expression<A.ColumnValue>
  ) {
    add(ColumnText(name, unique: unique, check: check, references: (table, other)))
  }

  /// A column that is the primary key and refers to a column of another table.
  public func column<V: Value>(
    _ name: Expression<V>, primaryKey: Bool, check: (any ConditionType)? = nil,
    references table: any QueryType, _ other: Expression<V>
  ) {
    add(
      ColumnText(
        name, primaryKey: primaryKey ? .default : nil, check: check, references: (table, other)))
  }

  /// A column of texts that compare by a collation.
  public func column<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil,
    defaultValue: Expression<A>? = nil, collate: Collation
  ) where A.ColumnValue.Datatype == String {
    add(ColumnText(name, unique: unique, check: check, default: defaultValue, collate: collate))
  }

  /// A column of texts that compare by a collation, with a value for rows that set none.
  public func column<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil,
    defaultValue: A, collate: Collation
  ) where A.ColumnValue.Datatype == String {
    add(
      ColumnText(
        name, unique: unique, check: check, default: Expression(value: defaultValue),
        collate: collate))
  }

  // MARK: Constraints of the table

  /// The columns are the primary key together.
  public func primaryKey(_ column: any Expressible, _ more: any Expressible...) {
    constrain("PRIMARY KEY", [column] + more)
  }

  /// No two rows are equal in the columns.
  public func unique(_ column: any Expressible, _ more: any Expressible...) {
    constrain("UNIQUE", [column] + more)
  }

  /// No two rows are equal in the columns.
  public func unique(_ columns: [any Expressible]) { constrain("UNIQUE", columns) }

  /// The condition is not false for any row.
  public func check(_ condition: any ConditionType) {
    definitions.append("CHECK".keyword(condition.expression.parenthesized))
  }

  private func constrain(_ name: String, _ columns: [any Expressible]) {
    let list = ", ".join(columns)
    let gap = style == .current ? " " : ""
    definitions.append(Expression("\(name)\(gap)(\(list.template))", list.bindings))
  }

  /// What happens to rows whose row in the other table goes or changes (foreignkeys §4.3).
  public enum Dependency: String, Sendable {
    /// Nothing: the change fails at the end of the statement if they stay.
    case noAction = "NO ACTION"
    /// The change fails.
    case restrict = "RESTRICT"
    /// Their columns become NULL.
    case setNull = "SET NULL"
    /// Their columns get their default values.
    case setDefault = "SET DEFAULT"
    /// They go or change with it.
    case cascade = "CASCADE"
  }

  /// A column refers to a column of another table.
  public func foreignKey<A: ColumnType, B: ColumnType>(
    _ column: Expression<A>, references table: any QueryType, _ other: Expression<B>,
    update: Dependency? = nil, delete: Dependency? = nil
  ) where A.ColumnValue == B.ColumnValue {
    foreignKey([column], table, [other], update, delete)
  }

  /// Two columns refer to two columns of another table.
  public func foreignKey<A: ColumnType, B: ColumnType, C: ColumnType, D: ColumnType>(
    _ composite: (Expression<A>, Expression<B>), references table: any QueryType,
    _ other: (Expression<C>, Expression<D>), update: Dependency? = nil, delete: Dependency? = nil
  ) where A.ColumnValue == C.ColumnValue, B.ColumnValue == D.ColumnValue {
    foreignKey([composite.0, composite.1], table, [other.0, other.1], update, delete)
  }

  /// Three columns refer to three columns of another table.
  public func foreignKey<
    A: ColumnType, B: ColumnType, C: ColumnType, D: ColumnType, E: ColumnType, F: ColumnType
  >(
    _ composite: (Expression<A>, Expression<B>, Expression<C>), references table: any QueryType,
    _ other: (Expression<D>, Expression<E>, Expression<F>), update: Dependency? = nil,
    delete: Dependency? = nil
  )
  where
    A.ColumnValue == D.ColumnValue, B.ColumnValue == E.ColumnValue, C.ColumnValue == F.ColumnValue
  {
    foreignKey(
      [composite.0, composite.1, composite.2], table, [other.0, other.1, other.2], update, delete)
  }

  func foreignKey(
    _ columns: [any Expressible], _ table: any QueryType, _ others: [any Expressible],
    _ update: Dependency?, _ delete: Dependency?
  ) {
    let gap = style == .current ? " " : ""
    let target = reference(to: table, others, style)
    var text = "FOREIGN KEY\(gap)(\(", ".join(columns).template)) \(target.template)"
    if let update { text += " ON UPDATE \(update.rawValue)" }
    if let delete { text += " ON DELETE \(delete.rawValue)" }
    definitions.append(Expression(literal: text))
  }
}

/// How definitions are written: they mean the same.
enum DefinitionStyle {
  case current
  /// As the API of 2015 wrote them.
  case first
}

/// `REFERENCES` of a table and its columns. It names no database: that is always the table's own.
func reference(
  to table: any QueryType, _ columns: [any Expressible], _ style: DefinitionStyle
) -> Expression<Void> {
  let name = Expression<Void>(table.clauses.from.name).template
  if columns.isEmpty { return Expression(literal: "REFERENCES \(name)") }
  let list = columns.map { $0.expression.template.lastIdentifier }.joined(separator: ", ")
  return Expression(literal: "REFERENCES \(name)\(style == .current ? " " : "")(\(list))")
}

/// What CREATE TABLE and ADD COLUMN say of a column.
struct ColumnText {
  let name: Expression<Void>
  let type: String
  let isNullable: Bool
  var primaryKey: PrimaryKey?
  var unique: Bool
  var check: (any ConditionType)?
  var defaultValue: Expression<Void>?
  var references: (table: any QueryType, column: (any Expressible)?)?
  var collate: Collation?

  init<A: ColumnType>(
    _ name: Expression<A>, primaryKey: PrimaryKey? = nil, unique: Bool = false,
    check: (any ConditionType)? = nil, default defaultValue: (any Expressible)? = nil,
    references: (any QueryType, (any Expressible)?)? = nil, collate: Collation? = nil
  ) {
    self.name = name.expression
    type = A.ColumnValue.declaredDatatype
    isNullable = A.isNullable
    self.primaryKey = primaryKey
    self.unique = unique
    self.check = check
    self.defaultValue = defaultValue?.expression
    self.references = references.map { (table: $0.0, column: $0.1) }
    self.collate = collate
  }

  func expression(_ style: DefinitionStyle) -> Expression<Void> {
    let uniqueness = unique ? "UNIQUE" : nil, nullness = isNullable ? nil : "NOT NULL"
    let words: [String?] = [
      type, primaryKey.map { $0 == .autoincrement ? "PRIMARY KEY AUTOINCREMENT" : "PRIMARY KEY" },
      style == .current ? nullness : uniqueness, style == .current ? uniqueness : nullness,
    ]
    var parts = [name] + words.compactMap { $0.map { Expression<Void>(literal: $0) } }
    if let check { parts.append("CHECK".keyword(check.expression.parenthesized)) }
    if let defaultValue { parts.append("DEFAULT".keyword(defaultValue.asDefault)) }
    if let (table, column) = references {
      parts.append(reference(to: table, column.map { [$0] } ?? [], style))
    }
    if let collate { parts.append(collation(collate, style)) }
    return " ".join(parts)
  }

  private func collation(_ collation: Collation, _ style: DefinitionStyle) -> Expression<Void> {
    guard style == .first, collation.description.first != "\"" else {
      return "COLLATE".keyword(collation)
    }
    return Expression(literal: "COLLATE \"\(collation.description)\"")
  }
}

extension Expression<Void> {
  /// DEFAULT takes literals as they are, and other expressions in parentheses
  /// (lang_createtable §3.2).
  fileprivate var asDefault: Expression<Void> {
    let words = ["CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP", "NULL", "TRUE", "FALSE"]
    if words.contains(template.uppercased()) { return self }
    guard template == "?" else { return parenthesized }
    // A text with a zero byte is no literal.
    let text = SQLTemplate.literal(bindings.first ?? nil)
    return text.hasPrefix("CAST") ? Expression(literal: "(\(text))") : self
  }
}
