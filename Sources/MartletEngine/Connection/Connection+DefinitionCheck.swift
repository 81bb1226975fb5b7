extension Connection {
  /// The command `checkDefinitions`.
  ///
  /// - Throws: What is wrong with a view, trigger or index now; the change is taken back then.
  func checkDefinitions(ofDatabase index: Int, _ number: Int64) throws(SQLError) {
    guard !isSchemaWritable,
      let change = DefinitionChange(rawValue: Int32(truncatingIfNeeded: number)),
      let parsed = try Parser.parse(try SQLText.copying("SELECT 1"))
    else { return }
    let environment = bindEnvironment(isDefinition: false)
    environment.authorizer = nil
    environment.selects = nil
    environment.parameters = nil
    let check = DefinitionCheck(
      catalog: catalog, moment: change == .removal ? "after drop column" : "after rename",
      refusesStrings: change != .tableName,
      looksAtQueries: !settings.flags.contains(.altersAsBefore)
    ) { Binder(parsed, environment) }
    try check.run(ofDatabase: index)
    if index != 1, databases[1].tree != nil { try check.run(ofDatabase: 1) }
  }
}
