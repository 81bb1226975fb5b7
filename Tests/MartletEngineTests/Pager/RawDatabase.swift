import Foundation
import TestSupport

@testable import MartletEngine

/// A database of pages with numbers for content: what a pager is tested with.
///
/// Page 1 is an empty schema, so that C SQLite takes the file for a database, and filled from its
/// number from offset 200 on; every other page is as a whole.
enum RawDatabase {
  /// What each page from 1 on holds.
  typealias Image = [UInt32]

  static func open(
    _ path: String, _ vfs: any VFS = PosixVFS(), cacheSize: Int = 100, sectorSize: Int? = nil
  ) throws -> Pager {
    try Pager(
      file: try vfs.open(path, [.readWrite, .create, .mainDatabase]), vfs: vfs, path: path,
      cacheSize: cacheSize, sectorSize: sectorSize)
  }

  /// Makes the image of a new database, inside a write transaction.
  static func create(_ pager: Pager, _ image: Image) throws {
    let page = try pager.appendPage()
    let header = DatabaseHeaderTests.makeHeader()
    header.withUnsafeBytes {
      guard let start = $0.baseAddress else { return }
      Memory.copy(from: start, to: page.pointee.data, 100)
    }
    let size = pager.pageSize == 65536 ? 1 : pager.pageSize
    page.pointee.data[16] = UInt8(size >> 8)
    page.pointee.data[17] = UInt8(size & 255)
    page.pointee.data[20] = 0
    for offset in (32..<40) { page.pointee.data[offset] = 0 }
    // An empty leaf of a table.
    page.pointee.data[100] = 13
    page.pointee.data[105] = UInt8(pager.pageSize == 65536 ? 0 : pager.pageSize >> 8)
    pager.unpin(page)
    try set(pager, 1, image[0])
    for value in image.dropFirst() { try append(pager, value) }
  }

  static func append(_ pager: Pager, _ value: UInt32) throws {
    let page = try pager.appendPage()
    fill(page, pager, value)
    pager.unpin(page)
  }

  static func set(_ pager: Pager, _ number: UInt32, _ value: UInt32) throws {
    let page = try pager.page(PageNumber(number))
    defer { pager.unpin(page) }
    try pager.makeWritable(page)
    fill(page, pager, value)
  }

  private static func fill(_ page: PagePointer, _ pager: Pager, _ value: UInt32) {
    let words = UnsafeMutableRawPointer(page.pointee.data)
    let first = start(of: page.pointee.number)
    words.storeBigEndian(value, at: first)
    for offset in stride(from: first + 4, to: pager.pageSize, by: 4) {
      words.storeBigEndian(word(value, at: offset), at: offset)
    }
  }

  /// Of the words behind the value, every byte depends on it: the checksums of journals look at few.
  private static func word(_ value: UInt32, at offset: Int) -> UInt32 {
    (value &+ UInt32(offset)) &* 0x9e37_79b1
  }

  /// Where the content begins: page 1 has a header, and an empty schema.
  private static func start(of number: PageNumber) -> Int { number.rawValue == 1 ? 200 : 0 }

  /// The image as a pager sees it, inside a read. Throws where a page is not of one piece.
  static func image(_ pager: Pager) throws -> Image {
    var image: Image = []
    for number in 1..<max(pager.pageCount + 1, 1) {
      let page = try pager.page(PageNumber(number))
      defer { pager.unpin(page) }
      let bytes = UnsafePointer(page.pointee.data)
      let first = start(of: PageNumber(number))
      let value = bytes.bigEndianUInt32(at: first)
      for offset in stride(from: first + 4, to: pager.pageSize, by: 4)
      where bytes.bigEndianUInt32(at: offset) != word(value, at: offset) {
        throw SQLError(.internal, "page \(number) is torn at \(offset)")
      }
      image.append(value)
    }
    return image
  }

  static func readImage(_ pager: Pager) throws -> Image {
    try pager.beginRead()
    defer { pager.endRead() }
    return try image(pager)
  }

  static func readImage(_ path: String) throws -> Image {
    let pager = try open(path)
    defer { pager.close() }
    return try readImage(pager)
  }

  /// Makes a file with an image, and commits it.
  static func make(_ path: String, _ image: Image, pageSize: Int = 512) throws {
    let pager = try open(path)
    defer { pager.close() }
    try pager.setPageSize(pageSize)
    pager.synchronous = .off
    try transaction(pager) { try create(pager, image) }
  }

  static func transaction(_ pager: Pager, _ body: () throws -> Void) throws {
    try pager.beginReadAndWrite(exclusive: false)
    defer { pager.endRead() }
    do {
      try body()
      try pager.commit()
    } catch {
      try? pager.rollback()
      throw error
    }
  }
}

extension TemporaryDirectory {
  /// The size of a file, or nil when there is none.
  func size(_ name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: self(name))
    return attributes?[.size] as? Int
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
