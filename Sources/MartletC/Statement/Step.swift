// Running statements (c3ref/step, c3ref/reset).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_step(_ statement: OpaquePointer!) -> Int32 {
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  var ends = false
  let code = handle.locked {
    let code = handle.step()
    ends = handle.pointee.endsAfterStep
    return code
  }
  if ends { _ = sqlite3_finalize(statement) }
  return code
}

@c @implementation
public func sqlite3_reset(_ statement: OpaquePointer!) -> Int32 {
  guard statement != nil else { return SQLITE_OK }
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  return handle.locked { handle.reset() }
}

@c @implementation
public func sqlite3_data_count(_ statement: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: StatementHandle(statement)?.pointee.row.columnCount ?? 0)
}

extension StatementHandle {
  /// It has not run since its last reset.
  var isReady: Bool { !pointee.hasEnded && !pointee.statement.isBusy }

  @inline(__always)
  func step() -> Int32 {
    pointee.generation &+= 1
    if pointee.hasEnded {
      if pointee.hasLostColumn { return stepFailed(failOfLostColumn()) }
      settle(pointee.error)
    }
    do throws(SQLError) {
      let hasRow = try pointee.object.lend { (statement) throws(SQLError) in try statement.stepLocked() }
      if !hasRow {
        pointee.hasEnded = true
        forgetLargeColumns()
      }
      return pointee.connection.note(hasRow ? SQLITE_ROW : SQLITE_DONE)
    } catch {
      return stepFailed(error)
    }
  }

  /// Only now: what was given out of the row was valid until this call.
  private func failOfLostColumn() -> SQLError {
    pointee.hasLostColumn = false
    let error = SQLError(.outOfMemory)
    return pointee.statement.failLocked(error)
  }

  @inline(never)
  private func stepFailed(_ error: SQLError) -> Int32 {
    pointee.hasEnded = true
    if let code = takeLogHookCode() {
      pointee.error = SQLError(code)
      return pointee.connection.fail(error)
    }
    pointee.error = error
    // One that waits may go on, and one that is misused never began.
    if error.code.primary != .busy && error.code.primary != .misuse {
      Library.log(
        error.code, "statement aborts: \(error.message); [\(String(fileName: pointee.sql))]")
    }
    // The old interface tells at the reset what went wrong.
    let primary = error.code.primary
    if pointee.isLegacy && primary != .misuse && primary != .busy {
      return pointee.connection.note(SQLITE_ERROR)
    }
    return pointee.connection.fail(error)
  }

  /// What `sqlite3_wal_hook` has failed with: the reset tells it.
  private func takeLogHookCode() -> ResultCode? {
    guard let code = core.walHookCode else { return nil }
    core.walHookCode = nil
    return ResultCode(rawValue: code)
  }

  /// Ends the execution; gives what it has failed with.
  func reset() -> Int32 {
    pointee.generation &+= 1
    forgetLargeColumns()
    if pointee.hasLostColumn { pointee.error = failOfLostColumn() }
    pointee.hasNoMemory = false
    var failure = pointee.error
    do throws(SQLError) {
      let hasBegun = try pointee.object.lend { (statement) throws(SQLError) in
        let hasBegun = statement.hasBegun
        try statement.resetLocked()
        return hasBegun
      }
      guard hasBegun else {
        // The old interface tells only now why it could not be compiled again.
        if pointee.isLegacy, failure != nil { return settle(failure) }
        // What has not run says nothing new: the connection's error stays as it is.
        pointee.hasEnded = false
        pointee.error = nil
        return failure.map { pointee.connection.shown($0.code.rawValue) } ?? SQLITE_OK
      }
    } catch {
      failure = takeLogHookCode().map { SQLError($0) } ?? error
    }
    return settle(failure)
  }

  /// The execution is over: what it has failed with is the connection's error once more.
  @discardableResult
  private func settle(_ failure: SQLError?) -> Int32 {
    pointee.hasEnded = false
    if let failure {
      pointee.error = nil
      return pointee.connection.fail(failure.withoutOffset)
    }
    return pointee.connection.clearAll()
  }
}

extension SQLError {
  fileprivate var withoutOffset: SQLError { SQLError(code, message) }
}
