// Going through changesets (session, sqlite3changeset_start and its kin).
import CSQLite3
import MartletEngine
import MartletSession

/// What `sqlite3_changeset_iter *` points to.
struct IteratorState {
  var mark = HandleMark.changesetIterator.rawValue
  var reader: ChangesetReader
  /// A conflict handler or filter has it: it cannot be advanced or ended.
  let isLent: Bool
  var conflict: Conflict?
  /// Values that were asked for, by kind and column.
  var values: [ValueKey: ValueHandle] = [:]
  var table: UnsafeMutablePointer<CChar>?
  var key: UnsafeMutablePointer<UInt8>?
  /// What it has failed with.
  var code: Int32 = SQLITE_OK

  struct ValueKey: Hashable {
    let kind: Kind
    let column: Int32

    enum Kind { case old, new, conflict }
  }
}

typealias IteratorHandle = UnsafeMutablePointer<IteratorState>

private let iteratorMemory = HandleMemory<IteratorState>(minimumQueueCount: 16)

extension IteratorHandle {
  init?(_ iterator: OpaquePointer?) {
    guard let state = live(iterator, .changesetIterator, as: IteratorState.self) else {
      return nil
    }
    self = state
  }

  static func make(_ reader: ChangesetReader, isLent: Bool = false) -> IteratorHandle? {
    guard let handle = iteratorMemory.allocate() else { return nil }
    handle.initialize(to: IteratorState(reader: reader, isLent: isLent))
    return handle
  }

  var opaque: OpaquePointer { OpaquePointer(self) }

  /// Shows another change, or the same with a conflict.
  func show(_ reader: ChangesetReader, _ conflict: Conflict? = nil) {
    forgetChange()
    pointee.reader = reader
    pointee.conflict = conflict
  }

  func forgetChange() {
    for value in pointee.values.values { value.destroyCopy() }
    pointee.values.removeAll()
    CMemory.free(pointee.table)
    CMemory.free(pointee.key)
    pointee.table = nil
    pointee.key = nil
    pointee.conflict = nil
  }

  func destroy() {
    forgetChange()
    deinitialize(count: 1)
    iteratorMemory.free(self)
  }
}

@c @implementation
public func sqlite3changeset_start(
  _ result: UnsafeMutablePointer<OpaquePointer?>!, _ count: Int32,
  _ memory: UnsafeMutableRawPointer!
) -> Int32 { sqlite3changeset_start_v2(result, count, memory, 0) }

@c @implementation
public func sqlite3changeset_start_v2(
  _ result: UnsafeMutablePointer<OpaquePointer?>!, _ count: Int32,
  _ memory: UnsafeMutableRawPointer!, _ flags: Int32
) -> Int32 {
  start(result) { () throws(SQLError) in
    try Streams.reader(memory, count, inverts: flags & SQLITE_CHANGESETSTART_INVERT != 0)
  }
}

@c @implementation
public func sqlite3changeset_start_strm(
  _ result: UnsafeMutablePointer<OpaquePointer?>!, _ input: StreamInput!,
  _ argument: UnsafeMutableRawPointer!
) -> Int32 { sqlite3changeset_start_v2_strm(result, input, argument, 0) }

@c @implementation
public func sqlite3changeset_start_v2_strm(
  _ result: UnsafeMutablePointer<OpaquePointer?>!, _ input: StreamInput!,
  _ argument: UnsafeMutableRawPointer!, _ flags: Int32
) -> Int32 {
  start(result) { () throws(SQLError) in
    try Streams.reader(input, argument, inverts: flags & SQLITE_CHANGESETSTART_INVERT != 0)
  }
}

private func start(
  _ result: UnsafeMutablePointer<OpaquePointer?>?,
  _ make: () throws(SQLError) -> ChangesetReader
) -> Int32 {
  guard let result else { return SQLITE_MISUSE }
  result.pointee = nil
  return resultCode { () throws(SQLError) in
    guard let handle = IteratorHandle.make(try make()) else { throw SQLError(.outOfMemory) }
    result.pointee = handle.opaque
  }
}

@c @implementation
public func sqlite3changeset_next(_ iterator: OpaquePointer!) -> Int32 {
  guard let handle = IteratorHandle(iterator), !handle.pointee.isLent else {
    return SQLITE_MISUSE
  }
  handle.forgetChange()
  do throws(SQLError) {
    return try handle.pointee.reader.advance() ? SQLITE_ROW : SQLITE_DONE
  } catch {
    handle.pointee.code = error.code.rawValue
    return error.code.rawValue
  }
}

@c @implementation
public func sqlite3changeset_finalize(_ iterator: OpaquePointer!) -> Int32 {
  guard iterator != nil else { return SQLITE_OK }
  guard let handle = IteratorHandle(iterator), !handle.pointee.isLent else {
    return SQLITE_MISUSE
  }
  let code = handle.pointee.code
  handle.destroy()
  return code
}

// MARK: - The current change

