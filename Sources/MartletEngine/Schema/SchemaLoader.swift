/// Reads the schema of a database from its file (schematab).
enum SchemaLoader {
  /// A read transaction must be open on the tree's pager. `newEncoding` is that of a database whose
  /// first table is still to be made; `old` is the schema of the same database that is replaced.
  /// `firstRow` is as for `readObjects`, `refusesCall` and `forgivesMistakes` are as for
  /// `SchemaBuilder`.
  static func load(
    _ tree: BTree, databaseIndex: Int, databaseName: String, generation: Int32 = 0,
    newEncoding: TextEncoding = .utf8, reading: SchemaReading = .all, after old: Schema? = nil,
    from firstRow: Int64? = nil, refusesCall: ((Name, Int) -> Bool)? = nil,
    forgivesMistakes: Bool = false
  ) throws(SQLError) -> Schema {
    let header = tree.pager.header
    let encoding = try tree.meta(.textEncoding) == 0 ? newEncoding : header.textEncoding
    // Connected tables stay, and their name of the database with them.
    let nameText: SQLText
    if let known = old?.nameText { nameText = known } else { nameText = try copy(databaseName) }
    let builder = SchemaBuilder(
      databaseIndex: databaseIndex,
      databaseName: Name(start: nameText.start, count: nameText.count), nameText: nameText,
      cookie: header.schemaCookie, generation: generation, fileFormat: header.schemaFormat,
      encoding: encoding, pageCount: tree.pager.pageCount)
    builder.refusesCall = refusesCall
    builder.forgivesMistakes = forgivesMistakes
    if tree.pager.pageCount == 0 { return builder.finish() }
    do {
      if try !readObjects(tree, builder, from: firstRow) { try readObjects(tree, builder) }
    } catch {
      try builder.forgive(error)
    }
    switch reading {
    case .all: try readStatistics(tree, builder)
    case .renaming:
      try readStatistics(tree, builder)
      builder.forgetSmallTables()
    case .statistics:
      if let old {
        builder.takeSizes(of: old)
        builder.takeConnections(of: old)
      }
      try readStatistics(tree, builder)
    case .dropping:
      if let old {
        builder.takeStatistics(of: old)
        builder.takeConnections(of: old)
      }
    case .failing: assertionFailure("a schema that is taken back is not read")
    }
    if let old { builder.tables.takeOrder(of: old.tables) }
    return builder.finish()
  }

  private static func copy(_ string: String) throws(SQLError) -> SQLText {
    let result = string.withTextBytes { bytes in
      Result { () throws(SQLError) in try SQLText(copying: bytes) }
    }
    return try result.get()
  }

  /// Reads the rows of the schema table, or that with a rowid and those behind it that are about the
  /// same table: false if there is no such row, or if the whole table was read meanwhile, so that the
  /// row is known.
  @discardableResult
  static func readObjects(
    _ tree: BTree, _ builder: SchemaBuilder, from rowid: Int64? = nil
  ) throws(SQLError) -> Bool {
    let cursor = Cursor(tree: tree, root: PageNumber(1), keyInfo: nil)
    defer { cursor.close() }
    var reader = RowReader(cursor, builder.encoding)
    defer { reader.deinitialize() }
    var hasRow: Bool
    if let rowid {
      guard try cursor.seek(rowid: rowid) == 0 else { return false }
      hasRow = true
    } else {
      hasRow = try cursor.moveToFirst()
    }
    var first: SQLText?
    while hasRow {
      let row = SchemaBuilder.Row(
        type: try reader.text(0), name: try reader.text(1), tableName: try reader.text(2),
        rootPage: try reader.integer(3), sql: try reader.text(4))
      if rowid != nil {
        if let first, let table = row.tableName,
          Name(start: table.start, count: table.count) != Name(start: first.start, count: first.count)
        {
          break
        }
        if first == nil && builder.knows(row) { return false }
        first = row.tableName
      }
      try builder.add(row)
      hasRow = try cursor.next()
    }
    return true
  }

  /// Whether another row of the schema table has the name of a new one. It is one that is not known,
  /// as mistakes are forgiven: with both the database could not be read any more.
  static func hasNamesake(
    ofRow rowid: Int64, _ tree: BTree, _ encoding: TextEncoding
  ) throws(SQLError) -> Bool {
    let cursor = Cursor(tree: tree, root: PageNumber(1), keyInfo: nil)
    defer { cursor.close() }
    var reader = RowReader(cursor, encoding)
    defer { reader.deinitialize() }
    guard try cursor.seek(rowid: rowid) == 0, let own = try reader.text(1) else { return false }
    let isTrigger = try reader.isTrigger()
    var hasRow = try cursor.moveToFirst()
    while hasRow {
      if try cursor.rowid() != rowid, let name = try reader.text(1),
        Name(start: name.start, count: name.count) == Name(start: own.start, count: own.count),
        try reader.isTrigger() == isTrigger
      {
        return true
      }
      hasRow = try cursor.next()
    }
    return false
  }

  /// Whether the texts of the schema table are those that the schema was made of.
  static func hasDefinitions(of schema: Schema, _ tree: BTree) throws(SQLError) -> Bool {
    if tree.pager.pageCount == 0 { return true }
    let cursor = Cursor(tree: tree, root: PageNumber(1), keyInfo: nil)
    defer { cursor.close() }
    var reader = RowReader(cursor, schema.encoding)
    defer { reader.deinitialize() }
    var hasRow = try cursor.moveToFirst()
    while hasRow {
      let type = try reader.text(0), name = try reader.text(1)
      if let text = try reader.text(4), schema.definition(type, name)?.isSame(as: text) != true {
        return false
      }
      hasRow = try cursor.next()
    }
    return true
  }

