/// Differences that docs/deviations.md explains.
enum InterleaveRule: String {
  case unneededLock = "A transaction that has changed nothing takes no exclusive lock"
  case severalMistakes = "Of several mistakes in one statement"
  case presentSchema = "A mistake that is found with the schema in memory is looked for again"
  case newMeaning = "A statement is compiled again when any schema of the connection has changed"
  /// The same, where an earlier statement has changed something or taken a lock.
  case earlierMeaning = "A statement was compiled again, and did another thing"
  case busyMessage = "The message of a commit that could not be made"
  case mistakeFirst = "A mistake is found before a lock is asked for"
  case hiddenTable = "A temporary table hides the one that VACUUM or ALTER TABLE means"
  case emptiedDatabase = "ROLLBACK TO of SQLite empties a database that it has not read"
  case failedAlter = "An ALTER TABLE that fails has changed nothing"
  case unchangedRows = "A row that is written with the bytes that it has changes no page"
  case temporaryDatabase = "PRAGMA database_list lists the temporary database"
  case hiddenView = "PRAGMA table_list counts the columns of a view that a temporary one hides"
  case temporaryNames = "Temporary views and triggers are about the tables that they name now"
  case orphanTrigger = "A temporary trigger whose table is gone does not stop ALTER TABLE"
  case gatheredRows = "Rows that were gathered are given as they were"
  case detachedDatabase = "DETACH is refused while a transaction has begun on the database"
  case schemaFirst = "The schemas are read before the names of databases, and after a rollback"

  /// The engines have not done the same, so that nothing behind it can be compared.
  var endsScript: Bool {
    switch self {
    case .unneededLock, .earlierMeaning, .hiddenTable, .emptiedDatabase, .failedAlter,
      .unchangedRows, .orphanTrigger, .temporaryNames, .detachedDatabase, .gatheredRows:
      true
    default: false
    }
  }
}
