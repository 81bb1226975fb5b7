/// The schema of one database, as it was when it was read. Never changed after it is published.
final class Schema: @unchecked Sendable {
  let databaseIndex: Int
  /// main, temp, or what ATTACH said.
  let databaseName: Name
  /// Owns the bytes of `databaseName`.
  let nameText: SQLText?
  /// The schema cookie of the file (fileformat2 §1.3.9).
  let cookie: UInt32
  /// Different for every schema that a connection makes.
  let generation: Int32
  /// 1 to 4 (fileformat2 §1.3.10); 0 in an empty file.
  let fileFormat: UInt32
  let encoding: TextEncoding
  /// Tables and views, the schema table included.
  let tables: NameTable<Table>
  let indexes: NameTable<Index>
  let triggers: NameTable<Trigger>
  /// How many rows of the schema table were read for it and the schemas that it follows from.
  let rowCount: Int32

  init(
    databaseIndex: Int, databaseName: Name, nameText: SQLText?, cookie: UInt32,
    generation: Int32, fileFormat: UInt32, encoding: TextEncoding, tables: NameTable<Table>,
    indexes: NameTable<Index>, triggers: NameTable<Trigger>, rowCount: Int32
  ) {
    self.databaseIndex = databaseIndex
    self.databaseName = databaseName
    self.nameText = nameText
    self.cookie = cookie
    self.generation = generation
    self.fileFormat = fileFormat
    self.encoding = encoding
    self.tables = tables
    self.indexes = indexes
    self.triggers = triggers
    self.rowCount = rowCount
  }

  var name: Name { databaseName }

  /// The place of a definition among the rows of the schema table, as an error that begins with its
  /// type and name has it; nil where the error is about none.
  func row(namedBy message: String) -> Int32? {
    for table in tables.objects {
      let type = table.view == nil ? "table" : "view"
      if message.hasPrefix("error in \(type) \(table.name.string): ") { return table.schemaRow }
    }
    for trigger in triggers.objects
    where message.hasPrefix("error in trigger \(trigger.name.string): ") {
      return trigger.schemaRow
    }
    return nil
  }

  /// The text of an object, as a row of the schema table gives its type and name.
  func definition(_ type: SQLText?, _ name: SQLText?) -> SQLText? {
    guard let type, let name = name.map({ Name(start: $0.start, count: $0.count) }) else {
      return nil
    }
    switch Name(start: type.start, count: type.count) {
    case Name("index"): return indexes[name]?.text
    case Name("trigger"): return triggers[name]?.text
    default: return tables[name]?.text
    }
  }

  var version: SchemaVersion { SchemaVersion(cookie: cookie, generation: generation) }
}

/// A trigger: its definition as parsed, bound when its table is written.
final class Trigger: @unchecked Sendable {
  let name: Name
  let text: SQLText
  let databaseIndex: Int
  let definition: CreateTriggerStatement
  /// Its place among the rows of the schema table.
  let schemaRow: Int32

  init(
    name: Name, text: SQLText, databaseIndex: Int, definition: CreateTriggerStatement,
    schemaRow: Int32 = 0
  ) {
    self.name = name
    self.text = text
    self.databaseIndex = databaseIndex
    self.definition = definition
    self.schemaRow = schemaRow
  }
}
