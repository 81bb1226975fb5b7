// CREATE TABLE and CREATE VIEW (lang_createtable, lang_createview).
//
//     the file's format, if it has none
//     r[root] = new tree
//     schema row of NULLs
//     for each constraint with an index: new tree, schema row
//     AS SELECT: its rows into the new tree
//     schema row in place of that of NULLs
//     the first AUTOINCREMENT: sqlite_sequence, in the same way, read first
//     new cookie
//     read the new rows

extension Emitter {
  /// What a table or view is made of.
  struct NewTable {
    let name: Name
    let database: Int
    let isView: Bool
    let isWithoutRowid: Bool
    /// Its rows are not in the file.
    var isVirtual = false
    /// Those of constraints that have trees of their own, in the order of their names.
    var indexes: [Index] = []
    let sql: [UInt8]
    /// Puts the first rows into the tree whose root page the register has.
    var fill: ((RegisterIndex) throws(SQLError) -> Void)?
  }

  /// Emits a new table or view, and returns the register with the rowid of its schema row.
  func emitNewTable(_ table: NewTable) throws(SQLError) -> RegisterIndex {
    let database = Int32(table.database), root = newRegister()
    willWrite(table.database)
    if table.isVirtual { emit(.virtualBegin) }
    emitFileFormat(table.database)
    if table.isView || table.isVirtual {
      emitInteger(0, into: root)
    } else {
      emit(.createTree, database, root.rawValue, table.isWithoutRowid ? 2 : 1)
    }
    let schema = openSchemaTable(table.database)
    let rowid = emitEmptySchemaRow(schema)
    for index in table.indexes {
      let indexRoot = newRegister()
      emit(.createTree, database, indexRoot.rawValue, 2)
      _ = try emitSchemaRow(
        SchemaRow(
          type: "index", name: index.name, table: table.name, rootPage: indexRoot, sql: nil),
        schema)
    }
    try table.fill?(root)
    _ = try emitSchemaRow(
      SchemaRow(
        type: table.isView ? "view" : "table", name: table.name, table: table.name,
        rootPage: root, sql: table.sql),
      schema, rowid: rowid)
    return rowid
  }

  /// CREATE TABLE with column definitions.
  ///
  /// - Parameter loop: a generated column that depends on itself, which is an error when the
  ///   statement runs.
  func emitCreateTable(
    _ table: Table, _ statement: CreateTableStatement, _ text: SQLText, loop: Name?
  ) throws(SQLError) {
    if let loop {
      emit(
        .halt, ResultCode.error.rawValue, Int32(ConflictPolicy.abort.rawValue),
        p4: builder.addText("generated column loop on \"\(loop.string)\""))
    }
    let rowid = try emitNewTable(
      NewTable(
        name: table.name, database: table.databaseIndex, isView: false,
        isWithoutRowid: table.isWithoutRowid, indexes: table.automaticIndexes,
        sql: Emitter.storedText("CREATE TABLE ", text, statement.storedRange)))
    if table.hasAutoincrement { try emitSequenceTable(table.databaseIndex) }
    emitCookieChange(table.databaseIndex)
    emit(.schemaChanged, Int32(table.databaseIndex), rowid.rawValue)
  }

  /// The table that keeps the largest rowids of AUTOINCREMENT (autoinc), unless it is there.
  private func emitSequenceTable(_ database: Int) throws(SQLError) {
    let name = Name("sqlite_sequence")
    if catalog.databases[database].tables[name] != nil { return }
    let rowid = try emitNewTable(
      NewTable(
        name: name, database: database, isView: false, isWithoutRowid: false,
        sql: Array("CREATE TABLE sqlite_sequence(name,seq)".utf8)))
    emit(.schemaChanged, Int32(database), rowid.rawValue)
  }

  func emitCreateView(
    _ statement: CreateViewStatement, _ text: SQLText, database: Int
  ) throws(SQLError) {
    let rowid = try emitNewTable(
      NewTable(
        name: statement.name.name, database: database, isView: true, isWithoutRowid: false,
        sql: Emitter.storedText("CREATE VIEW ", text, statement.storedRange)))
    emitCookieChange(database)
    emit(.schemaChanged, Int32(database), rowid.rawValue)
  }

  /// CREATE VIRTUAL TABLE: the module is called when the schema has the table.
  func emitCreateVirtualTable(
    _ statement: CreateVirtualTableStatement, _ text: SQLText, database: Int
  ) throws(SQLError) {
    let name = statement.name.name
    let rowid = try emitNewTable(
      NewTable(
        name: name, database: database, isView: false, isWithoutRowid: false,
        isVirtual: true,
        sql: Emitter.storedText("CREATE VIRTUAL TABLE ", text, statement.storedRange)))
    emitCookieChange(database)
    emit(.schemaChanged, Int32(database), rowid.rawValue)
    emit(.virtualCreate, Int32(database), p4: builder.addText(name.string))
  }

