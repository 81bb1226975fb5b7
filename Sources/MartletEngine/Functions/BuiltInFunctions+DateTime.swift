extension BuiltInFunctions {
  private static let constant: FunctionFlags = [.constantPerStatement, .deterministic, .innocuous]

  static let dateTime: [ScalarFunction] = [
    ScalarFunction("julianday", .atLeast(0), constant, body: julianDay),
    ScalarFunction("unixepoch", .atLeast(0), constant, body: unixEpoch),
    ScalarFunction("date", .atLeast(0), constant) { call throws(SQLError) in
      try write("date", call, date: true, time: false)
    },
    ScalarFunction("time", .atLeast(0), constant) { call throws(SQLError) in
      try write("time", call, date: false, time: true)
    },
    ScalarFunction("datetime", .atLeast(0), constant) { call throws(SQLError) in
      try write("datetime", call, date: true, time: true)
    },
    ScalarFunction("strftime", .atLeast(0), constant, body: strftime),
    ScalarFunction("timediff", .exactly(2), constant, body: timeDifference),
    ScalarFunction("current_date", .exactly(0), now) { call throws(SQLError) in
      try write("current_date", call, date: true, time: false)
    },
    ScalarFunction("current_time", .exactly(0), now) { call throws(SQLError) in
      try write("current_time", call, date: false, time: true)
    },
    ScalarFunction("current_timestamp", .exactly(0), now) { call throws(SQLError) in
      try write("current_timestamp", call, date: true, time: true)
    },
  ]

  private static let now: FunctionFlags = [.constantPerStatement, .innocuous]

  /// The moment that arguments of the function `name` from `first` on say; nil if they say none.
  private static func moment(
    _ name: StaticString, _ call: FunctionContext, from first: Int, count: Int
  ) throws(SQLError) -> DateTime? {
    var moment = DateTime()
    if count <= 0 {
      try refuseWhereStored(name, call)
      guard moment.setToNow(call.memory) else { return nil }
    } else if call.tag(first) == .integer || call.tag(first) == .real {
      moment.setNumber(call.real(first))
    } else {
      guard let text = try call.cString(first) else { return nil }
      if TimeText(text).namesNow { try refuseWhereStored(name, call) }
      guard moment.parse(TimeText(text), call.memory) else { return nil }
    }
    for index in 1..<max(1, count) {
      guard let text = try call.cString(first + index) else { return nil }
      if call.storedPlace != .none, TimeText(text).namesTimeZone {
        try refuseWhereStored(name, call)
      }
      guard try moment.apply(TimeText(text), index: index) else { return nil }
    }
    moment.computeJulianDay()
    guard !moment.isInvalid && DateTime.isValid(moment.julianDay) else { return nil }
    // A day like February 30 is to be shown as what it stands for.
    if count == 1 && moment.hasDate && moment.day > 28 { moment.hasDate = false }
    return moment
  }

  /// Throws where the schema keeps what is computed: the time of day and the time zone change
  /// (SQLite's sqlite3NotPureFunc).
  @inline(__always)
  private static func refuseWhereStored(
    _ name: StaticString, _ call: FunctionContext
  ) throws(SQLError) {
    guard call.storedPlace != .none else { return }
    throw .sql("non-deterministic use of \(name)() in \(call.storedPlace.description)")
  }

  @Sendable private static func julianDay(_ call: FunctionContext) throws(SQLError) {
    guard let moment = try moment("julianday", call, from: 0, count: call.count) else {
      return call.setNull()
    }
    call.setReal(Double(moment.julianDay) / 86_400_000)
  }

  @Sendable private static func unixEpoch(_ call: FunctionContext) throws(SQLError) {
    guard let moment = try moment("unixepoch", call, from: 0, count: call.count) else {
      return call.setNull()
    }
    if moment.showsSubseconds {
      call.setReal(Double(moment.julianDay - DateTime.unixEpoch) / 1000)
    } else {
      call.setInteger(moment.unixSeconds)
    }
  }

  private static func write(
    _ name: StaticString, _ call: FunctionContext, date: Bool, time: Bool
  ) throws(SQLError) {
    guard var moment = try moment(name, call, from: 0, count: call.count) else {
      return call.setNull()
    }
    var text = call.memory.pointee.takeText()
    defer { call.memory.pointee.giveBack(text) }
    if date {
      moment.computeDate()
      try moment.appendDate(to: &text)
    }
    if date && time { try text.append(UInt8(ascii: " ")) }
    if time {
      moment.computeTime()
      try moment.appendTime(to: &text)
    }
    try call.setText(text.bytes)
  }

  @Sendable private static func strftime(_ call: FunctionContext) throws(SQLError) {
    guard call.count > 0, let format = try call.cString(0) else { return call.setNull() }
    guard var moment = try moment("strftime", call, from: 1, count: call.count - 1) else {
      return call.setNull()
    }
    moment.computeDateAndTime()
    var text = call.memory.pointee.takeText(spare: NumberText.bufferSize)
    defer { call.memory.pointee.giveBack(text) }
    var index = 0
    while index < format.count {
      let byte = format[index]
      index += 1
      if byte != UInt8(ascii: "%") {
        try text.append(byte)
        continue
      }
      guard index < format.count,
        try moment.append(format[index], to: &text, call.memory.pointee.digits)
      else { return call.setNull() }
      index += 1
    }
    // SQLite counts the zero that ends the text.
    guard text.count < call.lengthLimit else { throw .tooBig }
    try call.setText(text.bytes)
  }

  /// How to get from the second moment to the first, as a modifier says it.
  @Sendable private static func timeDifference(_ call: FunctionContext) throws(SQLError) {
    guard var first = try moment("timediff", call, from: 0, count: 1),
      var second = try moment("timediff", call, from: 1, count: 1)
    else { return call.setNull() }
    first.computeDateAndTime()
    second.computeDateAndTime()
    let isForward = first.julianDay >= second.julianDay
    let (later, earlier) = isForward ? (first, second) : (second, first)
    // The second moment is moved month by month until the rest is less than a month.
    var moved = second
    var years = later.year - earlier.year
    if years != 0 { moved.moveTo(year: first.year, month: moved.month) }
    var months = later.month - earlier.month
    if months < 0 {
      years -= 1
      months += 12
    }
    if months != 0 { moved.moveTo(year: moved.year, month: first.month) }
    while isForward ? first.julianDay < moved.julianDay : first.julianDay > moved.julianDay {
      months -= 1
      if months < 0 {
        months = 11
        years -= 1
      }
      moved.step(isForward ? -1 : 1)
    }
    var rest = DateTime()
    let distance = first.julianDay - moved.julianDay
    // The rest is read as a date in January of the year 0, of which one day is taken off.
    rest.set(julianDay: abs(distance) + 148_699_540_800_000)
    rest.computeDateAndTime()
    var text = call.memory.pointee.takeText()
    defer { call.memory.pointee.giveBack(text) }
    try text.append(isForward ? "+" : "-")
    try text.append(years, width: 4)
    try text.append("-")
    try text.append(months, width: 2)
    try text.append("-")
    try text.append(rest.day - 1, width: 2)
    try text.append(" ")
    rest.showsSubseconds = true
    try rest.appendTime(to: &text)
    try call.setText(text.bytes)
  }
}

extension DateTime {
  fileprivate mutating func moveTo(year: Int, month: Int) {
    self.year = year
    self.month = month
    hasJulianDay = false
    computeJulianDay()
  }

  /// Moves by one month in either direction.
  fileprivate mutating func step(_ direction: Int) {
    let next = month + direction
    let isWithin = next >= 1 && next <= 12
    moveTo(
      year: isWithin ? year : year + direction,
      month: isWithin ? next : (direction < 0 ? 12 : 1))
  }
}
