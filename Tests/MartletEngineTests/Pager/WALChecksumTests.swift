import Testing

@testable import MartletEngine

@Suite struct WALChecksumTests {
  /// The rule of fileformat2 §4.2, pair by pair.
  private func plainSums(_ bytes: [UInt8], _ start: WALChecksum, isBigEndian: Bool) -> WALChecksum {
    var sums = start
    for place in stride(from: 0, to: bytes.count, by: 8) {
      func number(_ offset: Int) -> UInt32 {
        let four = bytes[place + offset..<place + offset + 4]
        return (isBigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
      }
      sums.first &+= number(0) &+ sums.second
      sums.second &+= number(4) &+ sums.first
    }
    return sums
  }

  @Test(
    arguments: [8, 24, 40, 248, 256, 264, 504, 512, 520, 1000, 1024, 2048, 4096, 65536],
    [false, true])
  func `checksums of parts put together are those of the whole`(
    byteCount: Int, isBigEndian: Bool
  ) {
    var random = SplitMix(UInt64(byteCount))
    for _ in 0..<20 {
      let bytes = (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let start = WALChecksum(
        first: UInt32(truncatingIfNeeded: random.next()),
        second: UInt32(truncatingIfNeeded: random.next()))
      var sums = start
      bytes.withUnsafeBytes { memory in
        guard let address = memory.baseAddress else { return }
        sums.add(address, byteCount, isBigEndian: isBigEndian)
      }
      #expect(sums == plainSums(bytes, start, isBigEndian: isBigEndian))
    }
  }
}
