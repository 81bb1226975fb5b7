/// An index that is to be created.
struct IndexDefinition {
  let name: String
  let table: String
  let expressions: [SQLExpression]
  var options: IndexOptions = []
  var condition: SQLExpression?

  func sql(_ db: Database) throws -> String {
    let writer = SQLWriter(db, inlinesValues: true)
    let keys = try expressions.map { try writer.sql($0) }.joined(separator: ", ")
    var text = "CREATE "
    if options.contains(.unique) { text += "UNIQUE " }
    text += "INDEX "
    if options.contains(.ifNotExists) { text += "IF NOT EXISTS " }
    text += "\(name.quotedIdentifier) ON \(table.quotedIdentifier)(\(keys))"
    if let condition { text += " WHERE " + (try writer.sql(condition)) }
    return text
  }

  /// The name of an index that was given none.
  static func name(on table: String, _ columns: [String]) -> String {
    "index_\(table)_on_\(columns.joined(separator: "_"))"
  }
}
