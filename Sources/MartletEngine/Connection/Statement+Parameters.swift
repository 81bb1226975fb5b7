// Binding values that C's programs have: other encodings, blobs of zeros, values of the engine.

extension Statement {
  /// A text in any encoding. The byte order mark of UTF-16 is left out and counts more than the
  /// encoding that is given (c3ref/bind_blob); so is an odd byte at its end.
  public func bind(
    text: UnsafeRawBufferPointer, encoding: TextEncoding, at index: Int
  ) throws(SQLError) {
    guard encoding != .utf8 else { return try bind(text: text, at: index) }
    let parameter = try parameter(index)
    guard text.count <= connection.lengthLimit else {
      parameter.pointee.setNull()
      throw .tooBig
    }
    let (bytes, source) = ResultPlace.withoutByteOrderMark(text, encoding)
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Register.emptyBytes
    try parameter.pointee.set(text: start, bytes.count, from: source, to: textEncoding)
    parameter.pointee.flags.insert(.fromBind)
  }

  /// A blob of zeros, which takes memory only where it is looked at (`sqlite3_bind_zeroblob`). One that
  /// is too long is an error of the statement when it runs.
  public func bind(zeroBlobCount: Int, at index: Int) throws(SQLError) {
    let parameter = try parameter(index)
    let count = min(max(0, zeroBlobCount), connection.lengthLimit + 1)
    parameter.pointee.setBorrowed(.blob, Register.emptyBytes, 0)
    parameter.pointee.zeroCount = Int32(count)
    parameter.pointee.flags.insert(.fromBind)
  }

  /// A copy of a value; its subtype is not bound (`sqlite3_bind_value`).
  public func bind(_ value: ValueReference, at index: Int) throws(SQLError) {
    switch value.type {
    case .null: try bindNull(at: index)
    case .integer: try bind(value.int64, at: index)
    case .real: try bind(value.double, at: index)
    case .text: try bind(text: value.bytes(), encoding: value.encoding, at: index)
    case .blob:
      let zeros = Int(value.register.pointee.zeroCount)
      if zeros > 0 && zeros == value.byteCount {
        try bind(zeroBlobCount: zeros, at: index)
      } else {
        try bind(blob: value.bytes(), at: index)
      }
    }
  }

  /// Takes over what is bound in a statement with as many parameters, where nothing is bound then
  /// (`sqlite3_transfer_bindings`).
  public func takeBindings(of other: Statement) throws(SQLError) {
    guard parameterCount == other.parameterCount else { throw SQLError(.error) }
    guard other !== self else { return }
    let pointers = other.boundPointers
    other.boundPointers = nil
    for index in 1..<(parameterCount + 1) {
      let source = try other.parameter(index), target = try parameter(index)
      swap(&source.pointee, &target.pointee)
      source.pointee.setNull()
    }
    let earlier = boundPointers
    boundPointers = pointers
    withExtendedLifetime(earlier) {}
  }

  /// Compiles a statement that does not run again, if what it was made for has changed. For layers
  /// that keep statements, and look at their columns before they run.
  package func refresh() throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    if !isBusy, isOutdated { try prepareAgain() }
  }
}
