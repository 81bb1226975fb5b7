/// A loop whose runs and rows are counted (`sqlite3_stmt_scanstatus`): there is one only in programs
/// that were compiled while `ConnectionSwitch.statementScanStatus` was on, so that others pay nothing.
struct ScanLoop {
  /// Number of its node in the query plan; 0 while the node is not there.
  var line: Int32
  /// The index or table that it goes over.
  let name: String
  /// Rows that one run is taken to give.
  let estimate: LogEst
  /// The loop around it, or -1.
  let outer: Int32
}

/// What an instruction `scanMark` says (P2) of the loop P1.
///
///     enter loop           a run begins
///     …position…
///     row loop             a row was found
///     …tests…
///     go nil               the body runs, which is no loop's time
///     …body, with the loops in it…
///     go loop              the cursor is stepped
///     …step…
///     go outer             behind the loop
enum ScanMark: Int32 {
  case go = 0
  case enter = 1
  case row = 2
  /// The program is left with a row, and gone on with: what passes between is nobody's time.
  case pause = 3
  case resume = 4
}
