/// A number of a database's header, or about its file, that a program can read (`headerValue`).
enum HeaderField: UInt8 {
  case userVersion, applicationID, schemaVersion, pageCount, freelistCount, dataVersion
  /// 0 in a file without schema (fileformat2 §1.3.10).
  case schemaFormat
}

/// What BEGIN, COMMIT and ROLLBACK do to the connection (`autocommit`).
enum TransactionChange: UInt8 {
  case begin, commit, rollback
}

enum TransactionMode: UInt8 { case read, write, exclusive }

enum SavepointChange: UInt8 { case begin, release, rollback }

/// Which state of a schema a program was made for: the file's number, and the connection's own,
/// which also tells apart what a rollback has taken back.
struct SchemaVersion: Equatable {
  let cookie: UInt32
  let generation: Int32
}

/// What a DROP took out of a schema (`objectDropped`).
enum DroppedObject: UInt8 { case table, index, trigger }

/// What only the connection can do for a program (`perform`).
enum ConnectionCommand: UInt8 {
  /// Arguments: file, name, key.
  case attach
  /// Argument: name.
  case detach
  /// Argument: the file of VACUUM INTO, or NULL.
  case vacuum
  /// The argument, a mode's number or -1, becomes the name of the mode (`JournalMode`).
  case journalMode
  case checkpoint
  /// Argument: 0 behind the renaming of a table, 1 of a column, 2 behind the removal of a column.
  case checkDefinitions
  /// The argument, the bits of a new bound or 0, becomes the bound.
  case maximumPageCount
  /// Argument: `AutoVacuum` for a database that has a pointer map.
  case autoVacuum
  /// The argument becomes 1 if the file is a page shorter now, else 0.
  case incrementalVacuum
  /// Arguments: how many messages are wanted; the text of the messages, or NULL; the number of
  /// trees; for each, its root page, which becomes the number of its entries. The first becomes
  /// less by the number of messages, but for the one that the text itself is.
  case checkTrees
  /// Arguments: an ANALYZE statement, and how many entries of an index it looks at before it makes
  /// a choice; -1 for as many as PRAGMA analysis_limit says.
  case analyze
}
