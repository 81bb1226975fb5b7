import MartletEngine

extension Command {
  private static let lintUsage = """
    Usage lint sub-command ?switches...?
    Where sub-commands are:
        fkey-indexes\n
    """

  func lint(in session: Session) -> Result {
    guard let name = arguments.first, !name.isEmpty, "fkey-indexes".hasPrefix(name.lowercased())
    else {
      session.printError(Self.lintUsage)
      return .done
    }
    var isVerbose = false
    var isGrouped = false
    for word in arguments.dropFirst() {
      let option = word.drop { $0 == "-" }
      if word.utf8.count > 1, "verbose".hasPrefix(option) {
        isVerbose = true
      } else if word.utf8.count > 1, "groupbyparent".hasPrefix(option) {
        isGrouped = true
      } else {
        session.printError("Usage: lint fkey-indexes ?-verbose? ?-groupbyparent?\n")
        return .done
      }
    }
    guard let connection = session.open() else { return .failed }
    return lintForeignKeys(isVerbose, isGrouped, connection, session)
  }

  /// Whether the rows that refer to one can be found by an index is asked of the planner.
  private func lintForeignKeys(
    _ isVerbose: Bool, _ isGrouped: Bool, _ connection: Connection, _ session: Session
  ) -> Result {
    let keys = session.rows(
      of: """
        SELECT s.name, f."table", group_concat(f."from", char(1)),
          group_concat(coalesce(f."to", (SELECT name FROM pragma_table_info(f."table")
            WHERE pk = f.seq + 1)), char(1))
        FROM sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f
        GROUP BY s.name, f.id
        ORDER BY \(isGrouped ? "f.\"table\", s.name, f.id" : "s.name, f.id")
        """)
    var parent = ""
    for key in keys where key.count == 4 {
      let columns = key[2].split(separator: "\u{1}").map(String.init)
      let targets = key[3].split(separator: "\u{1}").map(String.init)
      let isFound = hasIndex(on: columns, of: key[0], connection)
      if isFound, !isVerbose { continue }
      if isGrouped, key[1] != parent {
        parent = key[1]
        session.output.write("-- Parent table \(parent)\n")
      }
      let indent = isGrouped ? "    " : ""
      let target = "\(key[1])(\(targets.joined(separator: ",")))"
      if isFound {
        session.output.write(
          "\(indent)/* no extra indexes required for \(key[0])(\(columns.joined(separator: ",")))"
            + " -> \(target) */\n")
      } else {
        let collated = zip(columns, targets).map { column, target in
          sqlText(column) + collation(of: column, key[0], target, key[1], connection)
        }
        let name = sqlText(([key[0]] + columns).joined(separator: "_"))
        session.output.write(
          "\(indent)CREATE INDEX \(name) ON \(sqlText(key[0]))"
            + "(\(collated.joined(separator: ", "))); --> \(target)\n")
      }
    }
    return .done
  }

  /// Named where the column of the parent compares otherwise.
  private func collation(
    of column: String, _ table: String, _ target: String, _ parent: String,
    _ connection: Connection
  ) -> String {
    func name(_ column: String, _ table: String) -> String {
      let facts = try? connection.metadata(ofColumn: column, table: table)
      return facts?.collation ?? "BINARY"
    }
    let wanted = name(target, parent)
    return name(column, table).uppercased() == wanted.uppercased() ? "" : " COLLATE \(wanted)"
  }

  private func hasIndex(on columns: [String], of table: String, _ connection: Connection) -> Bool {
    let condition = columns.map { "\(quotedName($0))=?" }.joined(separator: " AND ")
    do throws(SQLError) {
      let plan = try connection.prepare(
        "EXPLAIN QUERY PLAN SELECT 1 FROM \(quotedName(table)) WHERE \(condition)")
      while try plan.step() {
        let detail = plan.columnText(3)
        guard let open = detail.lastIndex(of: "("), detail.hasPrefix("SEARCH") else { continue }
        let used = detail[open...].split(separator: "=").count - 1
        if used == columns.count || detail.contains("INTEGER PRIMARY KEY") { return true }
      }
    } catch {
      return false
    }
    return false
  }

  // MARK: .intck

  /// Checks table by table, so that others may write in between.
  func checkIntegrity(in session: Session) -> Result {
    guard arguments.count <= 1, arguments.first.map({ integer($0) > 0 }) ?? true else {
      return fail(".intck STEPS_PER_UNLOCK", in: session)
    }
    guard session.open() != nil else { return .failed }
    let tables = session.rows(of: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    var errorCount = 0
    for table in tables {
      if Interruption.isPending { return .failed }
      for row in session.rows(of: "PRAGMA integrity_check(\(quotedName(table[0])))")
      where row != ["ok"] {
        session.output.write(row.joined(separator: "|") + "\n")
        errorCount += 1
      }
    }
    session.output.write("\(max(tables.count, 1)) steps, \(errorCount) errors\n")
    return .done
  }
}
