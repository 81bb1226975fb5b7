extension TextBuilder {
  /// Appends an integer with leading zeros, or with `padding`; a minus takes part of the width.
  @inline(__always)
  mutating func append(
    _ value: Int, width: Int, padding: UInt8 = 0x30
  ) throws(SQLError) {
    guard width == 2 && value >= 0 && value <= 99 else {
      return try appendAny(value, width: width, padding: padding)
    }
    let end = try reserve(2), tens = UInt8(value / 10)
    end[0] = tens == 0 ? padding : 0x30 &+ tens
    end[1] = 0x30 &+ UInt8(truncatingIfNeeded: value) &- 10 &* tens
    advance(2)
  }

  @inline(never)
  private mutating func appendAny(
    _ value: Int, width: Int, padding: UInt8
  ) throws(SQLError) {
    if width == 4, padding == 0x30, value >= 0, value <= 9_999 {
      try append(value / 100, width: 2)
      return try append(value % 100, width: 2)
    }
    if value < 0 { try append(UInt8(ascii: "-")) }
    let digitCount = DecimalDigits.digitCount(UInt64(value.magnitude))
    try append(repeating: padding, width - digitCount - (value < 0 ? 1 : 0))
    try append(decimal: Int64(value.magnitude))
  }
}

extension DateTime {
  /// `[-]YYYY-MM-DD`
  func appendDate(to text: inout TextBuilder) throws(SQLError) {
    if year < 0 { try text.append("-") }
    try text.append(abs(year), width: 4)
    try appendMonthAndDay(to: &text)
  }

  private func appendMonthAndDay(to text: inout TextBuilder) throws(SQLError) {
    try text.append(UInt8(ascii: "-"))
    try text.append(month, width: 2)
    try text.append(UInt8(ascii: "-"))
    try text.append(day, width: 2)
  }

  /// `HH:MM:SS`, with `.SSS` if subseconds are shown.
  func appendTime(to text: inout TextBuilder) throws(SQLError) {
    try text.append(hour, width: 2)
    try text.append(UInt8(ascii: ":"))
    try text.append(minute, width: 2)
    try text.append(UInt8(ascii: ":"))
    if showsSubseconds {
      // Local time can have seconds below zero in the first days that there are.
      try DateTime.appendMilliseconds(max(0, Int(1000 * second + 0.5)), to: &text)
    } else {
      try text.append(Int(second), width: 2)
    }
  }

  private static func appendMilliseconds(
    _ milliseconds: Int, to text: inout TextBuilder
  ) throws(SQLError) {
    try text.append(milliseconds / 1000, width: 2)
    try text.append(".")
    try text.append(milliseconds % 1000, width: 3)
  }

  /// One substitution of strftime; false if there is no such (lang_datefunc §1).
  func append(
    _ substitution: UInt8, to text: inout TextBuilder, _ digits: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) -> Bool {
    switch substitution {
    case UInt8(ascii: "d"): try text.append(day, width: 2)
    case UInt8(ascii: "e"): try text.append(day, width: 2, padding: 0x20)
    case UInt8(ascii: "f"): try text.append(secondsWithFraction: min(second, 59.999))
    case UInt8(ascii: "F"):
      try text.append(year, width: 4)
      try appendMonthAndDay(to: &text)
    case UInt8(ascii: "G"): try text.append(isoThursday.year, width: 4)
    case UInt8(ascii: "g"): try text.append(isoThursday.year % 100, width: 2)
    case UInt8(ascii: "H"): try text.append(hour, width: 2)
    case UInt8(ascii: "k"): try text.append(hour, width: 2, padding: 0x20)
    case UInt8(ascii: "I"): try text.append(hourOfHalfDay, width: 2)
    case UInt8(ascii: "l"): try text.append(hourOfHalfDay, width: 2, padding: 0x20)
    case UInt8(ascii: "j"): try text.append(daysAfterNewYear + 1, width: 3)
    case UInt8(ascii: "m"): try text.append(month, width: 2)
    case UInt8(ascii: "M"): try text.append(minute, width: 2)
    case UInt8(ascii: "p"): try text.append(hour >= 12 ? "PM" : "AM")
    case UInt8(ascii: "P"): try text.append(hour >= 12 ? "pm" : "am")
    case UInt8(ascii: "S"): try text.append(Int(second), width: 2)
    case UInt8(ascii: "Y"): try text.append(year, width: 4)
    case UInt8(ascii: "%"): try text.append("%")
    default: return try appendRare(substitution, to: &text, digits)
    }
    return true
  }

  private var hourOfHalfDay: Int { hour % 12 == 0 ? 12 : (hour > 12 ? hour - 12 : hour) }

  private func appendRare(
    _ substitution: UInt8, to text: inout TextBuilder, _ digits: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) -> Bool {
    switch substitution {
    case UInt8(ascii: "J"):
      try text.append(
        real: Double(julianDay) / 86_400_000, digitCount: 16, digits)
    case UInt8(ascii: "R"), UInt8(ascii: "T"):
      try text.append(hour, width: 2)
      try text.append(":")
      try text.append(minute, width: 2)
      if substitution == UInt8(ascii: "T") {
        try text.append(":")
        try text.append(Int(second), width: 2)
      }
    case UInt8(ascii: "s"):
      if showsSubseconds {
        let milliseconds = julianDay - DateTime.unixEpoch
        if milliseconds < 0 { try text.append("-") }
        try text.append(decimal: Int64(milliseconds.magnitude / 1000))
        try text.append(".")
        try text.append(Int(milliseconds.magnitude % 1000), width: 3)
      } else {
        try text.append(decimal: unixSeconds)
      }
    case UInt8(ascii: "u"): try text.append(decimal: Int64(daysAfterMonday + 1))
    case UInt8(ascii: "w"): try text.append(decimal: Int64(daysAfterSunday))
    case UInt8(ascii: "U"):
      try text.append((daysAfterNewYear - daysAfterSunday + 7) / 7, width: 2)
    case UInt8(ascii: "W"):
      try text.append((daysAfterNewYear - daysAfterMonday + 7) / 7, width: 2)
    case UInt8(ascii: "V"): try text.append(isoThursday.daysAfterNewYear / 7 + 1, width: 2)
    default: return false
    }
    return true
  }
}

extension TextBuilder {
  /// Appends seconds as `%06.3f` does, by the decimal digits of the value.
  fileprivate mutating func append(secondsWithFraction value: Double) throws(SQLError) {
    let rounded = NumberText.rounded(value.magnitude, digitCount: 3)
    let milliseconds = Int(rounded * 1000 + 0.5)
    if value < 0 { try append("-") }
    try append(milliseconds / 1000, width: value < 0 ? 1 : 2)
    try append(".")
    try append(milliseconds % 1000, width: 3)
  }

  /// Appends a real as `%.Ng` shows it.
  fileprivate mutating func append(
    real value: Double, digitCount: Int, _ buffer: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    var specification = FormatSpecification()
    specification.type = UInt8(ascii: "g")
    specification.precision = digitCount
    let real = FormattedReal(value, specification, buffer)
    if value < 0 { try append("-") }
    try real.append(to: &self, specification)
  }
}
