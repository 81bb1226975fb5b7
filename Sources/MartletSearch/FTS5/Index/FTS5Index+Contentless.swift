import MartletEngine

extension FTS5Index {
  /// Marks a row as deleted in the segment of its origin (fts5 §6.5).
  func deleteContentless(_ rowid: Int64, origin: UInt64) throws(SQLError) {
  }

  /// Writes the cookie of the configuration into the structure record.
  func writeCookie(_ cookie: Int) throws(SQLError) {
    let blob = try configuration.connection.openBlob(
      table: tables.table + "_data", column: "block", rowID: IndexFormat.structureRow,
      database: tables.database, isWritable: true)
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: cookie >> $0) }
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(SQLError) in try blob.write(buffer, at: 0) }
    }.get()
    try blob.close()
  }
}
