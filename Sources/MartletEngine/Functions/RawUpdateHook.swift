/// A function of a C program that is told of changed rows, and what it is given besides them
/// (`sqlite3_update_hook`).
///
/// Plain data: telling it of a row counts no references and makes no texts.
public struct RawUpdateHook {
  /// Told what happened as `Connection.ChangeKind` numbers it, the names of database and table,
  /// which are valid while the schema does not change, and the row's rowid.
  public typealias Function = @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64
  ) -> Void

  private let function: Function
  private let data: UnsafeMutableRawPointer?

  public init(_ function: @escaping Function, _ data: UnsafeMutableRawPointer?) {
    self.function = function
    self.data = data
  }

  @inline(__always)
  func tell(_ kind: Int32, _ table: Table, rowid: Int64) {
    let names = table.cNames
    function(data, kind, names.database, names.table, rowid)
  }
}

@available(*, unavailable)
extension RawUpdateHook: Sendable {}
