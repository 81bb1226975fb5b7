import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Names out of the session's database for Tab. What cannot be read offers nothing.
struct SchemaNames: CompletionSource {
  unowned let session: Session

  private func list(_ sql: String, _ value: String? = nil) -> [String] {
    guard let connection = session.connection else { return [] }
    var found: [String] = []
    do throws(SQLError) {
      let statement = try connection.prepare(sql)
      if let value { try statement.bind(text: value, at: 1) }
      while try statement.step(), found.count < Self.nameLimit {
        found.append(statement.columnText(0))
      }
    } catch {
      return []
    }
    return found
  }

  /// More than that nobody reads.
  private static let nameLimit = 20_000

  func tables(in schema: String?) -> [String] {
    guard let connection = session.connection else { return [] }
    let wanted = connection.databaseNames.filter { name in
      schema.map { $0.lowercased() == name.lowercased() } ?? true
    }
    return wanted.flatMap { name in
      list(
        """
        SELECT name FROM \(quotedName(name)).sqlite_schema
        WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """)
    } + (schema == nil ? [] : ["sqlite_schema"])
  }

  func columns(of table: String?) -> [String] {
    if let table { return list("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1", table) }
    return list(
      """
      SELECT DISTINCT c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type IN ('table', 'view')
      """)
  }

  func functions() -> [String] {
    list("SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*'")
  }

  func pragmas() -> [String] { list("SELECT name FROM pragma_pragma_list") }

  func databases() -> [String] { session.connection?.databaseNames ?? [] }

  func indexes() -> [String] {
    list("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
  }

  var keywords: [String] { Self.keywords }

  static let keywords = (0..<KeywordList.count).map { "\(KeywordList.name(at: $0))" }
  static let keywordSet = Set(keywords)

  /// Files and folders whose path begins as typed; `~` is the home.
  func files(startingWith path: String) -> [String] {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = path[..<slash]
    let name = path[slash...]
    var place = folder.isEmpty ? "." : String(folder)
    if place.hasPrefix("~/"), let home = environment("HOME") { place = home + place.dropFirst() }
    guard let directory = place.withFileName({ opendir($0) }) else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory), found.count < Self.nameLimit {
      let shown = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(fileName: $0) }
      }
      let isHidden = shown.hasPrefix(".") && !name.hasPrefix(".")
      if isHidden || shown == "." || shown == ".." || !shown.hasPrefix(name) { continue }
      var status = stat()
      let isFolder =
        (place + "/" + shown).withFileName { stat($0, &status) } == 0
        && status.st_mode & S_IFMT == S_IFDIR
      found.append(folder + shown + (isFolder ? "/" : " "))
    }
    return found
  }
}
