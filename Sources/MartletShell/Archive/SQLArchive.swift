import MartletEngine

/// A database with the table `sqlar`, or a zip file, while `.archive` works on it (sqlar).
struct SQLArchive {
  let request: ArchiveRequest
  let connection: Connection
  /// The zip file, where it is none of SQL's.
  let zip: String?
  let output: Output

  /// Archives are small pages of small files mostly.
  private static let pageSize = 512
  private static let definition = """
    CREATE TABLE IF NOT EXISTS sqlar(
      name TEXT PRIMARY KEY,  -- name of the file
      mode INT,               -- access permissions
      mtime INT,              -- last modification time
      sz INT,                 -- original file size
      data BLOB               -- compressed content
    )
    """

  /// How the error begins that a name is not there.
  static let absence = "not found in archive: "

  func run() throws(SQLError) {
    switch request.action {
    case .create, .update, .insert: try zip == nil ? add() : addToZip()
    case .remove: try remove()
    case .list: try list()
    case .extract: try extract()
    case .help, nil: break
    }
  }

  // MARK: What is asked for

  private var source: String { zip.map { "zipfile(\(sqlText($0)))" } ?? "sqlar" }

  private static func isNamed(_ name: String, glob: Bool) -> String {
    let compared = glob ? "GLOB" : "=", end = glob ? "/*" : "/"
    guard glob else {
      let length = name.unicodeScalars.count + 1
      return "name = \(sqlText(name)) OR substr(name,1,\(length)) = \(sqlText(name + end))"
    }
    return "name \(compared) \(sqlText(name)) OR name \(compared) \(sqlText(name + end))"
  }

  /// The rows that are asked for; all, if none are named.
  private var condition: String {
    if request.names.isEmpty { return "1" }
    return request.names.map { Self.isNamed($0, glob: request.isGlob) }.joined(separator: " OR ")
  }

  private func checkNames() throws(SQLError) {
    if request.isGlob { return }
    for name in request.names {
      let query = try connection.prepare(
        "SELECT 1 FROM \(source) WHERE \(Self.isNamed(name, glob: false))")
      guard try query.step() else { throw .said(Self.absence + name) }
    }
  }

  private func isOnlyShown(_ sql: String) -> Bool {
    if request.isDryRun { output.write(sql + "\n") }
    return request.isDryRun
  }

  // MARK: Adding

  /// The files of the folders that are named, and how they are called in the archive.
  private func eachFile(
    _ body: (DiskEntry, String) throws(SQLError) -> Void
  ) throws(SQLError) {
    for name in request.names {
      let start = request.folder.map { "\($0)/\(name)" } ?? name
      guard let entry = DiskEntry(start) else { throw .said("cannot stat file: \(start)") }
      try walk(entry, name, body)
    }
  }

  private func walk(
    _ entry: DiskEntry, _ name: String, _ body: (DiskEntry, String) throws(SQLError) -> Void
  ) throws(SQLError) {
    let known = [DiskEntry.fileKind, DiskEntry.folderKind, DiskEntry.linkKind]
    if known.contains(entry.kind) { try body(entry, name) }
    guard entry.kind == DiskEntry.folderKind else { return }
    if Interruption.isPending { throw SQLError(.interrupt) }
    for inner in DiskEntry.names(in: entry.path) {
      guard let found = DiskEntry("\(entry.path)/\(inner)") else { continue }
      try walk(found, "\(name)/\(inner)", body)
    }
  }

  private func add() throws(SQLError) {
    let start =
      ["PRAGMA page_size=\(Self.pageSize)", "SAVEPOINT ar"]
      + (request.action == .create ? ["DROP TABLE IF EXISTS sqlar"] : []) + [Self.definition]
    for sql in start where !isOnlyShown(sql + ";") { try connection.execute(sql) }
    do throws(SQLError) {
      try addFiles()
      if !isOnlyShown("RELEASE ar;") { try connection.execute("RELEASE ar") }
    } catch {
      if !request.isDryRun { try connection.execute("ROLLBACK TO ar; RELEASE ar;") }
      throw error
    }
  }

  private func addFiles() throws(SQLError) {
    let sql = "REPLACE INTO sqlar(name,mode,mtime,sz,data) VALUES(?1,?2,?3,?4,sqlar_compress(?5))"
    if request.isDryRun {
      return try eachFile { _, name throws(SQLError) in
        _ = isOnlyShown("\(sql); -- \(name)")
      }
    }
    let insert = try connection.prepare(sql)
    let same = try connection.prepare(
      "SELECT 1 FROM sqlar WHERE name = ?1 AND mode = ?2 AND mtime = ?3")
    try eachFile { entry, name throws(SQLError) in
      func bindTo(_ statement: Statement) throws(SQLError) {
        try statement.reset()
        try name.withFileNameBytes { bytes throws(SQLError) in
          try statement.bind(text: bytes, at: 1)
        }
        try statement.bind(Int64(entry.mode), at: 2)
        try statement.bind(entry.modificationTime, at: 3)
      }
      if request.action == .update {
        try bindTo(same)
        if try same.step() { return }
      }
      try bindTo(insert)
      let content = entry.content(limit: connection.limit(.length))
      switch entry.kind {
      case DiskEntry.linkKind: try insert.bind(Int64(-1), at: 4)
      case DiskEntry.folderKind: try insert.bind(Int64(0), at: 4)
      default:
        // What cannot be read is there without its content.
        if let content { try insert.bind(content.count, at: 4) } else { try insert.bindNull(at: 4) }
      }
      try insert.bindNull(at: 5)
      try content?.withBytes { bytes throws(SQLError) in
        if entry.kind == DiskEntry.linkKind {
          try insert.bind(text: bytes, at: 5)
        } else {
          try insert.bind(blob: bytes, at: 5)
        }
      }
      if request.isVerbose { output.write(name.fileNameBytes + [10]) }
      _ = try insert.step()
    }
  }

