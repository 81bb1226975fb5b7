/// A moment on its way through the date and time functions (lang_datefunc).
///
/// It is a Julian day in milliseconds, or year to day, or hour to second, whichever are valid; what
/// is missing is computed on demand. Arithmetic is SQLite's, rounding included.
struct DateTime {
  static let millisecondsPerDay: Int64 = 86_400_000
  /// The Julian day of 1970-01-01, in milliseconds.
  static let unixEpoch: Int64 = 210_866_760_000_000
  /// 9999-12-31 23:59:59.999
  static let maximum: Int64 = 464_269_060_799_999

  var julianDay: Int64 = 0
  var year = 2000
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0.0
  /// Minutes east of UTC that the text named; applied when the Julian day is computed.
  var zoneMinutes = 0
  var hasJulianDay = false
  var hasDate = false
  var hasTime = false
  /// `second` is a number that may still turn out to be a Unix time.
  var isRawNumber = false
  var isInvalid = false
  var showsSubseconds = false
  var isUTC = false
  var isLocal = false
  /// By how many days `floor` moves the date back after a month's overflow.
  var floorDays = 0

  static func isValid(_ julianDay: Int64) -> Bool { julianDay >= 0 && julianDay <= maximum }

  private mutating func invalidate() {
    self = DateTime()
    (year, month, day) = (0, 0, 0)
    isInvalid = true
  }

  mutating func clearParts() {
    hasDate = false
    hasTime = false
    zoneMinutes = 0
  }

  mutating func set(julianDay: Int64) {
    self.julianDay = julianDay
    hasJulianDay = true
  }

  mutating func setNumber(_ value: Double) {
    second = value
    isRawNumber = true
    if value >= 0 && value < 5_373_484.5 {
      set(julianDay: Int64(value * 86_400_000 + 0.5))
    }
  }

  mutating func computeJulianDay() {
    if hasJulianDay { return }
    var year = hasDate ? year : 2000, month = hasDate ? month : 1
    let day = hasDate ? day : 1
    if year < -4713 || year > 9999 || isRawNumber { return invalidate() }
    if month <= 2 {
      year -= 1
      month += 12
    }
    let century = (year + 4800) / 100
    let gregorian = 38 - century + century / 4
    let yearDays = 36525 * (year + 4716) / 100
    let monthDays = 306_001 * (month + 1) / 10_000
    let days = Double(yearDays + monthDays + day + gregorian) - 1524.5
    set(julianDay: Int64(days * 86_400_000))
    guard hasTime else { return }
    // 309 digits of a fraction are no number: as in C, that is the smallest integer, and no moment.
    let milliseconds = second.isNaN ? Int64.min : Int64(second * 1000 + 0.5)
    julianDay &+= Int64(hour * 3_600_000 + minute * 60_000) &+ milliseconds
    if zoneMinutes != 0 {
      julianDay &-= Int64(zoneMinutes * 60_000)
      clearParts()
      isUTC = true
      isLocal = false
    }
  }

  mutating func computeDate() {
    if hasDate { return }
    if !hasJulianDay {
      (year, month, day) = (2000, 1, 1)
    } else if !DateTime.isValid(julianDay) {
      return invalidate()
    } else {
      let days = Int((julianDay &+ 43_200_000) / DateTime.millisecondsPerDay)
      let alpha = Int((Double(days) + 32044.75) / 36524.25) - 52
      let shifted = days + 1 + alpha - (alpha + 100) / 4 + 25 + 1524
      let years = Int((Double(shifted) - 122.1) / 365.25)
      let yearDays = 36525 * (years & 32767) / 100
      let months = Int(Double(shifted - yearDays) / 30.6001)
      day = shifted - yearDays - Int(30.6001 * Double(months))
      month = months < 14 ? months - 1 : months - 13
      year = month > 2 ? years - 4716 : years - 4715
    }
    hasDate = true
  }

  mutating func computeTime() {
    if hasTime { return }
    computeJulianDay()
    let milliseconds = Int((julianDay &+ 43_200_000) % DateTime.millisecondsPerDay)
    second = Double(milliseconds % 60_000) / 1000
    let minutes = milliseconds / 60_000
    minute = minutes % 60
    hour = minutes / 60
    isRawNumber = false
    hasTime = true
  }

  mutating func computeDateAndTime() {
    computeDate()
    computeTime()
  }

  /// Brings the month into 1 to 12 by moving the year.
  mutating func normalizeMonth() {
    let years = month > 0 ? (month - 1) / 12 : (month - 12) / 12
    year += years
    month -= years * 12
  }

  /// How far the day lies past the end of its month.
  mutating func computeFloor() {
    if day <= 28 || (1 << month) & 0x15aa != 0 {
      floorDays = 0
    } else if month != 2 {
      floorDays = day == 31 ? 1 : 0
    } else if year % 4 != 0 || (year % 100 == 0 && year % 400 != 0) {
      floorDays = day - 28
    } else {
      floorDays = day - 29
    }
  }

  var daysAfterMonday: Int {
    Int((julianDay &+ 43_200_000) / DateTime.millisecondsPerDay % 7)
  }

  var daysAfterSunday: Int {
    Int((julianDay &+ 129_600_000) / DateTime.millisecondsPerDay % 7)
  }

  var daysAfterNewYear: Int {
    var newYear = self
    newYear.hasJulianDay = false
    newYear.month = 1
    newYear.day = 1
    newYear.computeJulianDay()
    return Int((julianDay &- newYear.julianDay &+ 43_200_000) / DateTime.millisecondsPerDay)
  }

  /// The Thursday of the same week, whose year is the ISO 8601 year.
  var isoThursday: DateTime {
    var thursday = self
    thursday.julianDay &+= Int64(3 - daysAfterMonday) * DateTime.millisecondsPerDay
    thursday.hasDate = false
    thursday.computeDate()
    return thursday
  }

  /// Seconds since 1970, rounded down.
  var unixSeconds: Int64 { julianDay / 1000 &- DateTime.unixEpoch / 1000 }
}
