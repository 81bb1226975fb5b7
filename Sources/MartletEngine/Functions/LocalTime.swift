#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif

/// The system's clock and time zone, as the date functions need them.
enum LocalTime {
  /// The current time as Julian day in milliseconds.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return DateTime.unixEpoch + Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Moves a time from UTC to the local zone. Outside 1970 to 2037 the zone of a like year is
  /// taken (lang_datefunc §5).
  static func localize(_ moment: inout DateTime) throws(SQLError) {
    moment.computeJulianDay()
    var yearShift = 0
    var like = moment
    if moment.julianDay < DateTime.unixEpoch || moment.julianDay > 213_014_145_600_000 {
      like.computeDateAndTime()
      yearShift = (2000 + like.year % 4) - like.year
      like.year += yearShift
      like.hasJulianDay = false
      like.computeJulianDay()
    }
    var seconds = time_t(like.unixSeconds)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { throw .sql("local time unavailable") }
    moment.year = Int(parts.tm_year) + 1900 - yearShift
    moment.month = Int(parts.tm_mon) + 1
    moment.day = Int(parts.tm_mday)
    moment.hour = Int(parts.tm_hour)
    moment.minute = Int(parts.tm_min)
    moment.second = Double(parts.tm_sec) + Double(moment.julianDay % 1000) * 0.001
    moment.hasDate = true
    moment.hasTime = true
    moment.hasJulianDay = false
    moment.isRawNumber = false
    moment.zoneMinutes = 0
    moment.isInvalid = false
  }
}
