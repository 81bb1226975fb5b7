extension Connection {
  /// The columns of a view, as a SELECT from it has them. The names that the view declares are
  /// there also where its SELECT has another number of columns.
  func viewColumns(
    of view: Table
  ) throws(SQLError) -> [(name: String, type: String)] {
    let names = [catalog.databases[view.databaseIndex].name.string, view.name.string]
    let quoted = names.map { Quoting.identifier($0) }.joined(separator: ".")
    let text = try SQLText.copying(own: "SELECT * FROM \(quoted)")
    guard let parsed = try Parser.parse(text), case .select(let select) = parsed.statement else {
      throw SQLError(.internal)
    }
    let declared = view.view?.columns ?? []
    let bound: BoundSelect
    do {
      bound = try binder(parsed).bindStatement(select, role: .top)
    } catch where !declared.isEmpty
      && error.message.hasPrefix("expected \(declared.count) columns for '\(view.name.string)' ")
    {
      return declared.map { ($0.string, "") }
    }
    return withExtendedLifetime(parsed) {
      bound.columns.map { ($0.label.string, $0.declaredOrStandardType) }
    }
  }
}

extension BoundResultColumn {
  /// The type declared for the column that this is, or one that has its affinity.
  fileprivate var declaredOrStandardType: String {
    if let table = originTable {
      let declared =
        originColumn < 0 ? "INTEGER" : table.columns[Int(originColumn)].declaredType
      if let declared {
        var text = declared
        if text.withUTF8({ Affinity(declaredType: $0) }) == affinity { return declared }
      }
    }
    return switch affinity {
    case .none: ""
    case .blob: "BLOB"
    case .text: "TEXT"
    case .numeric, .flexnum: "NUM"
    case .integer: "INT"
    case .real: "REAL"
    }
  }
}
