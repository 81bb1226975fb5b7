// What a connection and its databases are doing, for those who ask.

extension Connection {
  /// The databases of the connection and their files, as `PRAGMA database_list` shows them: the
  /// path is empty for a database in memory or in a temporary file.
  public var databaseFiles: [(name: String, path: String)] {
    lock.lock()
    defer { lock.unlock() }
    return databases.compactMap { $0.tree == nil ? nil : ($0.name, $0.fileName) }
  }

  /// The names of all databases, main, temp and those attached (`sqlite3_db_name`).
  public var databaseNames: [String] { locked { databases.map(\.name) } }

  var isSchemaWritable: Bool {
    settings.flags.intersection([.isSchemaWritable, .isDefensive]) == .isSchemaWritable
  }

  /// `PRAGMA empty_result_callbacks`: callbacks of scripts are called for results without rows too.
  public var callsBackWithoutRows: Bool {
    locked { settings.flags.contains(.callsBackWithoutRows) }
  }

  /// Whether a database may not be written (`sqlite3_db_readonly`); nil if there is no database of
  /// that name.
  public func isReadOnly(database name: String) -> Bool? {
    lock.lock()
    defer { lock.unlock() }
    return databaseIndex(named: name).map { databases[$0].tree?.pager.isReadOnly ?? false }
  }

  func databaseIndex(named name: String) -> Int? {
    databases.firstIndex { $0.name.isSameName(as: name) }
  }
}

extension Connection.AttachedDatabase {
  /// The file's full path; empty for a database in memory or in a temporary file
  /// (`sqlite3_db_filename`).
  var fileName: String {
    guard let pager = tree?.pager, !pager.isPrivate, !pager.file.traits.contains(.inMemory) else {
      return ""
    }
    return pager.path
  }
}
