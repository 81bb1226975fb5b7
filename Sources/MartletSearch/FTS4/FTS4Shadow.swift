// The tables that an FTS3 or FTS4 table keeps its content and its index in (fts3 §9):
//
//     %_content(docid, c0…, langid)     the rows, unless they are somewhere else
//     %_segments(blockid, block)        nodes of segments' trees, but for the roots
//     %_segdir(level, idx, start_block, leaves_end_block, end_block, root)    the segments
//     %_docsize(docid, size)            FTS4: tokens of each row's columns
//     %_stat(id, value)                 FTS4: the same of all rows, and how merging goes on
import MartletEngine

/// The statements on the shadow tables of one table, each of which is prepared when it is first
/// needed.
final class FTS4Shadow {
  /// What a statement does.
  enum Command: Int, CaseIterable {
    case insertContent, deleteContent, selectContent, isEmpty, deleteAllContent
    case writeBlock, readBlock, nextBlock, deleteBlocks, deleteAllBlocks
    case insertSegment, selectLevel, selectLevels, selectSizes, maximumLevel, nextIndex
    case countLevels, deleteLevel, deleteLevels, deleteSegment, deleteAllSegments
    case moveAside, moveBack, updateIndex, updateRoot, selectSegment
    case leafEstimate, isAppendable, fullestLevel, segmentIndexes, maximumRelativeLevel, languages
    case writeDocSize, readDocSize, deleteDocSize, deleteAllDocSizes
    case writeStat, readStat, deleteAllStats
  }

  let database: String
  private(set) var name: String
  unowned(unsafe) let connection: Connection
  private var statements: [Statement?]
  /// `docid, c0 … FROM …`, and as many question marks as there are columns.
  let readList: String
  private let writeList: String

  init(
    _ connection: Connection, _ database: String, _ name: String, readList: String,
    writeList: String
  ) {
    self.connection = connection
    self.database = database
    self.name = name
    self.readList = readList
    self.writeList = writeList
    statements = Array(repeating: nil, count: Command.allCases.count)
  }

  func table(_ suffix: String) -> String {
    database.quotedIdentifier + "." + (name + "_" + suffix).quotedIdentifier
  }

  private func sql(_ command: Command) -> String {
    let segments = table("segments"), segdir = table("segdir")
    switch command {
    case .insertContent: return "INSERT INTO \(table("content")) VALUES(\(writeList))"
    case .deleteContent: return "DELETE FROM \(table("content")) WHERE rowid = ?"
    case .selectContent: return "SELECT \(readList) WHERE rowid=?"
    case .isEmpty:
      return "SELECT NOT EXISTS(SELECT docid FROM \(table("content")) WHERE rowid!=?)"
    case .deleteAllContent: return "DELETE FROM \(table("content"))"
    case .writeBlock: return "REPLACE INTO \(segments)(blockid, block) VALUES(?, ?)"
    case .readBlock: return "SELECT block FROM \(segments) WHERE blockid = ?"
    case .nextBlock: return "SELECT coalesce((SELECT max(blockid) FROM \(segments)) + 1, 1)"
    case .deleteBlocks: return "DELETE FROM \(segments) WHERE blockid BETWEEN ? AND ?"
    case .isAppendable:
      return "SELECT 1 FROM \(segments) WHERE blockid=? AND block IS NULL"
    case .deleteAllBlocks: return "DELETE FROM \(segments)"
    case .writeDocSize: return "REPLACE INTO \(table("docsize")) VALUES(?,?)"
    case .readDocSize: return "SELECT size FROM \(table("docsize")) WHERE docid=?"
    case .deleteDocSize: return "DELETE FROM \(table("docsize")) WHERE docid = ?"
    case .deleteAllDocSizes: return "DELETE FROM \(table("docsize"))"
    case .writeStat: return "REPLACE INTO \(table("stat")) VALUES(?,?)"
    case .readStat: return "SELECT value FROM \(table("stat")) WHERE id=?"
    case .deleteAllStats: return "DELETE FROM \(table("stat"))"
    default: return segmentSQL(command, segdir)
    }
  }

