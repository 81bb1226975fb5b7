/// What functions may ask of the connection they run on, as plain stored state.
///
/// The connection owns it and keeps the counters up to date.
final class FunctionHost {
  var likePatternLimit = 50_000
  /// Made when random bytes are first asked for.
  @exclusivity(unchecked) private var generator: ChaCha?
  /// The connection; the host itself until there is one.
  unowned(unsafe) var owner: AnyObject?
  /// Of the application's function that is about to be called: what its statement keeps, and the
  /// place in the program.
  unowned(unsafe) var callMemory: CallMemory?
  var callSite: CallMemory.Site?
  /// What load_extension() does, where it may do something.
  var extensionLoader: ((_ file: String, _ entry: String?) throws(SQLError) -> Void)?
  /// Comparisons by the application's collations that are under way.
  var comparisonDepth = 0

  let memory: UnsafeMutablePointer<FunctionMemory>

  init() throws(SQLError) {
    let place = try Memory.allocate(MemoryLayout<FunctionMemory>.stride)
      .bindMemory(to: FunctionMemory.self, capacity: 1)
    do throws(SQLError) {
      place.initialize(to: try FunctionMemory())
    } catch {
      // Without its memory, the object is not made: it does not end, either.
      Memory.free(place)
      throw error
    }
    memory = place
  }

  deinit {
    memory.pointee.deallocate()
    Memory.free(memory)
  }

  /// Longest text or blob in bytes (limits §1).
  var lengthLimit: Int {
    get { memory.pointee.lengthLimit }
    set { memory.pointee.lengthLimit = newValue }
  }

  /// Milliseconds since the Julian epoch, once 'now' was asked for in this step. It is forgotten at
  /// the start of every step, so that 'now' is one moment within a step (lang_datefunc §2).
  var currentTime: Int64? {
    get { memory.pointee.currentTime }
    set { memory.pointee.currentTime = newValue }
  }

  var changeCount: Int64 {
    get { memory.pointee.changeCount }
    set { memory.pointee.changeCount = newValue }
  }

  var totalChangeCount: Int64 {
    get { memory.pointee.totalChangeCount }
    set { memory.pointee.totalChangeCount = newValue }
  }

  var lastInsertRowID: Int64 {
    get { memory.pointee.lastInsertRowID }
    set { memory.pointee.lastInsertRowID = newValue }
  }

  func randomBits() -> UInt64 {
    var bits: UInt64 = 0
    withUnsafeMutableBytes(of: &bits) { fillRandom($0) }
    return bits
  }

  func fillRandom(_ target: UnsafeMutableRawBufferPointer) {
    if let fill = RandomSource.shared { return fill(target) }
    if generator == nil { generator = ChaCha(key: RandomSource.newKey()) }
    generator?.fill(target)
  }
}

/// What functions use again from call to call, and what is asked or counted for each row, as plain
/// data: it is reached without counting references.
struct FunctionMemory {
  /// Memory for the texts of numeric arguments: four places, as no function looks at more at once.
  let scratch: UnsafeMutablePointer<UInt8>
  static let scratchPlaceCount = 4
  /// Memory for the digits of one number while it is written.
  let digits: UnsafeMutablePointer<UInt8>
  static let digitsSize = max(DecimalDigits.bufferSize, 24)

  var lengthLimit = 1_000_000_000
  var triggerDepthLimit = 1_000
  var changeCount: Int64 = 0
  var totalChangeCount: Int64 = 0
  var lastInsertRowID: Int64 = 0
  /// There is an update hook.
  var noticesChanges = false
  /// Trace handlers want to know of triggers.
  var tracesSubprograms = false
  var currentTime: Int64? = nil
  /// The connection's VFS, which outlives this.
  unowned(unsafe) var clock: (any VFS)? = nil
  /// Told of changed rows, in place of the connection's hook.
  var updateHook: RawUpdateHook? = nil
  /// A text's memory, which the next one takes over.
  private var spareText = TextBuilder(limit: 0)
  /// Once a JSON function was called.
  private var json: UnsafeMutablePointer<JSONMemory>? = nil

  init() throws(SQLError) {
    let placesSize = FunctionMemory.scratchPlaceCount * NumberText.bufferSize
    scratch = try Memory.allocate(placesSize + FunctionMemory.digitsSize)
      .assumingMemoryBound(to: UInt8.self)
    digits = scratch + placesSize
  }

  mutating func deallocate() {
    Memory.free(scratch)
    spareText.deallocate()
    json?.pointee.deallocate()
    Memory.free(json)
  }

  @inline(__always)
  mutating func jsonMemory() throws(SQLError) -> UnsafeMutablePointer<JSONMemory> {
    if let json { return json }
    return try makeJSONMemory()
  }

  @inline(never)
  private mutating func makeJSONMemory() throws(SQLError) -> UnsafeMutablePointer<JSONMemory> {
    let memory = try Memory.allocate(MemoryLayout<JSONMemory>.stride)
      .bindMemory(to: JSONMemory.self, capacity: 1)
    do throws(SQLError) {
      memory.initialize(to: try JSONMemory())
    } catch {
      Memory.free(memory)
      throw error
    }
    json = memory
    return memory
  }

  /// Now, as the Julian day in milliseconds; 0 where nobody knows.
  func readClock() -> Int64 { clock?.currentJulianMilliseconds() ?? LocalTime.now() }

  /// A statement has ended: gives the memory of large documents back.
  func statementEnded() { json?.pointee.shrink() }

  /// An empty text; give it back when it has been copied.
  ///
  /// - Parameter spare: By how much it may be longer than the limit, where pieces are written that
  ///   make room for the longest of their kind.
  mutating func takeText(spare: Int = 0) -> TextBuilder {
    var text = spareText
    spareText = TextBuilder(limit: 0)
    text.restart(limit: lengthLimit + spare)
    return text
  }

  mutating func giveBack(_ text: TextBuilder) {
    var unneeded = text
    if text.isWorthKeeping { swap(&unneeded, &spareText) }
    unneeded.deallocate()
  }
}
