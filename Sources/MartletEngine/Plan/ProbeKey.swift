// What samples tell of a key (SQLite's whereKeyStats and its kin).

/// The beginning of an index key, as far as its values are known when a statement is planned.
final class ProbeKey {
  /// How many leading columns terms have given values.
  var knownCount = 0
  private var fields: UnsafeMutablePointer<Register>
  private let capacity: Int
  let index: Index
  let samples: IndexSamples
  private let keyInfo: KeyInfo
  let constant: Constant

  /// nil for an index without samples, and where the application's collations order it.
  init?(_ index: Index, _ goal: LoopGoal) {
    guard let samples = index.samples, !samples.samples.isEmpty,
      let keyInfo = samples.keyInfo(of: index)
    else { return nil }
    self.index = index
    self.samples = samples
    self.keyInfo = keyInfo
    constant = Constant(
      encoding: samples.encoding, functionHost: goal.functionHost, parameters: goal.parameters)
    capacity = samples.columnCount
    fields = .allocate(capacity: capacity)
    fields.initialize(repeating: Register(), count: capacity)
  }

  deinit {
    for position in 0..<capacity { fields[position].deinitialize() }
    fields.deallocate()
  }

  /// Puts a constant in the place of a column. False if its value is not known.
  func set(
    _ position: Int, to expression: BoundExpression?, _ affinity: Affinity
  ) throws(SQLError) -> Bool {
    guard position < capacity else { return false }
    guard var value = try expression.map({ (expression) throws(SQLError) in
      try constant.value(ofTerm: expression, affinity)
    }) ?? Register() else { return false }
    swap(&fields[position], &value)
    value.deinitialize()
    return true
  }

  /// How a key lies among the entries of the index.
  struct Place {
    /// The first sample that is not less than the key.
    let sample: Int
    /// Entries that are less than the key, and equal to it.
    let less: UInt64
    let equal: UInt64
  }

  /// Estimates the place of the first `count` columns.
  ///
  /// Samples are searched together with their beginnings of fewer columns, each sample as `count`
  /// keys one after the other: the shortest beginning of at least n columns that is greater than
  /// the key before, for n = 1, 2, … `count`.
  func place(count: Int, roundsUp: Bool) -> Place {
    let sampleCount = samples.samples.count
    let count = min(count, capacity)
    var low = 0, high = sampleCount * count, column = 0
    var lower: UInt64 = 0, order = -1
    repeat {
      let middle = (low + high) / 2
      let sample = samples.samples[middle / count]
      let width = width(of: middle, count)
      order = compare(sample, width)
      if order < 0 {
        lower = sample.less[width - 1] &+ sample.equal[width - 1]
        low = middle + 1
      } else if order == 0 && width < count {
        lower = sample.less[width - 1]
        low = middle + 1
        order = -1
      } else {
        high = middle
        column = width - 1
      }
    } while order != 0 && low < high
    let position = high / count
    if order == 0 {
      let sample = samples.samples[position]
      return Place(sample: position, less: sample.less[column], equal: sample.equal[column])
    }
    let upper =
      position < sampleCount ? samples.samples[position].less[column] : samples.entryCount
    let gap = lower >= upper ? 0 : upper - lower
    return Place(
      sample: position, less: lower &+ (roundsUp ? gap &* 2 / 3 : gap / 3),
      equal: samples.averageEqual[count - 1])
  }

  private func width(of key: Int, _ count: Int) -> Int {
    let position = key / count
    guard position > 0 else { return key + 1 }
    let sample = samples.samples[position], before = samples.samples[position - 1]
    var width = key % count + 1
    while width < count, before.less[width - 1] == sample.less[width - 1] { width += 1 }
    return width
  }

  /// The order of a sample and the key. Samples of a damaged file count as equal.
  private func compare(_ sample: IndexSamples.Sample, _ width: Int) -> Int {
    guard sample.byteCount > 0 else { return 0 }
    var key = UnpackedKey(fields, count: width, keyInfo: keyInfo)
    do {
      return try KeyComparison.compare(
        record: sample.record, byteCount: sample.byteCount, with: &key)
    } catch {
      return 0
    }
  }

  /// How many samples are not greater in one column than a value, whatever their other columns.
  func countOfSamples(
    upTo value: UnsafeMutablePointer<Register>, column: Int
  ) throws(SQLError) -> Int {
    var decoder = RecordDecoder()
    var stored = Register()
    defer {
      decoder.deinitialize()
      stored.deinitialize()
    }
    var count = 0
    for sample in samples.samples where sample.byteCount > 0 {
      try decoder.begin(record: sample.record, byteCount: sample.byteCount)
      if try !decoder.column(column, into: &stored) { stored.setNull() }
      let order = try Comparison.compare(
        value, &stored, keyInfo.columns[column].collation, samples.encoding)
      if order >= 0 { count += 1 }
    }
    return count
  }
}

/// Values that are known when a statement is planned.
struct Constant {
  let encoding: TextEncoding
  /// Where functions are called; nil: they are not.
  let functionHost: FunctionHost?
  /// What parameters are bound to; nil: nobody may ask.
  let parameters: PlanParameters?

