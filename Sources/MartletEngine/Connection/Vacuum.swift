// VACUUM (lang_vacuum): the content of a database, written into an empty one.
//
// The result is SQLite's byte for byte, because the order is: tables as the schema lists them, each
// with its automatic indexes; the other indexes; then the rows and entries, one tree after the
// other; then views, triggers and virtual tables; last the numbers of the header.

final class Vacuum {
  let source: BTree
  let target: BTree
  let schema: Schema
  let catalog: Catalog
  let collations: [Collation]
  /// Rows of tables without INTEGER PRIMARY KEY and without indexes keep their rowids. VACUUM INTO
  /// does that, VACUUM counts them anew.
  let keepsRowids: Bool
  /// Asked whether to go on.
  private unowned let supervisor: any CompilingSupervisor
  private var copiedCount = 0

  /// A tree of the new database, and the one that it is a copy of.
  private struct Copy {
    let table: Table
    let root: PageNumber
  }
  private var tables: [Copy] = []
  private var indexRoots: [ObjectIdentifier: PageNumber] = [:]
  private var hasSequence = false
  /// The rowid under which the last view, trigger or virtual table was written: SQLite does that
  /// with an INSERT, and last_insert_rowid() is then it.
  private(set) var lastCopiedRowid: Int64?
  /// Fields of a row of the schema table, then room for its record and for what is copied.
  private let registers: RegisterBlock
  private static let registerCount = 7
  private static let recordIndex = 5
  private static let copyIndex = 6

  init(
    from source: BTree, to target: BTree, schema: Schema, catalog: Catalog,
    collations: [Collation], keepsRowids: Bool, supervisor: any CompilingSupervisor
  ) throws(SQLError) {
    self.source = source
    self.target = target
    self.schema = schema
    self.catalog = catalog
    self.collations = collations
    self.keepsRowids = keepsRowids
    self.supervisor = supervisor
    registers = try RegisterBlock(count: Vacuum.registerCount)
  }

  deinit { registers.deallocate() }

  /// Both databases must be in a transaction, the target in one that writes.
  func run() throws(SQLError) {
    try makeTables()
    try makeIndexes()
    for copy in tables { try copyRows(copy) }
    try copyOtherObjects()
    try copyHeader()
  }

  // MARK: Trees

  private var fields: UnsafeMutablePointer<Register> { registers.base }

  private func makeTables() throws(SQLError) {
    let rows = Cursor(tree: target, root: PageNumber(1), keyInfo: nil)
    defer { rows.close() }
    try forEachSchemaRow(ofType: "table") { (name, root) throws(SQLError) in
      guard (root ?? 1) > 0, name != "sqlite_sequence" else { return }
      guard let table = self.table(named: name), root.map({ $0 == table.rootPage.rawValue }) ?? true
      else { throw try self.mistake() }
      try self.makeTable(table, rows)
      if table.hasAutoincrement && !self.hasSequence {
        self.hasSequence = true
        guard let sequence = self.table(named: "sqlite_sequence") else { return }
        try self.fields[1].setText("sqlite_sequence", self.schema.encoding)
        try self.fields[2].setText("sqlite_sequence", self.schema.encoding)
        try self.fields[4].setText(
          "CREATE TABLE sqlite_sequence(name,seq)", self.schema.encoding)
        try self.makeTable(sequence, rows)
      }
    }
  }

  /// The schema row is there before the tables' indexes are, and gets its content behind them: that
  /// decides which bytes of page 1 are used.
  private func makeTable(_ table: Table, _ rows: Cursor) throws(SQLError) {
    let root = try target.createTree(table.isWithoutRowid ? .index : .table)
    let rowid = try nextRowid(rows)
    let placeholder: [UInt8] = [6, 0, 0, 0, 0, 0]
    try placeholder.withUnsafeBufferPointer { (bytes) throws(SQLError) in
      guard let start = bytes.baseAddress else { return }
      try rows.insert(rowid: rowid, record: start, byteCount: bytes.count, keepsPosition: true)
    }
    for index in table.automaticIndexes { try makeAutomaticIndex(index, table, rows) }
    fields[3].setInteger(Int64(root.rawValue))
    try putSchemaRow(rows, rowid, fields)
    tables.append(Copy(table: table, root: root))
    if let primaryKey = table.primaryKeyIndex, table.isWithoutRowid {
      indexRoots[ObjectIdentifier(primaryKey)] = root
    }
  }

