/// What binding needs to know of the connection.
///
/// An object, so that it is handed over and not copied.
final class BindEnvironment {
  let catalog: Catalog
  let functions: FunctionRegistry
  /// What names led to.
  let named: NamedDatabases
  /// Connects virtual tables; nil where there are none to be.
  @exclusivity(unchecked) var virtualTables: (any VirtualTableHost)?
  /// Collations of the application; the built-in ones are always known.
  let collations: [Collation]
  /// A name in double quotes that is no column is a string (quirks §8).
  @exclusivity(unchecked) var allowsDoubleQuotedStrings = true
  /// CHECK is not looked at (pragma, ignore_check_constraints).
  @exclusivity(unchecked) var ignoresChecks = false
  /// The schema tables may be changed like others (pragma, writable_schema).
  @exclusivity(unchecked) var isSchemaWritable = false
  /// Shadow tables of virtual tables may not be changed.
  @exclusivity(unchecked) var protectsShadowTables = false
  /// SQLITE_LIMIT_COLUMN.
  @exclusivity(unchecked) var columnLimit = 2_000
  /// SQLITE_LIMIT_EXPR_DEPTH.
  @exclusivity(unchecked) var expressionDepthLimit: Int32 = 1_000
  /// What result columns without AS are called.
  @exclusivity(unchecked) var columnNames = ColumnNaming()
  /// Expressions of the schema may call any function (pragma, trusted_schema).
  @exclusivity(unchecked) var trustsSchema = true
  /// Views may not be read (`ConnectionSwitch.enableViews`).
  @exclusivity(unchecked) var refusesViews = false
  /// Triggers do not fire (`ConnectionSwitch.enableTriggers`).
  @exclusivity(unchecked) var refusesTriggers = false
  /// Asked about what the statement reads, calls and changes.
  @exclusivity(unchecked) var authorizer: Authorizer?
  /// The same about SELECTs inside it.
  @exclusivity(unchecked) var selects: (any SelectAuthorizer)?
  /// Triggers may fire themselves, and REPLACE fires DELETE triggers (pragma, recursive_triggers).
  @exclusivity(unchecked) var hasRecursiveTriggers = false
  /// Foreign keys are enforced (pragma, foreign_keys).
  @exclusivity(unchecked) var hasForeignKeys = false
  @exclusivity(unchecked) var defersForeignKeys = false
  /// All of them are NO ACTION, whatever they say (`Connection.ignoresForeignKeyActions`).
  @exclusivity(unchecked) var ignoresForeignKeyActions = false
  /// What the statement's parameters are bound to.
  @exclusivity(unchecked) var parameters: PlanParameters?

  init(
    catalog: Catalog, functions: FunctionRegistry, collations: [Collation] = [],
    named: NamedDatabases = NamedDatabases()
  ) {
    self.catalog = catalog
    self.functions = functions
    self.named = named
    self.collations = collations
  }

  /// Lets go of what is not the same for the connection's next statement, and of the connection.
  func forgetStatement() {
    virtualTables = nil
    authorizer = nil
    selects = nil
    parameters = nil
  }
}

