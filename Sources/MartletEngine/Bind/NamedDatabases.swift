/// The databases of the tables and views that a statement names, at whatever depth.
///
/// Its program compares the schemas of all of them with their files, also where nothing of a table is
/// read in the end: a view may be constant, and a join be left out because of what an index says.
final class NamedDatabases {
  /// One bit each.
  @exclusivity(unchecked) var bits: UInt64 = 0

  func note(_ table: Table) { bits |= 1 << UInt64(table.databaseIndex) }
}
