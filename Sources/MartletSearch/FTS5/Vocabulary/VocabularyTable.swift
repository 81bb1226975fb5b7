import MartletEngine

/// What a row of a vocabulary is (fts5 §8).
enum VocabularyKind: String {
  /// A term.
  case row
  /// A term in a column.
  case col
  /// An instance of a term.
  case instance

  var declaration: String {
    switch self {
    case .col: "CREATE TABLE vocab(term, col, doc, cnt)"
    case .row: "CREATE TABLE vocab(term, doc, cnt)"
    case .instance: "CREATE TABLE vocab(term, doc, col, offset)"
    }
  }
}

/// The module `fts5vocab`.
final class VocabularyModule: VirtualTableModule {
  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try VocabularyTable(request)
  }
}

/// A table of the terms of an FTS5 table.
final class VocabularyTable: VirtualTable {
  let kind: VocabularyKind
  private let database: String
  private let name: String
  private let shared: FTS5Extension
  private unowned(unsafe) let connection: Connection
  /// A scan is being opened.
  private var isOpening = false

  init(_ request: VirtualTableRequest) throws(SQLError) {
    guard let connection = request.connection else { throw SQLError(.misuse) }
    self.connection = connection
    shared = try FTS5Extension.of(connection)
    let isInTemp = request.databaseName == "temp"
    let count = request.arguments.count
    guard count == 2 || count == 3 && isInTemp else {
      throw SQLError(.error, "wrong number of vtable arguments")
    }
    let words = request.arguments.map { VocabularyTable.unquoted($0) }
    database = count == 3 ? words[0] : request.databaseName
    name = words[count - 2]
    guard let kind = VocabularyKind(rawValue: words[count - 1].lowercased()) else {
      let text = words[count - 1].quoted(with: "'")
      throw SQLError(.error, "fts5vocab: unknown table type: \(text)")
    }
    self.kind = kind
    try request.declare(kind.declaration)
    request.configure(.innocuous)
  }

  private static func unquoted(_ text: String) -> String {
    var reader = OptionText(text)
    guard let first = reader.next, OptionText.closingQuote(first) != nil else { return text }
    return reader.word()?.text ?? text
  }

  // MARK: Plan

  enum Plan {
    static let usedColumns: Int32 = 0xff
    static let equal: Int32 = 0x100
    static let notLess: Int32 = 0x200
    static let notGreater: Int32 = 0x400
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    var equal: Int?, lower: Int?, upper: Int?
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.isUsable && constraint.column == 0 {
      switch constraint.operator {
      case .equal: equal = index
      case .less, .lessOrEqual: upper = index
      case .greater, .greaterOrEqual: lower = index
      default: continue
      }
    }
    var number = Int32(truncatingIfNeeded: plan.usedColumns) & Plan.usedColumns
    if let equal {
      number |= Plan.equal
      plan.take(equal, asArgument: 0)
      plan.estimatedCost = 100
    } else {
      plan.estimatedCost = 1_000_000
      var count = 0
      for (index, flag) in [(lower, Plan.notLess), (upper, Plan.notGreater)] {
        guard let index else { continue }
        number |= flag
        plan.take(index, asArgument: count)
        count += 1
        plan.estimatedCost /= 2
      }
    }
    plan.number = number
    // Terms come in ascending order.
    if plan.ordering.count == 1, plan.ordering[0].column == 0, !plan.ordering[0].isDescending {
      plan.isOrdered = true
    }
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor {
    VocabularyCursor(self, try findTable())
  }

  /// The FTS5 table, which may have to be connected first: a query for a cursor's number does it.
  private func findTable() throws(SQLError) -> FTS5Table {
    guard !isOpening else {
      throw SQLError(.error, "recursive definition for \(database).\(name)")
    }
    isOpening = true
    defer { isOpening = false }
    let column = name.quotedIdentifier
    let table = database.quotedIdentifier + "." + column
    var found: FTS5Table?
    do throws(SQLError) {
      let statement = try connection.prepare(
        withNames: "SELECT t.\(column) FROM \(table) AS t WHERE t.\(column) MATCH '*id'")
      if try statement.step() { found = shared.cursor(statement.columnInt64(0))?.table }
    } catch {
      guard error.code == .error else { throw error }
    }
    guard let found else {
      throw SQLError(.error, "no such fts5 table: \(database).\(name)")
    }
    try found.flush()
    return found
  }
}
