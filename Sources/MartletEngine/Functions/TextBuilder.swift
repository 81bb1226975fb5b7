/// A growing text whose length nobody knows beforehand, within SQLite's length limit.
struct TextBuilder {
  private(set) var memory: UnsafeMutablePointer<UInt8>? = nil
  private(set) var count = 0
  private(set) var capacity = 0
  private var limit: Int
  /// The memory is somebody else's: it is left when it is too small.
  private var isLent = false

  init(limit: Int) { self.limit = limit }

  /// An empty text that begins in memory which the caller keeps.
  init(lent memory: UnsafeMutableBufferPointer<UInt8>, limit: Int) {
    self.memory = memory.baseAddress
    capacity = memory.count
    self.limit = limit
    isLent = true
  }

  /// A text that goes on in memory that already holds its beginning.
  init(adopting memory: UnsafeMutablePointer<UInt8>?, count: Int, capacity: Int, limit: Int) {
    self.memory = memory
    self.count = count
    self.capacity = capacity
    self.limit = limit
  }

  /// Begins another text in the same memory.
  mutating func restart(limit: Int) {
    count = 0
    self.limit = limit
    if capacity > limit { deallocate() }
  }

  /// Whether the memory is worth keeping for the next text.
  var isWorthKeeping: Bool { capacity > 0 && capacity <= 1 << 16 }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: memory, count: count) }

  mutating func deallocate() {
    if !isLent { Memory.free(memory) }
    isLent = false
    memory = nil
    count = 0
    capacity = 0
  }

  mutating func removeLast() { count &-= 1 }

  /// Takes everything off from `newCount` on.
  mutating func truncate(_ newCount: Int) { count = min(count, newCount) }

  /// Makes room for more bytes and gives the place where they go; then call `advance`.
  @inline(__always)
  mutating func reserve(_ byteCount: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    if capacity &- count < byteCount { try grow(byteCount) }
    return memory.unsafelyUnwrapped + count
  }

  @inline(never)
  private mutating func grow(_ byteCount: Int) throws(SQLError) {
    guard byteCount <= limit &- count else { throw .tooBig }
    let needed = count &+ byteCount
    var newCapacity = min(max(128, needed, 2 &* capacity), limit)
    let owned = isLent ? nil : memory
    var enlarged = try? Memory.reallocate(owned, newCapacity)
    if enlarged == nil {
      // Memory is short: less than twice as much may still be had.
      newCapacity = min(needed &+ needed / 16, limit)
      enlarged = try Memory.reallocate(owned, newCapacity)
    }
    guard let grown = enlarged?.assumingMemoryBound(to: UInt8.self) else { throw .outOfMemory }
    if isLent, let memory { Memory.copy(from: memory, to: grown, count) }
    isLent = false
    memory = grown
    capacity = newCapacity
  }

  @inline(__always)
  mutating func advance(_ byteCount: Int) { count &+= byteCount }

  @inline(__always)
  mutating func append(_ byte: UInt8) throws(SQLError) {
    try reserve(1).pointee = byte
    count &+= 1
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    guard let source = text.baseAddress, text.count > 0 else { return }
    Memory.copy(from: source, to: try reserve(text.count), text.count)
    count &+= text.count
  }

  mutating func append(_ text: StaticString) throws(SQLError) {
    try append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(repeating byte: UInt8, _ repeatCount: Int) throws(SQLError) {
    guard repeatCount > 0 else { return }
    try reserve(repeatCount).update(repeating: byte, count: repeatCount)
    count &+= repeatCount
  }

  /// Moves what stands from `offset` on back and fills the gap.
  mutating func insert(repeating byte: UInt8, _ repeatCount: Int, at offset: Int) throws(SQLError) {
    guard repeatCount > 0 else { return }
    _ = try reserve(repeatCount)
    guard let start = memory.map({ $0 + offset }) else { return }
    Memory.move(from: start, to: start + repeatCount, count &- offset)
    start.update(repeating: byte, count: repeatCount)
    count &+= repeatCount
  }

  mutating func append(decimal value: Int64) throws(SQLError) {
    let end = try reserve(NumberText.bufferSize)
    advance(NumberText.write(value, to: end))
  }

  /// Appends a text as SQL literal or part of one: quotes doubled, and if asked for and needed,
  /// control characters as escapes of `unistr`.
  mutating func appendQuoted(
    _ text: UnsafeBufferPointer<UInt8>, quote: UInt8, encloses: Bool, escapesControls: Bool
  ) throws(SQLError) {
    let backslash = UInt8(ascii: "\\")
    let hasControls = text.contains { $0 > 0 && $0 < 0x20 }
    let escapes = escapesControls && (hasControls || (!encloses && text.contains(backslash)))
    if encloses {
      if escapes { try append("unistr(") }
      try append(quote)
    }
    for byte in text {
      if byte == quote || (escapes && byte == backslash) { try append(byte) }
      if escapes && byte < 0x20 {
        try append("\\u00")
        try append(ASCII.hexDigit(byte >> 4, upper: false))
        try append(ASCII.hexDigit(byte & 15, upper: false))
      } else {
        try append(byte)
      }
    }
    if encloses {
      try append(quote)
      if escapes { try append(UInt8(ascii: ")")) }
    }
  }
}
