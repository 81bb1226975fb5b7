// Random bytes, and time passing (c3ref/randomness, c3ref/sleep).
import CSQLite3
import MartletEngine
import Synchronization

/// The generator that programs share.
enum Randomness {
  private struct State {
    /// nil until bytes are asked for.
    var generator: ChaCha?
    var saved: ChaCha?
    /// Stands for the key unless it is 0 (SQLITE_TESTCTRL_PRNG_SEED).
    var seed: UInt32 = 0
  }

  private static let state = Mutex(State())

  static func fill(_ target: UnsafeMutableRawBufferPointer) {
    nonisolated(unsafe) let target = target
    state.withLock { state in
      if state.generator == nil { state.generator = ChaCha(key: key(seed: state.seed)) }
      state.generator?.fill(target)
    }
  }

  /// The next bytes come from a new key.
  static func reset() { state.withLock { $0.generator = nil } }

  static func reset(seed: UInt32) {
    state.withLock {
      $0.seed = seed
      $0.generator = nil
    }
  }

  static func save() { state.withLock { $0.saved = $0.generator } }
  static func restore() { state.withLock { $0.generator = $0.saved } }

  private static func key(seed: UInt32) -> [UInt8] {
    if seed != 0 { return withUnsafeBytes(of: seed.littleEndian) { Array($0) } }
    var key = [UInt8](repeating: 0, count: ChaCha.keySize)
    key.withUnsafeMutableBytes { VFSList.standard?.fillRandom($0) }
    return key
  }
}

@c @implementation
public func sqlite3_randomness(_ count: Int32, _ target: UnsafeMutableRawPointer!) {
  guard sqlite3_initialize() == SQLITE_OK else { return }
  guard count > 0, let target else { return Randomness.reset() }
  Randomness.fill(UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
}

@c @implementation
public func sqlite3_sleep(_ milliseconds: Int32) -> Int32 {
  guard let vfs = sqlite3_vfs_find(nil), let sleep = vfs.pointee.xSleep else { return 0 }
  let (microseconds, isTooLong) = max(0, milliseconds).multipliedReportingOverflow(by: 1000)
  return sleep(vfs, isTooLong ? .max : microseconds) / 1000
}
