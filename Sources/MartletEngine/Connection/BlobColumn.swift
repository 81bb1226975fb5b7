// Columns in which blobs were opened in pieces.
//
// Who works with blobs in pieces opens one after the other in the same few columns: an INSERT into
// a table of vectors opens three or four. To find the table, to ask whether the column may be
// written, and to make a program and a machine for it cost several times what the row costs. So the
// columns of the last blobs are kept, each with a machine that does not run, until the schema
// changes.

/// The names that a blob is opened by, as they were given. The bytes live as long as the call.
package struct BlobNames {
  /// nil: the first database that has the table, as for a name without a schema.
  let database: UnsafeBufferPointer<UInt8>?
  let table: UnsafeBufferPointer<UInt8>
  let column: UnsafeBufferPointer<UInt8>

  package init(
    database: UnsafeBufferPointer<UInt8>?, table: UnsafeBufferPointer<UInt8>,
    column: UnsafeBufferPointer<UInt8>
  ) {
    self.database = database
    self.table = table
    self.column = column
  }
}

/// A column that holds blobs, and what opens one in it.
final class BlobColumn {
  let table: Table
  /// Where records have the column.
  let position: Int
  private let database: SQLText?, tableName: SQLText, columnName: SQLText
  private let isWritable: Bool
  /// Foreign keys were enforced: their columns may not be written then.
  private let hasForeignKeys: Bool
  private let program: Program
  /// A machine that has run and was reset. A second blob that is open at the same time gets
  /// another.
  @exclusivity(unchecked) private var spare: VM?

  /// - Throws: SQLite's errors where there is no such table or column, and where it may not be
  ///   opened, or not to be written.
  init(_ connection: Connection, _ names: BlobNames, isWritable: Bool) throws(SQLError) {
    if let name = names.database {
      database = try SQLText(copying: name)
    } else {
      database = nil
    }
    tableName = try SQLText(copying: names.table)
    columnName = try SQLText(copying: names.column)
    self.isWritable = isWritable
    hasForeignKeys = connection.settings.flags.contains(.hasForeignKeys)
    table = try BlobColumn.find(tableName, database, connection.catalog)
    position = table.columnIndex(of: columnName.name)
    guard position >= 0 else { throw .sql("no such column: \"\(columnName.name.string)\"") }
    if isWritable {
      try BlobColumn.checkIsWritable(position, of: table, hasForeignKeys: hasForeignKeys)
    }
    program = BlobColumn.program(table, connection.catalog, isWritable: isWritable)
  }

  private static func find(
    _ name: SQLText, _ database: SQLText?, _ catalog: Catalog
  ) throws(SQLError) -> Table {
    let found =
      if let database {
        catalog.table(named: name.name, schema: database.name)
      } else {
        catalog.table(named: name.name)
      }
    guard let table = found else {
      let prefix = database.map { $0.name.string + "." } ?? ""
      throw .sql("no such table: \(prefix)\(name.name.string)")
    }
    if table.isVirtual { throw .sql("cannot open virtual table: \(name.name.string)") }
    if table.isWithoutRowid {
      throw .sql("cannot open table without rowid: \(name.name.string)")
    }
    if table.columns.contains(where: { $0.generated != nil }) {
      throw .sql("cannot open table with generated columns: \(name.name.string)")
    }
    if table.view != nil { throw .sql("cannot open view: \(name.name.string)") }
    return table
  }

  private static func checkIsWritable(
    _ position: Int, of table: Table, hasForeignKeys: Bool
  ) throws(SQLError) {
    if hasForeignKeys,
      table.foreignKeys.contains(where: {
        $0.columns.contains { table.columnIndex(of: $0) == position }
      })
    {
      throw .sql("cannot open foreign key column for writing")
    }
    for index in table.indexes {
      for key in index.columns.prefix(index.keyColumnCount)
      where key.tableColumn == position || key.expression != nil {
        throw .sql("cannot open indexed column for writing")
      }
    }
  }

  /// A program that begins a transaction, opens the table, and stops there.
  private static func program(_ table: Table, _ catalog: Catalog, isWritable: Bool) -> Program {
    let builder = ProgramBuilder(catalog: catalog)
    let cursor = builder.newCursor(), register = builder.newRegister()
    builder.emitTransaction(onDatabase: table.databaseIndex, isWritable ? .write : .read)
    builder.emit(
      isWritable ? .openWrite : .openRead, cursor.rawValue,
      Int32(bitPattern: table.rootPage.rawValue), Int32(table.databaseIndex))
    builder.emit(.null, 0, register.rawValue, register.rawValue)
    builder.emit(.resultRow, register.rawValue, 1)
    builder.emit(.halt)
    return builder.finish(columns: [OutputColumn(label: Name("blob"))], explain: .none)
  }

  /// Whether it is what the names lead to in a catalog, with the same answer to all that was asked.
  func isFound(
    by names: BlobNames, isWritable: Bool, hasForeignKeys: Bool, in catalog: Catalog
  ) -> Bool {
    self.isWritable == isWritable && self.hasForeignKeys == hasForeignKeys && isOf(catalog)
      && columnName.hasBytes(names.column) && tableName.hasBytes(names.table)
      && isOfDatabase(names.database)
  }

  private func isOfDatabase(_ name: UnsafeBufferPointer<UInt8>?) -> Bool {
    guard let database else { return name == nil }
    return name.map { database.hasBytes($0) } ?? false
  }

  func isOf(_ catalog: Catalog) -> Bool { program.catalog === catalog }

  // MARK: Machines

  /// A machine that is ready to run.
  func takeMachine(for connection: Connection) throws(SQLError) -> VM {
    guard let machine = spare else {
      return try VM(program: program, host: connection, parameterCount: 0)
    }
    spare = nil
    return machine
  }

  /// Keeps a machine that was reset, unless there is one.
  func giveBack(_ machine: VM) {
    if spare == nil { spare = machine }
  }
}

extension SQLText {
  /// The whole text as a name.
  fileprivate var name: Name { Name(start: start, count: count) }

  fileprivate func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == bytes.count, let other = bytes.baseAddress else { return false }
    return Memory.compare(start, other, count) == 0
  }
}

/// The columns that a connection keeps.
struct BlobColumns {
  private static let capacity = 16
  private var columns: [BlobColumn] = []
  /// The one that gives way to the next, once there is no room.
  private var oldest = 0

  /// The column that `names` lead to, found before or now.
  mutating func column(
    _ names: BlobNames, isWritable: Bool, in connection: Connection
  ) throws(SQLError) -> BlobColumn {
    let hasForeignKeys = connection.settings.flags.contains(.hasForeignKeys)
    let catalog = connection.catalog
    for column in columns
    where column.isFound(
      by: names, isWritable: isWritable, hasForeignKeys: hasForeignKeys, in: catalog)
    {
      return column
    }
    removeColumns(exceptOf: catalog)
    let column = try BlobColumn(connection, names, isWritable: isWritable)
    if columns.count < BlobColumns.capacity {
      columns.append(column)
    } else {
      columns[oldest] = column
      oldest = (oldest + 1) % BlobColumns.capacity
    }
    return column
  }

  /// Forgets what keeps earlier schemas in memory.
  mutating func removeColumns(exceptOf catalog: Catalog) {
    if columns.isEmpty { return }
    columns.removeAll { !$0.isOf(catalog) }
    oldest = 0
  }

  mutating func removeAll() { columns = [] }
}
