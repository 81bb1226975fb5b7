import Engines

extension TableModel {
  /// The tables and views of a database that can be read.
  static func all(in database: any Database) -> [TableModel] {
    database.outcome(of: "PRAGMA table_list").rows.compactMap { row in
      let values = LockstepSeed.values(row)
      guard values.count == 6, ["main", "temp"].contains(values[0]) else { return nil }
      let name = values[1]
      guard !name.hasPrefix("sqlite_"), ["table", "view"].contains(values[2]) else { return nil }
      var model = TableModel(name: name, columns: [])
      model.isView = values[2] == "view"
      model.hasRowID = values[4] == "0" && !model.isView
      model.isTemporary = values[0] == "temp"
      model.readColumns(of: database)
      return model.columns.isEmpty ? nil : model
    }
  }

  /// Whether some table has a row behind which there is no rowid.
  static func hasLargestRowid(_ database: any Database) -> Bool {
    all(in: database).contains { model in
      model.hasRowID
        && !database.outcome(of: "SELECT 1 FROM \(model.name) WHERE rowid = \(Int64.max)").rows
          .isEmpty
    }
  }

  /// Whether some table has a virtual column of REAL affinity.
  static func hasVirtualReal(_ database: any Database) -> Bool {
    all(in: database).contains { model in
      model.columns.contains { column in
        column.isGenerated && ["REAL", "FLOA", "DOUB"].contains { column.type.contains($0) }
      }
    }
  }

  private mutating func readColumns(of database: any Database) {
    var key: [(position: Int, name: String)] = []
    for row in database.outcome(of: "PRAGMA table_xinfo(\(name))").rows {
      let values = LockstepSeed.values(row)
      guard values.count >= 7, let hidden = values.last else { continue }
      let isPlain = values[1].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      let name = isPlain ? values[1] : "\"\(values[1])\""
      columns.append(ColumnModel(name: name, type: values[2], isGenerated: hidden != "0"))
      if let position = Int(values[values.count - 2]), position > 0 { key.append((position, name)) }
    }
    if !key.isEmpty { keys.append(key.sorted { $0.position < $1.position }.map(\.name)) }
  }
}