  func emitCreateTrigger(
    _ statement: CreateTriggerStatement, _ text: SQLText, database: Int
  ) throws(SQLError) {
    willWrite(database)
    let schema = openSchemaTable(database)
    let rowid = try emitSchemaRow(
      SchemaRow(
        type: "trigger", name: statement.name.name, table: statement.table.name,
        sql: Emitter.storedText("CREATE TRIGGER ", text, statement.storedRange)), schema)
    emitCookieChange(database)
    emit(.schemaChanged, Int32(database), rowid.rawValue)
  }

  /// A definition as the schema table keeps it: always the same words, then the text as written.
  static func storedText(
    _ words: StaticString, _ text: SQLText, _ range: ByteRange
  ) -> [UInt8] {
    let lower = max(0, min(text.count, Int(range.start)))
    let upper = max(lower, min(text.count, Int(range.end)))
    let beginning = UnsafeBufferPointer(start: words.utf8Start, count: words.utf8CodeUnitCount)
    return Array(beginning)
      + UnsafeBufferPointer(start: text.start + lower, count: upper - lower)
  }

  // MARK: AS SELECT

  /// CREATE TABLE … AS SELECT.
  func emitCreateTable(
    as select: BoundSelect, _ name: Name, database: Int
  ) throws(SQLError) {
    let rowid = try emitNewTable(
      NewTable(
        name: name, database: database, isView: false, isWithoutRowid: false,
        sql: Emitter.definition(of: name, columns: select.columns),
        fill: { root throws(SQLError) in
          try self.emitFill(select, root: root, database: database)
        }))
    emitCookieChange(database)
    emit(.schemaChanged, Int32(database), rowid.rawValue)
  }

  ///     co-routine: the SELECT
  ///     for each of its rows: new rowid, record, insert
  private func emitFill(
    _ select: BoundSelect, root: RegisterIndex, database: Int
  ) throws(SQLError) {
    let count = select.columns.count
    let yield = newRegister(), row = builder.newRegisters(count)
    let record = newRegister(), rowid = newRegister()
    let body = newLabel(), loop = newLabel(), end = newLabel()
    emit(.initCoroutine, yield.rawValue, loop.operand, body.operand)
    place(body)
    statementID = select.id
    selectCount = select.highestNumber
    try emitSelect(select, to: .coroutine(yield: yield, row: row))
    emit(.endCoroutine, yield.rawValue)
    place(loop)
    let cursor = builder.newCursor()
    emit(.openWrite, cursor.rawValue, root.rawValue, Int32(database), p5: 1)
    let again = builder.placeNewLabel()
    emit(.yield, yield.rawValue, end.operand)
    let affinities = builder.addAffinities(select.columns.map(\.affinity))
    emit(.makeRecord, row.rawValue, Int32(count), record.rawValue, p4: affinities)
    emit(.newRowid, cursor.rawValue, rowid.rawValue)
    emit(.insert, cursor.rawValue, record.rawValue, rowid.rawValue)
    emitGoto(again)
    place(end)
    emit(.close, cursor.rawValue)
  }

  /// The definition that is stored for AS SELECT: names, and a word for each affinity.
  static func definition(of name: Name, columns: TreeList<BoundResultColumn>) -> [UInt8] {
    let longest = 50
    func length(_ name: Name) -> Int {
      Int(name.count) + 2 + name.buffer.count { $0 == UInt8(ascii: "\"") }
    }
    let isShort =
      columns.reduce(length(name)) { $0 + length($1.label) + 5 } < longest
    var text = Array("CREATE TABLE ".utf8) + quoted(name) + Array("(".utf8)
    for (index, column) in columns.enumerated() {
      text += (isShort ? (index > 0 ? "," : "") : (index > 0 ? ",\n  " : "\n  ")).utf8
      text += quoted(column.label)
      text += column.affinity.storedWord.utf8
    }
    return text + Array((isShort ? ")" : "\n)").utf8)
  }

  /// A name as it is if it is a plain word, else in double quotes.
  private static func quoted(_ name: Name) -> [UInt8] {
    func isPlain(_ byte: UInt8) -> Bool {
      byte &- 0x30 <= 9 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_")
    }
    let bytes = Array(name.buffer), quote = UInt8(ascii: "\"")
    if bytes.allSatisfy(isPlain), !Quoting.needsQuotes(name.string) { return bytes }
    return [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}

extension Affinity {
  /// The type that AS SELECT declares for a column, a blank before it.
  fileprivate var storedWord: String {
    switch self {
    case .none, .blob: ""
    case .text: " TEXT"
    case .numeric, .flexnum: " NUM"
    case .integer: " INT"
    case .real: " REAL"
    }
  }
}

extension Table {
  /// The indexes of constraints that have trees of their own, in the order in which they were made.
  var automaticIndexes: [Index] {
    indexes.filter { $0.origin != .createIndex && $0 !== primaryKeyIndex }
      .sorted { left, right in
        // Their names differ in the number at the end only.
        if left.name.count != right.name.count { return left.name.count < right.name.count }
        return left.name.buffer.lexicographicallyPrecedes(right.name.buffer)
      }
  }
}
