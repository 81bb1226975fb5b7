import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// The page with the lock bytes, at 1 GiB, is never used (fileformat2 §1.4).
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct LockBytePageTests {
  private static let pageSize = 65536
  private static let lockBytePage = 1 << 30 / pageSize + 1

  /// Makes the file end just before the lock-byte page: a hole, whose pages belong to nothing.
  private func stretch(_ path: String, toPages pageCount: Int) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.truncate(atOffset: UInt64(pageCount * Self.pageSize))
    try file.seek(toOffset: 28)
    try file.write(contentsOf: withUnsafeBytes(of: UInt32(pageCount).bigEndian) { Data($0) })
  }

  @Test(arguments: [0, 2])
  func `a tree that grows past the lock bytes leaves their page out`(autoVacuum: Int) throws {
    let database = try WritableDatabase(
      pageSize: Self.pageSize, autoVacuum: autoVacuum, seed: UInt64(autoVacuum))
    try stretch(database.path, toPages: Self.lockBytePage - 4)
    try database.write {
      for rowid in 1...12 {
        let byte = UInt8(rowid)
        try database.insert(Int64(rowid), [UInt8](repeating: byte, count: Self.pageSize - 4_000))
        try database.insertPair([byte], [UInt8](repeating: byte, count: 2 * Self.pageSize))
      }
    }
    let pageCount = try database.oracle.run("pragma page_count;")
    #expect(try #require(Int(pageCount.dropLast())) > Self.lockBytePage + 10)
    #expect(
      try database.oracle.run(
        "select count(*), sum(length(a)) from t; select count(*), sum(length(v)) from w;")
        == "12|\(12 * (Self.pageSize - 4_000))\n12|\(12 * 2 * Self.pageSize)\n")
    let used = try database.oracle.run("select 1 from dbstat where pageno = \(Self.lockBytePage);")
    #expect(used == "")
    // Of the hole C says that nobody uses it, and nothing else of anything.
    let check = try database.oracle.run("pragma integrity_check(100000);")
      .split(separator: "\n").filter { !$0.contains("never used") && !$0.hasPrefix("***") }
    #expect(check == [])
    try database.write { for rowid in 1...12 { try database.delete(Int64(rowid)) } }
    #expect(try database.oracle.run("select count(*) from t;") == "0\n")
  }
}
