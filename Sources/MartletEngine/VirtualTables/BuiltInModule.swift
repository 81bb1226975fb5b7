/// A module of the engine's own: what its tables declare, and how they are made.
final class BuiltInModule: VirtualTableModule {
  let name: String
  let abilities: VirtualTableAbilities
  private let settings: VirtualTableSettings
  private let declaration: String
  private let makeTable: @Sendable (VirtualTableRequest) throws(SQLError) -> any VirtualTable

  /// Those of JSON are registered in SQLite by who first names one: until then they are not listed,
  /// and not removed with all others.
  var comesWithUse: Bool { name.hasPrefix("json") }

  init(
    _ name: String, _ declaration: String, abilities: VirtualTableAbilities = .eponymousOnly,
    settings: VirtualTableSettings = [],
    makeTable: @escaping @Sendable (VirtualTableRequest) throws(SQLError) -> any VirtualTable
  ) {
    self.name = name
    self.declaration = declaration
    self.abilities = abilities
    self.settings = settings
    self.makeTable = makeTable
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    let table = try makeTable(request)
    try request.declare(declaration)
    request.configure(settings)
    return table
  }

  /// The modules that every connection has, in the order of PRAGMA module_list.
  static let all: [BuiltInModule] = [
    .json("json_each", isRecursive: false, .text), .json("json_tree", isRecursive: true, .text),
    .json("jsonb_each", isRecursive: false, .binary),
    .json("jsonb_tree", isRecursive: true, .binary), .series, .databaseStatistics,
    .databasePages, .statements, .array,
  ]
}

extension VirtualTableRequest {
  /// The connection as the engine's own tables see it.
  func host() throws(SQLError) -> any VMHost {
    guard let host = owner as? any VMHost else { throw SQLError(.internal) }
    return host
  }
}
