/// What the names of a statement led to: the databases of its tables and views, at whatever depth.
///
/// Its program compares the schemas of all of them with their files, also where nothing of a table is
/// read in the end: a view may be constant, and a join be left out because of what an index says.
final class NamedDatabases {
  /// One bit each.
  @exclusivity(unchecked) var bits: UInt64 = 0
  /// The names in double quotes that are no columns but strings (quirks §8), as they are written.
  @exclusivity(unchecked) var strings: [String] = []

  func note(_ table: Table) { bits |= 1 << UInt64(table.databaseIndex) }
}
