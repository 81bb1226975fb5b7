// A walk over the pages of one tree in the order of dbstat: a page, then for each of its cells the
// overflow pages and the child, then the right child.
//
// Pages are read as they are: what is damaged counts as an empty page.

/// A page as dbstat sees it.
struct WalkedPage {
  enum Kind: String { case interior = "internal", leaf, corrupted }

  struct Cell {
    var child = PageNumber(0)
    var localSize = 0
    var overflow: [PageNumber] = []
    /// Payload bytes on the last of the overflow pages.
    var lastOverflowSize = 0
  }

  let number: PageNumber
  let path: String
  var kind = Kind.corrupted
  var cells: [Cell] = []
  var rightChild = PageNumber(0)
  var unusedByteCount = 0
  var largestPayload = 0
  // Where the walk is.
  var cellIndex = 0
  var overflowIndex = 0

  var payloadByteCount: Int { cells.reduce(0) { $0 + $1.localSize } }

  init(_ number: PageNumber, path: String, _ pager: Pager) throws(SQLError) {
    self.number = number
    self.path = path
    let page = try pager.page(number)
    defer { pager.unpin(page) }
    let bytes = UnsafePointer(page.pointee.data)
    if try decode(bytes, pager) { return }
    kind = .corrupted
    cells = []
    rightChild = PageNumber(0)
  }

  /// False if the page is no page of a tree.
  private mutating func decode(
    _ bytes: UnsafePointer<UInt8>, _ pager: Pager
  ) throws(SQLError) -> Bool {
    let header = number.rawValue == 1 ? 100 : 0, flags = bytes[header]
    let isLeaf = flags == 0x0a || flags == 0x0d
    guard isLeaf || flags == 0x02 || flags == 0x05 else { return false }
    kind = isLeaf ? .leaf : .interior
    let pointers = header + (isLeaf ? 8 : 12)
    let cellCount = Int(bytes.bigEndianUInt16(at: header + 3))
    guard pointers + 2 * cellCount <= pager.pageSize else { return false }
    unusedByteCount =
      Int(bytes.bigEndianUInt16(at: header + 5)) - pointers - 2 * cellCount
      + Int(bytes[header + 7])
    var block = Int(bytes.bigEndianUInt16(at: header + 1))
    while block != 0 {
      guard block + 4 <= pager.pageSize else { return false }
      unusedByteCount += Int(bytes.bigEndianUInt16(at: block + 2))
      let next = Int(bytes.bigEndianUInt16(at: block))
      guard next == 0 || next >= block + 4 else { return false }
      block = next
    }
    if !isLeaf { rightChild = PageNumber(bytes.bigEndianUInt32(at: header + 8)) }
    for index in 0..<cellCount {
      let offset = Int(bytes.bigEndianUInt16(at: pointers + 2 * index))
      guard offset >= pointers, offset < pager.pageSize,
        let cell = try decodeCell(at: offset, flags, bytes, pager)
      else { return false }
      cells.append(cell)
    }
    return true
  }

  private mutating func decodeCell(
    at start: Int, _ flags: UInt8, _ bytes: UnsafePointer<UInt8>, _ pager: Pager
  ) throws(SQLError) -> Cell? {
    var cell = Cell(), offset = start
    let usableSize = pager.usableSize, end = bytes + pager.pageSize
    if kind == .interior {
      guard offset + 4 <= pager.pageSize else { return nil }
      cell.child = PageNumber(bytes.bigEndianUInt32(at: offset))
      offset += 4
    }
    if flags == 0x05 { return cell }
    guard let (size, sizeByteCount) = Varint.read(at: bytes + offset, end: end) else { return nil }
    offset += sizeByteCount
    if flags == 0x0d {
      guard let rowid = Varint.read(at: bytes + offset, end: end) else { return nil }
      offset += rowid.byteCount
    }
    let payload = Int(truncatingIfNeeded: size & 0xffff_ffff)
    largestPayload = max(largestPayload, payload)
    let isTable = flags == 0x0d
    let most = isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    let least = (usableSize - 12) * 32 / 255 - 23
    cell.localSize = payload
    guard payload > most else { return cell }
    let local = least + (payload - least) % (usableSize - 4)
    cell.localSize = local <= most ? local : least
    guard offset + cell.localSize + 4 <= usableSize, payload <= Int(Int32.max) else { return nil }
    let rest = payload - cell.localSize
    let pageCount = (rest + usableSize - 5) / (usableSize - 4)
    cell.lastOverflowSize = rest - (pageCount - 1) * (usableSize - 4)
    var next = PageNumber(bytes.bigEndianUInt32(at: offset + cell.localSize))
    cell.overflow.append(next)
    while cell.overflow.count < pageCount {
      let page = try pager.page(next)
      next = PageNumber(
        UnsafePointer(page.pointee.data).bigEndianUInt32())
      pager.unpin(page)
      cell.overflow.append(next)
    }
    return cell
  }
}