  private func makeAutomaticIndex(
    _ index: Index, _ table: Table, _ rows: Cursor
  ) throws(SQLError) {
    let root = try target.createTree(.index)
    indexRoots[ObjectIdentifier(index)] = root
    let row = try RegisterBlock(count: 5)
    defer { row.deallocate() }
    try row.base[0].setText("index", schema.encoding)
    try row.base[1].setText(index.name.string, schema.encoding)
    try row.base[2].setText(table.name.string, schema.encoding)
    row.base[3].setInteger(Int64(root.rawValue))
    try putSchemaRow(rows, try nextRowid(rows), row.base)
  }

  private func makeIndexes() throws(SQLError) {
    let rows = Cursor(tree: target, root: PageNumber(1), keyInfo: nil)
    defer { rows.close() }
    try forEachSchemaRow(ofType: "index") { (name, _) throws(SQLError) in
      guard self.fields[4].tag != .null else { return }
      guard let index = self.index(named: name) else { throw try self.mistake() }
      let root = try self.target.createTree(.index)
      self.indexRoots[ObjectIdentifier(index)] = root
      self.fields[3].setInteger(Int64(root.rawValue))
      try self.putSchemaRow(rows, try self.nextRowid(rows), self.fields)
    }
  }

  private func nextRowid(_ rows: Cursor) throws(SQLError) -> Int64 {
    try rows.moveToLast() ? try rows.rowid() + 1 : 1
  }

  private func putSchemaRow(
    _ rows: Cursor, _ rowid: Int64, _ row: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let record = fields + Vacuum.recordIndex
    try RecordEncoder.encode(row, count: 5, into: record)
    guard let bytes = record.pointee.bytes else { throw SQLError(.internal) }
    try rows.insert(rowid: rowid, record: bytes, byteCount: Int(record.pointee.byteCount))
  }

  // MARK: The schema of the source

  /// What is wrong with the row in `fields`. Where mistakes are forgiven (`PRAGMA writable_schema`),
  /// the schema does not know it, and what belongs to it would be lost.
  private func mistake() throws(SQLError) -> SQLError {
    var row = SchemaBuilder.Row()
    row.name = try SQLText.copying(own: try fields[1].string(schema.encoding))
    if fields[4].tag == .text {
      row.sql = try SQLText.copying(own: try fields[4].string(schema.encoding))
    }
    return SchemaBuilder(continuing: schema, collations: collations).mistake(in: row)
  }

  private func table(named name: String) -> Table? {
    schema.tables.objects.first { name.matches($0.name) && $0.view == nil }
  }

  private func index(named name: String) -> Index? {
    schema.indexes.objects.first { name.matches($0.name) }
  }

  /// Calls `body` with the name and the root page of every row of a type, which is in `fields`.
  private func forEachSchemaRow(
    ofType type: String,
    _ body: (_ name: String, _ root: Int64?) throws(SQLError) -> Void
  ) throws(SQLError) {
    let cursor = Cursor(tree: source, root: PageNumber(1), keyInfo: nil)
    defer { cursor.close() }
    var hasRow = try cursor.moveToFirst()
    while hasRow {
      for column in 0..<5 {
        if try !cursor.column(column, into: fields + column) { fields[column].setNull() }
        try fields[column].makeOwned()
      }
      if try fields[0].string(schema.encoding) == type {
        let root = fields[3].tag == .integer ? fields[3].integer : nil
        try body(try fields[1].string(schema.encoding), root)
      }
      hasRow = try cursor.next()
    }
  }

  // MARK: Content

  private func copyRows(_ copy: Copy) throws(SQLError) {
    if !copy.table.isWithoutRowid {
      let renumbers =
        !keepsRowids && copy.table.rowidColumn < 0 && copy.table.indexes.isEmpty
      let from = Cursor(tree: source, root: copy.table.rootPage, keyInfo: nil)
      let to = Cursor(tree: target, root: copy.root, keyInfo: nil)
      defer {
        from.close()
        to.close()
      }
      let record = fields + Vacuum.copyIndex
      var count: Int64 = 0
      var hasRow = try from.moveToFirst()
      while hasRow {
        count += 1
        try from.rowData(into: record)
        let rowid = renumbers ? count : try from.rowid()
        try to.insert(
          rowid: rowid, record: record.pointee.bytes ?? Register.emptyBytes,
          byteCount: Int(record.pointee.byteCount), keepsPosition: true)
        hasRow = try from.next()
        try attend()
      }
    }
    for index in copy.table.indexes { try copyEntries(of: index) }
  }

