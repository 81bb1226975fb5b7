import MartletEngine

/// The pages of a database that may be damaged: through the engine where it still reads the file,
/// or else straight from it.
final class PageSource {
  let pageSize: Int
  let pageCount: Int
  /// Bytes of a page without those that are reserved at its end.
  let usableSize: Int
  let header: [UInt8]

  private let query: Statement?
  private let image: [UInt8]
  private static let validSizes = (9...16).map { 1 << $0 }

  /// Fails with "not a database" where not even the size of a page is known.
  init(_ connection: Connection, path: String) throws(SQLError) {
    var first: [UInt8] = []
    var opened: Statement?
    var count = 0
    do throws(SQLError) {
      let pages = try connection.prepare("SELECT data FROM sqlite_dbpage WHERE pgno = ?1")
      let counter = try connection.prepare("PRAGMA page_count")
      if try counter.step() { count = Int(counter.columnInt64(0)) }
      try pages.bind(1, at: 1)
      if try pages.step() { first = Array(pages.columnBytes(0)) }
      opened = pages
    } catch {
      guard let file = InputFile(named: path), !path.hasPrefix("|") else { throw error }
      image = Self.bytes(of: file)
      query = nil
      guard let size = Self.likelyPageSize(of: image) else { throw error }
      pageSize = size
      header = Array(image.prefix(100))
      pageCount = image.count / size
      usableSize = size - min(Int(header[20]), size - 480)
      return
    }
    image = []
    query = opened
    header = Array(first.prefix(100))
    pageSize = first.isEmpty ? 4096 : first.count
    pageCount = count
    let reserved = header.count == 100 ? Int(header[20]) : 0
    usableSize = pageSize - min(reserved, pageSize - 480)
  }

  /// The size of the header, or where that is none the one with which most of the file looks like
  /// pages of B-trees; nil for what does not look like a database.
  private static func likelyPageSize(of image: [UInt8]) -> Int? {
    guard image.count >= 512, DamagedPage(Array(image[..<512]), number: 1) != nil else {
      return nil
    }
    let said = pageSize(in: image)
    if validSizes.contains(said), image.count >= said { return said }
    func score(_ size: Int) -> Int {
      let pages = stride(from: size, to: image.count - size + 1, by: size)
      return size * pages.filter { [2, 5, 10, 13].contains(image[$0]) }.count
    }
    return validSizes.filter { $0 <= image.count }.max { score($0) < score($1) }
  }

  private static func pageSize(in header: [UInt8]) -> Int {
    let size = Int(header[16]) << 8 | Int(header[17])
    return size == 1 ? 65536 : size
  }

  private static func bytes(of file: InputFile) -> [UInt8] {
    var bytes: [UInt8] = []
    let capacity = 1 << 16
    while true {
      let piece = [UInt8](unsafeUninitializedCapacity: capacity) { space, count in
        count = file.read(into: UnsafeMutableRawBufferPointer(space))
      }
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  /// A page, or nil where there is none that could be read.
  func page(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= pageCount else { return nil }
    guard let query else {
      let start = (number - 1) * pageSize
      return Array(image[start..<start + pageSize])
    }
    do throws(SQLError) {
      try query.reset()
      try query.bind(number, at: 1)
      guard try query.step() else { return nil }
      let bytes = Array(query.columnBytes(0))
      return bytes.count == pageSize ? bytes : nil
    } catch {
      return nil
    }
  }

  /// A number of the header (fileformat2 §1.3); 0 where the file has none.
  func headerField(_ offset: Int) -> UInt32 {
    guard header.count >= offset + 4 else { return 0 }
    return header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
