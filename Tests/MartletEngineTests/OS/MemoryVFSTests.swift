import Testing

@testable import MartletEngine

@Suite struct MemoryVFSTests {
  let vfs = MemoryVFS()
  let usual: OpenFlags = [.readWrite, .create, .mainDatabase]

  func firstByte(_ file: any File) throws -> UInt8 {
    var byte: UInt8 = 9
    _ = try file.read(into: &byte, byteCount: 1, at: 0)
    return byte
  }

  @Test func `private stores are apart, shared ones live as long as somebody has them`() throws {
    let alone = try vfs.open(":memory:", usual), other = try vfs.open(":memory:", usual)
    try alone.write(from: [1] as [UInt8], byteCount: 1, at: 0)
    #expect(try firstByte(other) == 0)
    let first = try vfs.open("n", usual.union(.sharedCache))
    let second = try vfs.open("n", usual.union(.sharedCache))
    try first.write(from: [5] as [UInt8], byteCount: 1, at: 0)
    #expect(try firstByte(second) == 5)
    first.close()
    #expect(try firstByte(try vfs.open("n", usual.union(.sharedCache))) == 5)
    second.close()
    #expect(try firstByte(try vfs.open("n", [.readWrite, .sharedCache])) == 0)
  }

  @Test func `a shared store has the locks of a file`() throws {
    let first = try vfs.open("/m", usual), second = try vfs.open("/m", usual)
    #expect(try first.lock(.shared))
    #expect(try second.lock(.shared))
    #expect(try first.lock(.reserved))
    #expect(try !second.lock(.reserved))
    #expect(try !first.lock(.exclusive))
    #expect(first.lockLevel == .pending)
    try second.unlock(to: .none)
    #expect(try !second.lock(.shared))
    #expect(try first.lock(.exclusive))
    first.close()
    #expect(try second.lock(.shared))
  }

  @Test func `a store that shrinks and grows again has zeros`() throws {
    let file = try vfs.open("", usual)
    try file.write(from: [1, 2, 3] as [UInt8], byteCount: 3, at: 0)
    try file.truncate(to: 0)
    try file.write(from: [4] as [UInt8], byteCount: 1, at: 2)
    #expect(try firstByte(file) == 0)
    #expect(try file.byteCount() == 3)
  }

  @Test func `a large store takes little more than it has, and gives back what it had`() throws {
    let store = MemoryStore(byteLimit: .max)
    try store.state.withLock { (state: inout MemoryStore.State) throws in
      var count = 4096
      while count < 40 << 20 {
        try state.resize(to: count)
        count += 4096 + count / 64
      }
      #expect(state.capacity >= state.count && state.capacity <= state.count / 8 * 9 + 8)
      try state.resize(to: 20 << 20)
      #expect(state.capacity > 32 << 20)
      try state.resize(to: 4096)
      #expect(state.capacity == 4096)
      try state.resize(to: 5000)
      let bytes = try #require(state.bytes)
      #expect(bytes.load(fromByteOffset: 4999, as: UInt8.self) == 0)
    }
  }
}