  private func addToZip() throws(SQLError) {
    guard let zip else { return }
    var archive = request.action == .create ? ZipFile() : try existingZip()
    try eachFile { entry, name throws(SQLError) in
      let isFolder = entry.kind == DiskEntry.folderKind
      let known = archive.entries.first { $0.name == (isFolder ? name + "/" : name) }
      if request.action == .update, known?.mode == entry.mode,
        known?.modificationTime == entry.modificationTime
      {
        return
      }
      if isOnlyShown("-- \(name) into \(zip)") { return }
      if request.isVerbose { output.write(name.fileNameBytes + [10]) }
      archive.put(
        name, mode: entry.mode, modificationTime: entry.modificationTime,
        entry.content(limit: connection.limit(.length)) ?? [])
    }
    if !request.isDryRun { try write(archive, to: zip) }
  }

  private func existingZip() throws(SQLError) -> ZipFile {
    guard let zip, DiskEntry(zip) != nil else { return ZipFile() }
    guard let bytes = DiskEntry.read(zip, limit: connection.limit(.length)) else {
      throw .said("cannot open file: \(zip)")
    }
    return bytes.isEmpty ? ZipFile() : try ZipFile(bytes)
  }

  private func write(_ archive: ZipFile, to path: String) throws(SQLError) {
    guard let image = archive.image else { throw .said("too large for a zip file: \(path)") }
    guard DiskEntry.write(path, image, mode: nil, modificationTime: nil) else {
      throw .said("failed to write file: \(path)")
    }
  }

  // MARK: Removing, listing

  private func remove() throws(SQLError) {
    if !request.isDryRun { try checkNames() }
    guard let zip else {
      let sql = "DELETE FROM sqlar WHERE \(condition)"
      if !isOnlyShown(sql + ";") { try connection.execute(sql) }
      return
    }
    let query = "SELECT name FROM \(source) WHERE \(condition)"
    if isOnlyShown(query + "; -- removed") { return }
    var archive = try existingZip()
    let removed = try connection.prepare(query)
    while try removed.step() {
      let name = String(fileNameBytes: removed.columnBytes(0))
      archive.entries.removeAll { $0.name == name }
    }
    try write(archive, to: zip)
  }

  private func list() throws(SQLError) {
    if !request.isDryRun { try checkNames() }
    let columns =
      request.isVerbose ? "lsmode(mode), sz, datetime(mtime,'unixepoch'), name" : "name"
    let sql = "SELECT \(columns) FROM \(source) WHERE \(condition)"
    if isOnlyShown(sql) { return }
    let query = try connection.prepare(sql)
    while try query.step() {
      if request.isVerbose {
        let size = query.columnText(1)
        let blanks = String(repeating: " ", count: max(10 - size.utf8.count, 0))
        output.write("\(query.columnText(0)) \(blanks)\(size)  \(query.columnText(2))  ")
      }
      output.write(bytes: query.columnBytes(request.isVerbose ? 3 : 0))
      output.write("\n")
    }
  }

  // MARK: Extracting

  /// Files and folders first, then links, so that nothing is written through one; folders once more
  /// at the end, for their times.
  private enum Pass: CaseIterable { case files, links, folders }

  private func extract() throws(SQLError) {
    if !request.isDryRun { try checkNames() }
    let data = zip == nil ? "sqlar_uncompress(data,sz)" : "data"
    let sql = "SELECT name, mode, mtime, \(data) FROM \(source) WHERE \(condition)"
    if isOnlyShown(sql) { return }
    let root = request.folder ?? "."
    guard let destination = DiskEntry.realPath(root) else { return }
    for pass in Pass.allCases {
      let query = try connection.prepare(sql)
      while try query.step() {
        if Interruption.isPending { throw SQLError(.interrupt) }
        try extract(query, pass, into: root, destination)
      }
    }
  }

  private func extract(
    _ row: Statement, _ pass: Pass, into root: String, _ destination: String
  ) throws(SQLError) {
    let name = String(fileNameBytes: row.columnBytes(0))
    let mode = UInt32(truncatingIfNeeded: row.columnInt64(1))
    let kind = mode & DiskEntry.kindMask
    let isWanted =
      switch pass {
      case .files: kind != DiskEntry.linkKind
      case .links: kind == DiskEntry.linkKind
      case .folders: kind == DiskEntry.folderKind
      }
    let path = request.folder.map { "\($0)/\(name)" } ?? name
    guard isWanted, try isInside(name, path, destination) else { return }
    let content = Array(row.columnBytes(3))
    let time = row.columnInt64(2)
    if !DiskEntry.write(path, content, mode: mode, modificationTime: time) {
      guard DiskEntry.makeFolders(for: path),
        DiskEntry.write(path, content, mode: mode, modificationTime: time)
      else { throw .said("failed to write file: \(path)") }
    }
    if request.isVerbose, pass == .files { output.write(path.fileNameBytes + [10]) }
  }

  /// A name that climbs out of the folder, or a link that was there and points out of it, is not
  /// followed.
  private func isInside(
    _ name: String, _ path: String, _ destination: String
  ) throws(SQLError) -> Bool {
    let words = name.split { $0 == "/" || $0 == "\\" }
    if words.contains("..") || name.hasPrefix("/") { return false }
    var nearest = path
    while true {
      if let real = DiskEntry.realPath(nearest) {
        return real == destination || real.hasPrefix(destination == "/" ? "/" : destination + "/")
      }
      guard let slash = nearest.lastIndex(of: "/") else { return true }
      nearest = String(nearest[..<slash])
    }
  }
}
