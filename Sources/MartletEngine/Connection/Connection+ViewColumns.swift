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
    let binder = binder(parsed)
    binder.describesView = true
    let bound: BoundSelect
    do {
      bound = try binder.bindStatement(select, role: .top)
    } catch where !declared.isEmpty
      && error.message.hasPrefix("expected \(declared.count) columns for '\(view.name.string)' ")
    {
      return declared.map { ($0.string, "") }
    }
    return withExtendedLifetime(parsed) {
      zip(bound.columns, Connection.firstColumns(of: bound)).map {
        ($0.label.string, $0.declaredOrStandardType(of: $1))
      }
    }
  }

  /// The columns of the only source's first part where that is a compound: the types that are declared
  /// for these count.
  private static func firstColumns(of select: BoundSelect) -> TreeList<BoundResultColumn> {
    guard case .simple(let simple) = select.body, simple.sources.count == 1,
      case .subquery(let view) = simple.sources[0].kind,
      case .compound(let parts, _, _) = view.body
    else { return select.columns }
    return parts[0].columns
  }
}

extension BoundResultColumn {
  /// The type declared for the column that `first` is, or one that has the affinity of this one.
  fileprivate func declaredOrStandardType(of first: BoundResultColumn) -> String {
    if let table = first.originTable {
      let column = first.originColumn
      let declared = column < 0 ? "INTEGER" : table.columns[Int(column)].declaredType
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