  private func segmentSQL(_ command: Command, _ segdir: String) -> String {
    let columns = "SELECT idx, start_block, leaves_end_block, end_block, root FROM \(segdir)"
    switch command {
    case .insertSegment: return "REPLACE INTO \(segdir) VALUES(?,?,?,?,?,?)"
    case .selectLevel: return columns + " WHERE level = ? ORDER BY idx ASC"
    case .selectLevels:
      return columns + " WHERE level BETWEEN ? AND ? ORDER BY level DESC, idx ASC"
    case .selectSizes:
      return "SELECT level, idx, end_block FROM \(segdir) "
        + "WHERE level BETWEEN ? AND ? ORDER BY level DESC, idx ASC"
    case .maximumLevel: return "SELECT max(level) FROM \(segdir) WHERE level BETWEEN ? AND ?"
    case .nextIndex:
      return "SELECT coalesce((SELECT max(idx) FROM \(segdir) WHERE level=?) + 1, 0)"
    case .countLevels: return "SELECT count(*) FROM \(segdir) WHERE level = ?"
    case .deleteLevel: return "DELETE FROM \(segdir) WHERE level = ?"
    case .deleteLevels: return "DELETE FROM \(segdir) WHERE level BETWEEN ? AND ?"
    case .deleteSegment: return "DELETE FROM \(segdir) WHERE level = ? AND idx = ?"
    case .deleteAllSegments: return "DELETE FROM \(segdir)"
    case .moveAside: return "UPDATE OR FAIL \(segdir) SET level=-1,idx=? WHERE level=? AND idx=?"
    case .moveBack: return "UPDATE OR FAIL \(segdir) SET level=? WHERE level=-1"
    case .updateIndex: return "UPDATE \(segdir) SET idx = ? WHERE level=? AND idx=?"
    case .updateRoot:
      return "UPDATE \(segdir) SET start_block = ?, root = ? WHERE level = ? AND idx = ?"
    case .selectSegment: return columns + " WHERE level = ? AND idx = ?"
    case .fullestLevel:
      return "SELECT level, count(*) AS cnt FROM \(segdir) GROUP BY level "
        + "HAVING cnt >= ? ORDER BY (level % 1024) ASC, 2 DESC LIMIT 1"
    case .leafEstimate:
      return "SELECT 2 * total(1 + leaves_end_block - start_block) "
        + "FROM (SELECT * FROM \(segdir) WHERE level = ? ORDER BY idx ASC LIMIT ?)"
    case .segmentIndexes: return "SELECT idx FROM \(segdir) WHERE level=? ORDER BY 1 ASC"
    case .maximumRelativeLevel: return "SELECT max( level % 1024 ) FROM \(segdir)"
    case .languages: return "SELECT ? UNION SELECT level / (1024 * ?) FROM \(segdir)"
    default: return ""
    }
  }

  /// The statement of a command, ready to be bound.
  func statement(_ command: Command) throws(SQLError) -> Statement {
    if let known = statements[command.rawValue] { return known }
    let statement: Statement
    do throws(SQLError) {
      statement = try connection.prepare(forVirtualTable: sql(command))
    } catch {
      throw SQLError(error.code)
    }
    statements[command.rawValue] = statement
    return statement
  }

  // MARK: Running

  func run(_ statement: Statement) throws(SQLError) { try statement.runToEnd() }

  func run(_ command: Command, _ numbers: Int64...) throws(SQLError) {
    let statement = try statement(command)
    for (index, number) in numbers.enumerated() { try statement.bind(number, at: index + 1) }
    try run(statement)
  }

  /// Calls `body` for each row.
  func forEach(
    _ statement: Statement, _ body: (Statement) throws(SQLError) -> Void
  ) throws(SQLError) {
    try statement.use { statement throws(SQLError) in
      while try statement.step() { try body(statement) }
    }
  }

  func forEach(
    _ command: Command, _ numbers: [Int64], _ body: (Statement) throws(SQLError) -> Void
  ) throws(SQLError) {
    let statement = try statement(command)
    for (index, number) in numbers.enumerated() { try statement.bind(number, at: index + 1) }
    try forEach(statement, body)
  }

  /// The number in the first row; nil where there is no row, or NULL.
  func number(_ command: Command, _ numbers: Int64...) throws(SQLError) -> Int64? {
    var result: Int64?
    try forEach(command, numbers) { statement throws(SQLError) in
      if result == nil, statement.columnType(0) != .null { result = statement.columnInt64(0) }
    }
    return result
  }

  /// The bytes in the first row; nil where there is no row.
  func bytes(_ command: Command, _ number: Int64) throws(SQLError) -> [UInt8]? {
    var result: [UInt8]?
    try forEach(command, [number]) { statement throws(SQLError) in
      result = Array(statement.columnBytes(0))
    }
    return result
  }

  func write(_ command: Command, _ number: Int64, _ bytes: [UInt8]) throws(SQLError) {
    let statement = try statement(command)
    try statement.bind(number, at: 1)
    try bytes.withBytes { bytes throws(SQLError) in try statement.bind(blob: bytes, at: 2) }
    try run(statement)
  }

  /// A node of a tree.
  ///
  /// - Throws: `corruptVirtualTable` where there is none.
  func readBlock(_ number: Int64) throws(SQLError) -> [UInt8] {
    let node = try readNode(number)
    return withExtendedLifetime(node) { Array(node.contents) }
  }

  /// The same, in memory of its own.
  func readNode(_ number: Int64) throws(SQLError) -> ByteBlock {
    let statement = try statement(.readBlock)
    try statement.bind(number, at: 1)
    var block: ByteBlock?
    try forEach(statement) { statement throws(SQLError) in
      if statement.columnType(0) >= .text { block = try ByteBlock(statement.columnBytes(0)) }
    }
    guard let block else { throw .searchCorrupt }
    return block
  }

  /// Keeps a block's number for later (a NULL, which no node is).
  func reserveBlock(_ number: Int64) throws(SQLError) {
    let statement = try statement(.writeBlock)
    try statement.bind(number, at: 1)
    try statement.bindNull(at: 2)
    try run(statement)
  }

  func makeStatTable() throws(SQLError) {
    try execute(
      "CREATE TABLE IF NOT EXISTS \(database.quoted(with: "'"))."
        + "\((name + "_stat").quoted(with: "'"))(id INTEGER PRIMARY KEY, value BLOB);")
  }

  func execute(_ sql: String) throws(SQLError) {
    do throws(SQLError) { try connection.execute(withNames: sql) } catch {
      throw SQLError(error.code)
    }
  }
}
