import MartletEngine

/// A table of the main database to which changes are applied, with the statements that do it.
///
/// Parameter `?n` of a statement is the old or new value of the n-th column.
final class TargetTable {
  private let connection: Connection
  private let definition: TableDefinition
  /// Columns that the changeset knows. The table may have more.
  private let count: Int
  private let testsNoop: Bool
  private let name: String

  private lazy var inserting = Result { () throws(SQLError) in try connection.prepare(insertSQL) }
  private lazy var seeking = Result { () throws(SQLError) in try connection.prepare(seekSQL) }
  private lazy var deletingByKey = Result { () throws(SQLError) in
    try connection.prepare("DELETE FROM \(name) WHERE \(keyCondition)")
  }
  private lazy var deletingSame = Result { () throws(SQLError) in
    try connection.prepare(
      "DELETE FROM \(name) WHERE "
        + (0..<count).map { condition($0, "?\($0 + 1)") }.joined(separator: " AND "))
  }
  /// One for each set of columns that change, and of those that are compared.
  @exclusivity(unchecked) private var updates: [[UInt8]: Statement] = [:]
  @exclusivity(unchecked) private var lastUpdate: (shape: [UInt8], statement: Statement)?
  private static let updateLimit = 64

  /// The table of the reader's current change; nil, after a warning, where changes cannot be applied
  /// to it.
  init?(
    _ reader: ChangesetReader, _ connection: Connection, _ options: ApplyOptions,
    _ warn: (String) -> Void
  ) throws(SQLError) {
    self.connection = connection
    definition = try TableDefinition(
      reader.table, database: "main", of: connection, usesRowID: true)
    count = reader.columnCount
    testsNoop = options.contains(.ignoreNoop)
    name = SQLTable("main", definition).name
    if let problem = TargetTable.problem(definition, reader) {
      warn("sqlite3changeset_apply(): \(problem)")
      return nil
    }
  }

  private static func problem(_ table: TableDefinition, _ reader: ChangesetReader) -> String? {
    guard table.columnCount > 0 else { return "no such table: \(reader.table)" }
    guard table.columnCount >= reader.columnCount else {
      return "table \(reader.table) has \(table.columnCount) columns, "
        + "expected \(reader.columnCount) or more"
    }
    let isSameKey =
      table.key.starts(with: reader.key)
      && !table.key[reader.columnCount...].contains { $0 != 0 }
    return isSameKey ? nil : "primary key mismatch for table \(reader.table)"
  }

  // MARK: SQL

  private func column(_ index: Int) -> String { definition.columns[index].quotedIdentifier }

  /// The column is what the parameter says. Statistics of a table alone have an index of X''.
  private func condition(_ index: Int, _ parameter: String) -> String {
    let value =
      index == 1 && definition.isStatistics
      ? "(CASE WHEN \(parameter) = X'' THEN NULL ELSE \(parameter) END)" : parameter
    return "\(column(index)) IS \(value)"
  }

  private var keyColumns: [Int] { (0..<count).filter { definition.key[$0] != 0 } }

  private var keyCondition: String {
    keyColumns.map { condition($0, "?\($0 + 1)") }.joined(separator: " AND ")
  }

  private var insertSQL: String {
    let columns = (0..<count).map { column($0) }.joined(separator: ", ")
    let values = (0..<count).map {
      $0 == 1 && definition.isStatistics
        ? "CASE WHEN ?2 = X'' THEN NULL ELSE ?2 END" : "?\($0 + 1)"
    }.joined(separator: ", ")
    return "INSERT INTO \(name)(\(columns)) VALUES(\(values))"
  }

  /// Behind the columns stands whether the row is what the change makes of it, for those who ask.
  private var seekSQL: String {
    var columns = (0..<count).map { column($0) }
    if definition.isStatistics { columns[1] = "coalesce(idx, X'')" }
    if testsNoop {
      let terms = (0..<count).filter { definition.key[$0] == 0 }
        .map { "(?\(count + $0 + 1) OR \(condition($0, "?\($0 + 1)")))" }
      columns.append(terms.isEmpty ? "1" : terms.joined(separator: " AND "))
    }
    return "SELECT \(columns.joined(separator: ", ")) FROM \(name) WHERE \(keyCondition)"
  }

