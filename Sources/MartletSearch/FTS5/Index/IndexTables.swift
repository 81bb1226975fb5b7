import MartletEngine

/// The statements on `%_data` and `%_idx`, each prepared when it is first used.
final class IndexTables {
  private unowned(unsafe) let connection: Connection
  let database: String
  let table: String
  @exclusivity(unchecked) private var kept: [Statement?]

  private enum Use: Int, CaseIterable {
    case read, write, delete, findPage, insertPage, deletePages, deletePage
  }

  init(_ connection: Connection, _ database: String, _ table: String) {
    self.connection = connection
    self.database = database
    self.table = table
    kept = Array(repeating: nil, count: Use.allCases.count)
  }

  private func sql(_ use: Use) -> String {
    let data = ShadowName.table(database, table, "data")
    let index = ShadowName.table(database, table, "idx")
    return switch use {
    case .read: "SELECT block FROM \(data) WHERE id = ?1"
    case .write: "REPLACE INTO \(data)(id, block) VALUES(?1, ?2)"
    case .delete: "DELETE FROM \(data) WHERE id >= ?1 AND id <= ?2"
    case .findPage:
      "SELECT pgno FROM \(index) WHERE segid = ?1 AND term <= ?2 ORDER BY term DESC LIMIT 1"
    case .insertPage: "INSERT INTO \(index)(segid, term, pgno) VALUES(?1, ?2, ?3)"
    case .deletePages: "DELETE FROM \(index) WHERE segid = ?1"
    case .deletePage: "DELETE FROM \(index) WHERE (segid, (pgno / 2)) = (?1, ?2)"
    }
  }

  @inline(__always)
  private func statement(_ use: Use) throws(SQLError) -> Statement {
    if let known = kept[use.rawValue] { return known }
    do throws(SQLError) {
      let made = try connection.prepare(forVirtualTable: sql(use))
      kept[use.rawValue] = made
      return made
    } catch {
      // A table is gone, or another than it was.
      throw SQLError(error.code == .error && use != .read ? .corrupt : error.code)
    }
  }

  // MARK: Rows of %_data

  /// A copy of a block; nil where there is none, nor perhaps a table.
  func read(_ row: Int64) throws(SQLError) -> IndexPage? {
    do throws(SQLError) {
      let read = try statement(.read)
      try read.bind(row, at: 1)
      return try read.use { read throws(SQLError) in
        guard try read.step(), read.columnType(0) >= .text else { return nil }
        return try IndexPage(copying: read.columnBytes(0))
      }
    } catch {
      if error.code == .error { return nil }
      throw SQLError(error.code)
    }
  }

  func write(_ row: Int64, _ bytes: UnsafeRawBufferPointer) throws(SQLError) {
    let write = try statement(.write)
    try write.bind(row, at: 1)
    try write.bind(blob: bytes, at: 2)
    try write.runToEnd()
    try write.bindNull(at: 2)
  }

  func delete(from first: Int64, through last: Int64) throws(SQLError) {
    let delete = try statement(.delete)
    try delete.bind(first, at: 1)
    try delete.bind(last, at: 2)
    try delete.runToEnd()
  }

  // MARK: Rows of %_idx

  /// Twice the number of the page that may have a term, plus one where its last term has a doclist
  /// index; nil where no page is known.
  func findPage(
    _ segment: Int, term: UnsafeRawBufferPointer
  ) throws(SQLError) -> Int64? {
    let find = try statement(.findPage)
    try find.bind(segment, at: 1)
    try find.bind(blob: term, at: 2)
    return try find.use { find throws(SQLError) in try find.step() ? find.columnInt64(0) : nil }
  }

  func insertPage(
    _ segment: Int, term: UnsafeRawBufferPointer, page: Int64
  ) throws(SQLError) {
    let insert = try statement(.insertPage)
    try insert.bind(segment, at: 1)
    try insert.bind(blob: term, at: 2)
    try insert.bind(page, at: 3)
    try insert.runToEnd()
  }

  func deletePages(_ segment: Int) throws(SQLError) {
    let delete = try statement(.deletePages)
    try delete.bind(segment, at: 1)
    try delete.runToEnd()
  }

  func deletePage(_ segment: Int, page: Int) throws(SQLError) {
    let delete = try statement(.deletePage)
    try delete.bind(segment, at: 1)
    try delete.bind(page, at: 2)
    try delete.runToEnd()
  }

  /// What the structure in memory belongs to: it is another one once the database changes. Within
  /// a transaction that writes, there is none.
  func version() throws(SQLError) -> UInt32 { try connection.dataVersion(ofDatabase: database) }
}

/// Names of shadow tables in SQL.
enum ShadowName {
  static func table(_ database: String, _ table: String, _ suffix: String) -> String {
    database.quotedIdentifier + "." + (table + "_" + suffix).quotedIdentifier
  }
}
