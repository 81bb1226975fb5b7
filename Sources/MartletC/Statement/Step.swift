// Running statements (c3ref/step, c3ref/reset).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_step(_ statement: OpaquePointer!) -> Int32 {
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  return handle.step()
}

@c @implementation
public func sqlite3_reset(_ statement: OpaquePointer!) -> Int32 {
  guard statement != nil else { return SQLITE_OK }
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  return handle.reset()
}

@c @implementation
public func sqlite3_data_count(_ statement: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: StatementHandle(statement)?.pointee.row.columnCount ?? 0)
}

extension StatementHandle {
  @inline(__always)
  func step() -> Int32 {
    pointee.generation &+= 1
    do throws(SQLError) {
      let hasRow = try pointee.object.lend { (statement) throws(SQLError) in try statement.step() }
      let code = hasRow ? SQLITE_ROW : SQLITE_DONE
      pointee.connection.pointee.errorCode = code
      return code
    } catch {
      return stepFailed(error)
    }
  }

  @inline(never)
  private func stepFailed(_ error: SQLError) -> Int32 {
    pointee.error = error
    // One that waits may go on, and one that is misused never began.
    if error.code.primary != .busy && error.code.primary != .misuse {
      Library.log(
        error.code, "statement aborts: \(error.message); [\(String(cString: pointee.sql))]")
    }
    // The old interface tells at the reset what went wrong.
    let primary = error.code.primary
    if pointee.isLegacy && primary != .misuse && primary != .busy {
      return pointee.connection.fail(SQLITE_ERROR)
    }
    return pointee.connection.fail(error)
  }

  /// Ends the execution; gives what it has failed with.
  func reset() -> Int32 {
    pointee.generation &+= 1
    var failure: SQLError?
    if pointee.error != nil {
      failure = pointee.error
      pointee.error = nil
    }
    do throws(SQLError) {
      try pointee.object.lend { (statement) throws(SQLError) in try statement.reset() }
    } catch {
      failure = error
    }
    guard let failure else { return pointee.connection.succeed() }
    return pointee.connection.fail(failure)
  }
}
