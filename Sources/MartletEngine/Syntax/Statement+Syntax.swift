/// A parsed statement. Statements own nothing: keep the `ParsedStatement` that holds the text.
enum StatementSyntax {
  case select(SelectStatement)
  case insert(InsertStatement)
  case update(UpdateStatement)
  case delete(DeleteStatement)
  case createTable(CreateTableStatement)
  case createIndex(CreateIndexStatement)
  case createView(CreateViewStatement)
  case createTrigger(CreateTriggerStatement)
  case createVirtualTable(CreateVirtualTableStatement)
  case drop(DropStatement)
  case alterTable(AlterTableStatement)
  case begin(TransactionKind)
  case commit
  /// ROLLBACK, or ROLLBACK TO a savepoint.
  case rollback(to: Name?)
  case savepoint(Name)
  case release(Name)
  case attach(file: Expression, schema: Expression, key: Expression?)
  case detach(Expression)
  case pragma(PragmaStatement)
  case vacuum(schema: Name?, into: Expression?)
  case analyze(schema: Name?, name: Name?)
  case reindex(schema: Name?, name: Name?)
}

extension StatementSyntax {
  /// SQLite has done something by the time that it sees a mistake behind the statement: a PRAGMA, and
  /// CREATE INDEX, which takes the table for not too small.
  var actsWhenParsed: Bool {
    switch self {
    case .pragma, .createIndex: true
    default: false
    }
  }
}

enum ExplainMode: UInt8 { case none, program, queryPlan }

/// One statement, its text and what the parser noticed on the way.
final class ParsedStatement {
  let text: SQLText
  let statement: StatementSyntax
  /// What the text says, or what the application wants instead.
  var explain: ExplainMode
  /// First token to last token, EXPLAIN included, the semicolon not.
  let range: ByteRange
  /// Offset behind the statement and its semicolon.
  let endOffset: Int
  /// Highest parameter number.
  let parameterCount: Int32
  /// Names with their `?`, `:`, `@` or `$`; unnamed parameters are not listed.
  let parameterNames: [(number: Int32, name: ByteSlice)]
  /// The statement's trees: the syntax tree, and those that compiling makes of it.
  let trees: TreeStore
  /// What is wrong behind a statement that acts when it is parsed.
  let refusal: SQLError?

  var options: PrepareOptions = []
  /// As `PrepareOptions.isFromSchema`.
  var isOfVirtualTable: Bool { options.contains(.isFromSchema) }

  /// Where its trees lie.
  var memory: TreeMemory { trees.memory }

  init(
    text: SQLText, statement: StatementSyntax, explain: ExplainMode, range: ByteRange,
    endOffset: Int, parameterCount: Int32, parameterNames: [(number: Int32, name: ByteSlice)],
    trees: TreeStore, refusal: SQLError? = nil
  ) {
    self.trees = trees
    self.refusal = refusal
    self.text = text
    self.statement = statement
    self.explain = explain
    self.range = range
    self.endOffset = endOffset
    self.parameterCount = parameterCount
    self.parameterNames = parameterNames
  }
}

/// What a statement may not use besides what its text says (c3ref c_prepare_dont_log).
public struct PrepareOptions: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The statement may use no virtual tables.
  public static let refusesVirtualTables = PrepareOptions(rawValue: 1)
  /// Its text comes from the schema, or a virtual table runs it on tables that its definition names:
  /// what may not be used in a view may not be used in it (SQLITE_PREPARE_FROM_DDL).
  public static let isFromSchema = PrepareOptions(rawValue: 2)
}

/// A name that may carry a schema: `schema.name`.
struct QualifiedName {
  let schema: Name?
  let name: Name
}

enum TransactionKind: UInt8 { case deferred, immediate, exclusive }

final class PragmaStatement {
  enum Value {
    /// A name, string or number as written (unquoted), with a sign where one was written.
    case text(ByteSlice)
  }

  let schema: Name?
  let name: Name
  let value: Value?
  /// nil for a name that means nothing.
  let known: Pragma?

  init(schema: Name?, name: Name, value: Value?) {
    self.schema = schema
    self.name = name
    self.value = value
    known = Pragma(name)
  }

  /// Whether the schemas have to be read before it is compiled.
  var readsSchema: Bool {
    guard let known else { return false }
    return known.readsSchema && !(known == .encoding && value != nil)
  }

  /// The value as a string, if there is one.
  var argument: String? {
    if case .text(let bytes) = value { bytes.string } else { nil }
  }
}
