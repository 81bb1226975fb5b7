// Values that virtual tables are given, where they are.

extension VirtualTableArguments {
  /// An argument, valid until the scan is over; nil if there is none at that position. That of a
  /// whole list has no meaning.
  public func reference(_ position: Int) -> ValueReference? {
    guard position >= 0, position < count else { return nil }
    return ValueReference(base + position, encoding: surroundings.encoding)
  }

  /// The list that an argument is, to be read while `filter` runs; nil for other arguments.
  public func list(_ position: Int) -> VirtualTableList? {
    guard position >= 0, position < 64, listArguments & (1 << UInt64(position)) != 0,
      let next = surroundings.nextInList
    else { return nil }
    return VirtualTableList(position: position, encoding: surroundings.encoding, next: next)
  }
}

/// All values of an IN, in order, and each once.
public struct VirtualTableList {
  let position: Int
  let encoding: TextEncoding
  let next: (Int, Bool) throws(SQLError) -> UnsafeMutablePointer<Register>?

  /// The next value, the first one if asked so; nil at the end. It is valid until the next call.
  public func next(restarting isFirst: Bool) throws(SQLError) -> ValueReference? {
    try next(position, isFirst).map { ValueReference($0, encoding: encoding) }
  }
}

@available(*, unavailable)
extension VirtualTableList: Sendable {}

extension VirtualTableChange {
  /// The rowids and all columns, one after the other, valid until the table returns: a row that is
  /// deleted has its rowid only (`argv` of `xUpdate`).
  public func reference(_ position: Int) -> ValueReference? {
    guard position >= 0, position < count else { return nil }
    return ValueReference(base + position, encoding: surroundings.encoding)
  }

  /// How many `reference` gives.
  public var referenceCount: Int { count }
}
