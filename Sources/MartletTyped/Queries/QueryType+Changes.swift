import MartletEngine

/// What happens to a row that breaks a constraint (lang_conflict).
public enum OnConflict: String, Sendable {
  /// It takes the place of those in its way.
  case replace = "REPLACE"
  /// The transaction is rolled back.
  case rollback = "ROLLBACK"
  /// The statement is taken back.
  case abort = "ABORT"
  /// The statement ends, and what it has done before stays.
  case fail = "FAIL"
  /// The row is left out.
  case ignore = "IGNORE"
}

// MARK: - Insert

extension QueryType {
  /// INSERT of one row; of default values without setters.
  public func insert(_ value: Setter, _ more: Setter...) -> Insert {
    insert([value] + more)
  }

  /// INSERT of one row; of default values without setters.
  public func insert(_ values: [Setter]) -> Insert { insert(nil, [values]) }

  /// INSERT of one row, saying what happens if it breaks a constraint.
  public func insert(or onConflict: OnConflict, _ values: Setter...) -> Insert {
    insert(or: onConflict, values)
  }

  /// INSERT of one row, saying what happens if it breaks a constraint.
  public func insert(or onConflict: OnConflict, _ values: [Setter]) -> Insert {
    insert(onConflict, [values])
  }

  /// INSERT of a row of default values.
  public func insert() -> Insert { insert(nil, [[]]) }

  /// INSERT of the rows of a query.
  public func insert(_ query: any QueryType) -> Insert {
    let table = tableName(), query = query.expression
    return Insert("INSERT INTO \(table.template) \(query.template)", query.bindings)
  }

  /// INSERT of the rows of a query into some columns.
  public func insert(_ columns: [any Expressible], _ query: any QueryType) -> Insert {
    let table = tableName(), names = ", ".join(columns), query = query.expression
    return Insert(
      "INSERT INTO \(table.template) (\(names.template)) \(query.template)",
      names.bindings + query.bindings)
  }

  /// INSERT of several rows, which set the same columns.
  public func insertMany(_ values: [[Setter]]) -> Insert { insert(nil, values) }

  /// INSERT of several rows, saying what happens if one breaks a constraint.
  public func insertMany(or onConflict: OnConflict, _ values: [[Setter]]) -> Insert {
    insert(onConflict, values)
  }

  /// INSERT of several rows, saying what happens if one breaks a constraint.
  public func insertMany(or onConflict: OnConflict, _ values: [Setter]...) -> Insert {
    insert(onConflict, values)
  }

  /// The columns are those that any row sets: a row without one of them gets NULL there.
  func insert(_ onConflict: OnConflict?, _ rows: [[Setter]]) -> Insert {
    let columns = InsertedColumns(rows)
    var text = "INSERT "
    text.reserveCapacity(64 + columns.names.count * (16 + rows.count * 3))
    if let onConflict { text += "OR \(onConflict.rawValue) " }
    text += "INTO "
    text += tableName().template
    if columns.names.isEmpty { return Insert(text + " DEFAULT VALUES", []) }
    for (index, name) in columns.names.enumerated() {
      text += index == 0 ? " (" : ", "
      text += name
    }
    text += ") VALUES "
    var bindings: [(any Binding)?] = []
    bindings.reserveCapacity(columns.names.count * rows.count)
    for (index, row) in rows.enumerated() {
      text += index == 0 ? "(" : ", ("
      columns.append(row, to: &text, &bindings)
      text += ")"
    }
    return Insert(text, bindings)
  }
}

/// The columns of an INSERT, in the order in which they come first.
private struct InsertedColumns {
  private(set) var names: [String] = []
  /// Where they are; nil where all rows set the same columns, in the same order. For SQL, names are
  /// bytes.
  private var places: [[UInt8]: Int]?

  init(_ rows: [[Setter]]) {
    guard let first = rows.first else { return }
    names = first.map(\.column.template)
    let isEven = rows.dropFirst().allSatisfy { row in
      row.count == names.count
        && zip(row, names).allSatisfy { $0.column.template.hasSameBytes(as: $1) }
    }
    if isEven, !names.indices.contains(where: { names[..<$0].contains(names[$0]) }) { return }
    names = []
    places = [:]
    for row in rows {
      for setter in row { add(setter) }
    }
  }

