// Pragmas that list what the engine has.

extension Connection {
  func listPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    switch call.pragma {
    case .collationList: return try listing(collationList())
    case .functionList: return try listing(functionList())
    case .moduleList:
      return try listing(RowListing(columns: [Name("name")], rows: moduleNames))
    case .pragmaList: return try names(Pragma.names, Name("name"))
    case .compileOptions: return try names(BuiltInFunctions.compileOptions, call.name)
    default: return nil
    }
  }

  private var moduleNames: [[ListedValue]] {
    let own = modules.entries.map(\.name)
    let used = modules.eponymous.objects.map { $0.name.string }
    let builtIn = modules.builtIns.filter { module in
      !own.contains { $0.isSameName(as: module.name) }
        && (!module.comesWithUse || used.contains { $0.isSameName(as: module.name) })
    }
    return (builtIn.map(\.name) + own).map { [.text($0)] }
  }

  private func names(_ names: [StaticString], _ column: Name) throws(SQLError) -> Program {
    try listing(
      RowListing(columns: [column], rows: names.map { [.text($0.description)] }))
  }

  private func collationList() -> RowListing {
    // The latest definition comes first.
    var names: [String] = []
    for collation in registeredCollations.reversed()
    where !collation.replacesBuiltIn
      && !names.contains(where: { $0.isSameName(as: collation.name) })
    {
      names.append(collation.name)
    }
    names += ["RTRIM", "NOCASE", "BINARY"]
    return RowListing(
      columns: [Name("seq"), Name("name")],
      rows: names.enumerated().map { [.integer(Int64($0)), .text($1)] })
  }

  /// The built-in functions, then the connection's own.
  private func functionList() -> RowListing {
    let rows = FunctionRegistry.builtInListing.map { functionRow($0, isBuiltIn: true) }
      + functions.ownDefinitions.map { functionRow($0, isBuiltIn: false) }
    return RowListing(
      columns: [
        Name("name"), Name("builtin"), Name("type"), Name("enc"), Name("narg"), Name("flags"),
      ], rows: rows)
  }

  private func functionRow(
    _ function: FunctionRegistry.Definition, isBuiltIn: Bool
  ) -> [ListedValue] {
    let type = function.scalar != nil ? "s" : function.flags.contains(.window) ? "w" : "a"
    // SQLite counts down from -2 what an open list needs at least.
    let count: Int64 =
      switch function.arity {
      case .exactly(let count): Int64(count)
      case .atLeast(0): -1
      case .atLeast(let minimum): -2 - Int64(minimum)
      }
    return [
      .text(function.name), .integer(isBuiltIn ? 1 : 0), .text(type),
      .text(function.encoding.listedName), .integer(count),
      .integer(function.flags.pragmaBits),
    ]
  }
}

extension TextEncoding {
  /// What `function_list` calls the encoding that a function takes texts in.
  fileprivate var listedName: String {
    switch self {
    case .utf8: "utf8"
    case .utf16LittleEndian: "utf16le"
    case .utf16BigEndian: "utf16be"
    }
  }
}

extension FunctionFlags {
  /// The bits by which SQLite's C interface knows them (c3ref, deterministic).
  fileprivate var pragmaBits: Int64 {
    var bits: Int64 = 0
    if contains(.deterministic) { bits |= 0x800 }
    if contains(.directOnly) { bits |= 0x80000 }
    if contains(.subtype) { bits |= 0x100000 }
    if contains(.innocuous) { bits |= 0x200000 }
    return bits
  }
}
