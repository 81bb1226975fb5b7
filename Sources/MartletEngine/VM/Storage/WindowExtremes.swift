/// min() or max() over a frame whose start moves.
///
/// Only rows that no later row outdoes are kept, so that the values of the rows kept get worse from
/// the oldest to the newest: the oldest is the result. Of equal values that is the newest row's.
final class WindowExtremes {
  private struct Entry {
    let number: Int
    let tag: StorageClass
    /// The value where it is a number; other values are read from the rows.
    let bits: UInt64
  }

  private let isMaximum: Bool
  private let column: Int
  private let rows: RowSequence
  private let reader: SequenceReader
  private let valuesOffset: Int
  /// A ring: `count` entries from `first` on.
  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private var first = 0
  private var count = 0

  init(isMaximum: Bool, column: Int, _ rows: RowSequence) {
    self.isMaximum = isMaximum
    self.column = column
    self.rows = rows
    reader = SequenceReader(rows)
    valuesOffset = StoredRow.valuesOffset(rows.columnCount)
  }

  deinit { Memory.free(entries) }

  /// The number of the row that has the result.
  var best: Int? {
    guard count > 0, let entries else { return nil }
    return entries[first].number
  }

  func removeAll() {
    first = 0
    count = 0
    reader.reset()
  }

  /// Takes a row in. NULLs do not count.
  func insert(
    _ row: UnsafeRawPointer, number: Int, _ call: AggregateCall, _ encoding: TextEncoding
  ) throws(SQLError) {
    var value = Register()
    StoredRow.read(column, of: row, valuesOffset: valuesOffset, into: &value)
    if value.isNull { return }
    while count > 0, try isOutdone(by: &value, call, encoding) { count -= 1 }
    try reserve()
    guard let entries else { return }
    (entries + place(count)).initialize(
      to: Entry(number: number, tag: value.tag, bits: value.bits))
    count += 1
  }

  /// The oldest row leaves the frame.
  func remove(_ number: Int) {
    guard best == number else { return }
    first = place(1)
    count -= 1
  }

  private func place(_ index: Int) -> Int {
    let place = first + index
    return place >= capacity ? place - capacity : place
  }

  /// The newest entry can never be the result again.
  private func isOutdone(
    by value: inout Register, _ call: AggregateCall, _ encoding: TextEncoding
  ) throws(SQLError) -> Bool {
    guard let entries else { return false }
    let last = entries[place(count - 1)]
    var known = Register()
    if last.tag == .text || last.tag == .blob {
      guard let row = try reader.row(last.number) else { return true }
      StoredRow.read(column, of: row, valuesOffset: valuesOffset, into: &known)
    } else {
      known.tag = last.tag
      known.bits = last.bits
    }
    let order = try Comparison.compare(&known, &value, call.collation, encoding)
    return isMaximum ? order <= 0 : order >= 0
  }

  private func reserve() throws(SQLError) {
    guard count == capacity else { return }
    let larger = max(16, 2 * capacity)
    let memory = try Memory.allocate(larger * MemoryLayout<Entry>.stride)
      .bindMemory(to: Entry.self, capacity: larger)
    for index in 0..<count {
      if let entries { (memory + index).initialize(to: entries[place(index)]) }
    }
    Memory.free(entries)
    entries = memory
    capacity = larger
    first = 0
  }
}
