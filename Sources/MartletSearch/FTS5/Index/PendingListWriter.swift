import MartletEngine

/// Writes the doclist of a pending term that does not fit its page.
struct PendingListWriter {
  private let writer: EntryWriter
  private let detail: Detail

  init(_ writer: EntryWriter, _ detail: Detail) {
    self.writer = writer
    self.detail = detail
  }

  func write(_ list: GrowingBytes) throws(SQLError) {
    var offset = 0
    var rowid: Int64 = 0, previous: Int64 = 0
    while offset < list.count {
      var distance: UInt64 = 0
      offset += Varint.read(list.start + offset, &distance)
      rowid = rowid &+ Int64(bitPattern: distance)
      try write(rowid, behind: previous)
      previous = rowid
      if detail == .none {
        offset += try writeDeletion(list.start + offset, list.count - offset)
      } else {
        offset += try writePositions(list.start + offset)
      }
    }
  }

  func write(_ rowid: Int64, behind previous: Int64) throws(SQLError) {
    guard writer.isFirstRowidInPage else {
      return try writer.page.append(varint: UInt64(bitPattern: rowid &- previous))
    }
    let offset = writer.page.count
    try writer.page.append(varint: UInt64(bitPattern: rowid))
    writer.page.putUInt16(offset, at: 0)
    writer.isFirstRowidInPage = false
    try writer.appendToDoclistIndex(rowid)
  }

  /// The zeros behind a rowid; returns how many there are.
  func writeDeletion(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws(SQLError) -> Int {
    var zeroCount = 0
    while zeroCount < min(2, count) && bytes[zeroCount] == 0 {
      try writer.page.append(0)
      zeroCount += 1
    }
    if writer.pageCount >= writer.pageSize { try writer.flushPage() }
    return zeroCount
  }

  /// A position list with its size in front; returns how many bytes that was.
  func writePositions(_ bytes: UnsafePointer<UInt8>) throws(SQLError) -> Int {
    var size = 0
    let sizeSize = Varint.readSmall(bytes, &size)
    let count = sizeSize + size >> 1
    try write(positions: bytes, count)
    return count
  }

  func write(positions bytes: UnsafePointer<UInt8>, _ count: Int) throws(SQLError) {
    if writer.pageCount + count <= writer.pageSize {
      return try writer.page.append(bytes, count)
    }
    var written = 0
    while written < count {
      let room = writer.pageSize - writer.pageCount
      var piece = count - written
      if piece > room { piece = PendingListWriter.wholeVarints(bytes + written, piece, room) }
      try writer.page.append(bytes + written, piece)
      written += piece
      if writer.pageCount >= writer.pageSize { try writer.flushPage() }
    }
  }

  /// At least one varint, and as many as there is room for.
  private static func wholeVarints(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ room: Int
  ) -> Int {
    var value: UInt64 = 0
    var taken = Varint.read(bytes, &value)
    while taken < room {
      let size = Varint.read(bytes + taken, &value)
      if taken + size > room { break }
      taken += size
    }
    return min(taken, count)
  }
}
