import Testing

@testable import MartletEngine

@Suite struct ChaChaTests {
  /// What `sqlite3_randomness` gives after SQLITE_TESTCTRL_PRNG_SEED with 42.
  @Test func `a key gives the bytes that SQLite makes of it`() {
    var generator = ChaCha(key: [42, 0, 0, 0])
    var bytes = [UInt8](repeating: 0, count: 40)
    bytes.withUnsafeMutableBytes { generator.fill($0) }
    let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(
      text == "494b14eb8a886c84aab4165fd247969bc89740ab294d3d62a19fb11488a60ff8bbf0785d3a096adf")
  }
}