  /// The value of what a term compares with, or of an argument: a parameter alone, or a constant.
  func value(
    ofTerm expression: BoundExpression, _ affinity: Affinity
  ) throws(SQLError) -> Register? {
    guard case .parameter(let number) = expression.withoutCollate.kind else {
      return try value(of: expression, affinity)
    }
    guard var value = try parameters?.value(of: Int(number), in: encoding) else { return nil }
    try value.freeingOnError { (value) throws(SQLError) in
      try affinity.apply(to: &value, encoding: encoding)
    }
    return value
  }

  /// The value of a literal, with its sign or a CAST, or of a function of such values, as a column
  /// of that affinity has it; nil for other expressions.
  func value(
    of expression: BoundExpression, _ affinity: Affinity
  ) throws(SQLError) -> Register? {
    var value = Register()
    let isKnown = try value.freeingOnError { (value) throws(SQLError) in
      try read(expression, affinity, into: &value)
    }
    return isKnown ? value : nil
  }

  private func read(
    _ expression: BoundExpression, _ affinity: Affinity, into value: inout Register
  ) throws(SQLError) -> Bool {
    switch expression.kind {
    case .null: return true
    case .integer(let number): value.setInteger(number)
    case .real(let number, let digits):
      // To a column of text, SQLite compares what is written, not the text of the number.
      if affinity == .text {
        try value.setText(number, digits, encoding)
      } else {
        value.setReal(number)
      }
    case .text(let text): try value.setText(text, .text, encoding)
    case .blob(let bytes):
      try value.setText(bytes, .blob, encoding)
      return true
    case .collate(let operand), .plus(let operand):
      return try read(operand, affinity, into: &value)
    case .negate(let operand):
      guard let negated = try negative(of: operand, affinity) else { return false }
      value = negated
    case .cast(let operand, let target):
      guard try read(operand, target, into: &value) else { return false }
      try Cast.apply(target, to: &value, encoding: encoding)
    case .function(let call):
      guard let result = try self.value(of: call, affinity) else { return false }
      value = result
    default: return false
    }
    try affinity.apply(to: &value, encoding: encoding)
    return true
  }

  private func negative(
    of operand: BoundExpression, _ affinity: Affinity
  ) throws(SQLError) -> Register? {
    guard var value = try value(of: operand, affinity) else { return nil }
    try value.freeingOnError { (value) throws(SQLError) in
      try Cast.apply(.numeric, to: &value, encoding: encoding)
    }
    switch value.tag {
    case .integer where value.integer != .min: value.setInteger(-value.integer)
    case .integer: value.setReal(-Double(value.integer))
    case .real: value.setReal(-value.real)
    case .null, .text, .blob: break
    }
    return value
  }

  /// Calls a function that gives the same throughout the statement (SQLite's valueFromFunction).
  private func value(
    of call: BoundFunction, _ affinity: Affinity
  ) throws(SQLError) -> Register? {
    let flags = call.function.flags
    guard let functionHost, !flags.isDisjoint(with: [.deterministic, .constantPerStatement]),
      flags.isDisjoint(with: [.needsCollation, .application, .notForPlans])
    else { return nil }
    let count = call.arguments.count
    let arguments = UnsafeMutablePointer<Register>.allocate(capacity: max(count, 1))
    arguments.initialize(repeating: Register(), count: count)
    defer {
      for index in 0..<count { arguments[index].deinitialize() }
      arguments.deallocate()
    }
    for (index, argument) in call.arguments.enumerated() {
      guard var known = try value(ofTerm: argument, affinity) else { return nil }
      swap(&arguments[index], &known)
      known.deinitialize()
      if encoding != .utf8, !flags.contains(.anyEncoding) {
        try arguments[index].changeEncoding(from: encoding, to: .utf8)
      }
    }
    var result = Register()
    // What is compiled to jumps has nothing to be called: SQLite has sqlite_version() in its place.
    if flags.contains(.inline) {
      try result.setText(BuiltInFunctions.version, encoding)
      return result
    }
    try result.freeingOnError { (result) throws(SQLError) in
      try call.function.body(
        FunctionContext(
          arguments: arguments, count: count, result: &result,
          host: functionHost, collation: call.collation, encoding: encoding))
      try result.makeOwned()
      if encoding != .utf8, !flags.contains(.givesArgument) {
        try result.changeEncoding(from: .utf8, to: encoding)
      }
    }
    return result
  }
}

extension Register {
  fileprivate mutating func setText(
    _ text: StaticString, _ encoding: TextEncoding
  ) throws(SQLError) {
    try setOwned(.text, copying: text.utf8Start, text.utf8CodeUnitCount)
    try changeEncoding(from: .utf8, to: encoding)
  }

  /// The digits of a number, with its sign and without separators.
  fileprivate mutating func setText(
    _ number: Double, _ digits: ByteSlice, _ encoding: TextEncoding
  ) throws(SQLError) {
    var text: [UInt8] = number.sign == .minus ? [UInt8(ascii: "-")] : []
    for byte in digits.buffer where byte != UInt8(ascii: "_") { text.append(byte) }
    try setOwned(.text, copying: text, text.count)
    try changeEncoding(from: .utf8, to: encoding)
  }

  fileprivate mutating func setText(
    _ text: ByteSlice, _ tag: StorageClass, _ encoding: TextEncoding
  ) throws(SQLError) {
    try setOwned(tag, copying: text.start, text.count)
    if tag == .text { try changeEncoding(from: .utf8, to: encoding) }
  }
}
