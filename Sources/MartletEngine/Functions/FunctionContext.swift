/// One call of a function: its arguments and where the result goes.
///
/// Texts are UTF-8: for databases in UTF-16 the caller converts arguments and result, unless the
/// function's flags have `.anyEncoding`. Argument registers keep their values; only trailing zeros
/// of a blob may be written out. The result register is none of the arguments.
struct FunctionContext {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  let arguments: UnsafeMutablePointer<Register>
  let count: Int
  let result: UnsafeMutablePointer<Register>
  /// The registers of an aggregate's state; the result register otherwise.
  let accumulator: UnsafeMutablePointer<Register>
  unowned(unsafe) let host: FunctionHost
  let memory: UnsafeMutablePointer<FunctionMemory>
  /// The collation of functions with `.needsCollation`.
  unowned(unsafe) let collation: Collation
  /// The encoding of the database, for functions with `.anyEncoding`.
  let encoding: TextEncoding
  let storedPlace: StoredPlace

  @inline(__always)
  init(
    arguments: UnsafeMutablePointer<Register>, count: Int,
    result: UnsafeMutablePointer<Register>,
    accumulator: UnsafeMutablePointer<Register>? = nil, host: FunctionHost,
    memory: UnsafeMutablePointer<FunctionMemory>? = nil, collation: Collation,
    encoding: TextEncoding = .utf8, storedPlace: StoredPlace = .none
  ) {
    self.arguments = arguments
    self.count = count
    self.result = result
    self.accumulator = accumulator ?? result
    self.host = host
    self.memory = memory ?? host.memory
    self.collation = collation
    self.encoding = encoding
    self.storedPlace = storedPlace
  }

  @inline(__always)
  func tag(_ index: Int) -> StorageClass { arguments[index].tag }

  @inline(__always)
  func isNull(_ index: Int) -> Bool { arguments[index].tag == .null }

  /// The argument as an integer, as by CAST.
  @inline(__always)
  func integer(_ index: Int) -> Int64 {
    Cast.integer(of: arguments + index, tag(index) == .blob ? encoding : .utf8)
  }

  /// The argument as a real, as by CAST.
  @inline(__always)
  func real(_ index: Int) -> Double {
    Cast.real(of: arguments + index, tag(index) == .blob ? encoding : .utf8)
  }

  /// The bytes of a text or blob as they are.
  func bytes(_ index: Int) throws(SQLError) -> Bytes {
    try arguments[index].expandZeros()
    return arguments[index].byteBuffer
  }

  /// The argument as text, blobs by their bytes; nil for NULL. Texts of numbers lie in scratch
  /// memory of the host until four arguments later.
  @inline(__always)
  func text(_ index: Int) throws(SQLError) -> Bytes? {
    if arguments[index].tag == .text { return arguments[index].byteBuffer }
    return try textSlow(index)
  }

  @inline(never)
  private func textSlow(_ index: Int) throws(SQLError) -> Bytes? {
    let argument = arguments + index
    switch argument.pointee.tag {
    case .null: return nil
    case .text: return argument.pointee.byteBuffer
    case .blob:
      let isZeros = argument.pointee.zeroCount > 0
      try argument.pointee.expandZeros()
      if encoding != .utf8 { return try blobText(index, isZeros: isZeros) }
      return Bytes(
        start: argument.pointee.bytes ?? Register.emptyBytes,
        count: Int(argument.pointee.byteCount))
    case .integer, .real:
      let place = index % FunctionMemory.scratchPlaceCount * NumberText.bufferSize
      let target = memory.pointee.scratch + place
      let byteCount = argument.pointee.tag == .integer
        ? NumberText.write(argument.pointee.integer, to: target)
        : NumberText.writeShown(argument.pointee.real, to: target)
      return Bytes(start: target, count: byteCount)
    }
  }

  /// The bytes of a blob as text in the database's encoding, turned to UTF-8; the zeros of
  /// zeroblob() are UTF-8 in any database.
  private func blobText(_ index: Int, isZeros: Bool) throws(SQLError) -> Bytes {
    // Where the encoding is not UTF-8, functions that ask for text get copies of their arguments.
    arguments[index].tag = .text
    if isZeros { return arguments[index].byteBuffer }
    try arguments[index].changeEncoding(from: encoding, to: .utf8)
    return arguments[index].byteBuffer
  }

  /// The argument's text up to its first NUL, where SQLite works with C strings.
  func cString(_ index: Int) throws(SQLError) -> Bytes? {
    guard let text = try text(index) else { return nil }
    guard let end = Memory.firstZero(in: text) else { return text }
    return Bytes(rebasing: text[..<end])
  }

  /// The class of the argument once texts that are numbers count as such
  /// (`sqlite3_value_numeric_type`), with the number.
  func numeric(_ index: Int) -> (tag: StorageClass, number: Cast.Number) {
    let argument = arguments + index
    switch argument.pointee.tag {
    case .integer: return (.integer, Cast.Number(argument.pointee.integer))
    case .real: return (.real, Cast.Number(argument.pointee.real))
    case .null: return (.null, Cast.Number(Int64(0)))
    case .text:
      let text = Cast.numericText(argument, .utf8)
      guard text.isComplete else { return (.text, Cast.Number(text.real)) }
      // An integer that a NUL ends stays one here while a real holds it exactly.
      let isInteger = text.isPlainInteger
        || (text.isInteger && text.integer.magnitude < 1 << 51)
      return isInteger
        ? (.integer, Cast.Number(text.integer)) : (.real, Cast.Number(text.real))
    case .blob: return (.blob, Cast.Number(Cast.numericText(argument, encoding).real))
    }
  }
}

extension FunctionContext {
  @inline(__always)
  func setNull() { result.pointee.setNull() }

  @inline(__always)
  func setInteger(_ value: Int64) { result.pointee.setInteger(value) }

  @inline(__always)
  func setReal(_ value: Double) { result.pointee.setReal(value) }

  @inline(__always)
  func setText(_ bytes: Bytes) throws(SQLError) { try set(.text, bytes) }

  func set(_ tag: StorageClass, _ bytes: Bytes) throws(SQLError) {
    guard bytes.count <= lengthLimit else { throw .tooBig }
    try result.pointee.setOwned(
      tag, copying: bytes.baseAddress ?? Register.emptyBytes, bytes.count)
  }

  /// A constant text. It is not copied.
  @inline(__always)
  func setStatic(_ text: StaticString) {
    result.pointee.setBorrowed(.text, text.utf8Start, text.utf8CodeUnitCount)
  }

  @inline(__always)
  var lengthLimit: Int { memory.pointee.lengthLimit }

  /// Room for a result of that many bytes; fill it, then call `finish`.
  func reserve(_ byteCount: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    guard byteCount <= lengthLimit else { throw .tooBig }
    return try result.pointee.reserveBuffer(byteCount)
  }

  @inline(__always)
  func finish(_ tag: StorageClass, _ byteCount: Int) {
    result.pointee.adoptBuffer(tag, byteCount)
  }

  /// The result is the argument itself.
  @inline(__always)
  func setArgument(_ index: Int) throws(SQLError) {
    try result.pointee.assign(from: arguments[index])
  }
}
