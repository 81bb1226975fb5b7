// Functions that take values as they are (`RawInvocation`): nothing is converted for them.

extension CallFrame {
  /// A function of the application may run SQL, which may change the pages that arguments lie in:
  /// they own their bytes.
  @inline(__always)
  private func own(
    _ arguments: UnsafeMutablePointer<Register>, _ count: Int
  ) throws(SQLError) {
    for index in 0..<count where arguments[index].tag.rawValue >= StorageClass.text.rawValue {
      try arguments[index].makeOwned()
    }
  }

  func callRaw(
    _ call: UnsafePointer<ScalarCall>, _ arguments: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    guard let body = call.pointee.function.rawBody else { return }
    let count = call.pointee.argumentCount
    try own(arguments, count)
    result.pointee.setNull()
    // 'now' is one moment within a statement; others that it runs have their own.
    let time = memory.pointee.currentTime
    let kept = keptByCalls()
    do throws(SQLError) {
      try body(
        RawInvocation(
          arguments: arguments, count: count, encoding: encoding, target: result, host: memory,
          memory: kept, site: UnsafeRawPointer(call)))
    } catch {
      memory.pointee.currentTime = time
      dropAuxiliary(kept, call)
      throw error
    }
    memory.pointee.currentTime = time
    if let tripCode { throw SQLError(tripCode) }
    dropAuxiliary(kept, call)
  }

  @inline(__always)
  private func dropAuxiliary(_ kept: Unmanaged<CallMemory>, _ call: UnsafePointer<ScalarCall>) {
    kept._withUnsafeGuaranteedRef { kept in
      guard kept.hasNewAuxiliary else { return }
      kept.dropAuxiliary(at: UnsafeRawPointer(call), except: call.pointee.constantArguments)
    }
  }

  enum RawPart { case step, inverse, value, result }

  /// Runs a part of an aggregate. Without a register for it, the result is dropped.
  func runRaw(
    _ part: RawPart, _ call: UnsafePointer<AggregateCall>,
    _ arguments: UnsafeMutablePointer<Register>?,
    _ accumulator: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>? = nil
  ) throws(SQLError) {
    let function = call.pointee.function
    guard let raw = function.raw else { return }
    var count = 0
    if let arguments {
      count = call.pointee.argumentCount
      try own(arguments, count)
    }
    let target = if let result { result } else { try droppedResult() }
    target.pointee.setNull()
    if part == .step { accumulator.pointee.byteCount &+= 1 }
    let time = memory.pointee.currentTime
    let kept = keptByCalls()
    defer {
      memory.pointee.currentTime = time
      if part == .result {
        kept._withUnsafeGuaranteedRef { $0.freeGroupMemory(of: &accumulator.pointee) }
      }
    }
    let invocation = RawInvocation(
      arguments: arguments ?? target, count: count, encoding: encoding, target: target,
      host: memory, memory: kept, site: UnsafeRawPointer(call), accumulator: accumulator,
      function: .passUnretained(function))
    switch part {
    case .step: try raw.step(invocation)
    case .inverse: try raw.inverse?(invocation)
    case .value: try (raw.value ?? raw.result)(invocation)
    case .result: try raw.result(invocation)
    }
    if let tripCode { throw SQLError(tripCode) }
  }

  /// The statement ends before groups that have memory: their functions end them.
  func endGroups() {
    guard let callMemory else { return }
    while let group = callMemory.groups {
      var accumulator = Register()
      accumulator.setInteger(Int64(Int(bitPattern: group.header)))
      do throws(SQLError) {
        guard let raw = group.header.pointee.function.raw else { return }
        let target = try droppedResult()
        target.pointee.setNull()
        try withUnsafeMutablePointer(to: &accumulator) { accumulator throws(SQLError) in
          try raw.result(
            RawInvocation(
              arguments: target, count: 0, encoding: encoding, target: target, host: memory,
              memory: .passUnretained(callMemory), site: UnsafeRawPointer(target),
              accumulator: accumulator,
              function: .passUnretained(group.header.pointee.function)))
        }
      } catch {
        // Nobody asks for the result of such a group.
      }
      callMemory.freeGroupMemory(of: &accumulator)
    }
  }
}
