// Dates as text, in the formats of SQLite (lang_datefunc §2).
//
//     YYYY-MM-DD [ (" " | "T") HH:MM [ :SS [ .S… ] ] [ "Z" | ±HH:MM ] ]
//     HH:MM [ :SS [ .S… ] ] [ "Z" | ±HH:MM ]

/// A parsed date, a time, or both.
struct DateText {
  var year: Int?
  var month: Int?
  var day: Int?
  var hour: Int?
  var minute: Int?
  var second: Int?
  var nanosecond: Int?
  /// Seconds east of Greenwich; nil if the text does not say.
  var zoneSeconds: Int?
  var format: DatabaseDateComponents.Format

  /// Parses text; nil if it is in none of the formats.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = DateReader(bytes)
    if bytes.count >= 10, bytes[4] == UInt8(ascii: "-") {
      guard let year = reader.number(digits: 4), reader.skip("-"),
        let month = reader.number(digits: 2), reader.skip("-"),
        let day = reader.number(digits: 2), (1...12).contains(month), (1...31).contains(day)
      else { return nil }
      (self.year, self.month, self.day) = (year, month, day)
      format = .YMD
      if reader.isAtEnd { return }
      guard reader.skip(" ") || reader.skip("T") else { return nil }
    } else {
      format = .HM
    }
    guard readTime(&reader), reader.isAtEnd else { return nil }
  }

  init?(_ text: String) {
    var text = text
    guard let date = text.withUTF8({ DateText(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = date
  }

  private mutating func readTime(_ reader: inout DateReader) -> Bool {
    guard let hour = reader.number(digits: 2), reader.skip(":"),
      let minute = reader.number(digits: 2), hour < 25, minute < 60
    else { return false }
    (self.hour, self.minute) = (hour, minute)
    let hasDate = year != nil
    format = hasDate ? .YMD_HM : .HM
    if reader.skip(":") {
      guard let second = reader.number(digits: 2), second < 60 else { return false }
      self.second = second
      format = hasDate ? .YMD_HMS : .HMS
      if reader.skip(".") {
        guard let nanosecond = reader.fraction() else { return false }
        self.nanosecond = nanosecond
        format = hasDate ? .YMD_HMSS : .HMSS
      }
    }
    return reader.isAtEnd || readZone(&reader)
  }

  private mutating func readZone(_ reader: inout DateReader) -> Bool {
    while reader.skip(" ") {}
    if reader.skip("Z") || reader.skip("z") {
      zoneSeconds = 0
      return true
    }
    let sign = reader.skip("+") ? 1 : reader.skip("-") ? -1 : 0
    guard sign != 0, let hours = reader.number(digits: 2), hours < 24 else { return false }
    _ = reader.skip(":")
    guard let minutes = reader.number(digits: 2), minutes < 60 else { return false }
    zoneSeconds = sign * (hours * 3_600 + minutes * 60)
    return true
  }

  /// Seconds since 2001, which is what `Date` keeps, UTC unless the text names a zone; nil for a
  /// time without a date.
  var secondsSince2001: Double? {
    guard let year, let month, let day else { return nil }
    let days = DateText.daysSince1970(year: year, month: month, day: day)
    var seconds = days * 86_400 + (hour ?? 0) * 3_600 + (minute ?? 0) * 60 + (second ?? 0)
    seconds -= (zoneSeconds ?? 0) + DateText.secondsBefore2001
    return Double(seconds) + Double((nanosecond ?? 0) / 1_000_000) / 1e3
  }

  /// Seconds between the beginnings of 1970 and of 2001.
  private static let secondsBefore2001 = 978_307_200

  /// Days between 1970-01-01 and a date of the proleptic Gregorian calendar.
  static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The date that is so many days after 1970-01-01.
  static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// `yyyy-MM-dd HH:mm:ss.SSS` in UTC; nil for what lies outside the years 0 to 9999.
  static func text(secondsSince1970: Double) -> String? {
    let exact = (secondsSince1970 * 1_000).rounded()
    guard exact.magnitude < 1e15 else { return nil }
    let milliseconds = Int(exact)
    let days = (milliseconds >= 0 ? milliseconds : milliseconds - 86_399_999) / 86_400_000
    let ofDay = milliseconds - days * 86_400_000
    let (year, month, day) = date(daysSince1970: days)
    guard (0...9_999).contains(year) else { return nil }
    return String(unsafeUninitializedCapacity: 23) { bytes in
      var writer = DigitWriter(bytes: bytes)
      writer.put(year, digits: 4, then: "-")
      writer.put(month, digits: 2, then: "-")
      writer.put(day, digits: 2, then: " ")
      writer.put(ofDay / 3_600_000, digits: 2, then: ":")
      writer.put(ofDay / 60_000 % 60, digits: 2, then: ":")
      writer.put(ofDay / 1_000 % 60, digits: 2, then: ".")
      writer.put(ofDay % 1_000, digits: 3, then: nil)
      return writer.count
    }
  }
}

private struct DigitWriter {
  let bytes: UnsafeMutableBufferPointer<UInt8>
  var count = 0

  mutating func put(_ number: Int, digits: Int, then separator: Unicode.Scalar?) {
    var rest = number
    for place in stride(from: digits - 1, through: 0, by: -1) {
      bytes[count + place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    count += digits
    if let separator {
      bytes[count] = UInt8(ascii: separator)
      count += 1
    }
  }
}

private struct DateReader {
  let bytes: UnsafeRawBufferPointer
  var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  mutating func digit() -> Int? {
    guard offset < bytes.count else { return nil }
    let value = bytes[offset] &- UInt8(ascii: "0")
    guard value < 10 else { return nil }
    offset += 1
    return Int(value)
  }

  mutating func number(digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Nanoseconds of a fraction of at least one digit. Dates are stored with milliseconds, and have
  /// no more of others' text: digits after the third are dropped.
  mutating func fraction() -> Int? {
    guard var value = digit() else { return nil }
    var places = 1
    while let digit = digit() {
      if places < 3 {
        value = value * 10 + digit
        places += 1
      }
    }
    for _ in places..<9 { value *= 10 }
    return value
  }
}
