import Foundation
import TestSupport
import Testing

@testable import MartletEngine

@Suite struct PosixVFSTests {
  let directory: TemporaryDirectory
  let vfs = PosixVFS()

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a read past the end gives what there is and zeros`() throws {
    let file = try vfs.open(directory("short"), [.readWrite, .create])
    try file.write(from: [1, 2, 3] as [UInt8], byteCount: 3, at: 0)
    var bytes = [UInt8](repeating: 9, count: 6)
    #expect(try file.read(into: &bytes, byteCount: 6, at: 1) == 2)
    #expect(bytes == [2, 3, 0, 0, 0, 0])
    #expect(throws: SQLError(.ioErrorShortRead)) {
      try file.readFully(into: &bytes, byteCount: 6, at: 1)
    }
    try file.truncate(to: 2)
    #expect(try file.byteCount() == 2)
  }

  @Test func `a file of one byte counts as empty`() throws {
    let file = try vfs.open(directory("one"), [.readWrite, .create])
    try file.write(from: [1] as [UInt8], byteCount: 1, at: 0)
    #expect(try file.byteCount() == 0)
  }

  @Test func `a temporary file has no name`() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let file = try PosixVFS(temporaryDirectory: directory.path).openTemporary(.temporaryDatabase)
    try file.write(from: [7, 8] as [UInt8], byteCount: 2, at: 100)
    #expect(try file.byteCount() == 102)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == before)
  }

  @Test func `a file with chunks grows and shrinks by whole ones, others take no hints`() throws {
    let file = try vfs.open(directory("chunks"), [.readWrite, .create])
    #expect(try file.control(.sizeHint(5000)) == .done)
    #expect(try file.byteCount() == 0)
    #expect(try file.control(.chunkSize(4096)) == .done)
    #expect(try file.control(.sizeHint(5000)) == .done)
    #expect(try file.byteCount() == 8192)
    try file.truncate(to: 1)
    #expect(try file.byteCount() == 4096)
  }

  @Test func `temporary files go where the application says, if that can be written`() throws {
    let path = directory.path
    VFSRegistry.temporaryDirectory = { path }
    defer { VFSRegistry.temporaryDirectory = nil }
    let database = try vfs.open(directory("t.db"), [.readWrite, .create, .mainDatabase])
    let reply = try database.control(.temporaryFileName)
    var name = ""
    if case .text(let text) = reply { name = text }
    #expect(name.hasPrefix(path + "/"))
    VFSRegistry.temporaryDirectory = { path + "/none" }
    #expect(try !vfs.temporaryFileName().hasPrefix(path))
  }

  @Test func `what cannot be opened says so`() throws {
    #expect(throws: SQLError(.cannotOpen)) { try vfs.open(directory("none"), [.readOnly]) }
    #expect(throws: SQLError(.cannotOpen)) {
      try vfs.open(directory.path, [.readWrite, .create, .mainDatabase])
    }
    #expect(try vfs.status(of: directory("none")) == nil)
    #expect(try !vfs.delete(directory("none"), syncingDirectory: false))
  }

  @Test func `a full path has no dots, double slashes or symbolic links`() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: directory("real"), withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: directory("link"), withDestinationPath: "real/../real")
    try files.createSymbolicLink(atPath: directory("loop"), withDestinationPath: "loop")
    #expect(
      try vfs.fullPath(of: directory("./link//x/../a.db"), []) == directory("real/a.db"))
    #expect(try vfs.fullPath(of: "a.db", []) == files.currentDirectoryPath + "/a.db")
    #expect(try vfs.fullPath(of: "/..", []) == "/")
    #expect(throws: SQLError(.cannotOpen)) {
      try vfs.fullPath(of: directory("loop"), [])
    }
    #expect(throws: SQLError(.cannotOpenSymlink)) {
      try vfs.fullPath(of: directory("link/a.db"), .noFollow)
    }
  }
}
