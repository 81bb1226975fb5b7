/// Literals, with the limits of every storage class among them.
extension Generator {
  mutating func literal() -> String {
    if let name = parameter() { return name }
    return switch random.below(100) {
    case 0..<10: "NULL"
    case 10..<40: String(random.within(-3...12))
    case 40..<48: integerLiteral()
    case 48..<60: realLiteral()
    case 60..<82: textLiteral()
    case 82..<84: jsonText()
    case 84..<90: numericText()
    default: blobLiteral()
    }
  }

  mutating func integerLiteral() -> String {
    // Soon behind a row with a rowid like these, rowids are random.
    if !isWriting, random.chance(12) {
      return random.pick(["9223372036854775807", "0x7fffffffffffffff", "9223372036854775806"])
    }
    return random.pick([
      "-9223372036854775808", "9223372036854770000",
      "-9223372036854775807", "2147483647", "2147483648", "-2147483648", "-2147483649",
      "4294967296", "127", "128", "-128", "-129", "32767", "32768", "-32769", "8388607",
      "8388608", "140737488355327", "140737488355328", "9007199254740993", "0x10",
      "0xffffffffffffffff", "1_000", "255", "65536", "9223372036854775808", "1000000", "-1",
    ])
  }

  mutating func realLiteral() -> String {
    random.pick([
      "0.0", "-0.0", "1.0", "0.5", "-2.5", "1e300", "-1e300", "1e-300", "1.7976931348623157e308",
      "2.2250738585072014e-308", "4.9e-324", "9e999", "-9e999", "3.14159265358979", "1e15",
      "1e16", "123456789012345678.0", "9223372036854775807.0", "-9223372036854775808.0", "0.1",
      "100.0", "1.5", "2.5", "1e2", "9007199254740992.0", "9007199254740994.0", ".25", "7.",
    ])
  }

  mutating func textLiteral() -> String {
    switch random.below(20) {
    case 0..<7: "'\(random.pick(["a", "b", "c", "A", "B", "abc", "ABC", "ab", "Abc", "x y"]))'"
    case 7..<9: random.pick(["''", "' '", "'a '", "'a  '", "' a'", "'%'", "'_'", "'a%'", "'*'"])
    case 9..<12:
      random.pick(["'ä'", "'Ä'", "'ß'", "'日本'", "'😀'", "'e\u{301}'", "'naïve'", "'Ωmega'"])
    case 12..<14: "'\(String(repeating: random.pick(["p", "q", "ä", "日"]), count: longLength()))'"
    case 14: random.pick(["'it''s'", "'\n'", "'tab\t'", "'\"'", "'[x]'", "'a-b'", "'\\'"])
    case 15: isUTF16 ? "'z'" : invalidText()
    case 16: dateText()
    default: "'\(random.pick(["d", "e", "f", "g", "h", "k"]))\(random.below(20))'"
    }
  }

  /// Text whose bytes are not UTF-8, or hold a zero.
  private mutating func invalidText() -> String {
    let bytes = random.pick([
      "ff", "61c3", "e697", "f09f98", "eda080", "c080", "610062", "80", "fe41",
    ])
    return "CAST(x'\(bytes)' AS TEXT)"
  }

  private mutating func longLength() -> Int {
    isBulky ? random.pick([3, 40, 200, 500, 1_500, 6_000]) : random.pick([3, 3, 40, 200])
  }

  mutating func numericText() -> String {
    random.pick([
      "'1'", "'12'", "'-7'", "' 3'", "'3 '", "'1.0'", "'1.5'", "'1e2'", "'0x10'", "'12abc'",
      "'+5'", "'.5'", "'5.'", "'-'", "'1e'", "'1e+'", "'-0'", "'-0.0'",
      "'9223372036854775808'", "'inf'", "'nan'", "'1_000'", "'00012'", "'1e400'", "'-1e-400'",
    ])
  }

  private mutating func blobLiteral() -> String {
    // What SQLite reads as UTF-16 when it is asked for as text, Martlet does not.
    if isUTF16 { return "x''" }
    if random.chance(10) { return "zeroblob(\(longLength()))" }
    return random.pick([
      "x''", "x'00'", "x'0102'", "x'ff'", "x'6162'", "x'31'", "x'c3a4'", "x'616200'",
    ])
  }

  mutating func dateText() -> String {
    random.pick([
      "'2024-02-29'", "'2023-12-31 23:59:59'", "'2000-01-01T00:00'", "'1970-01-01 00:00:00.5'",
      "'12:34'", "'12:34:56.789'", "'0000-01-01'", "'9999-12-31'", "'2023-02-30'", "'2451545'",
      "'2024-06-15 12:00:00+02:30'", "'2024-06-15 12:00Z'", "'2024-13-01'", "'-4713-11-24 12:00'",
      "'1900-02-28 24:00'", "'2024-01-31'", "'20240101'",
    ])
  }

  mutating func dateModifier() -> String {
    random.pick([
      "'+1 day'", "'-1 month'", "'+13 months'", "'-1 year'", "'start of month'", "'start of year'",
      "'start of day'", "'weekday 0'", "'weekday 3'", "'+1.5 hours'", "'-90 minutes'",
      "'+10 second'",
      "'+0000-01-02'", "'-0001-00-01 01:02:03'", "'floor'", "'ceiling'", "'unixepoch'",
      "'julianday'",
      "'auto'", "'subsec'", "'subsecond'", "'utc'", "'localtime'", "'+1 fortnight'", "''",
      "'12:00'",
      "'+14:30'", "'5 days'", "NULL",
    ])
  }
}
