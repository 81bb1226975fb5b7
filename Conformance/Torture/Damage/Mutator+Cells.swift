/// Mutations inside cells: sizes, children, records, overflow chains.
extension Mutator {
  /// A varint, mostly one that is too large for what it counts.
  private mutating func awkwardVarint() -> [UInt8] {
    random.pick([
      [0], [1], [2], [127], [0x81, 0], [0x81, 0x7f], [0x82, 0x10], [0xff, 0x7f],
      [0x83, 0xff, 0x7f], [0x87, 0xff, 0xff, 0xff, 0x7f], [0x88, 0x80, 0x80, 0x80, 0],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    ])
  }

  private mutating func putVarint(at offset: Int, _ what: String) {
    let bytes = awkwardVarint()
    for (index, byte) in bytes.enumerated() { image.put(Int(byte), at: offset + index, 1) }
    note("\(what): varint \(bytes)")
  }

  mutating func mutateCell() {
    guard let (page, cell) = anyCell() else { return }
    let offset = page.cellOffset(cell, image)
    let name = "page \(page.number) cell \(cell)"
    if page.isInterior, random.chance(60) {
      return put(awkward(4), at: offset, 4, "\(name) child")
    }
    let size = offset + (page.isInterior ? 4 : 0)
    if random.chance(60) {
      putVarint(at: size, "\(name) size")
    } else {
      putVarint(at: size + image.varintLength(at: size), "\(name) rowid")
    }
  }

  mutating func mutateRecord() {
    guard let (page, cell) = anyCell(), page.kind != 5 else { return }
    let offset = page.recordOffset(cell, image)
    let name = "page \(page.number) cell \(cell)"
    switch random.below(3) {
    case 0: putVarint(at: offset, "\(name) header size")
    case 1:
      let type = random.pick([0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 25, 126, 127])
      put(type, at: offset + 1 + random.below(5), 1, "\(name) serial type")
    default: putVarint(at: offset + 1 + random.below(4), "\(name) serial type")
    }
  }

  mutating func mutateOverflow() {
    // A page that is no tree page and begins with a page number may be one of a chain.
    let trees = Set(image.treePages.map(\.number))
    let chained = (2...max(image.pageCount, 2)).filter { page in
      let next = image.number(at: image.pageStart(page), 4)
      return !trees.contains(page) && next <= image.pageCount
    }
    guard !chained.isEmpty else { return }
    let page = random.pick(chained)
    let value = random.pick([0, page, 1, random.pick(chained), awkward(4), image.pageCount + 5])
    put(value, at: image.pageStart(page), 4, "page \(page) next of chain")
  }

  mutating func mutateFreeBlock() {
    guard let page = anyTreePage() else { return }
    let first = image.number(at: page.header + 1, 2)
    guard first > 0, random.chance(70) else {
      return put(awkward(2), at: page.header + 1, 2, "page \(page.number) first free block")
    }
    let field = random.pick([0, 2])
    put(
      awkward(2), at: page.start + first + field, 2, "page \(page.number) free block field \(field)"
    )
  }

  mutating func mutateSchema() {
    // Page 1 holds the schema of a small database; its texts begin with CREATE.
    let end = min(image.pageSize, image.bytes.count)
    guard end > 120 else { return }
    let area = 100..<end
    let word = random.pick([
      "CREATE", "TABLE", "INDEX", "(", ",", "PRIMARY", "sqlite_autoindex", "t",
    ])
    let pattern = Array(word.utf8)
    let places = area.dropLast(pattern.count).filter {
      Array(image.bytes[$0..<$0 + pattern.count]) == pattern
    }
    guard !places.isEmpty else { return }
    let offset = random.pick(places) + random.below(pattern.count)
    let byte = random.pick(Array("()\u{0},'\"xXtT1 ;-/*A".utf8) + [0xff, 0x80])
    put(Int(byte), at: offset, 1, "schema text at \(offset)")
  }
}
