import Testing

@testable import MartletEngine

@Suite struct DateTimeTests {
  let caller: FunctionCaller

  init() throws { caller = try FunctionCaller() }

  @Test(arguments: [
    ("date", ["2024-01-31", "+1 month"], "2024-03-02"),
    ("date", ["2024-01-31", "+1 month", "floor"], "2024-02-29"),
    ("date", ["2023-02-30"], "2023-03-02"), ("date", ["2023-13-01"], nil),
    ("datetime", [1_092_941_466, "unixepoch"], "2004-08-19 18:51:06"),
    ("datetime", ["2013-10-07 04:23:19.120-04:00"], "2013-10-07 08:23:19"),
    ("datetime", ["2024-05-05", "start of month", "weekday 0", "-1 second"], "2024-05-04 23:59:59"),
    ("time", ["12:34:56.789", "subsec"], "12:34:56.789"), ("julianday", ["2000-01-01"], 2451544.5),
    ("unixepoch", ["1970-01-02"], 86400), ("unixepoch", ["1970-01-01 00:00:01.5", "subsec"], 1.5),
    ("strftime", ["%G-W%V-%u %j %U %W", "2021-01-03"], "2020-W53-7 003 01 00"),
    ("strftime", ["%I %l %p %P %k", "2021-01-03 00:05"], "12 12 AM am  0"),
    ("strftime", ["%x", "2021-01-03"], nil),
    ("datetime", ["0000-01-01", "-1 day"], "-0001-12-31 00:00:00"),
    ("timediff", ["2023-02-15", "2023-03-15"], "-0000-01-00 00:00:00.000"),
    ("date", ["2024-02-29", "+0001-00-00"], "2025-03-01"),
    ("date", [5_373_485, "auto"], "1970-03-04"), ("date", ["2024-01-01", "nonsense"], nil),
  ] as [(String, [SampleValue], SampleValue)])
  func `date functions give SQLite's results`(
    name: String, arguments: [SampleValue], result: SampleValue
  ) throws {
    #expect(try caller.call(name, arguments) == result)
  }

  @Test func `now is one moment within a step`() throws {
    let first = try caller.call("julianday", ["now"])
    for _ in 0..<1000 { #expect(try caller.call("julianday", []) == first) }
    caller.host.currentTime = DateTime.unixEpoch
    #expect(try caller.call("datetime", ["now"]) == "1970-01-01 00:00:00")
  }
}
