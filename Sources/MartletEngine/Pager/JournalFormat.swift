// The rollback journal (fileformat2 §3), all numbers big-endian:
//
//     | header | record … | padding | header | record … | … | super-journal record? |
//
//     header    8  magic                         record    4  page number
//               4  number of records; -1: all              n  original content
//               4  nonce of the checksums                  4  checksum
//               4  original size in pages
//               4  sector size
//               4  page size
//              …   zeros up to the sector size
//
//     super-journal record, at the end of the file:
//               4  number of the lock-byte page, which no record of a page has
//               n  name of the super-journal
//               4  n
//               4  sum of the bytes of the name
//               8  magic
//
// Headers stand at multiples of the sector size. The magic and the number of records are written
// when what follows is on the disk; only then may the pages of those records be written to the
// database.

enum JournalFormat {
  static let magic: UInt64 = 0xd9d5_05f9_20a1_63d7
  static let headerByteCount = 28
  /// In place of the number of records: as many as the file has.
  static let uncounted = UInt32.max
  /// What a record has beside the page.
  static let recordOverhead = 8
  static let superJournalOverhead = 20

  static func recordByteCount(pageSize: Int) -> Int { pageSize + recordOverhead }

  /// The sum of every 200th byte, from the end (fileformat2 §3).
  static func checksum(
    of page: UnsafePointer<UInt8>, pageSize: Int, nonce: UInt32
  ) -> UInt32 {
    var sum = nonce
    var offset = pageSize - 200
    while offset > 0 {
      sum &+= UInt32(page[offset])
      offset -= 200
    }
    return sum
  }

  /// The sum of a name's bytes; SQLite adds them as signed characters.
  static func checksum(ofName name: [UInt8]) -> UInt32 {
    name.reduce(0) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
  }

  static func alignedUp(_ offset: Int64, to sectorSize: Int) -> Int64 {
    let size = Int64(sectorSize)
    return (offset + size - 1) / size * size
  }

  /// Names of super-journals longer than this are not believed.
  static let longestName = 4096

  /// The page that a record can be only of a super-journal's name.
  static func lockBytePage(pageSize: Int) -> PageNumber {
    PageNumber(LockByte.pending / UInt32(pageSize) + 1)
  }
}

/// A header of a journal, decoded.
struct JournalHeader: Equatable {
  var recordCount: UInt32
  var nonce: UInt32
  var originalPageCount: UInt32
  var sectorSize: Int
  var pageSize: Int

  /// - Parameter isComplete: false leaves magic and number of records zero, for a header whose
  ///   records are not on the disk yet.
  func encode(into bytes: UnsafeMutableRawPointer, isComplete: Bool) {
    bytes.storeBigEndian(isComplete ? JournalFormat.magic : 0, at: 0)
    bytes.storeBigEndian(isComplete ? recordCount : 0, at: 8)
    bytes.storeBigEndian(nonce, at: 12)
    bytes.storeBigEndian(originalPageCount, at: 16)
    bytes.storeBigEndian(UInt32(sectorSize), at: 20)
    bytes.storeBigEndian(UInt32(clamping: pageSize), at: 24)
  }

  /// Nil when the bytes are not a header.
  init?(decoding bytes: UnsafeRawPointer) {
    guard bytes.bigEndianUInt64() == JournalFormat.magic else { return nil }
    recordCount = bytes.bigEndianUInt32(at: 8)
    nonce = bytes.bigEndianUInt32(at: 12)
    originalPageCount = bytes.bigEndianUInt32(at: 16)
    sectorSize = Int(bytes.bigEndianUInt32(at: 20))
    pageSize = Int(bytes.bigEndianUInt32(at: 24))
  }

  init(nonce: UInt32, originalPageCount: UInt32, sectorSize: Int, pageSize: Int) {
    recordCount = 0
    self.nonce = nonce
    self.originalPageCount = originalPageCount
    self.sectorSize = sectorSize
    self.pageSize = pageSize
  }

  /// Whether the sizes can be those of a journal.
  var hasPossibleSizes: Bool {
    func isPowerOfTwo(_ size: Int) -> Bool { size > 0 && size & (size - 1) == 0 }
    return DatabaseHeader.isPossible(pageSize: pageSize)
      && (32...65536).contains(sectorSize) && isPowerOfTwo(sectorSize)
  }
}
