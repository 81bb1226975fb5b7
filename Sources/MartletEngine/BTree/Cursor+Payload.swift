// Payload that does not fit its page (fileformat2 §1.6).
//
//     cell      | … | local payload | first overflow page u32 |
//     overflow  | next page u32, 0 at the end | payload |
//
// A chain is followed only as far as the payload's size says, and that is bounded by the size of
// the file, so a chain that returns to itself ends too. Numbers of pages are kept while the cursor
// is on the entry: who changes the chain saves the cursor first, and a blob that is overwritten
// keeps it.

/// Where an entry's payload is: `localSize` bytes at `start`, the rest in overflow pages.
struct Payload {
  let start: UnsafePointer<UInt8>
  let byteCount: Int
  let localSize: Int
}

extension Cursor {
  /// How many bytes of a payload that is too large for the page are stored on it nevertheless.
  @inline(__always)
  func localSize(ofPayload byteCount: Int) -> Int {
    let minimum = Int(path[depth].page.pointee.tree.minimumLocalSize)
    let size = minimum &+ (byteCount &- minimum) % (usableSize &- 4)
    return size <= maximumLocalSize ? size : minimum
  }

  /// The payload of the current entry, which must be parsed.
  var payload: Payload {
    Payload(
      start: decoder.pointee.record, byteCount: decoder.pointee.recordSize,
      localSize: decoder.pointee.localSize)
  }

  /// Copies a part of a payload.
  func copyPayload(
    _ payload: Payload, offset: Int, byteCount: Int, to target: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    guard offset >= 0, byteCount >= 0, offset <= payload.byteCount - byteCount else {
      throw .corrupt("read past the end of the payload")
    }
    var target = target, offset = offset, remaining = byteCount
    if offset < payload.localSize {
      let localCount = min(remaining, payload.localSize - offset)
      Memory.copy(from: payload.start + offset, to: target, localCount)
      target += localCount
      offset += localCount
      remaining -= localCount
    }
    if remaining > 0 {
      let first = (payload.start + payload.localSize).bigEndianUInt32()
      try copyOverflow(
        from: PageNumber(first), offset: offset - payload.localSize, byteCount: remaining,
        to: target)
    }
  }

  /// Copies from the chain that begins at `first`; `offset` counts the chain's bytes.
  private func copyOverflow(
    from first: PageNumber, offset: Int, byteCount: Int, to target: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    let bytesPerPage = usableSize - 4
    var index = offset / bytesPerPage
    var target = target, start = offset - index * bytesPerPage, remaining = byteCount
    var number = try overflowPage(index, first: first)
    while true {
      let page = try tree.rawPage(number)
      let bytes = UnsafePointer(page.pointee.data)
      let count = min(remaining, bytesPerPage - start)
      Memory.copy(from: bytes + 4 + start, to: target, count)
      number = PageNumber(bytes.bigEndianUInt32())
      pager.unpin(page)
      remaining -= count
      if remaining == 0 { return }
      target += count
      start = 0
      index += 1
      if index == overflowPages.count { try overflowPages.append(number) }
    }
  }

  /// The number of the current entry's overflow page at `wanted`. The chain is followed from the
  /// last page that is known, so that parts of a large value are found without reading those
  /// before.
  func overflowPage(_ wanted: Int, first: PageNumber) throws(SQLError) -> PageNumber {
    if overflowPages.count == 0 { try overflowPages.append(first) }
    while overflowPages.count <= wanted {
      let page = try tree.rawPage(overflowPages[overflowPages.count - 1])
      let next = PageNumber(UnsafePointer(page.pointee.data).bigEndianUInt32())
      pager.unpin(page)
      try overflowPages.append(next)
    }
    return overflowPages[wanted]
  }

  /// The scratch buffer with room for `byteCount` bytes and the slack of key comparison.
  func reserveScratch(_ byteCount: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    // A damaged size must not ask for more memory than the file could fill.
    guard UInt64(byteCount) <= UInt64(pager.pageCount) &* UInt64(pager.pageSize) else {
      throw .corrupt("payload is larger than the file")
    }
    let needed = byteCount + Varint.maximumByteCount
    if needed > scratchCapacity {
      let capacity = max(needed, 512)
      Memory.free(scratch)
      scratch = nil
      scratchCapacity = 0
      scratch = try Memory.allocateZeroed(capacity).assumingMemoryBound(to: UInt8.self)
      scratchCapacity = capacity
    }
    return scratch.unsafelyUnwrapped
  }

  /// The current entry's payload as a whole, copied if it overflows. It stays until the next use of
  /// the cursor.
  func wholePayload() throws(SQLError) -> UnsafePointer<UInt8> {
    try requireCell()
    let payload = self.payload
    if payload.localSize == payload.byteCount { return payload.start }
    // A header that was copied to the scratch buffer is read again when a column is asked for.
    decoder.pointee.parsedCount = RecordDecoder.unopened
    let copy = try reserveScratch(payload.byteCount)
    try copyPayload(payload, offset: 0, byteCount: payload.byteCount, to: copy)
    return UnsafePointer(copy)
  }

  /// Copies a part of the current entry's payload (incremental blob reading).
  func readPayload(
    offset: Int, byteCount: Int, to target: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    try requireCell()
    try copyPayload(payload, offset: offset, byteCount: byteCount, to: target)
  }

  /// Puts the whole record of the current entry into a register as a blob: borrowed from the page,
  /// or copied if it overflows.
  func rowData(into register: UnsafeMutablePointer<Register>) throws(SQLError) {
    try requireCell()
    let payload = self.payload
    if payload.localSize == payload.byteCount {
      return register.pointee.setBorrowed(.blob, payload.start, payload.byteCount)
    }
    try copyContent(offset: 0, byteCount: payload.byteCount, as: .blob, into: register)
  }

  /// Copies a part of the payload into a register's own buffer, with zero bytes behind it: C's
  /// programs read it where it is.
  @inline(never)
  func copyContent(
    offset: Int, byteCount: Int, as tag: StorageClass, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    guard UInt64(byteCount) <= UInt64(pager.pageCount) &* UInt64(pager.pageSize) else {
      throw .corrupt("payload is larger than the file")
    }
    let buffer = try register.pointee.reserveBuffer(byteCount + Register.terminatorSize)
    register.pointee.setNull()
    try copyPayload(payload, offset: offset, byteCount: byteCount, to: buffer)
    (buffer + byteCount).update(repeating: 0, count: Register.terminatorSize)
    register.pointee.adoptBuffer(tag, byteCount)
  }
}
