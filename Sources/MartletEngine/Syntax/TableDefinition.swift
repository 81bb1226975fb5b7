/// CREATE TABLE (lang_createtable).
final class CreateTableStatement {
  let isTemporary: Bool
  let ifNotExists: Bool
  let name: QualifiedName
  let content: Content
  let isStrict: Bool
  let isWithoutRowID: Bool
  /// What SQLite stores in `sqlite_schema.sql` behind "CREATE TABLE ": the table's name to the last
  /// token. Meaningless for AS SELECT, whose stored text is made from the columns.
  let storedRange: ByteRange

  enum Content {
    case definitions(columns: [ColumnDefinition], constraints: [TableConstraint])
    case select(SelectStatement)
  }

  init(
    isTemporary: Bool, ifNotExists: Bool, name: QualifiedName, content: Content,
    options: TableOptions, storedRange: ByteRange
  ) {
    self.isTemporary = isTemporary
    self.ifNotExists = ifNotExists
    self.name = name
    self.content = content
    self.isStrict = options.contains(.strict)
    self.isWithoutRowID = options.contains(.withoutRowID)
    self.storedRange = storedRange
  }
}

/// The words behind the closing parenthesis of CREATE TABLE.
struct TableOptions: OptionSet {
  let rawValue: UInt8
  static let strict = TableOptions(rawValue: 1)
  static let withoutRowID = TableOptions(rawValue: 2)
}

/// A column of CREATE TABLE or ALTER TABLE ADD COLUMN.
final class ColumnDefinition {
  let name: Name
  /// The declared type as written, from its first to its last token, without a trailing
  /// GENERATED ALWAYS; the first word alone, unquoted, if that is quoted; nil where none is
  /// written.
  let type: ByteSlice?
  /// In the order in which they are written.
  let constraints: [ColumnConstraint]
  /// The name to the last token of the last constraint.
  let range: ByteRange

  init(name: Name, type: ByteSlice?, constraints: [ColumnConstraint], range: ByteRange) {
    self.name = name
    self.type = type
    self.constraints = constraints
    self.range = range
  }
}

struct ColumnConstraint {
  enum Kind {
    case primaryKey(OrderingTerm.Direction?, ConflictPolicy?, isAutoincrement: Bool)
    /// NULL, which SQLite accepts and ignores.
    case null(ConflictPolicy?)
    case notNull(ConflictPolicy?)
    case unique(ConflictPolicy?)
    /// `textRange` is what stands between the parentheses.
    case check(Expression, textRange: ByteRange)
    /// `textRange` is the value as written, without enclosing parentheses. A bare word is a
    /// string, unless it is TRUE or FALSE.
    case defaultValue(Expression, textRange: ByteRange)
    case collate(Name)
    case references(ForeignKeyClause)
    case generated(Expression, textRange: ByteRange, isStored: Bool)
  }

  let kind: Kind
  /// The last name given with CONSTRAINT in this column.
  let name: Name?
  /// The constraint, CONSTRAINT and its name included, to its last token.
  let range: ByteRange
}

struct TableConstraint {
  enum Kind {
    case primaryKey(TreeList<OrderingTerm>, ConflictPolicy?, isAutoincrement: Bool)
    case unique(TreeList<OrderingTerm>, ConflictPolicy?)
    /// `textRange` is what stands between the parentheses.
    case check(Expression, textRange: ByteRange, ConflictPolicy?)
    case foreignKey([Name], ForeignKeyClause)
  }

  let kind: Kind
  let name: Name?
  /// The constraint, CONSTRAINT and its name included, to its last token.
  let range: ByteRange
}

enum ForeignKeyAction: UInt8 { case noAction, restrict, setNull, setDefault, cascade }

/// REFERENCES … (foreignkeys §4).
final class ForeignKeyClause {
  let table: Name
  /// Empty where the parent's primary key is meant.
  let columns: [Name]
  let onDelete: ForeignKeyAction
  let onUpdate: ForeignKeyAction
  /// DEFERRABLE INITIALLY DEFERRED. DEFERRABLE may follow later than the clause, even in another
  /// column, so only the parser sets it.
  var isInitiallyDeferred = false

  init(
    table: Name, columns: [Name], onDelete: ForeignKeyAction, onUpdate: ForeignKeyAction
  ) {
    self.table = table
    self.columns = columns
    self.onDelete = onDelete
    self.onUpdate = onUpdate
  }
}

/// ALTER TABLE (lang_altertable).
final class AlterTableStatement {
  enum Action {
    case renameTable(to: Name)
    case renameColumn(Name, to: Name)
    case addColumn(ColumnDefinition)
    case dropColumn(Name)
    /// ADD [CONSTRAINT name] CHECK (…); `range` is the constraint as written.
    case addCheck(name: Name?, Expression, ConflictPolicy?, range: ByteRange)
    case dropConstraint(Name)
    /// ALTER column SET NOT NULL; `range` is NOT NULL and its conflict clause.
    case setNotNull(Name, ConflictPolicy?, range: ByteRange)
    case dropNotNull(Name)
  }

  let table: QualifiedName
  let action: Action

  init(table: QualifiedName, action: Action) {
    self.table = table
    self.action = action
  }
}
