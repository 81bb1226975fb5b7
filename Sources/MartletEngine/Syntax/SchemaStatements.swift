/// CREATE INDEX (lang_createindex).
final class CreateIndexStatement {
  let isUnique: Bool
  let ifNotExists: Bool
  let name: QualifiedName
  let table: Name
  let columns: TreeList<OrderingTerm>
  let whereClause: Expression?
  /// What SQLite stores behind "CREATE INDEX " or "CREATE UNIQUE INDEX ".
  let storedRange: ByteRange

  init(
    isUnique: Bool, ifNotExists: Bool, name: QualifiedName, table: Name,
    columns: TreeList<OrderingTerm>, whereClause: Expression?, storedRange: ByteRange
  ) {
    self.isUnique = isUnique
    self.ifNotExists = ifNotExists
    self.name = name
    self.table = table
    self.columns = columns
    self.whereClause = whereClause
    self.storedRange = storedRange
  }
}

/// CREATE VIEW (lang_createview).
final class CreateViewStatement {
  let isTemporary: Bool
  let ifNotExists: Bool
  let name: QualifiedName
  let columns: [Name]
  let select: SelectStatement
  /// What SQLite stores behind "CREATE VIEW ".
  let storedRange: ByteRange

  init(
    isTemporary: Bool, ifNotExists: Bool, name: QualifiedName, columns: [Name],
    select: SelectStatement, storedRange: ByteRange
  ) {
    self.isTemporary = isTemporary
    self.ifNotExists = ifNotExists
    self.name = name
    self.columns = columns
    self.select = select
    self.storedRange = storedRange
  }
}

/// CREATE TRIGGER (lang_createtrigger).
final class CreateTriggerStatement {
  enum Time: UInt8 { case before, after, insteadOf }
  enum Event {
    case delete, insert
    /// Columns of UPDATE OF; empty for every column.
    case update([Name])
  }

  /// A statement of the body, one of `insert`, `update`, `delete`, `select`.
  struct Step {
    let statement: StatementSyntax
    let range: ByteRange
  }

  let isTemporary: Bool
  let ifNotExists: Bool
  let name: QualifiedName
  /// BEFORE where nothing is written.
  let time: Time
  let event: Event
  let table: QualifiedName
  let when: Expression?
  let steps: [Step]
  /// What SQLite stores behind "CREATE TRIGGER ".
  let storedRange: ByteRange

  init(
    isTemporary: Bool, ifNotExists: Bool, name: QualifiedName, time: Time, event: Event,
    table: QualifiedName, when: Expression?, steps: [Step], storedRange: ByteRange
  ) {
    self.isTemporary = isTemporary
    self.ifNotExists = ifNotExists
    self.name = name
    self.time = time
    self.event = event
    self.table = table
    self.when = when
    self.steps = steps
    self.storedRange = storedRange
  }
}

/// CREATE VIRTUAL TABLE (lang_createvtab).
final class CreateVirtualTableStatement {
  let ifNotExists: Bool
  let name: QualifiedName
  let module: Name
  /// The text of each argument, from its first to its last token.
  let arguments: [ByteRange]
  /// What SQLite stores behind "CREATE VIRTUAL TABLE ".
  let storedRange: ByteRange

  init(
    ifNotExists: Bool, name: QualifiedName, module: Name, arguments: [ByteRange],
    storedRange: ByteRange
  ) {
    self.ifNotExists = ifNotExists
    self.name = name
    self.module = module
    self.arguments = arguments
    self.storedRange = storedRange
  }
}

/// DROP TABLE, INDEX, VIEW, TRIGGER.
final class DropStatement {
  enum Kind: UInt8 { case table, index, view, trigger }

  let kind: Kind
  let ifExists: Bool
  let name: QualifiedName

  init(kind: Kind, ifExists: Bool, name: QualifiedName) {
    self.kind = kind
    self.ifExists = ifExists
    self.name = name
  }
}
