import MartletEngine

/// A function of the current match of a full-text query (fts5 §5, §7.2).
public protocol AuxiliaryFunction: AnyObject {
  /// Sets the result, which is NULL at first.
  ///
  /// - Parameters:
  ///   - match: Valid for the call.
  ///   - arguments: Those behind the name of the table.
  func call(
    _ match: FTS5Cursor, _ arguments: [ValueReference], _ result: ResultPlace
  ) throws(SQLError)
}

/// An auxiliary function as SQL calls it, with the number of a cursor in front.
final class AuxiliaryCall: RawFunction, @unchecked Sendable {
  private let function: any AuxiliaryFunction
  private unowned let shared: FTS5Extension

  init(_ function: any AuxiliaryFunction, _ shared: FTS5Extension) {
    self.function = function
    self.shared = shared
  }

  override func call(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    guard invocation.pointee.count > 0 else { throw SQLError(.error) }
    let number = invocation.pointee.argument(0).int64
    guard let cursor = shared.cursor(number) else {
      throw SQLError(.error, "no such cursor: \(number)")
    }
    let arguments = (1..<invocation.pointee.count).map { invocation.pointee.argument($0) }
    try function.call(cursor, arguments, invocation.pointee.result)
  }
}

/// The function that `rank` stands for in a scan, with its arguments.
final class RankCall {
  let function: any AuxiliaryFunction
  private(set) var arguments: [ValueReference] = []
  private let result: ValueReference

  /// - Parameter choice: What `rank MATCH` said; nil for the table's own.
  init(_ table: FTS5Table, _ choice: RankFunction?) throws(SQLError) {
    let rank = choice ?? table.configuration.settings.rank
    guard let function = table.shared.function(named: rank.name) else {
      throw SQLError(.error, "no such function: \(rank.name)")
    }
    self.function = function
    result = try ValueReference.makeNull()
    guard !rank.arguments.isEmpty else { return }
    let statement = try table.configuration.connection.prepare("SELECT \(rank.arguments)")
    guard try statement.step() else { return }
    for index in 0..<statement.columnCount {
      if let value = statement.currentRow.value(index) { arguments.append(try value.copy()) }
    }
  }

  deinit {
    for value in arguments { value.deallocate() }
    result.deallocate()
  }

  /// The rank of the row, valid until the next call.
  func key(_ cursor: FTS5Cursor) throws(SQLError) -> ValueReference {
    let place = result.place
    place.setNull()
    try function.call(cursor, arguments, place)
    return result
  }
}
