/// The bytes of a database file, read with knowledge of the format (fileformat2 §1), not with
/// trust.
struct DatabaseImage {
  var bytes: [UInt8]
  var journal: [UInt8]?
  /// The write-ahead log.
  var log: [UInt8]?
  /// The index of the log, which nobody has open.
  var index: [UInt8]?
  let pageSize: Int

  init(bytes: [UInt8], journal: [UInt8]?, log: [UInt8]? = nil, index: [UInt8]? = nil) {
    self.bytes = bytes
    self.journal = journal
    self.log = log
    self.index = index
    let stored = bytes.count > 17 ? Int(bytes[16]) << 8 | Int(bytes[17]) : 4_096
    pageSize = stored == 1 ? 65_536 : stored
  }

  var pageCount: Int { bytes.count / pageSize }

  func pageStart(_ page: Int) -> Int { (page - 1) * pageSize }

  func number(at offset: Int, _ width: Int) -> Int {
    guard offset >= 0, offset + width <= bytes.count else { return 0 }
    return bytes[offset..<offset + width].reduce(0) { $0 << 8 | Int($1) }
  }

  mutating func put(_ value: Int, at offset: Int, _ width: Int) {
    for position in 0..<width where bytes.indices.contains(offset + position) {
      bytes[offset + position] = UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - position)))
    }
  }

  /// How many bytes the varint at `offset` takes.
  func varintLength(at offset: Int) -> Int {
    var length = 1
    while length < 9, offset + length <= bytes.count, bytes[offset + length - 1] & 0x80 != 0 {
      length += 1
    }
    return length
  }

  /// Pages that look like B-tree pages.
  var treePages: [TreePage] {
    (1...max(pageCount, 1)).compactMap { TreePage(self, $0) }
  }
}

/// Where the parts of a B-tree page stand (fileformat2 §1.6).
struct TreePage {
  let number: Int
  /// The offset of the page header in the file.
  let header: Int
  let start: Int
  let kind: UInt8
  let cellCount: Int

  init?(_ image: DatabaseImage, _ page: Int) {
    start = image.pageStart(page)
    header = start + (page == 1 ? 100 : 0)
    guard image.bytes.indices.contains(header) else { return nil }
    kind = image.bytes[header]
    guard [2, 5, 10, 13].contains(kind) else { return nil }
    number = page
    cellCount = image.number(at: header + 3, 2)
    guard cellCount < image.pageSize / 4 else { return nil }
  }

  var isInterior: Bool { kind == 2 || kind == 5 }

  func pointerOffset(_ cell: Int) -> Int { header + (isInterior ? 12 : 8) + 2 * cell }

  func cellOffset(_ cell: Int, _ image: DatabaseImage) -> Int {
    start + image.number(at: pointerOffset(cell), 2)
  }

  /// Where the cell's record begins: behind child, payload size and rowid.
  func recordOffset(_ cell: Int, _ image: DatabaseImage) -> Int {
    var offset = cellOffset(cell, image) + (kind == 2 ? 4 : 0)
    offset += image.varintLength(at: offset)
    if kind == 13 { offset += image.varintLength(at: offset) }
    return offset
  }
}
