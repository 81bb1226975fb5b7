extension DateTime {
  /// Applies a modifier (lang_datefunc §3); false if it is none or does not fit. `index` is its
  /// place among the arguments, the time value being 0.
  mutating func apply(_ modifier: TimeText, index: Int) throws(SQLError) -> Bool {
    switch ASCII.lower(modifier[0]) {
    case UInt8(ascii: "a"): return index <= 1 && modifier.equals("auto") && applyAuto()
    case UInt8(ascii: "c"):
      guard modifier.equals("ceiling") else { return false }
      floorDays = 0
      return moveByFloor()
    case UInt8(ascii: "f"): return modifier.equals("floor") && moveByFloor()
    case UInt8(ascii: "j"):
      guard modifier.equals("julianday") && index <= 1 && hasJulianDay && isRawNumber else {
        return false
      }
      isRawNumber = false
      return true
    case UInt8(ascii: "l"):
      guard modifier.equals("localtime") else { return false }
      if !isLocal { try LocalTime.localize(&self) }
      isUTC = false
      isLocal = true
      return true
    case UInt8(ascii: "u"):
      if modifier.equals("unixepoch") { return index <= 1 && isRawNumber && applyUnixEpoch() }
      guard modifier.equals("utc") else { return false }
      try applyUTC()
      return true
    case UInt8(ascii: "w"): return modifier.hasPrefix("weekday ") && applyWeekday(modifier)
    case UInt8(ascii: "s"): return applyStart(modifier)
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return applyShift(modifier)
    default: return false
    }
  }

  private mutating func moveByFloor() -> Bool {
    computeJulianDay()
    julianDay &-= Int64(floorDays) * DateTime.millisecondsPerDay
    clearParts()
    return true
  }

  /// A number that is no Julian day becomes a Unix time where it can be one.
  private mutating func applyAuto() -> Bool {
    if isRawNumber && !hasJulianDay && second >= -210_866_760_000 && second <= 253_402_300_799 {
      let milliseconds = second * 1000 + Double(DateTime.unixEpoch)
      clearParts()
      set(julianDay: Int64(milliseconds + 0.5))
      isRawNumber = false
    } else if !isRawNumber || hasJulianDay {
      isRawNumber = false
    }
    return true
  }

  private mutating func applyUnixEpoch() -> Bool {
    let milliseconds = second * 1000 + Double(DateTime.unixEpoch)
    guard milliseconds >= 0 && milliseconds < 464_269_060_800_000 else { return false }
    clearParts()
    set(julianDay: Int64(milliseconds + 0.5))
    isRawNumber = false
    return true
  }

  /// The UTC whose local time this is, found by approximation.
  private mutating func applyUTC() throws(SQLError) {
    if isUTC { return }
    computeJulianDay()
    let local = julianDay
    var guess = local, error: Int64 = 0, roundCount = 0
    repeat {
      guess &-= error
      var trial = DateTime()
      trial.set(julianDay: guess)
      try LocalTime.localize(&trial)
      trial.computeJulianDay()
      error = trial.julianDay &- local
      roundCount += 1
    } while error != 0 && roundCount <= 3
    self = DateTime()
    set(julianDay: guess)
    isUTC = true
  }

  private mutating func applyWeekday(_ modifier: TimeText) -> Bool {
    let rest = modifier.advanced(8)
    guard let value = rest.number(length: rest.count), value >= 0 && value < 7,
      value == value.rounded(.towardZero)
    else { return false }
    computeDateAndTime()
    zoneMinutes = 0
    hasJulianDay = false
    computeJulianDay()
    var weekday = Int64(daysAfterSunday)
    if weekday > Int64(value) { weekday -= 7 }
    julianDay &+= (Int64(value) - weekday) * DateTime.millisecondsPerDay
    clearParts()
    return true
  }

  private mutating func applyStart(_ modifier: TimeText) -> Bool {
    guard modifier.hasPrefix("start of ") else {
      guard modifier.equals("subsec") || modifier.equals("subsecond") else { return false }
      showsSubseconds = true
      return true
    }
    guard hasJulianDay || hasDate || hasTime else { return false }
    let unit = modifier.advanced(9)
    computeDate()
    hasTime = true
    hour = 0
    minute = 0
    second = 0
    isRawNumber = false
    zoneMinutes = 0
    hasJulianDay = false
    if unit.equals("month") {
      day = 1
    } else if unit.equals("year") {
      month = 1
      day = 1
    } else {
      return unit.equals("day")
    }
    return true
  }
}

