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

  init(
    databaseIndex: Int, databaseName: Name, nameText: SQLText?, cookie: UInt32,
    generation: Int32, fileFormat: UInt32, encoding: TextEncoding, tables: NameTable<Table>,
    indexes: NameTable<Index>, triggers: NameTable<Trigger>
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
  }

  var name: Name { databaseName }

  var version: SchemaVersion { SchemaVersion(cookie: cookie, generation: generation) }
}

/// A trigger: its definition as parsed, bound when its table is written.
final class Trigger: @unchecked Sendable {
  let name: Name
  let text: SQLText
  let databaseIndex: Int
  let definition: CreateTriggerStatement

  init(name: Name, text: SQLText, databaseIndex: Int, definition: CreateTriggerStatement) {
    self.name = name
    self.text = text
    self.databaseIndex = databaseIndex
    self.definition = definition
  }
}
