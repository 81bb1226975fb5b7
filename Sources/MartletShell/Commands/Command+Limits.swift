import MartletEngine

extension Command {
  static let limits: [(name: String, category: LimitCategory)] = [
    ("length", .length), ("sql_length", .sqlLength), ("column", .columnCount),
    ("expr_depth", .expressionDepth), ("parser_depth", .parserDepth),
    ("compound_select", .compoundSelect), ("vdbe_op", .programLength),
    ("function_arg", .functionArgumentCount), ("attached", .attachedCount),
    ("like_pattern_length", .likePatternLength), ("variable_number", .variableNumber),
    ("trigger_depth", .triggerDepth), ("worker_threads", .workerThreads),
  ]

  func setLimit(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    func show(_ limit: (name: String, category: LimitCategory)) {
      session.output.write(rightAligned(limit.name) + " \(connection.limit(limit.category))\n")
    }
    guard let typed = arguments.first else {
      Self.limits.forEach(show)
      return .done
    }
    guard arguments.count <= 2 else { return fail(".limit NAME ?NEW-VALUE?", in: session) }
    let found = Self.limits.filter { $0.name.hasPrefix(typed.lowercased()) }
    let exact = found.first { $0.name == typed.lowercased() }
    guard found.count <= 1 || exact != nil else {
      session.printError("ambiguous limit: \"\(typed)\"\n")
      return .failed
    }
    guard let limit = exact ?? found.first else {
      session.printError(
        "unknown limit: \"\(typed)\"\nenter \".limits\" with no arguments for a list.\n")
      return .failed
    }
    if arguments.count == 2 {
      connection.setLimit(limit.category, to: Int(Int32(truncatingIfNeeded: integer(arguments[1]))))
    } else {
      show(limit)
    }
    return .done
  }

  func rightAligned(_ text: String, width: Int = 20) -> String {
    String(repeating: " ", count: max(width - text.utf8.count, 0)) + text
  }

  // MARK: .dbconfig

  /// nil stands for what the engine does not have: it is off, or as given.
  static let configurations: [(name: String, item: ConnectionSwitch?)] = [
    ("attach_create", .attachMayCreate), ("attach_write", .attachMayWrite),
    ("comments", .enableComments), ("defensive", .defensive),
    ("dqs_ddl", .doubleQuotedStringsInDefinitions), ("dqs_dml", .doubleQuotedStringsInStatements),
    ("enable_fkey", .enableForeignKeys), ("enable_qpsg", .stablePlans),
    ("enable_trigger", .enableTriggers), ("enable_view", .enableViews), ("fts3_tokenizer", nil),
    ("fp_digits", nil), ("legacy_alter_table", .legacyAlterTable),
    ("legacy_file_format", .legacyFileFormat), ("load_extension", nil),
    ("no_ckpt_on_close", .noCheckpointOnClose), ("reset_database", .resetDatabase),
    ("reverse_scanorder", .reverseScanOrder), ("stmt_scanstatus", nil),
    ("trigger_eqp", .triggerPlans), ("trusted_schema", .trustedSchema),
    ("writable_schema", .writableSchema),
  ]

  func configure(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    func show(_ entry: (name: String, item: ConnectionSwitch?)) {
      let value =
        switch (entry.name, entry.item) {
        case ("fp_digits", _): "17"
        case (_, let item?): connection.isOn(item) ? "on" : "off"
        default: "off"
        }
      session.output.write(rightAligned(entry.name, width: 19) + " \(value)\n")
    }
    guard let typed = arguments.first else {
      Self.configurations.forEach(show)
      return .done
    }
    guard let entry = Self.configurations.first(where: { $0.name == typed }) else {
      _ = complain(
        1, "unknown dbconfig", session,
        detail: "Enter \".dbconfig\" with no arguments for a list")
      return .done
    }
    if arguments.count >= 2 {
      guard let item = entry.item else { return refuse("dbconfig \(entry.name)", in: session) }
      connection.set(item, on: boolean(arguments[1], in: session))
    }
    show(entry)
    return .done
  }
}
