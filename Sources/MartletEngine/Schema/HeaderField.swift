/// A number of a database's header, or about its file, that a program can read (`headerValue`).
enum HeaderField: UInt8 {
  case userVersion, applicationID, schemaVersion, pageSize, pageCount, freelistCount, dataVersion
  case autoVacuum
  /// 0 in a file without schema (fileformat2 §1.3.10).
  case schemaFormat
}

/// What BEGIN, COMMIT and ROLLBACK do to the connection (`autocommit`).
enum TransactionChange: UInt8 {
  case begin, commit, rollback
}

enum TransactionMode: UInt8 { case read, write, exclusive }

enum SavepointChange: UInt8 { case begin, release, rollback }

/// Which state of a schema a program was made for: the file's number, and the connection's own, which
/// also tells apart what a rollback has taken back.
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
}
