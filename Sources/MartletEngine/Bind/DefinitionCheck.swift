// The look at all definitions behind a change of one (SQLite's sqlite_rename_test): a renaming may have
// made a name ambiguous, and what is dropped may be missed.

struct DefinitionCheck {
  let catalog: Catalog
  /// When: "after rename", or "after drop column".
  let moment: String
  /// A name in double quotes is none but a column's.
  let refusesStrings: Bool
  /// Views and triggers are looked at, too.
  let looksAtQueries: Bool
  let makeBinder: () -> Binder

  /// - Throws: The first mistake, with the definition that has it.
  func run(ofDatabase database: Int) throws(SQLError) {
    let schema = catalog.databases[database]
    if refusesStrings {
      for index in schema.indexes.objects where index.origin == .createIndex {
        try checkTerms(of: index)
      }
    }
    guard looksAtQueries else { return }
    for view in schema.tables.objects {
      guard let definition = view.view else { continue }
      let binder = makeBinder()
      binder.uses = NameUses(of: view, column: nil, in: view.text)
      do throws(SQLError) {
        try binder.bindView(view, definition)
      } catch {
        throw error.isGrave ? error : failure("view", view.name, error.message)
      }
    }
    for trigger in schema.triggers.objects {
      guard let target = catalog.table(of: trigger) else { continue }
      let uses = NameUses(of: target, column: nil, in: trigger.text)
      do throws(SQLError) {
        try makeBinder().bindTrigger(trigger, on: target, uses)
      } catch {
        throw error.isGrave ? error : failure("trigger", trigger.name, error.message)
      }
    }
  }

  private func checkTerms(of index: Index) throws(SQLError) {
    guard case .createIndex(let statement) = try Renaming.parse(index.text)?.statement,
      let string = statement.firstString(on: index.table)
    else { return }
    throw failure("index", index.name, "no such column: \(string.string)")
  }

  private func failure(_ type: String, _ name: Name, _ message: String) -> SQLError {
    .sql("error in \(type) \(name.string) \(moment): \(message)")
  }
}

extension CreateIndexStatement {
  /// The first term that is nothing but a string in double quotes. Where such strings are none, it
  /// is a column that there is not.
  func firstString(on table: Table) -> Name? {
    for term in columns {
      if case .identifier(let name) = term.expression.withoutCollate.kind,
        name.quote == UInt8(ascii: "\""), table.columnIndex(of: name) < 0
      {
        return name
      }
    }
    return nil
  }
}
