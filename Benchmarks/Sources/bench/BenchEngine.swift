/// What a workload needs of an engine. Workloads are generic over it, so that each engine's code is
/// specialised and neither pays for the other.
protocol BenchEngine {
  associatedtype Prepared: BenchStatement
  init(path: String) throws(BenchError)
  func prepare(_ sql: String) throws(BenchError) -> Prepared
}

protocol BenchStatement {
  func bind(_ value: Int64, at index: Int32) throws(BenchError)
  /// The engine copies the text.
  func bind(text: UnsafeRawBufferPointer, at index: Int32) throws(BenchError)
  /// True when a row is there.
  func step() throws(BenchError) -> Bool
  func reset()
  /// Reads every column of the row, as an application would.
  func read(into checksum: inout Checksum)
}

struct BenchError: Error, CustomStringConvertible {
  let engine: String
  let message: String
  var description: String { "\(engine): \(message)" }
}

/// A sum over all that was read: both engines must come to the same.
struct Checksum: Equatable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325
  /// Every byte counts in the run that compares; length and ends suffice in those that are timed.
  let isThorough: Bool

  init(isThorough: Bool) { self.isThorough = isThorough }

  @inline(__always) mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x100_0000_01b3
  }

  @inline(__always) mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    guard let first = bytes.first, let last = bytes.last else { return }
    add(UInt64(first) << 8 | UInt64(last))
    if isThorough { for byte in bytes { add(UInt64(byte)) } }
  }
}
