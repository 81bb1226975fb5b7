// What a program is told before a row changes (c3ref/preupdate_blobwrite).
//
// The values that it asks for are kept until the hook returns.
import CSQLite3
import MartletEngine

/// The change that a hook is being told of.
struct CurrentChange {
  let change: UnsafePointer<PreupdateChange>
  /// Those that were asked for, by column: before the change, and after it.
  var old: [Int32: ValueHandle] = [:]
  var new: [Int32: ValueHandle] = [:]
}

@c @implementation
public func sqlite3_preupdate_hook(
  _ database: OpaquePointer!,
  _ hook: (
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, sqlite3_int64, sqlite3_int64
    ) -> Void
  )!, _ data: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! {
  guard let known = ConnectionHandle(database) else { return nil }
  nonisolated(unsafe) let data = data, handle = known
  var told: Connection.PreupdateHook?
  if let hook {
    told = { change in
      withUnsafePointer(to: change) { place in
        let outer = handle.core.currentChange
        handle.core.currentChange = CurrentChange(change: place)
        hook(
          data, handle.opaque, place.pointee.kind.rawValue, place.pointee.database,
          place.pointee.table, place.pointee.oldRowID, place.pointee.newRowID)
        handle.core.currentChange?.freeValues()
        handle.core.currentChange = outer
      }
    }
  }
  handle.core.engine?.preupdateHook = told
  return handle.exchange(\.preupdate, data)
}

extension CurrentChange {
  fileprivate func freeValues() {
    for value in [old, new].joined().map(\.value) { value.destroyCopy() }
  }
}

@c @implementation
public func sqlite3_preupdate_count(_ database: OpaquePointer!) -> Int32 {
  let change = ConnectionHandle(database)?.core.currentChange?.change
  return Int32(truncatingIfNeeded: change?.pointee.columnCount ?? 0)
}

@c @implementation
public func sqlite3_preupdate_depth(_ database: OpaquePointer!) -> Int32 {
  let change = ConnectionHandle(database)?.core.currentChange?.change
  return Int32(truncatingIfNeeded: change?.pointee.depth ?? 0)
}

@c @implementation
public func sqlite3_preupdate_blobwrite(_ database: OpaquePointer!) -> Int32 {
  let change = ConnectionHandle(database)?.core.currentChange?.change
  return Int32(truncatingIfNeeded: change?.pointee.writtenColumn ?? -1)
}

@c @implementation
public func sqlite3_preupdate_old(
  _ database: OpaquePointer!, _ column: Int32,
  _ value: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  give(database, column, value, \.old) { change throws(SQLError) in
    try change.pointee.oldReference(Int(column))
  }
}

@c @implementation
public func sqlite3_preupdate_new(
  _ database: OpaquePointer!, _ column: Int32,
  _ value: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  give(database, column, value, \.new) { change throws(SQLError) in
    try change.pointee.newReference(Int(column))
  }
}

private func give(
  _ database: OpaquePointer?, _ column: Int32, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ known: WritableKeyPath<CurrentChange, [Int32: ValueHandle]>,
  _ read: (UnsafePointer<PreupdateChange>) throws(SQLError) -> ValueReference
) -> Int32 {
  guard let handle = ConnectionHandle(database), let value else { return SQLITE_MISUSE }
  guard let change = handle.core.currentChange else { return handle.fail(SQLITE_MISUSE) }
  if let made = change[keyPath: known][column] {
    value.pointee = made.opaque
    return handle.clear()
  }
  do throws(SQLError) {
    let made = try ValueHandle.make(try read(change.change))
    guard change.change.pointee.isStored(Int(column)) else {
      made.destroyCopy()
      throw SQLError(.range)
    }
    handle.core.currentChange?[keyPath: known][column] = made
    value.pointee = made.opaque
    return handle.clear()
  } catch {
    return handle.fail(error)
  }
}

extension ValueHandle {
  /// A value over a copy of the engine's, which is freed with it.
  static func make(_ copy: ValueReference) throws(SQLError) -> ValueHandle {
    guard let memory = malloc(MemoryLayout<ValueState>.stride) else {
      copy.deallocate()
      throw SQLError(.outOfMemory)
    }
    let value = memory.bindMemory(to: ValueState.self, capacity: 1)
    value.initialize(to: ValueState(copy))
    return value
  }

  func destroyCopy() {
    pointee.text.deallocate()
    pointee.source.deallocate()
    free(self)
  }
}