  private func copyEntries(of index: Index) throws(SQLError) {
    guard let root = indexRoots[ObjectIdentifier(index)] else {
      throw SQLError(.corrupt, "index \(index.name.string) has no row in the schema table")
    }
    let keyInfo = try catalog.keyInfo(of: index, collations: collations)
    // Entries are in order, unless the application has changed a collation meanwhile.
    let isOrdered = keyInfo.columns.allSatisfy { $0.collation.kind != .custom }
    let from = Cursor(tree: source, root: index.rootPage, keyInfo: keyInfo)
    let to = Cursor(tree: target, root: root, keyInfo: keyInfo)
    defer {
      from.close()
      to.close()
    }
    let record = fields + Vacuum.copyIndex
    var hasEntry = try from.moveToFirst()
    while hasEntry {
      try from.rowData(into: record)
      let bytes = record.pointee.bytes ?? Register.emptyBytes
      let byteCount = Int(record.pointee.byteCount)
      if isOrdered {
        try to.append(record: bytes, byteCount: byteCount)
      } else {
        try insert(bytes, byteCount, into: to, from, keyInfo)
      }
      hasEntry = try from.next()
      try attend()
    }
  }

  /// Rows and entries are copied by no program, which would ask by itself.
  @inline(__always)
  private func attend() throws(SQLError) {
    copiedCount &+= 1
    if copiedCount & 63 == 0 { try supervisor.attend() }
  }

  private func insert(
    _ record: UnsafePointer<UInt8>, _ byteCount: Int, into target: Cursor, _ source: Cursor,
    _ keyInfo: KeyInfo
  ) throws(SQLError) {
    let count = keyInfo.columns.count
    let values = try RegisterBlock(count: count)
    defer { values.deallocate() }
    for column in 0..<count {
      _ = try source.column(column, into: values.base + column)
    }
    var key = UnpackedKey(values.base, count: count, keyInfo: keyInfo)
    try target.insert(key: &key, record: record, byteCount: byteCount)
  }

  /// Views, triggers and virtual tables have no trees: their rows are copied.
  private func copyOtherObjects() throws(SQLError) {
    let from = Cursor(tree: source, root: PageNumber(1), keyInfo: nil)
    let to = Cursor(tree: target, root: PageNumber(1), keyInfo: nil)
    defer {
      from.close()
      to.close()
    }
    let record = fields + Vacuum.copyIndex
    var hasRow = try from.moveToFirst()
    while hasRow {
      for column in [0, 3] {
        if try !from.column(column, into: fields + column) { fields[column].setNull() }
      }
      let type = try fields[0].string(schema.encoding)
      let hasTree = fields[3].tag != .integer || fields[3].integer != 0
      if type == "view" || type == "trigger" || type == "table" && !hasTree {
        try from.rowData(into: record)
        let rowid = try nextRowid(to)
        lastCopiedRowid = rowid
        try to.insert(
          rowid: rowid, record: record.pointee.bytes ?? Register.emptyBytes,
          byteCount: Int(record.pointee.byteCount))
      }
      hasRow = try from.next()
    }
  }

  private func copyHeader() throws(SQLError) {
    // The copied entries of indexes are in the order that the format says.
    let format = try source.meta(.schemaFormat) & 0xff
    if !tables.isEmpty {
      try target.updateMeta(.schemaFormat, to: 1..<4 ~= format ? format : 4)
    }
    try target.updateMeta(.schemaCookie, to: try source.meta(.schemaCookie) &+ 1)
    for value in [
      MetaValue.defaultCacheSize, .textEncoding, .userVersion, .applicationID,
    ] { try target.updateMeta(value, to: try source.meta(value)) }
  }
}

extension Register {
  /// A text with bytes of its own in place of the value.
  fileprivate mutating func setText(
    _ text: String, _ encoding: TextEncoding
  ) throws(SQLError) {
    let made = try Register.makeText(text, encoding: encoding)
    deinitialize()
    self = made
  }

  /// The text; empty for other values.
  fileprivate func string(_ encoding: TextEncoding) throws(SQLError) -> String {
    guard tag == .text, let bytes else { return "" }
    var copy = Register()
    defer { copy.deinitialize() }
    try copy.setOwned(.text, copying: bytes, Int(byteCount))
    try copy.changeEncoding(from: encoding, to: .utf8)
    return String(text: copy.byteBuffer)
  }
}
