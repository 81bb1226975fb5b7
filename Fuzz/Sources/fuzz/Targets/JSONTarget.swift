import MartletEngine

/// A document (text, or JSONB where the first part's lowest bit is set), a path, and a value, for
/// every JSON function.
enum JSONTarget {
  private static let expressions = [
    "json(?1)", "jsonb(?1)", "json_valid(?1, 1 + length(?2) % 15)", "json_error_position(?1)",
    "json_type(?1)", "json_type(?1, ?2)", "json_extract(?1, ?2)", "json_extract(?1, ?2, '$')",
    "jsonb_extract(?1, ?2)", "?1 -> ?2", "?1 ->> ?2", "?1 -> (length(?2) - 3)",
    "json_insert(?1, ?2, ?3)", "json_replace(?1, ?2, ?3)", "json_set(?1, ?2, ?3, '$.a', ?3)",
    "jsonb_insert(?1, ?2, jsonb(?3))", "jsonb_replace(?1, ?2, json(?3))",
    "json(jsonb_set(?1, ?2, jsonb(?3), ?2, 5))", "json_remove(?1, ?2)",
    "json_remove(?1, '$[0]', ?2)", "jsonb_remove(?1, ?2, ?2)", "json_patch(?1, ?3)",
    "json_patch(?3, ?1)", "jsonb_patch(?1, ?1)", "json_pretty(?1)", "json_pretty(?1, ?2)",
    "json_quote(?1)", "json_array(?1, ?3, json(?1))", "json_object(?2, ?1, ?2, json(?1))",
    "json_array_length(?1)", "json_array_length(?1, ?2)", "json_array_insert(?1, ?2, ?3)",
    "jsonb_array_insert(?1, ?2, jsonb(?1))",
    "(SELECT json_group_array(json(?1)) FROM (VALUES(1), (2)))",
    "(SELECT jsonb_group_object(?2, ?1) FROM (VALUES(1), (2)))",
  ]
  private static let queries = [
    "SELECT * FROM json_each(?1)", "SELECT * FROM json_each(?1, ?2)",
    "SELECT * FROM json_tree(?1)", "SELECT * FROM json_tree(?1, ?2)",
    "SELECT *, json_extract(?1, fullkey) FROM jsonb_tree(?1) LIMIT 50",
    "SELECT json_group_array(key) OVER (ORDER BY id ROWS 1 PRECEDING) FROM jsonb_each(?1)",
  ]

  private struct Prepared {
    let session: Session
    let statements: [Statement]
  }

  private static let prepared: Prepared = {
    do throws(SQLError) {
      let session = try Session(path: ":memory:")
      var statements: [Statement] = []
      for sql in expressions.map({ "SELECT \($0)" }) + queries {
        if let statement = try session.connection.prepare(sql) as Statement? {
          statements.append(statement)
        }
      }
      return Prepared(session: session, statements: statements)
    } catch { fatalError("a JSON statement does not compile: \(error.message)") }
  }()

  static func run(_ parts: Parts) {
    let document = parts.parts[0].dropFirst(), path = parts.parts[1], value = parts.parts[2]
    let isBlob = (parts.parts[0].first ?? 0) & 1 != 0
    prepared.session.limitRun()
    for statement in prepared.statements {
      document.withUnsafeBytes { bytes in
        if isBlob {
          try? statement.bind(blob: bytes, at: 1)
        } else {
          try? statement.bind(text: bytes, at: 1)
        }
      }
      if statement.parameterCount > 1 {
        path.withUnsafeBytes { bytes in try? statement.bind(text: bytes, at: 2) }
      }
      if statement.parameterCount > 2 {
        value.withUnsafeBytes { bytes in
          if isBlob {
            try? statement.bind(blob: bytes, at: 3)
          } else {
            try? statement.bind(text: bytes, at: 3)
          }
        }
      }
      Session.read(statement)
      try? statement.reset()
    }
  }
}
