// Pragmas that list what the engine has.

extension Connection {
  func listPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    switch call.key {
    case "collation_list": return try listing(collationList())
    case "function_list": return try listing(functionList())
    case "module_list":
      // There are no virtual tables.
      return try listing(RowListing(columns: [Name("name")], rows: []))
    case "pragma_list": return try names(PragmaCall.names, Name("name"))
    case "compile_options": return try names(BuiltInFunctions.compileOptions, call.name)
    default: return nil
    }
  }

  private func names(_ names: [StaticString], _ column: Name) throws(SQLError) -> Program {
    try listing(
      RowListing(columns: [column], rows: names.map { [.text($0.description)] }))
  }

  private func collationList() -> RowListing {
    // The latest definition comes first.
    let names = collations.reversed().map(\.name) + ["RTRIM", "NOCASE", "BINARY"]
    return RowListing(
      columns: [Name("seq"), Name("name")],
      rows: names.enumerated().map { [.integer(Int64($0)), .text($1)] })
  }

  /// The connection's own functions, then the built-in ones.
  private func functionList() -> RowListing {
    var result = RowListing(
      columns: [
        Name("name"), Name("builtin"), Name("type"), Name("enc"), Name("narg"), Name("flags"),
      ], rows: [])
    functions.forEach { scalar, aggregate, isBuiltIn in
      let flags = scalar?.flags ?? aggregate?.flags ?? []
      if flags.contains(.internal) { return }
      let type = scalar != nil ? "s" : flags.contains(.window) ? "w" : "a"
      let arity = scalar?.arity ?? aggregate?.arity ?? .exactly(0)
      let count: Int64 =
        switch arity {
        case .exactly(let count): Int64(count)
        case .atLeast: -1
        }
      result.rows.append([
        .text(scalar?.name ?? aggregate?.name ?? ""), .integer(isBuiltIn ? 1 : 0), .text(type),
        .text("utf8"), .integer(count), .integer(flags.pragmaBits),
      ])
    }
    return result
  }
}

extension FunctionFlags {
  /// The bits by which SQLite's C interface knows them (c3ref, deterministic).
  fileprivate var pragmaBits: Int64 {
    var bits: Int64 = 0
    if contains(.deterministic) { bits |= 0x800 }
    if contains(.directOnly) { bits |= 0x80000 }
    if contains(.innocuous) { bits |= 0x200000 }
    return bits
  }
}
