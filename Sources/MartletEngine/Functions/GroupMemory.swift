/// What an aggregate of the application keeps for one group, as C's functions have it
/// (`sqlite3_aggregate_context`): zeroed memory, whose address is in the accumulator.
///
///     | next | previous | function | unused | contents …
///
/// What has not ended is in a list, so that the end of the statement finds it.
struct GroupMemory {
  struct Header {
    var next: GroupMemory?
    var previous: UnsafeMutablePointer<Header>?
    unowned(unsafe) let function: AggregateFunction
  }

  let header: UnsafeMutablePointer<Header>

  /// A multiple of 16, for the alignment of what follows.
  private static let headerSize = 32
  /// Programs that ask for the size of a pointer in place of what it points to work with SQLite,
  /// whose smallest pieces of memory are larger.
  private static let smallestContents = 32

  private init(_ header: UnsafeMutablePointer<Header>) { self.header = header }

  /// That of an accumulator; nil before its group has any.
  @inline(__always)
  init?(_ accumulator: borrowing Register) {
    guard accumulator.tag == .integer,
      let header = UnsafeMutablePointer<Header>(
        bitPattern: Int(truncatingIfNeeded: accumulator.integer))
    else { return nil }
    self.header = header
  }

  var contents: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(header) + GroupMemory.headerSize
  }

  /// Memory of a new group, in front of the list.
  static func make(
    _ byteCount: Int, _ function: AggregateFunction, before next: GroupMemory?
  ) throws(SQLError) -> GroupMemory {
    let memory = try Memory.allocateZeroed(
      headerSize + max(byteCount, smallestContents))
    let header = memory.bindMemory(to: Header.self, capacity: 1)
    header.initialize(to: Header(next: next, previous: nil, function: function))
    next?.header.pointee.previous = header
    return GroupMemory(header)
  }

  /// Takes the memory out of the list and frees it.
  func free() {
    header.pointee.next?.header.pointee.previous = header.pointee.previous
    header.pointee.previous?.pointee.next = header.pointee.next
    Memory.free(header)
  }
}

/// What a function of the application has kept for an argument, and how it ends.
struct PlainAuxiliary {
  /// nil for data that all calls of the statement share.
  let site: CallMemory.Site?
  let argument: Int
  let pointer: UnsafeMutableRawPointer?
  let destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  @inline(__always)
  func isAt(_ argument: Int, at site: CallMemory.Site?) -> Bool {
    self.argument == argument && (argument < 0 || self.site == site)
  }

  func end() { destroy?(pointer) }
}
