// Rows that are deleted from a contentless table (fts5 §6.5): their rowids are put into hash tables
// beside the segments that have them, of which `TombstoneReader` has the format.
import MartletEngine

extension FTS5Index {
  /// Marks a row as deleted in the segments of its origin.
  func deleteContentless(_ rowid: Int64, origin: UInt64) throws(SQLError) {
    try beginRow(rowid, isDelete: true)
    var structure = try structure()
    var isCounted = false
    for level in structure.levels.indices.reversed() {
      for position in structure.levels[level].segments.indices.reversed() {
        let segment = structure.levels[level].segments[position]
        guard (segment.oldestOrigin...max(segment.newestOrigin, segment.oldestOrigin))
          .contains(origin)
        else { continue }
        if !isCounted {
          structure.levels[level].segments[position].tombstoneCount &+= 1
          isCounted = true
        }
        contentlessDeleteCount += 1
        let pageCount = try addTombstone(rowid, structure.levels[level].segments[position])
        try keep(structure)
        guard let pageCount else { continue }
        structure.levels[level].segments[position].tombstonePageCount = pageCount
        try write(structure)
        try keep(structure)
      }
    }
  }

  /// Adds a rowid to the tombstones of a segment.
  ///
  /// - Returns: How many pages there are now, where they were made anew.
  private func addTombstone(_ rowid: Int64, _ segment: IndexSegment) throws(SQLError) -> Int? {
    let key = UInt64(bitPattern: rowid), pageCount = segment.tombstonePageCount
    var known: IndexPage?
    if pageCount > 0 {
      let row = IndexFormat.tombstoneRow(segment.id, page: Int(key % UInt64(pageCount)))
      let page = try readTombstones(row)
      let tombstones = Tombstones(page.bytes, page.count)
      if tombstones.insert(key, pageCount: pageCount, isForced: false) {
        try tables.write(row, page.buffer)
        return nil
      }
      known = page
    }
    var keySize = known.map { Tombstones($0.bytes, $0.count).keySize } ?? 4
    if key > UInt64(UInt32.max) { keySize = 8 }
    let pages = try rebuild(segment, known, keySize: keySize)
    let own = pages[Int(key % UInt64(pages.count))]
    _ = Tombstones(own.bytes, own.count)
      .insert(key, pageCount: pages.count, isForced: true)
    for (number, page) in pages.enumerated() {
      try tables.write(IndexFormat.tombstoneRow(segment.id, page: number), page.buffer)
    }
    return pages.count
  }

  private func readTombstones(_ row: Int64) throws(SQLError) -> IndexPage {
    guard let page = try tables.read(row), page.count >= Tombstones.headerSize + 8 else {
      throw corruptBlock(row)
    }
    return page
  }

  /// Puts the tombstones of a segment into more room.
  private func rebuild(
    _ segment: IndexSegment, _ known: IndexPage?, keySize: Int
  ) throws(SQLError) -> [IndexPage] {
    let fewestSlots = 32
    let slotsPerPage = max(fewestSlots, (settings.pageSize - Tombstones.headerSize) / keySize)
    var slotCount = fewestSlots, pageCount = 1
    if segment.tombstonePageCount == 1, let known {
      slotCount = max(Tombstones(known.bytes, known.count).count * 4, fewestSlots)
      if slotCount > slotsPerPage { pageCount = 0 }
    } else if segment.tombstonePageCount > 0 {
      pageCount = 0
    }
    if pageCount == 0 {
      pageCount = segment.tombstonePageCount * 2 + 1
      slotCount = slotsPerPage
    }
    while true {
      guard pageCount <= 1 << 20 else { throw corruptIndex }
      let pages = try Tombstones.makePages(pageCount, slotCount, keySize)
      if try rehash(segment, into: pages) { return pages }
      slotCount = slotsPerPage
      pageCount = pageCount * 2 + 1
    }
  }

  /// - Returns: false where there is not enough room.
  private func rehash(
    _ segment: IndexSegment, into pages: [IndexPage]
  ) throws(SQLError) -> Bool {
    for number in 0..<segment.tombstonePageCount {
      let old = try readTombstones(IndexFormat.tombstoneRow(segment.id, page: number))
      let tombstones = Tombstones(old.bytes, old.count)
      for index in 0..<tombstones.slotCount {
        let key = tombstones.slot(index)
        guard key != 0 else { continue }
        let page = pages[Int(key % UInt64(pages.count))]
        let target = Tombstones(page.bytes, page.count)
        if !target.insert(key, pageCount: pages.count, isForced: false) { return false }
      }
      if number == 0 { pages[0].bytes[1] = old.bytes[1] }
    }
    return true
  }

  /// Writes the cookie of the configuration into the structure record.
  func writeCookie(_ cookie: Int) throws(SQLError) {
    let blob = try configuration.connection.openBlob(
      table: tables.table + "_data", column: "block", rowID: IndexFormat.structureRow,
      database: tables.database, isWritable: true)
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: cookie >> $0) }
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(SQLError) in try blob.write(buffer, at: 0) }
    }.get()
    try blob.close()
  }
}