@c @implementation
public func sqlite3changeset_op(
  _ iterator: OpaquePointer!, _ table: UnsafeMutablePointer<UnsafePointer<CChar>?>!,
  _ columnCount: UnsafeMutablePointer<Int32>!, _ operation: UnsafeMutablePointer<Int32>!,
  _ isIndirect: UnsafeMutablePointer<Int32>!
) -> Int32 {
  guard let handle = IteratorHandle(iterator) else { return SQLITE_MISUSE }
  if let conflict = handle.pointee.conflict, conflict.kind == .foreignKey {
    // Of no change: SQLite gives the number of violations for that of columns.
    table?.pointee = nil
    columnCount?.pointee = Int32(clamping: conflict.violatedForeignKeyCount)
    operation?.pointee = 0
    isIndirect?.pointee = 0
    return SQLITE_OK
  }
  guard handle.pointee.reader.hasChange else { return SQLITE_MISUSE }
  let reader = handle.pointee.reader
  if handle.pointee.table == nil { handle.pointee.table = CMemory.copy(reader.table) }
  guard let name = handle.pointee.table else { return SQLITE_NOMEM }
  table?.pointee = UnsafePointer(name)
  columnCount?.pointee = Int32(clamping: reader.columnCount)
  operation?.pointee = reader.kind.rawValue
  isIndirect?.pointee = reader.isIndirect ? 1 : 0
  return SQLITE_OK
}

@c @implementation
public func sqlite3changeset_pk(
  _ iterator: OpaquePointer!, _ key: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>!,
  _ columnCount: UnsafeMutablePointer<Int32>!
) -> Int32 {
  key?.pointee = nil
  columnCount?.pointee = 0
  guard let handle = IteratorHandle(iterator), handle.pointee.reader.hasChange else {
    return SQLITE_MISUSE
  }
  let bytes = handle.pointee.reader.key
  if handle.pointee.key == nil {
    guard let memory = CMemory.allocate(bytes.count + 1) else { return SQLITE_NOMEM }
    let copy = memory.bindMemory(to: UInt8.self, capacity: bytes.count + 1)
    copy.initialize(repeating: 0, count: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    handle.pointee.key = copy
  }
  key?.pointee = handle.pointee.key
  columnCount?.pointee = Int32(clamping: bytes.count)
  return SQLITE_OK
}

@c @implementation
public func sqlite3changeset_old(
  _ iterator: OpaquePointer!, _ column: Int32, _ value: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  give(iterator, .old, column, value) { state throws(SQLError) in
    try state.reader.oldReference(Int(column))
  }
}

@c @implementation
public func sqlite3changeset_new(
  _ iterator: OpaquePointer!, _ column: Int32, _ value: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  give(iterator, .new, column, value) { state throws(SQLError) in
    try state.reader.newReference(Int(column))
  }
}

@c @implementation
public func sqlite3changeset_conflict(
  _ iterator: OpaquePointer!, _ column: Int32, _ value: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  give(iterator, .conflict, column, value) { state throws(SQLError) in
    guard let conflict = state.conflict else { throw SQLError(.misuse) }
    return try conflict.currentReference(Int(column)).copy()
  }
}

/// Gives a value, which is kept until the iterator goes on; null where it is undefined.
private func give(
  _ iterator: OpaquePointer?, _ kind: IteratorState.ValueKey.Kind, _ column: Int32,
  _ value: UnsafeMutablePointer<OpaquePointer?>?,
  _ read: (IteratorState) throws(SQLError) -> ValueReference?
) -> Int32 {
  guard let value else { return SQLITE_MISUSE }
  value.pointee = nil
  guard let handle = IteratorHandle(iterator) else { return SQLITE_MISUSE }
  let key = IteratorState.ValueKey(kind: kind, column: column)
  if let known = handle.pointee.values[key] {
    value.pointee = known.opaque
    return SQLITE_OK
  }
  return resultCode { () throws(SQLError) in
    guard let copy = try read(handle.pointee) else { return }
    let made = try ValueHandle.make(copy)
    handle.pointee.values[key] = made
    value.pointee = made.opaque
  }
}

@c @implementation
public func sqlite3changeset_fk_conflicts(
  _ iterator: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!
) -> Int32 {
  guard let conflict = IteratorHandle(iterator)?.pointee.conflict, conflict.kind == .foreignKey,
    let count
  else { return SQLITE_MISUSE }
  count.pointee = Int32(clamping: conflict.violatedForeignKeyCount)
  return SQLITE_OK
}

// MARK: - Inverting

@c @implementation
public func sqlite3changeset_invert(
  _ count: Int32, _ memory: UnsafeRawPointer!, _ resultCount: UnsafeMutablePointer<Int32>!,
  _ resultMemory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  guard let result = BlobResult(resultCount, resultMemory) else { return SQLITE_MISUSE }
  return resultCode { () throws(SQLError) in
    let changeset = Changeset(bytes: try Streams.bytes(memory, count))
    try result.give(try changeset.inverted().bytes)
  }
}

@c @implementation
public func sqlite3changeset_invert_strm(
  _ input: StreamInput!, _ inputArgument: UnsafeMutableRawPointer!, _ output: StreamOutput!,
  _ outputArgument: UnsafeMutableRawPointer!
) -> Int32 {
  resultCode { () throws(SQLError) in
    try Changeset.invert(
      try Streams.reader(input, inputArgument), chunkSize: Streams.currentChunkSize,
      try Streams.output(output, outputArgument))
  }
}
