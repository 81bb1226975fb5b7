// Combining and rebasing changesets (session, sqlite3changegroup_… and sqlite3rebaser_…).
import CSQLite3
import MartletEngine
import MartletSession

/// What `sqlite3_changegroup *` points to.
struct ChangegroupState {
  var mark = HandleMark.changegroup.rawValue
  let group: Changegroup
}

/// What `sqlite3_rebaser *` points to.
struct RebaserState {
  var mark = HandleMark.rebaser.rawValue
  let rebaser: Rebaser
}

private let groupMemory = HandleMemory<ChangegroupState>(minimumQueueCount: 16)
private let rebaserMemory = HandleMemory<RebaserState>(minimumQueueCount: 16)

/// Runs what may fail on a program's changegroup.
private func on(
  _ group: OpaquePointer?, _ body: (Changegroup) throws(SQLError) -> Void
) -> Int32 {
  guard let state = live(group, .changegroup, as: ChangegroupState.self) else {
    return SQLITE_MISUSE
  }
  let group = state.pointee.group
  return resultCode { () throws(SQLError) in try body(group) }
}

private func rebaser(_ rebaser: OpaquePointer?) -> UnsafeMutablePointer<RebaserState>? {
  live(rebaser, .rebaser, as: RebaserState.self)
}

@c @implementation
public func sqlite3changegroup_new(_ result: UnsafeMutablePointer<OpaquePointer?>!) -> Int32 {
  guard let result else { return SQLITE_MISUSE }
  result.pointee = nil
  guard let state = groupMemory.allocate() else { return SQLITE_NOMEM }
  state.initialize(to: ChangegroupState(group: Changegroup()))
  result.pointee = OpaquePointer(state)
  return SQLITE_OK
}

@c @implementation
public func sqlite3changegroup_delete(_ group: OpaquePointer!) {
  guard let state = live(group, .changegroup, as: ChangegroupState.self) else { return }
  state.deinitialize(count: 1)
  groupMemory.free(state)
}

@c @implementation
public func sqlite3changegroup_schema(
  _ group: OpaquePointer!, _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!
) -> Int32 {
  on(group) { group throws(SQLError) in
    guard let connection = engine(database), let name = string(name) else {
      throw SQLError(.misuse)
    }
    try group.useSchema(of: connection, database: name)
  }
}

@c @implementation
public func sqlite3changegroup_config(
  _ group: OpaquePointer!, _ option: Int32, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  on(group) { group throws(SQLError) in
    guard option == SQLITE_CHANGEGROUP_CONFIG_PATCHSET, let argument else {
      throw SQLError(.misuse)
    }
    let value = argument.assumingMemoryBound(to: Int32.self)
    if value.pointee >= 0 { group.setPatchset(value.pointee > 0) }
    value.pointee = group.makesPatchset ? 1 : 0
  }
}

@c @implementation
public func sqlite3changegroup_add(
  _ group: OpaquePointer!, _ count: Int32, _ memory: UnsafeMutableRawPointer!
) -> Int32 {
  on(group) { group throws(SQLError) in try group.add(all: Streams.reader(memory, count)) }
}

@c @implementation
public func sqlite3changegroup_add_strm(
  _ group: OpaquePointer!, _ input: StreamInput!, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  on(group) { group throws(SQLError) in try group.add(all: try Streams.reader(input, argument)) }
}

@c @implementation
public func sqlite3changegroup_add_change(
  _ group: OpaquePointer!, _ iterator: OpaquePointer!
) -> Int32 {
  on(group) { group throws(SQLError) in
    guard let iterator = IteratorHandle(iterator) else { throw SQLError(.error) }
    try group.add(currentOf: iterator.pointee.reader)
  }
}

@c @implementation
public func sqlite3changegroup_output(
  _ group: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  guard let result = BlobResult(count, memory) else { return SQLITE_MISUSE }
  return on(group) { group throws(SQLError) in try result.give(group.changeset().bytes) }
}

@c @implementation
public func sqlite3changegroup_output_strm(
  _ group: OpaquePointer!, _ output: StreamOutput!, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  on(group) { group throws(SQLError) in
    try group.write(
      chunkSize: Streams.currentChunkSize, try Streams.output(output, argument))
  }
}

// MARK: - Concatenating

@c @implementation
public func sqlite3changeset_concat(
  _ firstCount: Int32, _ first: UnsafeMutableRawPointer!, _ secondCount: Int32,
  _ second: UnsafeMutableRawPointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  guard let result = BlobResult(count, memory) else { return SQLITE_MISUSE }
  return resultCode { () throws(SQLError) in
    let group = Changegroup()
    try group.add(all: Streams.reader(first, firstCount))
    try group.add(all: Streams.reader(second, secondCount))
    try result.give(group.changeset().bytes)
  }
}

@c @implementation
public func sqlite3changeset_concat_strm(
  _ first: StreamInput!, _ firstArgument: UnsafeMutableRawPointer!, _ second: StreamInput!,
  _ secondArgument: UnsafeMutableRawPointer!, _ output: StreamOutput!,
  _ outputArgument: UnsafeMutableRawPointer!
) -> Int32 {
  resultCode { () throws(SQLError) in
    let group = Changegroup()
    try group.add(all: try Streams.reader(first, firstArgument))
    try group.add(all: try Streams.reader(second, secondArgument))
    try group.write(
      chunkSize: Streams.currentChunkSize, try Streams.output(output, outputArgument))
  }
}

// MARK: - Changes value by value

