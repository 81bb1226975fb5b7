// The first 100 bytes of a database (fileformat2 §1.3), all numbers big-endian:
//
//      0  "SQLite format 3\0"          44  schema format, 1 to 4
//     16  page size u16, 1 = 65536     48  suggested cache size
//     18  write version, 19 read       52  largest root page, nonzero with auto-vacuum
//     20  reserved bytes per page      56  text encoding, 1 to 3
//     21  payload fractions 64 32 32   60  user version
//     24  change counter               64  nonzero with incremental vacuum
//     28  size in pages                68  application id
//     32  first freelist trunk page    72  zeros
//     36  number of freelist pages     92  change counter when 96 was written
//     40  schema cookie                96  version number of the library that wrote

/// The database header, decoded and checked.
struct DatabaseHeader: Equatable {
  static let byteCount = 100
  /// The bytes that every commit changes: change counter, size, freelist (SQLite's dbFileVers).
  static let versionOffset = 24
  static let versionByteCount = 16

  var pageSize = 4096
  /// Bytes at the end of every page that belong to extensions.
  var reservedByteCount = 0
  var writeVersion: UInt8 = 1
  var readVersion: UInt8 = 1
  var changeCounter: UInt32 = 0
  /// The size that the header states, when it is to be believed; else 0 and the file decides.
  var pageCount: UInt32 = 0
  var firstFreelistTrunk = PageNumber(0)
  var freelistPageCount: UInt32 = 0
  var schemaCookie: UInt32 = 0
  var schemaFormat: UInt32 = 0
  var suggestedCacheSize: Int32 = 0
  /// Nonzero when the database has pointer-map pages.
  var largestRootPage: UInt32 = 0
  var hasIncrementalVacuum = false
  var textEncoding = TextEncoding.utf8
  var userVersion: Int32 = 0
  var applicationID: Int32 = 0

  /// The header of a database that does not exist yet: an empty file.
  init() {}

  var usableSize: Int { pageSize - reservedByteCount }
  var isWAL: Bool { readVersion == 2 }
  /// A future version may have written what we would break by writing (fileformat2 §1.3.3).
  var isReadOnly: Bool { writeVersion > 2 }

  /// Decodes 100 bytes. Throws `notADatabase` where SQLite does; `checkUsableSize` comes behind.
  init(decoding bytes: UnsafeRawPointer) throws(SQLError) {
    try Self.check(bytes)
    self.init(unchecked: bytes)
  }

  /// Decodes 100 bytes that may be anything.
  private init(unchecked bytes: UnsafeRawPointer) {
    func number(at offset: Int) -> UInt32 { bytes.bigEndianUInt32(at: offset) }
    func byte(at offset: Int) -> UInt8 { bytes.load(fromByteOffset: offset, as: UInt8.self) }
    pageSize = Self.pageSize(bytes)
    reservedByteCount = Int(byte(at: 20))
    writeVersion = byte(at: 18)
    readVersion = byte(at: 19)
    changeCounter = number(at: 24)
    // Versions before 3.7.0 leave the size stale, but also the number at 92 (fileformat2 §1.3.7).
    pageCount = changeCounter == number(at: 92) ? number(at: 28) : 0
    firstFreelistTrunk = PageNumber(number(at: 32))
    freelistPageCount = number(at: 36)
    schemaCookie = number(at: 40)
    // SQLite keeps the low byte only.
    schemaFormat = number(at: 44) & 0xff
    suggestedCacheSize = Int32(bitPattern: number(at: 48))
    largestRootPage = number(at: 52)
    hasIncrementalVacuum = number(at: 64) != 0
    // SQLite looks at two bits, and takes 0, which an empty schema has, for UTF-8.
    textEncoding = TextEncoding(rawValue: UInt8(number(at: 56) & 3)) ?? .utf8
    userVersion = Int32(bitPattern: number(at: 60))
    applicationID = Int32(bitPattern: number(at: 68))
  }

  /// Decodes and checks 100 bytes.
  init(whole bytes: UnsafeRawPointer) throws(SQLError) {
    try self.init(decoding: bytes)
    try checkUsableSize()
  }

  /// Takes over what a writer has made of page 1, but for the size of pages and what is usable of
  /// them, as pages are in use. Returns whether it is a header of this size still.
  mutating func change(to bytes: UnsafeRawPointer) -> Bool {
    var changed = DatabaseHeader(unchecked: bytes)
    let isSame = changed.pageSize == pageSize && changed.reservedByteCount == reservedByteCount
    changed.pageSize = pageSize
    changed.reservedByteCount = reservedByteCount
    self = changed
    do { try Self.check(bytes) } catch { return false }
    return isSame
  }

  /// What 100 bytes that may be anything say of the sizes of pages and of auto-vacuum, for a file
  /// that shall be emptied; the header of an empty file where that is impossible.
  ///
  /// - Parameters:
  ///   - journalPageSize: The size of the pages in a log, where there is one: it cannot be another.
  ///   - lastPageSize: What is taken where the bytes say nothing.
  init(salvaging bytes: UnsafeRawPointer, journalPageSize: Int?, lastPageSize: Int) {
    let pageSize = journalPageSize ?? Self.pageSize(bytes)
    let reservedByteCount = Int(bytes.load(fromByteOffset: 20, as: UInt8.self))
    guard Self.isPossible(pageSize: pageSize), pageSize - reservedByteCount >= 480 else {
      self.pageSize = journalPageSize ?? lastPageSize
      return
    }
    self.pageSize = pageSize
    self.reservedByteCount = reservedByteCount
    largestRootPage = bytes.bigEndianUInt32(at: 52)
    hasIncrementalVacuum = bytes.bigEndianUInt32(at: 64) != 0
  }

  /// What must hold before any page can be read.
  private static func check(_ bytes: UnsafeRawPointer) throws(SQLError) {
    let magic: StaticString = "SQLite format 3\0"
    let fractions: (UInt8, UInt8, UInt8) = (
      bytes.load(fromByteOffset: 21, as: UInt8.self),
      bytes.load(fromByteOffset: 22, as: UInt8.self),
      bytes.load(fromByteOffset: 23, as: UInt8.self)
    )
    let readVersion = bytes.load(fromByteOffset: 19, as: UInt8.self)
    guard Memory.compare(bytes, magic.utf8Start, 16) == 0,
      readVersion <= 2,
      fractions == (64, 32, 32),
      isPossible(pageSize: Self.pageSize(bytes))
    else { throw SQLError(.notADatabase) }
  }

  /// The last thing that must hold: SQLite looks before whether the file is long enough.
  func checkUsableSize() throws(SQLError) {
    guard usableSize >= 480 else { throw SQLError(.notADatabase) }
  }

  static func isPossible(pageSize: Int) -> Bool {
    (512...65536).contains(pageSize) && pageSize & (pageSize - 1) == 0
  }

  /// The two bytes, swapped, are the size in units of 256 bytes, which makes 1 mean 65536.
  static func pageSize(_ bytes: UnsafeRawPointer) -> Int {
    let high = Int(bytes.load(fromByteOffset: 16, as: UInt8.self))
    let low = Int(bytes.load(fromByteOffset: 17, as: UInt8.self))
    return high << 8 | low << 16
  }

  /// Throws when the schema is in a format of the future. Checked when the schema is read, not
  /// when pages are, as in SQLite.
  func checkSchemaFormat() throws(SQLError) {
    guard schemaFormat <= 4 else { throw .sql("unsupported file format") }
  }
}