// Shifts: ±YYYY-MM-DD [HH:MM…], ±HH:MM…, NNN units
extension DateTime {
  private struct Unit {
    let name: StaticString
    let limit: Double
    let seconds: Double
  }

  private static let units = [
    Unit(name: "second", limit: 4.6427e+14, seconds: 1),
    Unit(name: "minute", limit: 7.7379e+12, seconds: 60),
    Unit(name: "hour", limit: 1.2897e+11, seconds: 3600),
    Unit(name: "day", limit: 5_373_485, seconds: 86_400),
    Unit(name: "month", limit: 176_546, seconds: 2_592_000),
    Unit(name: "year", limit: 14_713, seconds: 31_536_000),
  ]

  private mutating func applyShift(_ modifier: TimeText) -> Bool {
    let sign = modifier[0]
    var length = 1
    while modifier[length] != 0 && modifier[length] != UInt8(ascii: ":")
      && !NumericText.isSpace(modifier[length])
    {
      if modifier[length] == UInt8(ascii: "-") {
        if length == 5 && modifier.digits(1, 4, 0...14712) != nil { break }
        if length == 6 && modifier.digits(1, 5, 0...14712) != nil { break }
      }
      length += 1
    }
    guard let value = modifier.number(length: length) else { return false }
    if modifier[length] == UInt8(ascii: "-") {
      guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
      return applyDateShift(modifier, yearDigits: length - 1, isBackward: sign == UInt8(ascii: "-"))
    }
    if modifier[length] == UInt8(ascii: ":") {
      return applyTimeShift(
        ASCII.isDigit(sign) ? modifier : modifier.advanced(1),
        isBackward: sign == UInt8(ascii: "-"))
    }
    var unit = modifier.advanced(length)
    unit.skipSpaces()
    return applyUnits(value, unit)
  }

  private mutating func applyDateShift(
    _ modifier: TimeText, yearDigits: Int, isBackward: Bool
  ) -> Bool {
    let monthPlace = yearDigits + 2
    guard let years = modifier.digits(1, yearDigits, 0...14712),
      let months = modifier.digits(monthPlace, 2, 0...12), months < 12,
      modifier[monthPlace + 2] == UInt8(ascii: "-"),
      let days = modifier.digits(monthPlace + 3, 2, 0...31), days < 31
    else { return false }
    computeDateAndTime()
    hasJulianDay = false
    year += isBackward ? -years : years
    month += isBackward ? -months : months
    normalizeMonth()
    computeFloor()
    computeJulianDay()
    hasTime = false
    hasDate = false
    julianDay &+= Int64(isBackward ? -days : days) * DateTime.millisecondsPerDay
    let rest = modifier.advanced(monthPlace + 5)
    if rest[0] == 0 { return true }
    guard NumericText.isSpace(rest[0]), rest.digits(1, 2, 0...24) != nil,
      rest[3] == UInt8(ascii: ":"), rest.digits(4, 2, 0...59) != nil
    else { return false }
    return applyTimeShift(rest.advanced(1), isBackward: isBackward)
  }

  private mutating func applyTimeShift(_ text: TimeText, isBackward: Bool) -> Bool {
    var shift = DateTime()
    guard shift.parseTime(text) else { return false }
    shift.computeJulianDay()
    let noon = shift.julianDay &- 43_200_000
    let milliseconds = noon % DateTime.millisecondsPerDay
    computeJulianDay()
    clearParts()
    julianDay &+= isBackward ? -milliseconds : milliseconds
    return true
  }

  private mutating func applyUnits(_ value: Double, _ text: TimeText) -> Bool {
    var length = text.count
    guard length >= 3 && length <= 10 else { return false }
    if ASCII.lower(text[length - 1]) == UInt8(ascii: "s") { length -= 1 }
    computeJulianDay()
    floorDays = 0
    let unit = DateTime.units.first {
      $0.name.utf8CodeUnitCount == length && text.hasPrefix($0.name) && value > -$0.limit
        && value < $0.limit
    }
    guard let unit else { return false }
    var rest = value
    if unit.seconds >= 2_592_000 {
      // Whole months and years move the calendar; only a fraction is a span of time.
      let whole = Int(value)
      computeDateAndTime()
      if unit.seconds == 2_592_000 {
        month += whole
        normalizeMonth()
      } else {
        year += whole
      }
      computeFloor()
      hasJulianDay = false
      rest -= Double(whole)
    }
    computeJulianDay()
    julianDay &+= Int64(rest * 1000 * unit.seconds + (value < 0 ? -0.5 : 0.5))
    clearParts()
    return true
  }
}
