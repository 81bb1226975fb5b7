// PRAGMA integrity_check and quick_check: what is checked, and the part that needs the trees.

extension Connection {
  /// Messages that are shown when the pragma does not say how many.
  private static let messageLimit: Int32 = 100

  func integrityCheck(
    _ call: PragmaCall, _ parsed: ParsedStatement, _ environment: BindEnvironment
  ) throws(SQLError) -> Program {
    var limit = Connection.messageLimit
    var only: Table?
    if let argument = call.argument {
      if let number = argument.int32 {
        if number > 0 { limit = number }
      } else {
        only = try checkedTable(argument.text, call)
      }
    }
    let emitter = Emitter(catalog: catalog, collations: collations, explain: parsed.explain)
    var checks: [Emitter.DatabaseCheck] = []
    for (index, database) in databases.enumerated() where database.tree != nil {
      if call.schema != nil && index != call.database { continue }
      let tables = catalog.databases[index].tables.inHashOrder.filter {
        only == nil || $0 === only
      }
      if tables.isEmpty { continue }
      checks.append(
        Emitter.DatabaseCheck(
          index: index, name: database.name,
          tables: try Binder.bindChecks(of: tables, for: parsed, in: environment),
          virtualTables: try selfChecking(tables)))
    }
    let options = Emitter.CheckOptions(
      limit: limit, isQuick: call.pragma == .quickCheck, isPartial: only != nil)
    let column = BoundResultColumn(
      expression: BoundExpression(.null, affinity: .none, traits: [], in: parsed.memory),
      label: call.name, affinity: .none, collation: nil, originTable: nil, originColumn: -1)
    // SQLite reads all databases, whatever is checked.
    for (index, database) in databases.enumerated() where database.tree != nil {
      if call.schema == nil || index == call.database { emitter.databases |= 1 << UInt64(index) }
    }
    return try emitter.makeProgram([column]) { (emitter) throws(SQLError) in
      try emitter.emitIntegrityCheck(of: checks, options)
    }
  }

  /// The virtual tables that can be asked about themselves.
  private func selfChecking(_ tables: [Table]) throws(SQLError) -> [Table] {
    var found: [Table] = []
    for table in tables {
      guard let virtual = table.virtual, modules.find(virtual.moduleName) != nil else { continue }
      let table = try connected(table)
      if virtual.abilities.contains(.integrity) { found.append(table) }
    }
    return found
  }

  private func checkedTable(_ name: String, _ call: PragmaCall) throws(SQLError) -> Table {
    if let table = table(named: name, call.schema) { return table }
    let prefix = call.schema.map { $0.string + "." } ?? ""
    throw .sql("no such table: \(prefix)\(name)")
  }

  /// The command `checkTrees`, a part of integrity_check.
  func checkTrees(
    ofDatabase index: Int, _ arguments: UnsafeMutablePointer<Register>, encoding: TextEncoding
  ) throws(SQLError) {
    let wanted = Int(clamping: arguments[0].integer) + 1
    let count = Int(clamping: arguments[2].integer)
    let roots = (0..<count).map { position in
      PageNumber(UInt32(truncatingIfNeeded: arguments[3 + position].integer))
    }
    let (messages, entryCounts) = try tree(ofDatabase: index).integrityCheck(
      roots: roots, limit: wanted, attend: { () throws(SQLError) in try self.attend() })
    for (position, entryCount) in entryCounts.enumerated() {
      arguments[3 + position].setInteger(entryCount)
    }
    arguments[1].deinitialize()
    arguments[1] = Register()
    guard !messages.isEmpty else { return }
    arguments[0].setInteger(Int64(wanted - messages.count))
    arguments[1] = try .makeText(messages.joined(separator: "\n"), encoding: encoding)
  }
}
