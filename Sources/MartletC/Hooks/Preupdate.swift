// What a program is told before a row changes (c3ref/preupdate_blobwrite).
//
// The values that it asks for are kept until the hook returns.
import CSQLite3
import MartletEngine

/// The change that a hook is being told of.
final class CurrentChange {
  let change: UnsafePointer<PreupdateChange>
  /// Those that were asked for: of each column before the change, then of each after it.
  @exclusivity(unchecked) fileprivate var values: UnsafeMutablePointer<ValueHandle?>?

  init(_ change: UnsafePointer<PreupdateChange>) { self.change = change }

  deinit {
    guard let values else { return }
    for place in 0..<(2 * change.pointee.columnCount) { values[place]?.destroyCopy() }
    free(values)
  }

  /// The value, if somebody has asked for it.
  fileprivate func known(_ column: Int32, isNew: Bool) -> ValueHandle? {
    let count = change.pointee.columnCount
    guard let values, column >= 0, column < count else { return nil }
    return values[isNew ? count + Int(column) : Int(column)]
  }

  /// Where a value is kept; nil where there is no memory.
  fileprivate func place(_ column: Int, isNew: Bool) -> UnsafeMutablePointer<ValueHandle?>? {
    let count = change.pointee.columnCount
    assert(column >= 0 && column < count, "it was read")
    if values == nil {
      guard let memory = malloc(2 * count * MemoryLayout<ValueHandle?>.stride) else { return nil }
      let made = memory.bindMemory(to: ValueHandle?.self, capacity: 2 * count)
      made.initialize(repeating: nil, count: 2 * count)
      values = made
    }
    return values.map { $0 + (isNew ? count + column : column) }
  }
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
        handle.core.currentChange = CurrentChange(place)
        hook(
          data, handle.opaque, place.pointee.kind.rawValue, place.pointee.database,
          place.pointee.table, place.pointee.oldRowID, place.pointee.newRowID)
        handle.core.currentChange = outer
      }
    }
  }
  handle.core.engine?.preupdateHook = told
  return handle.exchange(\.preupdate, data)
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
  give(database, column, value, isNew: false) { change throws(SQLError) in
    try change.pointee.oldReference(Int(column))
  }
}

@c @implementation
public func sqlite3_preupdate_new(
  _ database: OpaquePointer!, _ column: Int32,
  _ value: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  give(database, column, value, isNew: true) { change throws(SQLError) in
    try change.pointee.newReference(Int(column))
  }
}

private func give(
  _ database: OpaquePointer?, _ column: Int32, _ value: UnsafeMutablePointer<OpaquePointer?>?,
  isNew: Bool,
  _ read: (UnsafePointer<PreupdateChange>) throws(SQLError) -> ValueReference
) -> Int32 {
  guard let handle = ConnectionHandle(database), let value else { return SQLITE_MISUSE }
  guard let change = handle.core.currentChange else { return handle.fail(SQLITE_MISUSE) }
  if let made = change.known(column, isNew: isNew) {
    value.pointee = made.opaque
    return handle.clear()
  }
  do throws(SQLError) {
    let made = try ValueHandle.make(try read(change.change))
    guard change.change.pointee.isStored(Int(column)) else {
      made.destroyCopy()
      throw SQLError(.range)
    }
    guard let place = change.place(Int(column), isNew: isNew) else {
      made.destroyCopy()
      throw SQLError(.outOfMemory)
    }
    place.pointee = made
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
