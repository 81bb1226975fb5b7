/// A growing JSONB blob.
struct JSONBuffer {
  private(set) var memory: UnsafeMutablePointer<UInt8>? = nil
  var count = 0
  private(set) var capacity = 0
  /// By how many bytes edits have changed the size, beyond what the headers around them say.
  var delta = 0

  /// Bytes that may be written behind the end by those that copy in whole words.
  static let slack = 16

  var elements: JSONElements {
    var elements = JSONElements(UnsafePointer(memory ?? JSONBuffer.nothing), count)
    elements.excess = delta < 0 ? 0 &- delta : 0
    return elements
  }

  private static var nothing: UnsafeMutablePointer<UInt8> {
    UnsafeMutablePointer(mutating: Register.emptyBytes)
  }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: memory, count: count) }

  mutating func deallocate() {
    Memory.free(memory)
    self = JSONBuffer()
  }

  mutating func removeAll() {
    count = 0
    delta = 0
    // A document of unusual size does not stay in memory.
    if capacity > 1 << 20 { deallocate() }
  }

  /// Makes room for so many more bytes, and the slack behind them.
  @inline(__always)
  mutating func reserve(_ byteCount: Int) throws(SQLError) {
    if capacity &- count < byteCount &+ JSONBuffer.slack { try grow(byteCount) }
  }

  @inline(never)
  private mutating func grow(_ byteCount: Int) throws(SQLError) {
    let needed = count + byteCount + JSONBuffer.slack
    guard needed <= Int(Int32.max) else { throw .tooBig }
    let larger = max(256, needed, 2 * capacity)
    memory = try Memory.reallocate(memory, larger).assumingMemoryBound(to: UInt8.self)
    capacity = larger
  }

  // MARK: Appending

  /// Appends a byte for which there is room.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    memory.unsafelyUnwrapped[count] = byte
    count &+= 1
  }

  mutating func append(_ source: UnsafePointer<UInt8>, _ byteCount: Int) throws(SQLError) {
    try reserve(byteCount)
    if byteCount > 0 {
      Memory.copy(from: source, to: memory.unsafelyUnwrapped + count, byteCount)
    }
    count &+= byteCount
  }

  /// Appends a header, of the shortest form.
  mutating func appendHeader(_ type: UInt8, _ payload: Int) throws(SQLError) {
    try reserve(9)
    guard let memory else { return }
    count &+= JSONBuffer.writeHeader(type, payload, to: memory + count)
  }

  mutating func append(
    _ type: UInt8, _ payload: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    try appendHeader(type, payload.count)
    try append(payload.baseAddress ?? Register.emptyBytes, payload.count)
  }

  static func headerSize(_ payload: Int) -> Int {
    payload <= 11 ? 1 : payload <= 0xff ? 2 : payload <= 0xffff ? 3 : 5
  }

  /// Writes a header; gives its size.
  @inline(__always)
  static func writeHeader(
    _ type: UInt8, _ payload: Int, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    if payload <= 11 {
      target[0] = type | UInt8(truncatingIfNeeded: payload) << 4
      return 1
    }
    let size = headerSize(payload)
    target[0] = type | (size == 2 ? 0xc0 : size == 3 ? 0xd0 : 0xe0)
    for index in 1..<size {
      target[index] = UInt8(truncatingIfNeeded: payload >> (8 &* (size &- 1 &- index)))
    }
    return size
  }

  // MARK: Editing

  /// Gives the container at `offset` another payload size, in the shortest form. Returns by how
  /// much the header has grown.
  @discardableResult
  mutating func setPayloadSize(at offset: Int, _ payload: Int) throws(SQLError) -> Int {
    try reserve(9)
    guard let memory, offset < count else { return 0 }
    let code = memory[offset] >> 4
    let oldSize = code <= 11 ? 1 : code == 12 ? 2 : code == 13 ? 3 : code == 14 ? 5 : 9
    let newSize = JSONBuffer.headerSize(payload)
    if newSize != oldSize {
      let rest = max(0, count - offset - oldSize)
      Memory.move(from: memory + offset + oldSize, to: memory + offset + newSize, rest)
      count = offset + newSize + rest
    }
    _ = JSONBuffer.writeHeader(memory[offset] & 15, payload, to: memory + offset)
    return newSize - oldSize
  }

  /// Replaces bytes at `offset` by others, which are not in this buffer.
  mutating func replace(
    at offset: Int, _ oldCount: Int, with new: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    let difference = new.count - oldCount
    if difference < 0 && difference >= -8 && new.count > 0
      && overwrite(at: offset, new, filling: 0 - difference)
    {
      return
    }
    try makeGap(at: offset, oldCount, new.count)
    if let memory, let source = new.baseAddress {
      Memory.copy(from: source, to: memory + offset, new.count)
    }
  }

  /// Makes room of another size in the place of some bytes.
  mutating func makeGap(
    at offset: Int, _ oldCount: Int, _ newCount: Int
  ) throws(SQLError) {
    // Headers inside an unfinished edit may reach behind the end.
    let rest = count - offset - oldCount
    guard rest >= 0 else { throw .sql("malformed JSON") }
    try reserve(newCount)
    guard let memory, newCount != oldCount else { return }
    Memory.move(from: memory + offset + oldCount, to: memory + offset + newCount, rest)
    count += newCount - oldCount
    delta += newCount - oldCount
  }

  /// Puts an element in the place of one that is a little longer by giving it a longer header than
  /// it needs, so that nothing behind it moves. Not all sizes can be filled.
  private func overwrite(
    at offset: Int, _ new: UnsafeBufferPointer<UInt8>, filling difference: Int
  ) -> Bool {
    guard let memory, new[0] & 15 > JSONType.false else { return false }
    let code = new[0] >> 4
    let oldSize = code <= 11 ? 1 : code == 12 ? 2 : code == 13 ? 3 : code == 14 ? 5 : 9
    let newSize = oldSize + difference, newCode: UInt8
    switch newSize {
    case 2: newCode = 0xc0
    case 3: newCode = 0xd0
    case 5: newCode = 0xe0
    case 9: newCode = 0xf0
    default: return false
    }
    var payload = new.count - oldSize
    guard payload >= 0, let source = new.baseAddress else { return false }
    Memory.copy(from: source + oldSize, to: memory + offset + newSize, payload)
    memory[offset] = new[0] & 15 | newCode
    for index in stride(from: newSize - 1, through: 1, by: -1) {
      memory[offset + index] = UInt8(truncatingIfNeeded: payload)
      payload >>= 8
    }
    return true
  }

  /// Lets the header of a container know what edits inside have done to its size.
  mutating func adjustSize(at offset: Int) throws(SQLError) {
    guard delta != 0, let memory else { return }
    // The payload may not be all there yet.
    let known = JSONElements(UnsafePointer(memory), capacity).header(at: offset)
    guard known.isValid else { return }
    delta += try setPayloadSize(at: offset, known.payload + delta)
  }
}
