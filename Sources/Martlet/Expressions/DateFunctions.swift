/// A change to a date in SQLite's date functions (lang_datefunc §3).
public enum SQLDateModifier: SQLSpecificExpressible, Sendable {
  /// Adds days.
  case day(Int)
  /// Adds hours.
  case hour(Int)
  /// Adds minutes.
  case minute(Int)
  /// Adds seconds.
  case second(Double)
  /// Adds months.
  case month(Int)
  /// Adds years.
  case year(Int)
  /// Goes back to the first day of the month.
  case startOfMonth
  /// Goes back to the first day of the year.
  case startOfYear
  /// Goes back to midnight.
  case startOfDay
  /// Goes on to a day of the week; Sunday is 0.
  case weekday(Int)
  /// Takes a number for seconds since 1970.
  case unixEpoch
  /// From UTC to local time.
  case localTime
  /// From local time to UTC.
  case utc

  /// The modifier as SQLite's text.
  public var sqlExpression: SQLExpression {
    let text: String =
      switch self {
      case .day(let count): "\(count) days"
      case .hour(let count): "\(count) hours"
      case .minute(let count): "\(count) minutes"
      case .second(let count): "\(count) seconds"
      case .month(let count): "\(count) months"
      case .year(let count): "\(count) years"
      case .startOfMonth: "start of month"
      case .startOfYear: "start of year"
      case .startOfDay: "start of day"
      case .weekday(let day): "weekday \(day)"
      case .unixEpoch: "unixepoch"
      case .localTime: "localtime"
      case .utc: "utc"
      }
    return text.sqlExpression
  }
}

/// The Julian day number of a date: JULIANDAY.
public func julianDay(
  _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
  .call("JULIANDAY", [value] + modifiers)
}

/// A date as `YYYY-MM-DD HH:MM:SS`: DATETIME.
public func dateTime(
  _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
  .call("DATETIME", [value] + modifiers)
}
