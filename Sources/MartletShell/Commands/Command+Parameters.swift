import MartletEngine

extension Command {
  static let parameterTable = "temp.sqlite_parameters"

  func manageParameters(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    switch (arguments.first, arguments.count) {
    case ("clear", 1):
      return ownSQL("DROP TABLE IF EXISTS \(Self.parameterTable)", connection, session)
    case ("init", 1): return makeParameterTable(connection, session)
    case ("list", 1): return listParameters(connection, session)
    case ("set", 3): return setParameter(connection, session)
    case ("unset", 2):
      guard hasParameters(connection) else { return .done }
      return ownSQL(
        "DELETE FROM \(Self.parameterTable) WHERE key = \(sqlText(arguments[1]))", connection,
        session)
    default:
      return showHelp(of: "parameter", in: session)
    }
  }

  private func hasParameters(_ connection: Connection) -> Bool {
    (try? connection.checkTable("sqlite_parameters", database: "temp")) != nil
  }

  /// SQL that changes a table of ours, which the user's may not.
  private func ownSQL(_ sql: String, _ connection: Connection, _ session: Session) -> Result {
    let wasDefensive = connection.isOn(.defensive)
    let wasWritable = connection.isOn(.writableSchema)
    connection.set(.defensive, on: false)
    connection.set(.writableSchema, on: true)
    defer {
      connection.set(.writableSchema, on: wasWritable)
      connection.set(.defensive, on: wasDefensive)
    }
    return attempt(in: session) { () throws(SQLError) in try connection.execute(sql) }
  }

  private func makeParameterTable(_ connection: Connection, _ session: Session) -> Result {
    ownSQL(
      """
      CREATE TABLE IF NOT EXISTS \(Self.parameterTable)(
        key TEXT PRIMARY KEY,
        value
      ) WITHOUT ROWID
      """, connection, session)
  }

  private func listParameters(_ connection: Connection, _ session: Session) -> Result {
    guard hasParameters(connection) else { return .done }
    let rows = session.rows(of: "SELECT key, quote(value) FROM \(Self.parameterTable)")
    let width = rows.map { $0[0].utf8.count }.max() ?? 0
    for row in rows {
      let padding = String(repeating: " ", count: width - row[0].utf8.count)
      session.output.write("\(row[0])\(padding) \(row[1])\n")
    }
    return .done
  }

  /// The value is an expression; what is none is a text.
  private func setParameter(_ connection: Connection, _ session: Session) -> Result {
    guard makeParameterTable(connection, session) == .done else { return .failed }
    let start = "REPLACE INTO \(Self.parameterTable)(key,value)VALUES(\(sqlText(arguments[1])),"
    let isExpression = (try? connection.prepare(start + arguments[2] + ")")) != nil
    let value = isExpression ? arguments[2] : sqlText(arguments[2])
    return ownSQL(start + value + ")", connection, session)
  }
}

extension Session {
  /// Gives the statement's parameters the values that `.parameter` has set.
  func bindParameters(of statement: Statement, on connection: Connection) throws(SQLError) {
    guard statement.parameterCount > 0 else { return }
    let isSet = (try? connection.checkTable("sqlite_parameters", database: "temp")) != nil
    let query =
      isSet
      ? try connection.prepare("SELECT value FROM \(Command.parameterTable) WHERE key=?1") : nil
    for index in 1...statement.parameterCount {
      let name = statement.parameterName(at: index) ?? "?\(index)"
      if let query {
        try query.reset()
        try query.bind(text: name, at: 1)
        if try query.step(), let value = query.currentRow.value(0) {
          try statement.bind(value, at: index)
          continue
        }
      }
      // Values that their name tells, for quick trials.
      if name.hasPrefix("$int_") {
        try statement.bind(Int64(name.dropFirst(5)) ?? 0, at: index)
      } else if name.hasPrefix("$text_") {
        try statement.bind(text: String(name.dropFirst(6)), at: index)
      } else {
        try statement.bindNull(at: index)
      }
    }
  }
}
