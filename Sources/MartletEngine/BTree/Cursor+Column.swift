// Reading the current entry.
//
//     table leaf cell       | payload size varint | rowid varint | payload |
//     index leaf cell       | payload size varint | payload |
//     index interior cell   | left child u32 | payload size varint | payload |
//
// A cell begins inside its page; that it also ends there is checked once, when it is parsed. From
// then on the local payload is read in place.

extension Cursor {
  /// Parses the cell of the current entry. The record's header is left alone.
  @inline(__always)
  func parseCell() throws(SQLError) {
    var position = cell(at: cellIndex) + cellPrefixSize
    let size = Varint.read(at: position)
    position += size.byteCount
    if isTable {
      let rowid = Varint.read(at: position)
      position += rowid.byteCount
      cellRowid = Int64(bitPattern: rowid.value)
    }
    let decoder = self.decoder
    let byteCount = Int(truncatingIfNeeded: size.value)
    guard UInt(bitPattern: byteCount) <= UInt(bitPattern: maximumLocalSize),
      position + byteCount <= dataEnd
    else { return try parseUnusualCell(position, size.value) }
    decoder.pointee.record = position
    decoder.pointee.recordSize = byteCount
    decoder.pointee.localSize = byteCount
    decoder.pointee.parsedCount = RecordDecoder.unopened
  }

  /// A cell with overflow, or one that is wrong.
  @inline(never)
  private func parseUnusualCell(
    _ position: UnsafePointer<UInt8>, _ size: UInt64
  ) throws(SQLError) {
    guard size <= UInt64(Int32.max) else { throw .corrupt("payload size") }
    let byteCount = Int(size)
    guard byteCount > maximumLocalSize else { throw .corrupt("cell extends past the page") }
    let localSize = self.localSize(ofPayload: byteCount)
    guard position - data + localSize + 4 <= usableSize else {
      throw .corrupt("cell extends past the page")
    }
    overflowPages.removeAll()
    decoder.pointee.record = position
    decoder.pointee.recordSize = byteCount
    decoder.pointee.localSize = localSize
    decoder.pointee.parsedCount = RecordDecoder.unopened
  }

  /// Parses the cell unless it is parsed. The caller has made sure that there is an entry.
  @inline(__always)
  func requireCell() throws(SQLError) {
    if decoder.pointee.parsedCount < RecordDecoder.unopened { try parseMissingCell() }
  }

  @inline(never)
  private func parseMissingCell() throws(SQLError) {
    if needsRestore {
      guard try !restoreIsLost() else { throw SQLError(.abort) }
      if decoder.pointee.parsedCount >= RecordDecoder.unopened { return }
    }
    guard isValid else { throw .corrupt("cursor is on no entry") }
    try parseCell()
  }

  /// The rowid of the current entry of a table tree.
  @inline(__always)
  func rowid() throws(SQLError) -> Int64 {
    try requireCell()
    return cellRowid
  }

  /// Size of the current entry's record.
  func payloadSize() throws(SQLError) -> Int {
    try requireCell()
    return decoder.pointee.recordSize
  }
}

// MARK: Columns

extension Cursor {
  /// Reads column `index` of the current entry into a register. False, leaving the register alone,
  /// if the record has no such column: the row is older than the column and has its default.
  ///
  /// Text and blobs are borrowed from the page until the cursor moves; what overflows the page is
  /// copied. A null row gives NULL.
  @inline(__always)
  @discardableResult
  func column(
    _ index: Int, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    let decoder = self.decoder
    guard index < decoder.pointee.parsedCount else {
      return try parseAndRead(index, into: register)
    }
    let column = decoder.pointee.column(at: index)
    guard column.end <= decoder.pointee.localSize else {
      try readOverflowing(column, into: register)
      return true
    }
    RecordDecoder.decodeWithSlack(
      column.type, at: decoder.pointee.record + column.offset, into: register)
    return true
  }

  /// Reads a column that is not parsed. All that is unusual is left to `parseAndReadSlowly`.
  private func parseAndRead(
    _ index: Int, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    let decoder = self.decoder
    guard decoder.pointee.parsedCount >= 0 || beginEntry(),
      let column = decoder.pointee.parseShort(through: index),
      column.end <= decoder.pointee.localSize
    else { return try parseAndReadSlowly(index, into: register) }
    RecordDecoder.decodeWithSlack(
      column.type, at: decoder.pointee.record + column.offset, into: register)
    return true
  }

