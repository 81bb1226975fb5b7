// Functions that take values as they are (`RawInvocation`): nothing is converted for them.

extension CallFrame {
  /// A function of the application may run SQL, which may change the pages that arguments lie in:
  /// they own their bytes.
  @inline(__always)
  private func own(
    _ arguments: UnsafeMutablePointer<Register>, _ count: Int
  ) throws(SQLError) {
    for index in 0..<count where arguments[index].tag.rawValue >= StorageClass.text.rawValue {
      try arguments[index].makeOwnedAndTerminated()
    }
  }

  @inline(__always)
  private func place(_ target: UnsafeMutablePointer<Register>) -> ResultPlace {
    ResultPlace(target, encoding: encoding, lengthLimit: memory.pointee.lengthLimit)
  }

  func callRaw(
    _ function: Unmanaged<RawFunction>, _ call: UnsafePointer<ScalarCall>,
    _ arguments: UnsafeMutablePointer<Register>, into result: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let count = call.pointee.argumentCount
    try own(arguments, count)
    result.pointee.setNull()
    // 'now' is one moment within a statement; others that it runs have their own.
    let time = memory.pointee.currentTime
    let kept = keptByCalls()
    var invocation = RawInvocation(
      arguments: arguments, count: count, result: place(result), memory: kept,
      site: UnsafeRawPointer(call))
    do throws(SQLError) {
      try function.lend { (function) throws(SQLError) in try function.call(&invocation) }
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

  /// Takes a row into a group.
  func stepRaw(
    _ aggregate: Unmanaged<RawAggregate>, _ call: UnsafePointer<AggregateCall>,
    _ arguments: UnsafeMutablePointer<Register>, _ accumulator: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let count = call.pointee.argumentCount
    try own(arguments, count)
    let target = try droppedResult()
    target.pointee.setNull()
    accumulator.pointee.byteCount &+= 1
    let time = memory.pointee.currentTime
    var invocation = RawInvocation(
      arguments: arguments, count: count, result: place(target), memory: keptByCalls(),
      site: UnsafeRawPointer(call), accumulator: accumulator, function: call.pointee.reference)
    do throws(SQLError) {
      try aggregate.lend { (aggregate) throws(SQLError) in try aggregate.step(&invocation) }
    } catch {
      memory.pointee.currentTime = time
      throw error
    }
    memory.pointee.currentTime = time
    if let tripCode { throw SQLError(tripCode) }
  }

  enum RawPart { case inverse, value, result }

  /// Runs another part of an aggregate. Without a register for it, the result is dropped.
  func runRaw(
    _ part: RawPart, _ aggregate: Unmanaged<RawAggregate>, _ call: UnsafePointer<AggregateCall>,
    _ arguments: UnsafeMutablePointer<Register>?,
    _ accumulator: UnsafeMutablePointer<Register>,
    into result: UnsafeMutablePointer<Register>? = nil
  ) throws(SQLError) {
    var count = 0
    if let arguments {
      count = call.pointee.argumentCount
      try own(arguments, count)
    }
    let target = if let result { result } else { try droppedResult() }
    target.pointee.setNull()
    let time = memory.pointee.currentTime
    let kept = keptByCalls()
    defer {
      memory.pointee.currentTime = time
      if part == .result {
        kept._withUnsafeGuaranteedRef { $0.freeGroupMemory(of: &accumulator.pointee) }
      }
    }
    var invocation = RawInvocation(
      arguments: arguments ?? target, count: count, result: place(target), memory: kept,
      site: UnsafeRawPointer(call), accumulator: accumulator, function: call.pointee.reference)
    try aggregate.lend { (aggregate) throws(SQLError) in
      switch part {
      case .inverse: try aggregate.inverse(&invocation)
      case .value:
        if aggregate.isForWindows {
          try aggregate.value(&invocation)
        } else {
          try aggregate.result(&invocation)
        }
      case .result: try aggregate.result(&invocation)
      }
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
          var invocation = RawInvocation(
            arguments: target, count: 0, result: place(target),
            memory: .passUnretained(callMemory), site: UnsafeRawPointer(target),
            accumulator: accumulator,
            function: .passUnretained(group.header.pointee.function))
          try raw.result(&invocation)
        }
      } catch {
        // Nobody asks for the result of such a group.
      }
      callMemory.freeGroupMemory(of: &accumulator)
    }
  }
}