@c @implementation
public func sqlite3changegroup_change_begin(
  _ group: OpaquePointer!, _ operation: Int32, _ table: UnsafePointer<CChar>!,
  _ isIndirect: Int32, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  onTelling(group, message) { group throws(SQLError) in
    guard let table = string(table) else { throw SQLError(.misuse) }
    try group.beginChange(
      Connection.ChangeKind(rawValue: operation), table: table, isIndirect: isIndirect != 0)
  }
}

@c @implementation
public func sqlite3changegroup_change_finish(
  _ group: OpaquePointer!, _ isDiscarded: Int32,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  onTelling(group, message) { group throws(SQLError) in
    try group.finishChange(discarding: isDiscarded != 0)
  }
}

/// The same as `on`, with the message of an error for the program.
private func onTelling(
  _ group: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ body: (Changegroup) throws(SQLError) -> Void
) -> Int32 {
  message?.pointee = nil
  return on(group) { group throws(SQLError) in
    do throws(SQLError) {
      try body(group)
    } catch {
      // A standard text says no more than the code.
      if error.code == .error, error.message != error.code.description {
        message?.pointee = CMemory.copy(error.message)
      }
      throw error
    }
  }
}

@c @implementation
public func sqlite3changegroup_change_int64(
  _ group: OpaquePointer!, _ isNew: Int32, _ column: Int32, _ value: sqlite3_int64
) -> Int32 { set(group, isNew, column, .integer(value)) }

@c @implementation
public func sqlite3changegroup_change_null(
  _ group: OpaquePointer!, _ isNew: Int32, _ column: Int32
) -> Int32 { set(group, isNew, column, .null) }

@c @implementation
public func sqlite3changegroup_change_double(
  _ group: OpaquePointer!, _ isNew: Int32, _ column: Int32, _ value: Double
) -> Int32 { set(group, isNew, column, .real(value)) }

private func set(
  _ group: OpaquePointer?, _ isNew: Int32, _ column: Int32, _ value: Value
) -> Int32 {
  on(group) { group throws(SQLError) in
    try group.set(value, isNew: isNew != 0, column: Int(column))
  }
}

@c @implementation
public func sqlite3changegroup_change_text(
  _ group: OpaquePointer!, _ isNew: Int32, _ column: Int32, _ text: UnsafePointer<CChar>!,
  _ count: Int32
) -> Int32 {
  let count = count >= 0 ? Int(count) : text.map { strlen($0) } ?? 0
  return set(group, isNew, column, text.map { UnsafeRawPointer($0) }, count, isText: true)
}

@c @implementation
public func sqlite3changegroup_change_blob(
  _ group: OpaquePointer!, _ isNew: Int32, _ column: Int32, _ blob: UnsafeRawPointer!,
  _ count: Int32
) -> Int32 { set(group, isNew, column, blob, Int(max(0, count)), isText: false) }

private func set(
  _ group: OpaquePointer?, _ isNew: Int32, _ column: Int32, _ bytes: UnsafeRawPointer?,
  _ count: Int, isText: Bool
) -> Int32 {
  on(group) { group throws(SQLError) in
    try group.set(
      UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count), isText: isText,
      isNew: isNew != 0, column: Int(column))
  }
}

// MARK: - Rebasing

@c @implementation
public func sqlite3rebaser_create(_ result: UnsafeMutablePointer<OpaquePointer?>!) -> Int32 {
  guard let result else { return SQLITE_MISUSE }
  result.pointee = nil
  guard let state = rebaserMemory.allocate() else { return SQLITE_NOMEM }
  state.initialize(to: RebaserState(rebaser: Rebaser()))
  result.pointee = OpaquePointer(state)
  return SQLITE_OK
}

@c @implementation
public func sqlite3rebaser_delete(_ handle: OpaquePointer!) {
  guard let state = rebaser(handle) else { return }
  state.deinitialize(count: 1)
  rebaserMemory.free(state)
}

@c @implementation
public func sqlite3rebaser_configure(
  _ handle: OpaquePointer!, _ count: Int32, _ memory: UnsafeRawPointer!
) -> Int32 {
  guard let rebaser = rebaser(handle)?.pointee.rebaser else { return SQLITE_MISUSE }
  return resultCode { () throws(SQLError) in
    try rebaser.configure(RebaseInformation(bytes: Streams.bytes(memory, count)))
  }
}

@c @implementation
public func sqlite3rebaser_rebase(
  _ handle: OpaquePointer!, _ count: Int32, _ memory: UnsafeRawPointer!,
  _ resultCount: UnsafeMutablePointer<Int32>!,
  _ resultMemory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  guard let result = BlobResult(resultCount, resultMemory),
    let rebaser = rebaser(handle)?.pointee.rebaser
  else { return SQLITE_MISUSE }
  return resultCode { () throws(SQLError) in
    let changeset = Changeset(bytes: try Streams.bytes(memory, count))
    try result.give(try rebaser.rebase(changeset).bytes)
  }
}

@c @implementation
public func sqlite3rebaser_rebase_strm(
  _ handle: OpaquePointer!, _ input: StreamInput!, _ inputArgument: UnsafeMutableRawPointer!,
  _ output: StreamOutput!, _ outputArgument: UnsafeMutableRawPointer!
) -> Int32 {
  guard let rebaser = rebaser(handle)?.pointee.rebaser else { return SQLITE_MISUSE }
  return resultCode { () throws(SQLError) in
    try rebaser.rebase(
      try Streams.reader(input, inputArgument), chunkSize: Streams.currentChunkSize,
      try Streams.output(output, outputArgument))
  }
}
