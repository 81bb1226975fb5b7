import MartletEngine

/// The rows of several doclists of a term as one: of equal docids what the newest list says.
///
/// The list whose turn it is goes on alone as long as all others come later. The rows that segments
/// have of a term are mostly apart, so that each list has one turn.
final class DoclistMerger {
  /// The newest first.
  @exclusivity(unchecked) private var lists: UnsafeMutablePointer<DoclistReader>?
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var capacity = 0
  /// The list that has the row; none at the end.
  @exclusivity(unchecked) private var current = -1
  /// Docids that are less come before those of all other lists.
  @exclusivity(unchecked) private var bound = Int64.max
  @exclusivity(unchecked) private(set) var isDescending = false
  /// Docids with these bits turned rise.
  @exclusivity(unchecked) private var mask: Int64 = 0

  deinit {
    lists?.deinitialize(count: count)
    MemoryUse.free(lists)
  }

  /// Takes all lists away; others come.
  func clear(isDescending: Bool) {
    lists?.deinitialize(count: count)
    count = 0
    current = -1
    self.isDescending = isDescending
    mask = isDescending ? -1 : 0
  }

  /// Adds a list that is older than those before.
  func add(_ doclist: Doclist) throws(SQLError) {
    try add(DoclistReader(doclist, isDescending: isDescending))
  }

  private func add(_ reader: DoclistReader) throws(SQLError) {
    if count == capacity { try grow() }
    (lists.unsafelyUnwrapped + count).initialize(to: reader)
    count += 1
  }

  private func grow() throws(SQLError) {
    let newCapacity = max(2 * capacity, 4)
    guard let memory = MemoryUse.allocate(newCapacity * MemoryLayout<DoclistReader>.stride) else {
      throw SQLError(.outOfMemory)
    }
    let larger = memory.bindMemory(to: DoclistReader.self, capacity: newCapacity)
    if let lists { larger.moveInitialize(from: lists, count: count) }
    MemoryUse.free(lists)
    lists = larger
    capacity = newCapacity
  }

  /// Finds the first row. All lists are there.
  func start() { select() }

  /// Goes back to the first row.
  func restart() {
    for index in 0..<count { lists?[index].restart() }
    select()
  }

  /// The same rows from the first on, for somebody else.
  func copy() throws(SQLError) -> DoclistMerger {
    let copy = DoclistMerger()
    copy.clear(isDescending: isDescending)
    for index in 0..<count {
      if let lists { try copy.add(lists[index]) }
    }
    copy.restart()
    return copy
  }

  // MARK: The current row

  var isAtEnd: Bool {
    @inline(__always) get { current < 0 }
  }

  @inline(__always)
  private var reader: UnsafeMutablePointer<DoclistReader> {
    assert(current >= 0 && current < count)
    return lists.unsafelyUnwrapped + current
  }

  var docid: Int64 {
    @inline(__always) get { reader.pointee.docid }
  }

  /// The position list, without the zero behind it; empty for a row that was deleted.
  var list: UnsafeBufferPointer<UInt8> {
    @inline(__always) get { reader.pointee.list }
  }

  @inline(__always)
  func advance() {
    let reader = reader
    reader.pointee.advance()
    if reader.pointee.isAtEnd || reader.pointee.docid ^ mask >= bound { select() }
  }

  /// Finds the list whose turn it is, and how far it may go. Older lists say nothing of its row.
  @inline(never)
  private func select() {
    current = -1
    bound = .max
    guard let lists else { return }
    var least = Int64.max
    for index in 0..<count where !lists[index].isAtEnd {
      let docid = lists[index].docid ^ mask
      if current < 0 || docid < least {
        current = index
        least = docid
      }
    }
    for index in 0..<count where index != current {
      let list = lists + index
      while !list.pointee.isAtEnd {
        let docid = list.pointee.docid ^ mask
        if docid != least {
          bound = min(bound, docid)
          break
        }
        list.pointee.advance()
      }
    }
  }

  // MARK: All rows

  /// Writes all rows, those of a turn together.
  ///
  /// - Parameter withEmpty: Also those that were deleted.
  func write(to writer: inout DoclistWriter, withEmpty: Bool) throws(SQLError) {
    while !isAtEnd {
      let reader = reader, docid = docid
      if !withEmpty && list.isEmpty {
        advance()
        continue
      }
      let run = reader.pointee.run(before: bound, mask: mask, withEmpty: withEmpty)
      try writer.add(docid, run)
      if reader.pointee.isAtEnd || reader.pointee.docid ^ mask >= bound { select() }
    }
  }
}
