/// Where the random bytes of SQL come from: `random()`, `randomblob()` and rowids behind the largest.
public enum RandomSource {
  /// Stands for the generators that connections have of their own. To be set before any is opened.
  @exclusivity(unchecked) nonisolated(unsafe) public static var shared:
    (@Sendable (_ target: UnsafeMutableRawBufferPointer) -> Void)?

  /// A key that nobody knows.
  static func newKey() -> [UInt8] {
    var system = SystemRandomNumberGenerator()
    return (0..<ChaCha.keySize).map { _ in UInt8.random(in: .min ... .max, using: &system) }
  }
}
