/// What functions may ask of the connection they run on, as plain stored state.
///
/// The connection owns it and keeps the counters up to date. `currentTime` is forgotten at the
/// start of every step, so that 'now' is one moment within a step (lang_datefunc §2).
final class FunctionHost {
  var changeCount: Int64 = 0
  var totalChangeCount: Int64 = 0
  var lastInsertRowID: Int64 = 0
  /// Longest text or blob in bytes (limits §1).
  var lengthLimit = 1_000_000_000
  var likePatternLimit = 50_000
  /// Milliseconds since the Julian epoch, once 'now' was asked for in this step.
  var currentTime: Int64? = nil
  /// LIKE tells upper from lower case (PRAGMA case_sensitive_like).
  var isLikeCaseSensitive = false
  private var generator = SystemRandomNumberGenerator()

  /// Memory for the texts of numeric arguments: four places, as no function looks at more at once.
  let scratch: UnsafeMutablePointer<UInt8>
  static let scratchPlaceCount = 4

  init() throws(SQLError) {
    let size = FunctionHost.scratchPlaceCount * NumberText.bufferSize
    scratch = try Memory.allocate(size).assumingMemoryBound(to: UInt8.self)
  }

  deinit { Memory.free(scratch) }

  func randomBits() -> UInt64 { generator.next() }
}
