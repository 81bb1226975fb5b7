// Window functions (windowfunctions).

/// The rows that a window function looks at.
///
/// ```swift
/// let window = Window(partitionBy: [department], orderBy: [salary.desc])
/// let place = rank(over: window)
/// ```
public struct Window: Sendable {
  /// What a frame counts (windowfunctions §2.2.1).
  public enum FrameUnit: String, Sendable {
    /// Rows.
    case rows = "ROWS"
    /// Values of what the window is sorted by.
    case range = "RANGE"
    /// Rows that are equal in what the window is sorted by count as one.
    case groups = "GROUPS"
  }

  /// Where a frame begins or ends (windowfunctions §2.2.2).
  public enum Bound: Sendable {
    /// The first or last row of the partition.
    case unbounded
    /// So many before the current row.
    case preceding(Int)
    /// The current row.
    case currentRow
    /// So many behind the current row.
    case following(Int)
  }

  /// What a frame leaves out (windowfunctions §2.2.3).
  public enum Exclusion: String, Sendable {
    /// Nothing.
    case noOthers = "NO OTHERS"
    /// The current row.
    case currentRow = "CURRENT ROW"
    /// The current row and its peers.
    case group = "GROUP"
    /// The peers of the current row.
    case ties = "TIES"
  }

  private var partition: [Expression<Void>]
  private var order: [Expression<Void>]
  private var frame = ""

  /// A window over the rows that are equal in some expressions, sorted by others.
  public init(partitionBy: [any Expressible] = [], orderBy: [any Expressible] = []) {
    partition = partitionBy.map(\.expression)
    order = orderBy.map(\.expression)
  }

  /// The window with a frame around the current row.
  public func frame(
    _ unit: FrameUnit, from start: Bound, to end: Bound = .currentRow,
    excluding exclusion: Exclusion? = nil
  ) -> Window {
    var window = self
    window.frame =
      "\(unit.rawValue) BETWEEN \(start.text(isStart: true)) AND \(end.text(isStart: false))"
    if let exclusion { window.frame += " EXCLUDE \(exclusion.rawValue)" }
    return window
  }

  fileprivate var expression: Expression<Void> {
    var parts: [Expression<Void>] = []
    if !partition.isEmpty {
      let list = ", ".join(partition)
      parts.append(Expression("PARTITION BY \(list.template)", list.bindings))
    }
    if !order.isEmpty {
      let list = ", ".join(order)
      parts.append(Expression("ORDER BY \(list.template)", list.bindings))
    }
    if !frame.isEmpty { parts.append(Expression(literal: frame)) }
    return " ".join(parts)
  }
}

extension Window.Bound {
  fileprivate func text(isStart: Bool) -> String {
    switch self {
    case .unbounded: isStart ? "UNBOUNDED PRECEDING" : "UNBOUNDED FOLLOWING"
    case .preceding(let count): "\(count) PRECEDING"
    case .currentRow: "CURRENT ROW"
    case .following(let count): "\(count) FOLLOWING"
    }
  }
}

extension ExpressionType {
  /// The function, or the aggregate function, over a window.
  public func over(_ window: Window) -> Expression<UnderlyingType> {
    let window = window.expression
    return Expression("\(template) OVER (\(window.template))", bindings + window.bindings)
  }

  fileprivate func over<Result>(_ orderBy: any Expressible) -> Expression<Result> {
    let window = Window(orderBy: [orderBy]).expression
    return Expression("\(template) OVER (\(window.template))", bindings + window.bindings)
  }
}

/// `ntile`: the number of the row's part, where the window is cut in so many.
public func ntile(_ size: Int, _ orderBy: any Expressible) -> Expression<Int64> {
  ("ntile".wrap(size) as Expression<Int64>).over(orderBy)
}

/// `row_number`: the number of the row in the window.
public func rowNumber(_ orderBy: any Expressible) -> Expression<Int64> {
  Expression<Int64>(literal: "row_number()").over(orderBy)
}

/// `rank`: the number of the row's first peer.
public func rank(_ orderBy: any Expressible) -> Expression<Int64> {
  Expression<Int64>(literal: "rank()").over(orderBy)
}