/// Resolves the names of one statement and finds the affinity and collation of its expressions.
///
/// The trees that it makes share no node with the syntax tree, but names and texts still point into
/// the statement's text and the schema's. Expressions nest up to 1,000 deep: what calls itself here
/// dispatches only and keeps its frame small.
final class Binder {
  let environment: BindEnvironment
  /// The statement's text, which owns the names and blobs that binding makes.
  let arena: SQLText
  /// Where the bound tree lies.
  let memory: TreeMemory
  private let trees: TreeStore
  /// The text that is being bound: a view's while that is bound.
  @exclusivity(unchecked) var text: SQLText
  /// The database in which a view's tables are looked up, -1 outside views.
  @exclusivity(unchecked) var fixedDatabase = -1
  /// `x IS NOT NULL` stays as it is though x can be no NULL: in the condition of an index, and of
  /// the target of an upsert.
  @exclusivity(unchecked) var keepsNullTests = false
  /// What is bound is an expression or the condition of an index.
  @exclusivity(unchecked) var isBindingIndex = false
  /// Collations that do not exist are no errors: who uses the index asks for them.
  @exclusivity(unchecked) var forgivesMissingCollations = false
  /// One that was forgiven.
  @exclusivity(unchecked) var forgivenCollation: Collation?
  @exclusivity(unchecked) var commonTables: CommonTableScope?
  /// The highest number that EXPLAIN QUERY PLAN has for a SELECT so far: those of the statement are
  /// numbered by the parser, those of each view anew for each reference.
  @exclusivity(unchecked) var selectNumber: Int32 = 0
  /// The rows of VALUES to be bound are those of `(a, b) IN ((1, 2), …)`.
  @exclusivity(unchecked) var isInRowList = false
  /// `x IS TRUE` asks whether x is true, and does not compare it with 1.
  @exclusivity(unchecked) var knowsTruthWords = true
  /// Such a question has been bound.
  @exclusivity(unchecked) var asksForTruth = false
  /// What is bound stands in the text of the statement itself, but not in a common table, a trigger
  /// or an ON: only there does SQLite convert compounds (`collatedCompound`).
  @exclusivity(unchecked) var convertsCompounds = true
  /// The statement is there for the names and types of a view's columns, which may be asked for
  /// where the view may not be read.
  @exclusivity(unchecked) var describesView = false
  /// Views that are being bound, the outermost first.
  @exclusivity(unchecked) var openViews: [Table] = []
  /// What SET … = (SELECT …) assigns to several columns of UPDATE … FROM, once it is bound.
  var rowSubqueries: [ObjectIdentifier: BoundExpression] = [:]
  /// Collations that were named but do not exist: an error as soon as one is used.
  @exclusivity(unchecked) var missingCollations: [Collation] = []
  @exclusivity(unchecked) private var sourceCount: Int32 = 0
  /// ON clauses of the FROMs that are being bound, by id of the SELECT.
  /// Arguments of table-valued functions that are still to be bound, with the hidden columns.
  @exclusivity(unchecked) var functionArguments:
    [(selectID: Int, source: BoundSource, columns: [Int], arguments: TreeList<Expression>)] = []
  @exclusivity(unchecked) var joinConditions: [(selectID: Int, conditions: [Expression?])] = []
  @exclusivity(unchecked) private var selectCount = 0
  /// As `ParsedStatement.isOfVirtualTable`.
  let isOfVirtualTable: Bool
  /// An error that is being thrown comes from a SELECT, not from the clause that it stands in.
  @exclusivity(unchecked) var failsInSelect = false
  /// The first mistake that SQLite finds only when all names of the statement are resolved.
  @exclusivity(unchecked) private var postponedError: SQLError?
  /// How many SELECTs are being bound inside each other.
  @exclusivity(unchecked) var selectDepth = 0
  /// How many virtual columns are being bound that are computed from each other.
  @exclusivity(unchecked) var virtualColumnDepth = 0
  /// Height of the expressions in whose subqueries the binder is (SQLite's Parse.nHeight).
  @exclusivity(unchecked) var openHeight: Int32 = 0

  /// Where the stored expression stands that is being bound for a definition; nil in statements.
  @exclusivity(unchecked) var storedKind: StoredExpressionKind?
  /// The expressions of a new table are bound for their mistakes alone.
  @exclusivity(unchecked) var isDefiningTable = false
  /// Where an expression of the schema stands that is being bound, in statements too.
  @exclusivity(unchecked) var storedPlace = StoredPlace.none
  /// The table that it belongs to, or whose DEFAULT is being bound, is a temporary one.
  @exclusivity(unchecked) var isInTemporaryTable = false
  /// nil where nobody is to be asked.
  @exclusivity(unchecked) var authorizer: Authorizer?
  /// How many columns of the SELECT to be bound next nobody is asked about: UPDATE … FROM has them
  /// to find its rows again.
  @exclusivity(unchecked) var unaskedCount = 0
  /// How often a table is read in views and common tables, which may multiply it.
  @exclusivity(unchecked) var references: [ObjectIdentifier: Int] = [:]
  /// The innermost view or common table that is being bound.
  @exclusivity(unchecked) var authorizingView: String?

  /// The rows OLD and NEW, while a trigger's program is bound.
  @exclusivity(unchecked) var triggerRows: TriggerRows?
  /// What the statement says that fires the trigger, in place of what the trigger's steps say.
  @exclusivity(unchecked) var overridingPolicy: ConflictPolicy?

  /// Takes down where a table or column is named that ALTER TABLE renames.
  @exclusivity(unchecked) var uses: NameUses?
  /// The table is being dropped: no triggers fire, and foreign keys that lead nowhere are left
  /// alone.
  @exclusivity(unchecked) var isDroppingTable = false
  /// Texts that were made for the statement, which bound trees point into.
  @exclusivity(unchecked) private var ownTexts: [SQLText] = []

  /// A DEFAULT is being bound, for which SQLite knows no functions but scalar ones.
  @exclusivity(unchecked) var isInDefault = false

  init(_ statement: ParsedStatement, _ environment: BindEnvironment) {
    self.environment = environment
    authorizer = environment.authorizer
    arena = statement.text
    trees = statement.trees
    memory = trees.memory
    text = statement.text
    isOfVirtualTable = statement.isOfVirtualTable
  }

  /// A binder for the programs of a trigger, whose text belongs to the schema.
  init(_ text: SQLText, firedBy outer: Binder) {
    environment = outer.environment
    authorizer = environment.authorizer
    arena = outer.arena
    trees = outer.trees
    memory = trees.memory
    self.text = text
    isOfVirtualTable = outer.isOfVirtualTable
    convertsCompounds = false
  }

  /// Keeps a text for as long as the binder is there.
  func keep(_ text: SQLText) { ownTexts.append(text) }

