// Applying changesets (session, sqlite3changeset_apply and its kin).
import CSQLite3
import MartletEngine
import MartletSession

public typealias TableFilter =
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
public typealias ChangeFilter = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Int32
public typealias ConflictFunction =
  @convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32

/// What a program gives besides the changeset.
private struct ApplyCall {
  let database: OpaquePointer?
  var tables: TableFilter?
  var changes: ChangeFilter?
  let conflict: ConflictFunction?
  let argument: UnsafeMutableRawPointer?
  var rebaseMemory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  var rebaseCount: UnsafeMutablePointer<Int32>?
  var flags: Int32 = 0

  func run(
    _ reader: (_ inverts: Bool) throws(SQLError) -> ChangesetReader
  ) -> Int32 {
    let rebase = BlobResult(rebaseCount, rebaseMemory)
    guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
    return handle.conclude { connection throws(SQLError) in
      let options = ApplyOptions(rawValue: flags)
      let reader = try reader(options.contains(.invert))
      guard let iterator = IteratorHandle.make(reader, isLent: true) else {
        throw SQLError(.outOfMemory)
      }
      defer { iterator.destroy() }
      let information = try Changeset.apply(
        reader, to: connection, options, filter: filter(iterator),
        warn: { Library.log(.schema, $0) },
        onConflict: { (met) throws(SQLError) in try ask(met, iterator) })
      if let information, let rebase { try rebase.give(information.bytes) }
    }
  }

  private func filter(_ iterator: IteratorHandle) -> ApplyFilter {
    let argument = argument
    if let tables {
      return .tables { table in table.withFileName { tables(argument, $0) } != 0 }
    }
    guard let changes else { return .all }
    return .changes { reader in
      iterator.show(reader)
      return changes(argument, iterator.opaque) != 0
    }
  }

  private func ask(
    _ met: Conflict, _ iterator: IteratorHandle
  ) throws(SQLError) -> ConflictResolution {
    // C would call it.
    guard let conflict else { throw SQLError(.misuse) }
    iterator.show(met.reader, met)
    defer { iterator.forgetChange() }
    let answer = conflict(argument, met.kind.rawValue, iterator.opaque)
    guard let resolution = ConflictResolution(rawValue: answer) else {
      // Of violated foreign keys only one answer has a meaning.
      throw SQLError(met.kind == .foreignKey ? .constraint : .misuse)
    }
    return resolution
  }

  func run(_ memory: UnsafeRawPointer?, _ count: Int32) -> Int32 {
    run { (inverts) throws(SQLError) in
      try Streams.reader(memory, count, inverts: inverts, skipsEmptyUpdates: true)
    }
  }

  func run(_ input: StreamInput?, _ inputArgument: UnsafeMutableRawPointer?) -> Int32 {
    run { (inverts) throws(SQLError) in
      try Streams.reader(input, inputArgument, inverts: inverts, skipsEmptyUpdates: true)
    }
  }
}

@c @implementation
public func sqlite3changeset_apply(
  _ database: OpaquePointer!, _ count: Int32, _ memory: UnsafeMutableRawPointer!,
  _ filter: TableFilter!, _ conflict: ConflictFunction!, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  ApplyCall(database: database, tables: filter, conflict: conflict, argument: argument)
    .run(memory, count)
}

@c @implementation
public func sqlite3changeset_apply_v2(
  _ database: OpaquePointer!, _ count: Int32, _ memory: UnsafeMutableRawPointer!,
  _ filter: TableFilter!, _ conflict: ConflictFunction!, _ argument: UnsafeMutableRawPointer!,
  _ rebaseMemory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ rebaseCount: UnsafeMutablePointer<Int32>!, _ flags: Int32
) -> Int32 {
  ApplyCall(
    database: database, tables: filter, conflict: conflict, argument: argument,
    rebaseMemory: rebaseMemory, rebaseCount: rebaseCount, flags: flags
  ).run(memory, count)
}

@c @implementation
public func sqlite3changeset_apply_v3(
  _ database: OpaquePointer!, _ count: Int32, _ memory: UnsafeMutableRawPointer!,
  _ filter: ChangeFilter!, _ conflict: ConflictFunction!, _ argument: UnsafeMutableRawPointer!,
  _ rebaseMemory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ rebaseCount: UnsafeMutablePointer<Int32>!, _ flags: Int32
) -> Int32 {
  ApplyCall(
    database: database, changes: filter, conflict: conflict, argument: argument,
    rebaseMemory: rebaseMemory, rebaseCount: rebaseCount, flags: flags
  ).run(memory, count)
}

@c @implementation
public func sqlite3changeset_apply_strm(
  _ database: OpaquePointer!, _ input: StreamInput!, _ inputArgument: UnsafeMutableRawPointer!,
  _ filter: TableFilter!, _ conflict: ConflictFunction!, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  ApplyCall(database: database, tables: filter, conflict: conflict, argument: argument)
    .run(input, inputArgument)
}

@c @implementation
public func sqlite3changeset_apply_v2_strm(
  _ database: OpaquePointer!, _ input: StreamInput!, _ inputArgument: UnsafeMutableRawPointer!,
  _ filter: TableFilter!, _ conflict: ConflictFunction!, _ argument: UnsafeMutableRawPointer!,
  _ rebaseMemory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ rebaseCount: UnsafeMutablePointer<Int32>!, _ flags: Int32
) -> Int32 {
  ApplyCall(
    database: database, tables: filter, conflict: conflict, argument: argument,
    rebaseMemory: rebaseMemory, rebaseCount: rebaseCount, flags: flags
  ).run(input, inputArgument)
}

@c @implementation
public func sqlite3changeset_apply_v3_strm(
  _ database: OpaquePointer!, _ input: StreamInput!, _ inputArgument: UnsafeMutableRawPointer!,
  _ filter: ChangeFilter!, _ conflict: ConflictFunction!, _ argument: UnsafeMutableRawPointer!,
  _ rebaseMemory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ rebaseCount: UnsafeMutablePointer<Int32>!, _ flags: Int32
) -> Int32 {
  ApplyCall(
    database: database, changes: filter, conflict: conflict, argument: argument,
    rebaseMemory: rebaseMemory, rebaseCount: rebaseCount, flags: flags
  ).run(input, inputArgument)
}
