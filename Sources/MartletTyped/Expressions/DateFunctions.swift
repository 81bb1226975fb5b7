import Foundation

/// SQLite's functions for dates and times (lang_datefunc).
public enum DateFunctions {
  /// `date`: the date, as `YYYY-MM-DD`.
  public static func date(_ timestring: String, _ modifiers: String...) -> Expression<Date?> {
    call("date", [timestring] + modifiers)
  }

  /// `time`: the time, as `HH:MM:SS`.
  public static func time(_ timestring: String, _ modifiers: String...) -> Expression<Date?> {
    call("time", [timestring] + modifiers)
  }

  /// `datetime`: date and time, as `YYYY-MM-DD HH:MM:SS`.
  public static func datetime(_ timestring: String, _ modifiers: String...) -> Expression<Date?> {
    call("datetime", [timestring] + modifiers)
  }

  /// `julianday`: the days since noon of November 24, 4714 B.C.
  public static func julianday(_ timestring: String, _ modifiers: String...) -> Expression<Date?> {
    call("julianday", [timestring] + modifiers)
  }

  /// `strftime`: as the format says.
  public static func strftime(
    _ format: String, _ timestring: String, _ modifiers: String...
  ) -> Expression<Date?> {
    call("strftime", [format, timestring] + modifiers)
  }

  private static func call(_ name: String, _ arguments: [String]) -> Expression<Date?> {
    name.wrap(arguments.map { $0 as any Expressible })
  }
}

extension Date {
  /// `date`: the date.
  public var date: Expression<Date> { "date".wrap(self) }
  /// `time`: the time.
  public var time: Expression<Date> { "time".wrap(self) }
  /// `datetime`: date and time.
  public var datetime: Expression<Date> { "datetime".wrap(self) }
  /// `julianday`: the days since noon of November 24, 4714 B.C.
  public var julianday: Expression<Date> { "julianday".wrap(self) }
}

extension Expression where Datatype: ColumnType, Datatype.ColumnValue == Date {
  /// `date`: the date.
  public var date: Expression<Datatype> { "date".wrap(self) }
  /// `time`: the time.
  public var time: Expression<Datatype> { "time".wrap(self) }
  /// `datetime`: date and time.
  public var datetime: Expression<Datatype> { "datetime".wrap(self) }
  /// `julianday`: the days since noon of November 24, 4714 B.C.
  public var julianday: Expression<Datatype> { "julianday".wrap(self) }
}
