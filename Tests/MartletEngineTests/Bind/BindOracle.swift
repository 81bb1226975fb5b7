import Testing

@testable import MartletEngine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// C SQLite, loaded while the test runs: what it says when a statement is prepared.
struct BindOracle {
  typealias Prepare =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
      UnsafeMutableRawPointer?
    ) -> Int32
  typealias ColumnText = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?
  typealias Message = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
  typealias OfStatement = @convention(c) (OpaquePointer?) -> Int32

  static var folder: String? { getenv("MARTLET_ORACLE").map { String(cString: $0) } }

  private let database: OpaquePointer?
  private let prepare: Prepare, message: Message, step: OfStatement, finalize: OfStatement
  private let columnCount: OfStatement
  private let name: ColumnText, declaredType: ColumnText, table: ColumnText, origin: ColumnText

  /// Opens a database: a path, or `:memory:`.
  init?(_ path: String) {
    typealias Open =
      @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    guard let folder = BindOracle.folder,
      let library = dlopen(folder + "/libsqlite3.so.0", RTLD_NOW)
    else { return nil }
    func function<F>(_ name: String, _ type: F.Type) -> F? {
      dlsym(library, "sqlite3_" + name).map { unsafeBitCast($0, to: type) }
    }
    guard let open = function("open", Open.self),
      let prepare = function("prepare_v2", Prepare.self),
      let message = function("errmsg", Message.self),
      let step = function("step", OfStatement.self),
      let finalize = function("finalize", OfStatement.self),
      let columnCount = function("column_count", OfStatement.self),
      let name = function("column_name", ColumnText.self),
      let declaredType = function("column_decltype", ColumnText.self),
      let table = function("column_table_name", ColumnText.self),
      let origin = function("column_origin_name", ColumnText.self)
    else { return nil }
    var database: OpaquePointer?
    guard open(path, &database) == 0 else { return nil }
    self.database = database
    (self.prepare, self.message, self.step) = (prepare, message, step)
    (self.finalize, self.columnCount, self.name) = (finalize, columnCount, name)
    (self.declaredType, self.table, self.origin) = (declaredType, table, origin)
  }

  func run(_ sql: String) {
    var statement: OpaquePointer?
    if prepare(database, sql, -1, &statement, nil) == 0 { _ = step(statement) }
    _ = finalize(statement)
  }

  /// The message, or for each result column its name, declared type and origin.
  func answer(_ sql: String) -> String {
    var statement: OpaquePointer?
    let code = prepare(database, sql, -1, &statement, nil)
    defer { _ = finalize(statement) }
    func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map { String(cString: $0) } }
    if code != 0 { return "error: " + (text(message(database)) ?? "") }
    return (0..<columnCount(statement)).map { column in
      var line = text(name(statement, column)) ?? ""
      if let type = text(declaredType(statement, column)) { line += " \(type)" }
      if let table = text(table(statement, column)), let origin = text(origin(statement, column)) {
        line += " of \(table).\(origin)"
      }
      return line
    }.joined(separator: ", ")
  }
}

/// A schema made of definitions alone, as if it had been read from a file.
final class TestSchema {
  let catalog: Catalog
  /// The bound trees lie in their memory.
  private var statements: [ParsedStatement] = []

  init(_ definitions: [String]) throws {
    let builder = SchemaBuilder(databaseIndex: 0, databaseName: Name("main"), nameText: nil)
    for (index, definition) in definitions.enumerated() {
      try builder.add(
        SchemaBuilder.Row(
          name: nil, tableName: nil,
          rootPage: definition.uppercased().hasPrefix("CREATE VIEW") ? 0 : Int64(index + 2),
          sql: try makeText(definition)))
    }
    catalog = Catalog().replacing(builder.finish(), at: 0)
  }

  /// A bound SELECT and the text that its names point into.
  struct Bound {
    let text: SQLText
    let select: BoundSelect
  }

  func bind(_ sql: String) throws -> Bound {
    let text = try makeText(sql)
    guard let parsed = try Parser.parse(text),
      case .select(let select) = try Binder.bind(
        parsed, in: BindEnvironment(catalog: catalog, functions: FunctionRegistry()))
    else { throw SQLError(.misuse) }
    statements.append(parsed)
    return Bound(text: text, select: select)
  }

  /// For tests that look at no names.
  func bindSelect(_ sql: String) throws -> BoundSelect { try bind(sql).select }

  /// As `BindOracle.answer`.
  func answer(_ sql: String) -> String {
    do {
      let bound = try bind(sql)
      defer { withExtendedLifetime(bound.text) {} }
      return bound.select.columns.map { column in
        var line = column.name
        guard let table = column.originTable else { return line }
        let definition =
          column.originColumn < 0 ? nil : table.columns[Int(column.originColumn)]
        if column.originColumn < 0 { line += " INTEGER" }
        if let type = definition?.declaredType { line += " \(type)" }
        return line + " of \(table.name.string).\(definition?.name.string ?? "rowid")"
      }.joined(separator: ", ")
    } catch {
      return "error: \((error as? SQLError)?.message ?? "")"
    }
  }
}
