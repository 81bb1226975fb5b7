/// The state of a write-ahead log after a commit, as the shared memory has it, twice
/// (walformat §2.1), and each connection its own: what a reader sees is the log up to there. All
/// numbers are in the order of the machine but the salts, which are as in the file.
struct WALIndexHeader: Equatable {
  static let byteCount = 48

  /// The bytes themselves: that is how they are compared and copied.
  private var bytes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

  init() {}

  init(_ memory: UnsafeRawPointer) {
    withUnsafeMutableBytes(of: &bytes) { own in
      if let start = own.baseAddress { Memory.copy(from: memory, to: start, Self.byteCount) }
    }
  }

  func store(to memory: UnsafeMutableRawPointer) {
    withUnsafeBytes(of: bytes) { own in
      if let start = own.baseAddress { Memory.copy(from: start, to: memory, Self.byteCount) }
    }
  }

  @inline(__always)
  static func == (left: WALIndexHeader, right: WALIndexHeader) -> Bool {
    left.bytes.0 == right.bytes.0 && left.bytes.1 == right.bytes.1 && left.bytes.2 == right.bytes.2
      && left.bytes.3 == right.bytes.3 && left.bytes.4 == right.bytes.4
      && left.bytes.5 == right.bytes.5
  }

  @inline(__always)
  private func number(at offset: Int) -> UInt32 {
    withUnsafeBytes(of: bytes) { $0.load(fromByteOffset: offset, as: UInt32.self) }
  }

  @inline(__always)
  private mutating func setNumber(_ number: UInt32, at offset: Int) {
    withUnsafeMutableBytes(of: &bytes) { $0.storeBytes(of: number, toByteOffset: offset, as: UInt32.self) }
  }

  var version: UInt32 {
    get { number(at: 0) }
    set { setNumber(newValue, at: 0) }
  }

  /// Goes up with each commit.
  var change: UInt32 {
    get { number(at: 8) }
    set { setNumber(newValue, at: 8) }
  }

  var isInitialized: Bool {
    get { withUnsafeBytes(of: bytes) { $0[12] != 0 } }
    set { withUnsafeMutableBytes(of: &bytes) { $0[12] = newValue ? 1 : 0 } }
  }

  /// Whether the checksums of frames read numbers big-endian.
  var hasBigEndianChecksums: Bool {
    get { withUnsafeBytes(of: bytes) { $0[13] != 0 } }
    set { withUnsafeMutableBytes(of: &bytes) { $0[13] = newValue ? 1 : 0 } }
  }

  /// 0 where there is no log yet. 65536 is kept as 1.
  var pageSize: Int {
    get {
      let number = Int(
        withUnsafeBytes(of: bytes) { $0.load(fromByteOffset: 14, as: UInt16.self) })
      return number & 0xfe00 | (number & 1) << 16
    }
    set {
      let number = UInt16(truncatingIfNeeded: newValue & 0xff00 | newValue >> 16)
      withUnsafeMutableBytes(of: &bytes) { $0.storeBytes(of: number, toByteOffset: 14, as: UInt16.self) }
    }
  }

  /// The last frame that is valid: that of the last commit.
  var frameCount: UInt32 {
    get { number(at: 16) }
    set { setNumber(newValue, at: 16) }
  }

  /// Size of the image in pages; 0 where the database file says it.
  var pageCount: UInt32 {
    get { number(at: 20) }
    set { setNumber(newValue, at: 20) }
  }

  /// That of the last frame.
  var frameChecksum: WALChecksum {
    get { WALChecksum(first: number(at: 24), second: number(at: 28)) }
    set {
      setNumber(newValue.first, at: 24)
      setNumber(newValue.second, at: 28)
    }
  }

  /// As the file has them.
  var salt: (UInt32, UInt32) {
    get { (number(at: 32), number(at: 36)) }
    set {
      setNumber(newValue.0, at: 32)
      setNumber(newValue.1, at: 36)
    }
  }

  func hasSalt(of other: WALIndexHeader) -> Bool { salt == other.salt }

  private static let summedByteCount = 40

  private var checksum: WALChecksum {
    withUnsafeBytes(of: bytes) { own in
      var sum = WALChecksum()
      if let start = own.baseAddress {
        sum.add(start, Self.summedByteCount, isBigEndian: UInt32(bigEndian: 1) == 1)
      }
      return sum
    }
  }

  var hasValidChecksum: Bool {
    let sum = checksum
    return sum.first == number(at: 40) && sum.second == number(at: 44)
  }

  /// Makes it one that others will believe.
  mutating func seal() {
    isInitialized = true
    version = WALFormat.version
    let sum = checksum
    setNumber(sum.first, at: 40)
    setNumber(sum.second, at: 44)
  }
}
