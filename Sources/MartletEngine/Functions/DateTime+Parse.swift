/// A text that ends with an endless run of NULs, as parsers of C strings like it.
struct TimeText {
  private var start: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    start = bytes.baseAddress ?? Register.emptyBytes
    end = start + bytes.count
  }

  @inline(__always)
  subscript(index: Int) -> UInt8 { index < end - start ? start[index] : 0 }

  @inline(__always)
  var count: Int { max(0, end - start) }

  @inline(__always)
  mutating func advance(_ distance: Int) { start += distance }

  @inline(__always)
  func advanced(_ distance: Int) -> TimeText {
    var copy = self
    copy.start += distance
    return copy
  }

  mutating func skipSpaces() { while NumericText.isSpace(self[0]) { start += 1 } }

  /// Whether the text is that word, in either case of letters.
  func equals(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && hasPrefix(word)
  }

  func hasPrefix(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount, expected = word.utf8Start
    guard length <= count else { return false }
    for index in 0..<length where ASCII.lower(start[index]) != expected[index] { return false }
    return true
  }

  /// The text stands for the time of day (lang_datefunc §2).
  var namesNow: Bool { equals("now") || equals("subsec") || equals("subsecond") }

  /// The modifier depends on the time zone of the machine.
  var namesTimeZone: Bool { equals("localtime") || equals("utc") }

  /// The first `length` bytes as one number; nil if they are not.
  func number(length: Int) -> Double? {
    let length = min(length, count)
    guard length > 0 else { return nil }
    let text = NumericText(start, length)
    return text.isComplete ? text.real : nil
  }

  /// Exactly `digitCount` digits with a value in the range, at the given place.
  @inline(__always)
  func digits(_ place: Int, _ digitCount: Int, _ range: ClosedRange<Int>) -> Int? {
    guard place &+ digitCount <= end - start else { return nil }
    var value = 0
    for index in place..<place &+ digitCount {
      let digit = start[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value >= range.lowerBound && value <= range.upperBound ? value : nil
  }
}

extension DateTime {
  /// Reads a time value other than a number argument; false if it is none (lang_datefunc §2).
  mutating func parse(_ text: TimeText, _ memory: UnsafeMutablePointer<FunctionMemory>) -> Bool {
    if parseDate(text) || parseTime(text) { return true }
    if text.namesNow {
      showsSubseconds = !text.equals("now")
      return setToNow(memory)
    }
    guard let number = text.number(length: text.count) else { return false }
    setNumber(number)
    return true
  }

  /// The same moment all through a step.
  @discardableResult
  mutating func setToNow(_ memory: UnsafeMutablePointer<FunctionMemory>) -> Bool {
    let now = memory.pointee.currentTime ?? memory.pointee.readClock()
    // A clock that fails is asked again.
    memory.pointee.currentTime = now == 0 ? nil : now
    guard now > 0 else { return false }
    set(julianDay: now)
    isUTC = true
    isLocal = false
    clearParts()
    return true
  }

  /// `[-]YYYY-MM-DD[ |T]…`
  private mutating func parseDate(_ text: TimeText) -> Bool {
    var text = text
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative { text.advance(1) }
    guard let year = text.digits(0, 4, 0...14712), text[4] == UInt8(ascii: "-"),
      let month = text.digits(5, 2, 1...12), text[7] == UInt8(ascii: "-"),
      let day = text.digits(8, 2, 1...31)
    else { return false }
    text.advance(10)
    while NumericText.isSpace(text[0]) || text[0] == UInt8(ascii: "T") { text.advance(1) }
    if !parseTime(text) {
      guard text[0] == 0 else { return false }
      hasTime = false
    }
    hasJulianDay = false
    hasDate = true
    self.year = isNegative ? -year : year
    self.month = month
    self.day = day
    computeFloor()
    if zoneMinutes != 0 { computeJulianDay() }
    return true
  }

  /// `HH:MM[:SS[.SSS]][zone]`
  mutating func parseTime(_ text: TimeText) -> Bool {
    var text = text
    guard let hour = text.digits(0, 2, 0...24), text[2] == UInt8(ascii: ":"),
      let minute = text.digits(3, 2, 0...59)
    else { return false }
    text.advance(5)
    var second = 0.0
    if text[0] == UInt8(ascii: ":") {
      guard let whole = text.digits(1, 2, 0...59) else { return false }
      second = Double(whole)
      text.advance(3)
      if text[0] == UInt8(ascii: ".") && ASCII.isDigit(text[1]) {
        text.advance(1)
        second += DateTime.parseFraction(&text)
      }
    }
    hasJulianDay = false
    isRawNumber = false
    hasTime = true
    self.hour = hour
    self.minute = minute
    self.second = second
    return parseZone(text)
  }

  private static func parseFraction(_ text: inout TimeText) -> Double {
    var fraction = 0.0, scale = 1.0
    while ASCII.isDigit(text[0]) {
      fraction = fraction * 10 + Double(text[0] - 0x30)
      scale *= 10
      text.advance(1)
    }
    // More than milliseconds must not round up to the next second.
    return min(fraction / scale, 0.999)
  }

  /// `Z`, `+HH:MM`, `-HH:MM` or nothing, and nothing else behind it.
  private mutating func parseZone(_ text: TimeText) -> Bool {
    var text = text
    text.skipSpaces()
    zoneMinutes = 0
    switch text[0] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      text.advance(1)
      isLocal = false
      isUTC = true
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard let hours = text.digits(1, 2, 0...14), text[3] == UInt8(ascii: ":"),
        let minutes = text.digits(4, 2, 0...59)
      else { return false }
      zoneMinutes = (hours * 60 + minutes) * (text[0] == UInt8(ascii: "-") ? -1 : 1)
      text.advance(6)
      if zoneMinutes == 0 {
        isLocal = false
        isUTC = true
      }
    default: return text[0] == 0
    }
    text.skipSpaces()
    return text[0] == 0
  }
}
