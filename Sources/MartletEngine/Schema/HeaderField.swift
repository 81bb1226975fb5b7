/// A number of a database's header, or about its file, that a program can read (`headerValue`).
enum HeaderField: UInt8 {
  case userVersion, applicationID, schemaVersion, pageSize, pageCount, freelistCount, dataVersion
  case autoVacuum
}

/// What BEGIN, COMMIT and ROLLBACK do to the connection (`autocommit`).
enum TransactionChange: UInt8 {
  case begin, commit, rollback
}