  /// The names and root pages that the schema table has, in its order.
  static func readRoots(
    _ tree: BTree, _ encoding: TextEncoding
  ) throws(SQLError) -> [(name: String, root: PageNumber)] {
    var roots = [(name: "sqlite_schema", root: PageNumber(1))]
    if tree.pager.pageCount == 0 { return roots }
    let cursor = Cursor(tree: tree, root: PageNumber(1), keyInfo: nil)
    defer { cursor.close() }
    var reader = RowReader(cursor, encoding)
    defer { reader.deinitialize() }
    var hasRow = try cursor.moveToFirst()
    while hasRow {
      if let root = try reader.integer(3), root != 0, let name = try reader.shown(1) {
        roots.append(
          (
            name.string(ByteRange(start: 0, end: .max)),
            PageNumber(UInt32(truncatingIfNeeded: root))
          ))
      }
      hasRow = try cursor.next()
    }
    return roots
  }

  /// Reads sqlite_stat1, if it is there. Statistics that cannot be read are no error.
  private static func readStatistics(
    _ tree: BTree, _ builder: SchemaBuilder
  ) throws(SQLError) {
    if builder.hasMistakes { return }
    if let table = builder.tables[Name("sqlite_stat1")], table.columns.count >= 3,
      table.rootPage.rawValue > 1, !table.isWithoutRowid
    {
      let cursor = Cursor(tree: tree, root: table.rootPage, keyInfo: nil)
      defer { cursor.close() }
      var reader = RowReader(cursor, builder.encoding)
      defer { reader.deinitialize() }
      var hasRow = try cursor.moveToFirst()
      while hasRow {
        let name = try reader.shown(0), index = try reader.shown(1), text = try reader.shown(2)
        withExtendedLifetime((name, index, text)) {
          guard let name, let text else { return }
          builder.addStatistics(
            table: Name(start: name.start, count: name.count),
            index: index.map { Name(start: $0.start, count: $0.count) },
            UnsafeBufferPointer(start: text.start, count: text.count))
        }
        hasRow = try cursor.next()
      }
    }
    builder.finishStatistics()
    try readSamples(tree, builder)
  }

  /// Reads sqlite_stat4, if it is there.
  private static func readSamples(
    _ tree: BTree, _ builder: SchemaBuilder
  ) throws(SQLError) {
    guard let table = builder.tables[Name("sqlite_stat4")], table.columns.count >= 6,
      table.rootPage.rawValue > 1, !table.isWithoutRowid
    else { return }
    let cursor = Cursor(tree: tree, root: table.rootPage, keyInfo: nil)
    defer { cursor.close() }
    var reader = RowReader(cursor, builder.encoding)
    defer { reader.deinitialize() }
    var hasRow = try cursor.moveToFirst()
    while hasRow {
      if let name = try reader.shown(1) {
        let counts = [try reader.shown(2), try reader.shown(3), try reader.shown(4)]
        let record = try reader.blob(5)
        let added = withExtendedLifetime((name, counts)) {
          Result { () throws(SQLError) in
            try builder.addSample(
              index: Name(start: name.start, count: name.count),
              counts: counts.map { UnsafeBufferPointer(start: $0?.start, count: $0?.count ?? 0) },
              record: record)
          }
        }
        try added.get()
      }
      hasRow = try cursor.next()
    }
    builder.finishSamples()
  }
}

/// Columns of a cursor's row as UTF-8 text and integers.
private struct RowReader {
  private let cursor: Cursor
  private let encoding: TextEncoding
  private let register: UnsafeMutablePointer<Register>

  init(_ cursor: Cursor, _ encoding: TextEncoding) {
    self.cursor = cursor
    self.encoding = encoding
    register = .allocate(capacity: 1)
    register.initialize(to: Register())
  }

  func deinitialize() {
    register.pointee.deinitialize()
    register.deallocate()
  }

  /// A text or blob; nil for NULL and for numbers.
  mutating func text(_ column: Int) throws(SQLError) -> SQLText? {
    guard try cursor.column(column, into: register) else { return nil }
    guard register.pointee.tag == .text || register.pointee.tag == .blob else { return nil }
    if register.pointee.tag == .text {
      try register.pointee.changeEncoding(from: encoding, to: .utf8)
    }
    return try SQLText(copying: register.pointee.byteBuffer)
  }

  /// Triggers may be named as tables are.
  mutating func isTrigger() throws(SQLError) -> Bool {
    guard let type = try text(0) else { return false }
    return Name(start: type.start, count: type.count) == Name("trigger")
  }

  /// Any value but NULL as text.
  mutating func shown(_ column: Int) throws(SQLError) -> SQLText? {
    guard try cursor.column(column, into: register), !register.pointee.isNull else { return nil }
    try Cast.apply(.text, to: &register.pointee, encoding: encoding)
    try register.pointee.changeEncoding(from: encoding, to: .utf8)
    return try SQLText(copying: register.pointee.byteBuffer)
  }

  /// The bytes of a blob or text, until the next column is read; none for other values.
  mutating func blob(_ column: Int) throws(SQLError) -> UnsafeBufferPointer<UInt8> {
    guard try cursor.column(column, into: register),
      register.pointee.tag == .blob || register.pointee.tag == .text
    else { return UnsafeBufferPointer(start: nil, count: 0) }
    return register.pointee.byteBuffer
  }

  mutating func integer(_ column: Int) throws(SQLError) -> Int64? {
    guard try cursor.column(column, into: register) else { return nil }
    switch register.pointee.tag {
    case .null: return nil
    case .integer: return register.pointee.integer
    case .real, .text, .blob: return 0
    }
  }
}
