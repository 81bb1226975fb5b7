import Testing

@testable import MartletEngine

@Suite struct DatabaseHeaderTests {
  /// The header of a sound database of two pages of 4096 bytes.
  static func makeHeader() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 100)
    bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
    bytes.replaceSubrange(16..<24, with: [0x10, 0, 1, 1, 0, 64, 32, 32])
    bytes[27] = 7
    bytes[31] = 2
    bytes[43] = 5
    bytes[47] = 4
    bytes[59] = 1
    bytes[95] = 7
    return bytes
  }

  struct Edit: CustomTestStringConvertible, Sendable {
    let offset: Int
    let bytes: [UInt8]
    var testDescription: String { "\(bytes) at \(offset)" }

    init(_ offset: Int, _ bytes: UInt8...) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  func decode(_ edits: Edit...) throws -> DatabaseHeader {
    var bytes = Self.makeHeader()
    for edit in edits {
      bytes.replaceSubrange(edit.offset..<edit.offset + edit.bytes.count, with: edit.bytes)
    }
    return try DatabaseHeader(whole: bytes)
  }

  @Test(arguments: [
    Edit(0, 0x58), Edit(15, 1),
    Edit(16, 0, 0), Edit(16, 1, 0), Edit(16, 0, 2), Edit(16, 0x10, 1), Edit(16, 0xff, 0xff),
    Edit(16, 3, 0xe8),
    Edit(16, 2, 0, 1, 1, 33),
    Edit(19, 3), Edit(21, 65), Edit(22, 31), Edit(23, 0),
  ])
  func `what SQLite does not take for a database is refused`(edit: Edit) {
    #expect(throws: SQLError(.notADatabase, "file is not a database")) { try decode(edit) }
  }

  @Test func `page sizes are powers of two from 512 to 65536`() throws {
    #expect(try decode(Edit(16, 0, 1)).pageSize == 65536)
    #expect(try decode(Edit(16, 0x80, 0)).pageSize == 32768)
    let smallest = try decode(Edit(16, 2, 0, 1, 1, 32))
    #expect(smallest.pageSize == 512)
    #expect(smallest.usableSize == 480)
  }

  @Test func `the size is believed only when the change counter vouches for it`() throws {
    #expect(try decode().pageCount == 2)
    #expect(try decode(Edit(95, 8)).pageCount == 0)
  }

  @Test func `a write version of the future makes the database read-only`() throws {
    #expect(try decode(Edit(18, 3)).isReadOnly)
    #expect(try !decode(Edit(18, 2)).isReadOnly)
    #expect(try decode(Edit(18, 2, 2)).isWAL)
  }

  @Test func `a schema format of the future is refused when the schema is read`() throws {
    try decode().checkSchemaFormat()
    let error = SQLError(.error, "unsupported file format")
    #expect(throws: error) { try decode(Edit(47, 5)).checkSchemaFormat() }
  }

  @Test func `of the schema format, only the low byte counts`() throws {
    let header = try decode(Edit(44, 1, 2, 1, 4))
    try header.checkSchemaFormat()
    #expect(header.schemaFormat == 4)
  }

  @Test(arguments: [(0, 1), (1, 1), (2, 2), (3, 3), (4, 1), (5, 1), (6, 2)])
  func `two bits give the text encoding`(byte: Int, encoding: Int) throws {
    let header = try decode(Edit(59, UInt8(byte)))
    #expect(header.textEncoding.rawValue == UInt8(encoding))
  }

  @Test func `every field comes from its place`() throws {
    let header = try decode(
      Edit(32, 0, 0, 1, 2), Edit(36, 0, 0, 0, 3), Edit(48, 0xff, 0xff, 0xff, 0xfe),
      Edit(52, 0, 0, 0, 9), Edit(60, 0x80, 0, 0, 0), Edit(64, 0, 0, 0, 1), Edit(68, 1, 2, 3, 4))
    #expect(header.changeCounter == 7)
    #expect(header.firstFreelistTrunk == PageNumber(0x102))
    #expect(header.freelistPageCount == 3)
    #expect(header.schemaCookie == 5)
    #expect(header.schemaFormat == 4)
    #expect(header.suggestedCacheSize == -2)
    #expect(header.largestRootPage == 9)
    #expect(header.userVersion == Int32.min)
    #expect(header.hasIncrementalVacuum)
    #expect(header.applicationID == 0x0102_0304)
  }
}