/// `dense_rank`: the number of the row's group of peers.
public func denseRank(_ orderBy: any Expressible) -> Expression<Int64> {
  Expression<Int64>(literal: "dense_rank()").over(orderBy)
}

/// `percent_rank`: the rank between 0 and 1.
public func percentRank(_ orderBy: any Expressible) -> Expression<Double> {
  Expression<Double>(literal: "percent_rank()").over(orderBy)
}

/// `cume_dist`: the part of the rows up to the row's last peer.
public func cumeDist(_ orderBy: any Expressible) -> Expression<Double> {
  Expression<Double>(literal: "cume_dist()").over(orderBy)
}

/// `ntile` over a window.
public func ntile(_ size: Int, over window: Window) -> Expression<Int64> {
  ("ntile".wrap(size) as Expression<Int64>).over(window)
}

/// `row_number` over a window.
public func rowNumber(over window: Window) -> Expression<Int64> {
  Expression<Int64>(literal: "row_number()").over(window)
}

/// `rank` over a window.
public func rank(over window: Window) -> Expression<Int64> {
  Expression<Int64>(literal: "rank()").over(window)
}

/// `dense_rank` over a window.
public func denseRank(over window: Window) -> Expression<Int64> {
  Expression<Int64>(literal: "dense_rank()").over(window)
}

/// `percent_rank` over a window.
public func percentRank(over window: Window) -> Expression<Double> {
  Expression<Double>(literal: "percent_rank()").over(window)
}

/// `cume_dist` over a window.
public func cumeDist(over window: Window) -> Expression<Double> {
  Expression<Double>(literal: "cume_dist()").over(window)
}

extension ExpressionType where UnderlyingType: ColumnType {
  /// `lag`: the expression for the row that stands so many before.
  public func lag(
    offset: Int = 0, default value: (any Expressible)? = nil, _ orderBy: any Expressible
  ) -> Expression<UnderlyingType> {
    neighbour("lag", offset, value).over(orderBy)
  }

  /// `lead`: the expression for the row that stands so many behind.
  public func lead(
    offset: Int = 0, default value: (any Expressible)? = nil, _ orderBy: any Expressible
  ) -> Expression<UnderlyingType> {
    neighbour("lead", offset, value).over(orderBy)
  }

  /// `lag` over a window.
  public func lag(
    offset: Int = 1, default value: (any Expressible)? = nil, over window: Window
  ) -> Expression<UnderlyingType> {
    neighbour("lag", offset, value).over(window)
  }

  /// `lead` over a window.
  public func lead(
    offset: Int = 1, default value: (any Expressible)? = nil, over window: Window
  ) -> Expression<UnderlyingType> {
    neighbour("lead", offset, value).over(window)
  }

  private func neighbour(
    _ name: String, _ offset: Int, _ value: (any Expressible)?
  ) -> Expression<UnderlyingType> {
    name.wrap([self, offset] + (value.map { [$0] } ?? []))
  }

  /// `first_value`: the expression for the first row of the window.
  public func firstValue(_ orderBy: any Expressible) -> Expression<UnderlyingType> {
    ("first_value".wrap(self) as Expression<UnderlyingType>).over(orderBy)
  }

  /// `last_value`: the expression for the last row of the window.
  public func lastValue(_ orderBy: any Expressible) -> Expression<UnderlyingType> {
    ("last_value".wrap(self) as Expression<UnderlyingType>).over(orderBy)
  }

  /// `nth_value`: the expression for that row of the window, from 1 on.
  public func value(_ row: Int, _ orderBy: any Expressible) -> Expression<UnderlyingType> {
    ("nth_value".wrap([self, row]) as Expression<UnderlyingType>).over(orderBy)
  }

  /// `first_value` over a window.
  public func firstValue(over window: Window) -> Expression<UnderlyingType> {
    ("first_value".wrap(self) as Expression<UnderlyingType>).over(window)
  }

  /// `last_value` over a window.
  public func lastValue(over window: Window) -> Expression<UnderlyingType> {
    ("last_value".wrap(self) as Expression<UnderlyingType>).over(window)
  }

  /// `nth_value` over a window.
  public func value(_ row: Int, over window: Window) -> Expression<UnderlyingType> {
    ("nth_value".wrap([self, row]) as Expression<UnderlyingType>).over(window)
  }
}
