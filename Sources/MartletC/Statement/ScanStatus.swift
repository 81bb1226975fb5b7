// What the loops of a statement have done (c3ref/stmt_scanstatus, c3ref/c_scanstat_complex). Nothing
// is counted unless SQLITE_DBCONFIG_STMT_SCANSTATUS is on; cycles are nanoseconds.
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_stmt_scanstatus(
  _ statement: OpaquePointer!, _ index: Int32, _ op: Int32, _ result: UnsafeMutableRawPointer!
) -> Int32 { scanStatus(statement, index, op, 0, result) }

@c @implementation
public func sqlite3_stmt_scanstatus_v2(
  _ statement: OpaquePointer!, _ index: Int32, _ op: Int32, _ flags: Int32,
  _ result: UnsafeMutableRawPointer!
) -> Int32 { scanStatus(statement, index, op, flags, result) }

@c @implementation
public func sqlite3_stmt_scanstatus_reset(_ statement: OpaquePointer!) {
  StatementHandle.ask(statement, otherwise: ()) { $0.resetScanCounts() }
}

private func scanStatus(
  _ statement: OpaquePointer?, _ index: Int32, _ op: Int32, _ flags: Int32,
  _ result: UnsafeMutableRawPointer?
) -> Int32 {
  guard let handle = StatementHandle(statement), let result else { return 1 }
  let object = handle.pointee.statement
  if index < 0 {
    guard op == SQLITE_SCANSTAT_NCYCLE else { return 1 }
    result.storeBytes(of: object.scanNanoseconds, as: Int64.self)
    return 0
  }
  // What is no loop has a place only where all elements are asked for.
  let isComplex = flags & SQLITE_SCANSTAT_COMPLEX != 0
  let elements = object.scanElements.enumerated().filter { isComplex || $1.loop != nil }
  guard Int(index) < elements.count else { return 1 }
  let (place, element) = elements[Int(index)]
  let loop = element.loop
  let text = { (text: String?, kind: StatementState.TextKey.Kind) in
    let key = StatementState.TextKey(index: Int32(place), kind: kind, encoding: .utf8)
    result.storeBytes(of: handle.keep(text, key), as: UnsafeMutableRawPointer?.self)
  }
  switch op {
  case SQLITE_SCANSTAT_NLOOP: result.storeBytes(of: loop?.runCount ?? -1, as: Int64.self)
  case SQLITE_SCANSTAT_NVISIT: result.storeBytes(of: loop?.rowCount ?? -1, as: Int64.self)
  case SQLITE_SCANSTAT_EST:
    result.storeBytes(of: loop?.estimatedRowCount ?? -1, as: Double.self)
  case SQLITE_SCANSTAT_NAME: text(loop?.name, .scanName)
  case SQLITE_SCANSTAT_EXPLAIN: text(element.detail, .scanDetail)
  case SQLITE_SCANSTAT_SELECTID:
    result.storeBytes(of: Int32(truncatingIfNeeded: element.id), as: Int32.self)
  case SQLITE_SCANSTAT_PARENTID:
    result.storeBytes(of: Int32(truncatingIfNeeded: element.parent), as: Int32.self)
  case SQLITE_SCANSTAT_NCYCLE: result.storeBytes(of: loop?.nanoseconds ?? -1, as: Int64.self)
  default: return 1
  }
  return 0
}