  /// Reads columns that are not parsed yet into registers behind each other, as long as nothing is
  /// unusual. Returns how many it has read.
  func columns(
    _ first: Int, _ count: Int, into registers: UnsafeMutablePointer<Register>
  ) -> Int {
    guard decoder.pointee.parsedCount >= 0 || beginEntry() else { return 0 }
    return decoder.pointee.readShort(first, count, into: registers)
  }

  @inline(never)
  private func parseAndReadSlowly(
    _ index: Int, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    if decoder.pointee.parsedCount < 0, try !openEntry() {
      register.pointee.setNull()
      return true
    }
    if index >= decoder.pointee.parsedCount {
      guard try decoder.pointee.parse(through: index) else { return false }
    }
    return try column(index, into: register)
  }

  /// Opens the record of a new entry, whose cell may be parsed, if the whole of it is on the page
  /// and nothing is unusual.
  @inline(__always)
  private func beginEntry() -> Bool {
    if decoder.pointee.parsedCount == RecordDecoder.unopened {
      return decoder.pointee.localSize == decoder.pointee.recordSize
        && decoder.pointee.beginShort(
          record: decoder.pointee.record, byteCount: decoder.pointee.recordSize)
    }
    guard decoder.pointee.parsedCount == Cursor.unparsed else { return false }
    var position = cell(at: cellIndex) + cellPrefixSize
    let size = Varint.read(at: position)
    position += size.byteCount
    if isTable {
      let rowid = Varint.read(at: position)
      position += rowid.byteCount
      cellRowid = Int64(bitPattern: rowid.value)
    }
    let byteCount = Int(truncatingIfNeeded: size.value)
    guard UInt(bitPattern: byteCount) <= UInt(bitPattern: maximumLocalSize),
      position + byteCount <= dataEnd
    else { return false }
    return decoder.pointee.beginShort(record: position, byteCount: byteCount)
  }

  /// Parses the cell and opens the record, the long way. False if the cursor stands for a row of
  /// NULLs.
  @inline(never)
  private func openEntry() throws(SQLError) -> Bool {
    if isNullRow { return false }
    if needsRestore, try restoreIsLost() { return false }
    try requireCell()
    if try !decoder.pointee.openHeader() { try copyHeader() }
    return true
  }

  /// Copies a record header that goes on in overflow pages, to be parsed there.
  @inline(never)
  private func copyHeader() throws(SQLError) {
    let size = try decoder.pointee.declaredHeaderSize().value
    let copy = try reserveScratch(size)
    try copyPayload(payload, offset: 0, byteCount: size, to: copy)
    try decoder.pointee.openHeader(copiedTo: copy)
  }

  /// Reads a column whose content is not on the page as a whole.
  @inline(never)
  private func readOverflowing(
    _ column: RecordDecoder.Column, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let byteCount = column.end - column.offset
    if column.type >= SerialType.firstBlob {
      let tag: StorageClass = column.type & 1 == 0 ? .blob : .text
      return try copyContent(
        offset: column.offset, byteCount: byteCount, as: tag, into: register)
    }
    var word: (UInt64, UInt64) = (0, 0)
    try withUnsafeMutableBytes(of: &word) { bytes throws(SQLError) in
      let start = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
      try copyPayload(payload, offset: column.offset, byteCount: byteCount, to: start)
      RecordDecoder.decodeWithSlack(column.type, at: start, into: register)
    }
  }

  /// Serial type of a column, for `typeof` and `length`, which need no content. Nil if the record
  /// has no such column; NULL's type for a null row.
  func serialType(ofColumn index: Int) throws(SQLError) -> UInt32? {
    let decoder = self.decoder
    if decoder.pointee.parsedCount < 0, try !openEntry() { return SerialType.null }
    return try decoder.pointee.serialType(index)
  }

  /// The rowid that ends the current entry of an index tree (SQLite's IdxRowid).
  func indexRowid() throws(SQLError) -> Int64 {
    try requireCell()
    let size = decoder.pointee.recordSize
    let record =
      decoder.pointee.localSize == size ? decoder.pointee.record : try wholePayload()
    guard let header = Varint.read(at: record, end: record + size), header.value >= 3,
      header.value <= UInt64(size)
    else { throw .corrupt("index record header size") }
    // Integer types take one byte, so the last byte of the header is the rowid's type.
    let type = UInt32(record[Int(header.value) - 1])
    guard type &- 1 < 9, type != SerialType.real else { throw .corrupt("rowid of index entry") }
    if type >= SerialType.zero { return Int64(type & 1) }
    let byteCount = SerialType.byteCount(of: type)
    guard Int(header.value) + byteCount <= size else { throw .corrupt("rowid of index entry") }
    return SerialType.integer(type, at: record + size - byteCount)
  }
}
