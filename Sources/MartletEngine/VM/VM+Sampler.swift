// Opcodes of ANALYZE.

extension VM {
  func openSampler(_ op: Operation) throws(SQLError) {
    let sampler = try IndexSampler(
      columnCount: op.p2, keyColumnCount: op.p4, entryCount: registers[op.p3].integer,
      limit: registers[op.p3 + 1].integer)
    slots[op.p1].open(.sampler, sampler, columnCount: 0)
  }

  func addToSampler(_ op: Operation) throws(SQLError) {
    let changed = Int(clamping: registers[op.p2].integer), key = registers + op.p3
    let advice = try (slots + op.p1).with(.sampler, IndexSampler.self) {
      sampler throws(SQLError) in try sampler.add(changed: changed, key: key.pointee)
    }
    switch advice {
    case .goOn: registers[op.p2].setNull()
    case .skipEqual: registers[op.p2].setInteger(0)
    case .stop: registers[op.p2].setInteger(1)
    }
  }

  func readSummary(_ op: Operation) throws(SQLError) {
    let text = try (slots + op.p1).with(.sampler, IndexSampler.self) {
      sampler throws(SQLError) in sampler.summary
    }
    try setText(text, registers + op.p2)
  }

  /// Returns whether there is another sample.
  func readSample(_ op: Operation) throws(SQLError) -> Bool {
    let target = registers + op.p3
    return try (slots + op.p1).with(.sampler, IndexSampler.self) { sampler throws(SQLError) in
      guard let sample = try sampler.nextSample() else { return false }
      try setText(sampler.text(sample.equal), target)
      try setText(sampler.text(sample.less), target + 1)
      try setText(sampler.text(sample.distinct), target + 2)
      if op.pointee.p4 == 0 {
        try target[3].assign(from: sample.key)
      } else {
        try unpack(sample.key, op.p4, target + 3)
      }
      return true
    }
  }

  /// The columns of a record.
  private func unpack(
    _ record: borrowing Register, _ count: Int, _ target: Cell
  ) throws(SQLError) {
    var decoder = RecordDecoder()
    defer { decoder.deinitialize() }
    try decoder.begin(record: record.bytes ?? Register.emptyBytes, byteCount: Int(record.byteCount))
    for index in 0..<count {
      if try !decoder.column(index, into: target + index) { target[index].setNull() }
      try target[index].makeOwned()
    }
  }

  func setText(_ text: String, _ target: Cell) throws(SQLError) {
    target.pointee.deinitialize()
    target.pointee = try .makeText(text, encoding: encoding)
  }

  /// Whether the number of entries, as the pages on the way to the first entry tell it, has a
  /// LogEst between P3 and P4. An empty tree has less than any.
  func isSizeBetween(_ op: Operation) throws(SQLError) -> Bool {
    let estimate = try (slots + op.p1).withCursor { cursor throws(SQLError) in
      try cursor.estimatedCount()
    }
    let size = estimate.map { LogEst(count: $0).rawValue } ?? -1
    return size >= op.p3 && size <= op.p4
  }
}
