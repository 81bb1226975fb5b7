/// The definition of a schema table (fileformat2 §2.6), which no file has. What never changes of it
/// is made once, for all connections.
struct SchemaTable: Sendable {
  static let main = SchemaTable(
    "sqlite_master",
    "CREATE TABLE sqlite_master(type text,name text,tbl_name text,rootpage int,sql text)")
  static let temporary = SchemaTable(
    "sqlite_temp_master",
    "CREATE TABLE sqlite_temp_master(type text,name text,tbl_name text,rootpage int,sql text)")

  private static let columns = [
    column("type", "text"), column("name", "text"), column("tbl_name", "text"),
    column("rootpage", "int"), column("sql", "text"),
  ]
  /// Of four bytes for each unit of the columns' estimates, and for the rowid.
  private static let rowSizeEstimate = LogEst(
    count: UInt64(columns.reduce(1) { $0 + Int($1.sizeEstimate) } * 4))

  let name: StaticString
  let text: SQLText

  private init(_ name: StaticString, _ text: StaticString) {
    self.name = name
    self.text = SQLText(text)
  }

  private static func column(_ name: StaticString, _ type: StaticString) -> Table.Column {
    let type = ColumnType(ByteSlice(start: type.utf8Start, count: type.utf8CodeUnitCount))
    return Table.Column(
      name: Name(name), declaredType: type.declared, affinity: type.affinity, collation: nil,
      isNotNull: false, notNullConflict: nil, isPrimaryKey: false,
      sizeEstimate: type.sizeEstimate, defaultValue: nil, generated: nil, isHidden: false)
  }

  func makeTable(_ databaseIndex: Int, _ databaseName: Name) -> Table {
    let table = Table(
      name: Name(name), text: text, databaseIndex: databaseIndex, rootPage: PageNumber(1),
      columns: SchemaTable.columns, rowidColumn: -1, isWithoutRowid: false, isStrict: false,
      hasAutoincrement: false, view: nil, rowSizeEstimate: SchemaTable.rowSizeEstimate,
      checks: [])
    table.databaseName = databaseName
    return table
  }
}