  // MARK: Binding

  private func bind(
    _ reader: ChangesetReader, _ field: Int?, to statement: Statement, _ column: Int
  ) throws(SQLError) {
    // An undefined value where one must be.
    guard let field else { throw SQLError(.corrupt) }
    try Field.bind(reader.bytes, at: field, to: statement, column + 1)
  }

  private func bindKey(
    _ reader: ChangesetReader, to statement: Statement
  ) throws(SQLError) {
    for column in keyColumns {
      try bind(reader, try reader.keyField(column), to: statement, column)
    }
  }

  /// Runs a statement to its end; true if it has changed a row.
  private func run(_ statement: Statement) throws(SQLError) -> Bool {
    do throws(SQLError) {
      while try statement.step() {}
    } catch {
      // It is ready for the next change all the same.
      do throws(SQLError) { try statement.reset() } catch {}
      throw error
    }
    try statement.reset()
    return connection.changes != 0
  }

  // MARK: Changes

  /// - Throws: `constraint` where another row is in the way.
  func insert(_ reader: ChangesetReader) throws(SQLError) -> Bool {
    if definition.isStatistics {
      // No key is declared that would keep out the second row.
      defer { seekEnd() }
      if try seek(reader) != nil { throw SQLError(.constraint) }
    }
    let statement = try inserting.get()
    for column in 0..<count {
      try bind(reader, try reader.newField(column), to: statement, column)
    }
    _ = try run(statement)
    return true
  }

  /// Deletes the row with the old key, if it is as it was or that does not matter.
  func delete(_ reader: ChangesetReader, whateverItIs: Bool) throws(SQLError) -> Bool {
    if whateverItIs { return try deleteByKey(reader) }
    let statement = try deletingSame.get()
    for column in 0..<count {
      try bind(reader, try reader.oldField(column), to: statement, column)
    }
    return try run(statement)
  }

  @discardableResult
  func deleteByKey(_ reader: ChangesetReader) throws(SQLError) -> Bool {
    let statement = try deletingByKey.get()
    try bindKey(reader, to: statement)
    return try run(statement)
  }

  /// Changes the row with the old key, if the columns that change are as they were or that does not
  /// matter.
  func update(_ reader: ChangesetReader, whateverItIs: Bool) throws(SQLError) -> Bool {
    let statement = try updating(reader, whateverItIs: whateverItIs)
    for column in 0..<count {
      if let new = try reader.newField(column) {
        try Field.bind(reader.bytes, at: new, to: statement, column + 1)
      }
      if definition.key[column] != 0 {
        try bind(reader, try reader.oldField(column), to: statement, count + column)
      } else if !whateverItIs, let old = try reader.oldField(column) {
        try Field.bind(reader.bytes, at: old, to: statement, count + column + 1)
      }
    }
    return try run(statement)
  }

  private func updating(
    _ reader: ChangesetReader, whateverItIs: Bool
  ) throws(SQLError) -> Statement {
    var shape = [UInt8](repeating: 0, count: count)
    for column in 0..<count {
      // The key says which row it is: one that compares equal, by a collation, is left as it is.
      if definition.key[column] == 0, try reader.newField(column) != nil { shape[column] = 1 }
      var isCompared = false
      if !whateverItIs { isCompared = try reader.oldField(column) != nil }
      if isCompared || definition.key[column] != 0 { shape[column] |= 2 }
    }
    if let lastUpdate, lastUpdate.shape == shape { return lastUpdate.statement }
    if let known = updates[shape] {
      lastUpdate = (shape, known)
      return known
    }
    let changed = (0..<count).filter { shape[$0] & 1 != 0 }
      .map { "\(column($0)) = ?\($0 + 1)" }.joined(separator: ", ")
    let same = (0..<count).filter { shape[$0] & 2 != 0 }
      .map { condition($0, "?\(count + $0 + 1)") }.joined(separator: " AND ")
    guard !same.isEmpty else { throw SQLError(.corrupt) }
    guard !changed.isEmpty else {
      throw SQLError(.error, "an UPDATE of the changeset changes nothing but a key: \(name)")
    }
    let made = try connection.prepare("UPDATE \(name) SET \(changed) WHERE \(same)")
    if updates.count >= TargetTable.updateLimit { updates.removeAll() }
    updates[shape] = made
    lastUpdate = (shape, made)
    return made
  }