  static func bind(
    _ statement: ParsedStatement, in environment: BindEnvironment
  ) throws(SQLError) -> BoundStatement {
    switch statement.statement {
    case .select(let select):
      let binder = Binder(statement, environment)
      try binder.authorizeSelect()
      return .select(try binder.bindStatement(select, role: .top))
    case .insert(let insert):
      return .insert(try Binder(statement, environment).bindInsert(insert))
    case .update(let update):
      return .update(try Binder(statement, environment).bindUpdate(update))
    case .delete(let delete):
      return .delete(try Binder(statement, environment).bindDelete(delete))
    case .pragma(let pragma): return .pragma(pragma)
    case .vacuum(let schema, let file):
      return try Binder(statement, environment).bindVacuum(schema, into: file)
    case .begin, .commit, .rollback, .savepoint, .release, .attach, .detach:
      return try Binder(statement, environment).bindTransaction(statement.statement)
    default: throw .notSupported(unsupportedName(statement.statement))
    }
  }

  /// Binds a whole SELECT, of a statement that is more than it.
  func bindStatement(
    _ select: SelectStatement, role: SelectRole
  ) throws(SQLError) -> BoundSelect {
    let bound = try bindSelect(select, outer: nil, role: role)
    try throwPostponedError()
    return bound
  }

  private static func unsupportedName(_ statement: StatementSyntax) -> String {
    switch statement {
    case .select, .insert, .update, .delete, .pragma, .begin, .commit, .rollback, .savepoint,
      .release, .attach, .detach, .vacuum:
      ""
    case .createTable: "CREATE TABLE"
    case .createIndex: "CREATE INDEX"
    case .createView: "CREATE VIEW"
    case .createTrigger: "CREATE TRIGGER"
    case .createVirtualTable: "CREATE VIRTUAL TABLE"
    case .drop: "DROP"
    case .alterTable: "ALTER TABLE"
    case .analyze: "ANALYZE"
    case .reindex: "REINDEX"
    }
  }

  private func bindVacuum(
    _ schema: Name?, into file: Expression?
  ) throws(SQLError) -> BoundStatement {
    let database = schema.map { environment.catalog.databaseIndex(named: $0) } ?? 0
    if let schema, database < 0 { throw .sql("unknown database \(schema.string)") }
    let bound = try file.map { (file) throws(SQLError) in
      try bindScalar(file, Scope(outer: nil, selectID: newSelectID()))
    }
    return .vacuum(database: database, into: bound)
  }

  /// Throws the error when everything is bound; until then, NULL stands for the expression.
  func postpone(_ error: SQLError) throws(SQLError) -> BoundExpression {
    if postponedError == nil { postponedError = error }
    return BoundExpression(.null, affinity: .none, traits: [], in: memory)
  }

  /// To be called when everything is bound.
  func throwPostponedError() throws(SQLError) {
    if let postponedError { throw postponedError }
  }

  func newSelectID() -> Int {
    selectCount += 1
    return selectCount
  }

  /// What the function makes, unless it fails or puts off an error: then nil, and no error is left.
  func ifBound<Value>(_ body: () throws(SQLError) -> Value) -> Value? {
    let outer = postponedError
    postponedError = nil
    defer { postponedError = outer }
    guard let value = try? body(), postponedError == nil else { return nil }
    return value
  }

  func newSourceID() -> SourceID {
    sourceCount &+= 1
    return SourceID(sourceCount &- 1)
  }

  /// A name made of `text`, which lives as long as the statement.
  func makeName(_ text: String) throws(SQLError) -> Name {
    try text.makeName(in: arena)
  }

  /// The name that a piece of the text is when it names a column.
  func spanName(_ range: ByteRange) -> Name {
    let lower = max(0, min(text.count, Int(range.start)))
    let upper = max(lower, min(text.count, Int(range.end)))
    return Name(start: text.start + lower, count: upper - lower)
  }

  // MARK: Collations

  /// The collation of that name; a stand-in where there is none.
  func collation(named name: Name) -> Collation {
    if let collation = Collation.builtIn(named: name),
      !environment.collations.contains(where: { $0.replacesBuiltIn && $0.isNamed(name) })
    {
      return collation
    }
    return customCollation(name.string)
  }

  private func customCollation(_ name: String) -> Collation {
    for collation in environment.collations where collation.name.isSameName(as: name) {
      memory.keep(collation)
      return collation
    }
    for collation in missingCollations where collation.name.hasSameBytes(as: name) {
      return collation
    }
    let missing = Collation(name: name, encoding: .utf8) { _, _ in 0 }
    missingCollations.append(missing)
    memory.keep(missing)
    return missing
  }

  /// The collation that something compares with: BINARY where there is none. Who renames what is
  /// named, or defines a table, compares nothing.
  @inline(__always)
  func usable(_ collation: Collation?) throws(SQLError) -> Collation {
    guard let collation else { return .binary }
    if collation.kind == .custom, uses == nil, !isDefiningTable { try checkExists(collation) }
    return collation
  }

  private func checkExists(_ collation: Collation) throws(SQLError) {
    for missing in missingCollations where missing === collation {
      if !forgivesMissingCollations { throw SQLError.missingCollation(collation) }
      forgivenCollation = collation
    }
  }
}

extension SQLError {
  static func missingCollation(_ collation: Collation) -> SQLError {
    SQLError(.errorMissingCollation, "no such collation sequence: \(collation.name)")
  }
}