  private mutating func add(_ setter: Setter) {
    let name = setter.column.template, key = Array(name.utf8)
    guard places?[key] == nil else { return }
    places?[key] = names.count
    names.append(name)
  }

  func append(_ row: [Setter], to text: inout String, _ bindings: inout [(any Binding)?]) {
    guard let places else {
      for index in row.indices {
        if index > 0 { text += ", " }
        row[index].appendValue(to: &text, &bindings)
      }
      return
    }
    // A column that is set twice has its last value.
    var setters = [Setter?](repeating: nil, count: names.count)
    for setter in row {
      if let place = places[Array(setter.column.template.utf8)] { setters[place] = setter }
    }
    let null = Setter(Expression(literal: ""), binding: nil)
    for (index, setter) in setters.enumerated() {
      if index > 0 { text += ", " }
      (setter ?? null).appendValue(to: &text, &bindings)
    }
  }
}

// MARK: - Upsert

extension QueryType {
  /// INSERT, or UPDATE of the row in its way, with the same values.
  ///
  /// - Parameter conflicting: The column whose uniqueness the row may break.
  public func upsert(
    _ insertValues: Setter..., onConflictOf conflicting: any Expressible
  ) -> Insert {
    upsert(insertValues, onConflictOf: conflicting)
  }

  /// INSERT, or UPDATE of the row in its way, with the same values.
  public func upsert(_ insertValues: [Setter], onConflictOf conflicting: any Expressible) -> Insert
  {
    let name = conflicting.expression.template
    let others = insertValues.filter { $0.column.template != name }
    return upsert(
      insertValues, onConflictOf: conflicting,
      set: others.map { setter in
        Setter(setter.column, Expression(literal: "\"excluded\".\(setter.column.template)"))
      })
  }

  /// INSERT, or UPDATE of the row in its way, with other values.
  public func upsert(
    _ insertValues: Setter..., onConflictOf conflicting: any Expressible, set setValues: [Setter]
  ) -> Insert {
    upsert(insertValues, onConflictOf: conflicting, set: setValues)
  }

  /// INSERT, or UPDATE of the row in its way, with other values.
  public func upsert(
    _ insertValues: [Setter], onConflictOf conflicting: any Expressible, set setValues: [Setter]
  ) -> Insert {
    let insert = insert(insertValues), target = conflicting.expression
    let head = "\(insert.template) ON CONFLICT (\(target.template)) DO "
    if setValues.isEmpty { return Insert(head + "NOTHING", insert.bindings + target.bindings) }
    let list = ", ".join(setValues)
    return Insert(
      "\(head)UPDATE SET \(list.template)", insert.bindings + target.bindings + list.bindings)
  }
}

// MARK: - Update and delete

extension QueryType {
  /// UPDATE of the rows of the query.
  public func update(_ values: Setter...) -> Update { update(values) }

  /// UPDATE of the rows of the query.
  public func update(_ values: [Setter]) -> Update {
    var text = "UPDATE ", bindings: [(any Binding)?] = []
    text += tableNameWithAlias().template
    for (index, setter) in values.enumerated() {
      text += index == 0 ? " SET " : ", "
      // SET takes no names of tables.
      text += setter.column.template.lastIdentifier
      text += " = "
      setter.appendValue(to: &text, &bindings)
    }
    appendRowClauses(to: &text, &bindings)
    return Update(text, bindings)
  }

  /// DELETE of the rows of the query.
  public func delete() -> Delete {
    var text = "DELETE FROM ", bindings: [(any Binding)?] = []
    text += tableNameWithAlias().template
    appendRowClauses(to: &text, &bindings)
    return Delete(text, bindings)
  }

  private func appendRowClauses(to text: inout String, _ bindings: inout [(any Binding)?]) {
    for clause in [whereClause, orderClause, limitClause] {
      guard let clause else { continue }
      text += " "
      text += clause.template
      bindings += clause.bindings
    }
  }
}

extension String {
  /// The last of quoted names with points between them.
  var lastIdentifier: String {
    if !utf8.contains(UInt8(ascii: ".")) { return self }
    var start = startIndex, isQuoted = false
    for index in utf8.indices {
      switch utf8[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ".") where !isQuoted: start = utf8.index(after: index)
      default: break
      }
    }
    return String(self[start...])
  }
}