  // MARK: The row that is there

  /// The row with the key of the change; nil where there is none. It is there until `endSeek`.
  func seek(_ reader: ChangesetReader) throws(SQLError) -> ResultRow? {
    let statement = try seeking.get()
    try bindKey(reader, to: statement)
    if testsNoop {
      for column in 0..<count where definition.key[column] == 0 {
        var new: Int?
        if reader.kind != .delete { new = try reader.newField(column) }
        let isLeft = new == nil && reader.kind != .delete
        try statement.bind(isLeft ? 1 : 0, at: count + column + 1)
        if let new {
          try Field.bind(reader.bytes, at: new, to: statement, column + 1)
        } else {
          try statement.bindNull(at: column + 1)
        }
      }
    }
    guard try statement.step() else {
      try statement.reset()
      return nil
    }
    seeksDeletion = reader.kind == .delete
    return statement.currentRow
  }

  @exclusivity(unchecked) private var seeksDeletion = false

  /// The row is already what the change would make of it.
  func isNoop(_ row: ResultRow) -> Bool { testsNoop && !seeksDeletion && row.int64(count) != 0 }

  func endSeek() throws(SQLError) { try seeking.get().reset() }

  private func seekEnd() {
    // It only reads; what it may say was said by its step.
    do throws(SQLError) { try endSeek() } catch {}
  }

  // MARK: Rows that are taken out for a while

  /// A row of the table with all its columns, those too that the changeset does not know.
  struct TakenRow {
    let columns: [String]
    let values: [Value]
  }

  /// Deletes the row of an update; nil where it is not there.
  func takeOut(_ reader: ChangesetReader) throws(SQLError) -> TakenRow? {
    var columns = definition.columns
    if let rowID = try rowIDName() { columns.append(rowID) }
    let list = columns.map { $0.quotedIdentifier }.joined(separator: ", ")
    let select = try connection.prepare("SELECT \(list) FROM \(name) WHERE \(keyCondition)")
    try bindKey(reader, to: select)
    guard try select.step() else { return nil }
    var values: [Value] = []
    for index in columns.indices {
      guard let value = select.currentRow.value(index) else { return nil }
      values.append(try value.value())
    }
    try select.reset()
    try deleteByKey(reader)
    return TakenRow(columns: columns, values: values)
  }

  /// Inserts the row again, as the update makes it.
  func putBack(_ row: TakenRow, _ reader: ChangesetReader) throws(SQLError) {
    let list = row.columns.map { $0.quotedIdentifier }.joined(separator: ", ")
    let parameters = row.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insert = try connection.prepare("INSERT INTO \(name)(\(list)) VALUES(\(parameters))")
    for (index, value) in row.values.enumerated() {
      let kept = try ValueReference.make(value)
      defer { kept.deallocate() }
      try insert.bind(kept, at: index + 1)
      if index < count, let new = try reader.newField(index) {
        try Field.bind(reader.bytes, at: new, to: insert, index + 1)
      }
    }
    _ = try run(insert)
  }

  /// A name of the rowid that no column has; nil for tables without, or where it is listed already.
  private func rowIDName() throws(SQLError) -> String? {
    guard !definition.hasRowIDKey else { return nil }
    let facts = try connection.prepare(
      "SELECT wr FROM pragma_table_list(?1) WHERE schema = 'main'")
    try facts.bind(text: definition.name, at: 1)
    guard try facts.step(), facts.columnInt64(0) == 0 else { return nil }
    let taken = Set(definition.columns.map { $0.lowercased() })
    return ["_rowid_", "rowid", "oid"].first { !taken.contains($0) }
  }
}
