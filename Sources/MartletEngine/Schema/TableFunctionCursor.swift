/// The rows of a table-valued function, made one at a time (vtab §2.9).
///
/// One cursor serves all runs of its loop. What it lends to registers stays until it moves.
class TableFunctionCursor {
  /// Begins with values for the hidden columns, as the function's plan says. Returns whether there
  /// is a row.
  func start(
    plan: Int, _ arguments: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool { false }

  /// Returns whether there is another row.
  func next() throws(SQLError) -> Bool { false }

  /// Reads a column of the current row, -1 for the rowid.
  func read(
    _ column: Int, into target: UnsafeMutablePointer<Register>
  ) throws(SQLError) { target.pointee.setNull() }
}
