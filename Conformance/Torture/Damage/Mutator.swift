/// Damages a database where it hurts: each kind of mutation knows a structure of the format.
struct Mutator {
  var random: RandomSource
  var image: DatabaseImage
  /// What has been done, for the report.
  private(set) var notes: [String] = []

  init(_ image: DatabaseImage, seed: UInt64) {
    random = RandomSource(seed: seed)
    self.image = image
  }

  mutating func mutate() {
    for _ in 0..<random.pick([1, 1, 1, 2, 2, 3, 5]) {
      if image.journal != nil, random.chance(60) {
        mutateJournal()
      } else if image.log != nil, random.chance(70) {
        mutateLog()
      } else {
        mutateDatabase()
      }
    }
  }

  mutating func note(_ text: String) { notes.append(text) }

  private mutating func mutateDatabase() {
    switch random.below(100) {
    case 0..<8: mutateFileHeader()
    case 8..<22: mutatePageHeader()
    case 22..<34: mutateCellPointer()
    case 34..<50: mutateCell()
    case 50..<62: mutateRecord()
    case 62..<68: mutateFreeBlock()
    case 68..<75: mutateFreelist()
    case 75..<80: mutatePointerMap()
    case 80..<87: mutateOverflow()
    case 87..<92: mutateSchema()
    default: mutateBytes()
    }
  }

  /// A number that is likely to be wrong in an interesting way for a field of `width` bytes.
  mutating func awkward(_ width: Int) -> Int {
    let count = image.pageCount, size = image.pageSize
    let all = width >= 4 ? 0xffff_ffff : (1 << (8 * width)) - 1
    return random.pick([
      0, 1, 2, 3, 5, 7, 8, 12, 100, 127, 128, 255, all, all - 1, all / 2, all / 2 + 1, count,
      count + 1, count - 1, random.within(1...max(count, 1)), size, size - 1, size - 4, size / 2,
      random.below(size), random.below(size), Int(random.next() & UInt64(all)),
    ]) & all
  }

  mutating func anyTreePage() -> TreePage? {
    let pages = image.treePages
    return pages.isEmpty ? nil : random.pick(pages)
  }

  mutating func anyCell() -> (page: TreePage, cell: Int)? {
    guard let page = anyTreePage(), page.cellCount > 0 else { return nil }
    return (page, random.below(page.cellCount))
  }

  // MARK: Fields of headers

  private mutating func mutateFileHeader() {
    let fields: [(offset: Int, width: Int)] = [
      (0, 1), (15, 1), (16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (22, 1), (23, 1), (24, 4),
      (28, 4), (32, 4), (36, 4), (40, 4), (44, 4), (48, 4), (52, 4), (56, 4), (60, 4), (64, 4),
      (92, 4), (96, 4),
    ]
    let field = random.pick(fields)
    put(awkward(field.width), at: field.offset, field.width, "header field \(field.offset)")
  }

  private mutating func mutatePageHeader() {
    guard let page = anyTreePage() else { return }
    let fields: [(offset: Int, width: Int)] = [(0, 1), (1, 2), (3, 2), (5, 2), (7, 1), (8, 4)]
    let field = random.pick(fields)
    var value = awkward(field.width)
    if field.offset == 0 { value = random.pick([0, 1, 2, 5, 10, 13, 13, 10, 255]) }
    if field.offset == 3, random.chance(60) {
      value = page.cellCount + random.pick([-1, 1, 2, 10])
    }
    put(
      value, at: page.header + field.offset, field.width,
      "page \(page.number) field \(field.offset)")
  }

  private mutating func mutateCellPointer() {
    guard let (page, cell) = anyCell() else { return }
    let offset = page.pointerOffset(cell)
    let other = page.pointerOffset(random.below(page.cellCount))
    switch random.below(4) {
    case 0:
      let mine = image.number(at: offset, 2), theirs = image.number(at: other, 2)
      put(theirs, at: offset, 2, "page \(page.number) pointers swapped")
      image.put(mine, at: other, 2)
    case 1: put(image.number(at: other, 2), at: offset, 2, "page \(page.number) pointer doubled")
    case 2:
      let shifted = image.number(at: offset, 2) + random.pick([-3, -1, 1, 2, 4])
      put(shifted, at: offset, 2, "page \(page.number) pointer \(cell) shifted")
    default: put(awkward(2), at: offset, 2, "page \(page.number) pointer \(cell)")
    }
  }

  mutating func put(_ value: Int, at offset: Int, _ width: Int, _ what: String) {
    image.put(value, at: offset, width)
    note("\(what) = \(value)")
  }

  // MARK: Bytes

  private mutating func mutateBytes() {
    guard !image.bytes.isEmpty else { return }
    let page = random.within(1...max(image.pageCount, 1))
    let start = image.pageStart(page)
    switch random.below(6) {
    case 0, 1:
      for _ in 0..<random.within(1...6) {
        let offset = start + random.below(image.pageSize)
        put(Int(random.next() & 255), at: offset, 1, "byte \(offset)")
      }
    case 2:
      for offset in start..<start + image.pageSize { image.put(0, at: offset, 1) }
      note("page \(page) zeroed")
    case 3:
      let other = image.pageStart(random.within(1...max(image.pageCount, 1)))
      for offset in 0..<image.pageSize {
        image.put(image.number(at: other + offset, 1), at: start + offset, 1)
      }
      note("page \(page) copied over")
    case 4:
      let length = random.pick([start, start + random.below(image.pageSize), random.below(200)])
      image.bytes.removeLast(max(image.bytes.count - length, 0))
      note("cut to \(length)")
    default:
      let length = random.pick([1, image.pageSize, image.pageSize * 3, 100])
      image.bytes += [UInt8](repeating: UInt8(random.below(256)), count: length)
      note("\(length) bytes behind the end")
    }
  }
}
