import Testing

@testable import MartletEngine

@Suite struct DatabaseLocationTests {
  static let usual: OpenFlags = [.readWrite, .create, .uri]

  @Test(arguments: [
    ("a.db", "a.db"),
    ("file:a.db", "a.db"),
    ("file:a%20b%2edb#x", "a b.db"),
    ("file:///tmp/a?mode=ro", "/tmp/a"),
    ("file://localhost/tmp/a", "/tmp/a"),
    ("file:/tmp//a", "/tmp//a"),
    ("file:%zz%4", "%zz%4"),
    ("file:/a%00b/c?mode=ro", "/a"),
    ("file:?mode=ro", ""),
    ("file://localhost", ""),
    ("FILE:a", "FILE:a"),
    ("http://x/y", "http://x/y"),
  ])
  func `the path of a name is decoded`(name: String, path: String) throws {
    #expect(try DatabaseLocation.parse(name, flags: Self.usual).path == path)
  }

  @Test(arguments: [
    ("file://host/x", "invalid uri authority: host"),
    ("file://LOCALHOST/x", "invalid uri authority: LOCALHOST"),
    ("file:x?mode=foo", "no such access mode: foo"),
    ("file:x?mode=RO", "no such access mode: RO"),
    ("file:x?mode", "no such access mode: "),
    ("file:x?=5&mode=rx", "no such access mode: rx"),
    ("file:x?cache=foo", "no such cache mode: foo"),
    ("file:x?mode=ro&mode=rwc", "access mode not allowed: rwc"),
  ])
  func `a wrong URI is refused in SQLite's words`(name: String, message: String) {
    let error = #expect(throws: SQLError.self) {
      try DatabaseLocation.parse(name, flags: Self.usual)
    }
    #expect(error?.message == message)
  }

  @Test func `a mode takes rights away but adds none`() throws {
    #expect(try DatabaseLocation.parse("file:x?mode=ro", flags: Self.usual).flags == .readOnly)
    #expect(try DatabaseLocation.parse("file:x?mode=memory", flags: Self.usual).flags == .memory)
    #expect(throws: SQLError(.permission, "access mode not allowed: rw")) {
      try DatabaseLocation.parse("file:x?mode=rw", flags: [.readOnly, .uri])
    }
  }

  @Test func `without the flag a URI is a file name`() throws {
    let location = try DatabaseLocation.parse("file:x?mode=zz", flags: .readWrite)
    #expect(location.path == "file:x?mode=zz")
    #expect(location.parameters.isEmpty)
  }

  @Test func `parameters are kept, decoded, and read as booleans`() throws {
    let query = "a=1%261&&b&immutable=YES&nolock=0"
    let name = "file:x?\(query)&psow=off&n=256&hex=0x1F&cache=shared&w=%00z&vfs=q"
    let location = try DatabaseLocation.parse(name, flags: Self.usual)
    #expect(location.parameter("a") == "1&1")
    #expect(location.parameter("b") == "")
    #expect(location.parameter("w") == "")
    #expect(location.parameter("none") == nil)
    #expect(location.isImmutable)
    #expect(!location.hasNoLock)
    #expect(!location.boolean("psow", default: true))
    #expect(!location.boolean("n", default: true))
    #expect(location.boolean("hex", default: false))
    #expect(location.boolean("b", default: true))
    #expect(location.flags == [.readWrite, .create, .sharedCache])
    #expect(location.vfsName == "q")
  }

  @Test func `what a name opens depends on memory and emptiness`() throws {
    #expect(try DatabaseLocation.parse(":memory:", flags: Self.usual).isInMemory)
    #expect(try DatabaseLocation.parse("file:m?mode=memory", flags: Self.usual).isInMemory)
    #expect(try DatabaseLocation.parse("", flags: Self.usual).isTemporary)
    #expect(try !DatabaseLocation.parse("x", flags: Self.usual).isTemporary)
  }

  @Test func `an unknown VFS is refused when the database is opened`() throws {
    let location = try DatabaseLocation.parse("file:x?vfs=foo", flags: Self.usual)
    #expect(throws: SQLError(.error, "no such vfs: foo")) { try Pager.open(location) }
  }
}
