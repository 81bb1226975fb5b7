/// The window of a window function: the rows that its result for a row is made of
/// (windowfunctions §2).
final class BoundWindow {
  let partitionBy: [BoundExpression]
  let orderBy: TreeList<BoundOrderingTerm>
  let frame: BoundFrame
  /// Of its tallest expression.
  let height: Int32

  init(
    partitionBy: [BoundExpression], orderBy: TreeList<BoundOrderingTerm>, frame: BoundFrame,
    height: Int32
  ) {
    self.partitionBy = partitionBy
    self.orderBy = orderBy
    self.frame = frame
    self.height = height
  }

  /// Rows in the order in which the window wants them serve both.
  func isSame(as other: BoundWindow) -> Bool {
    self === other
      || frame.isSame(as: other.frame)
        && BoundExpression.areSame(partitionBy, other.partitionBy)
        && orderBy.count == other.orderBy.count
        && zip(orderBy, other.orderBy).allSatisfy { $0.isSameOrder(as: $1) }
  }
}

extension BoundOrderingTerm {
  /// The same expression in the same direction.
  func isSameOrder(as other: BoundOrderingTerm) -> Bool {
    isDescending == other.isDescending && hasBigNulls == other.hasBigNulls
      && expression.isSame(as: other.expression)
  }
}

/// The rows of the partition around the current one (windowfunctions §2.2).
struct BoundFrame {
  enum Bound {
    case unbounded
    case currentRow
    case preceding(BoundExpression)
    case following(BoundExpression)

    var offset: BoundExpression? {
      switch self {
      case .unbounded, .currentRow: nil
      case .preceding(let offset), .following(let offset): offset
      }
    }

    var isUnbounded: Bool {
      if case .unbounded = self { return true }
      return false
    }

    var isCurrentRow: Bool {
      if case .currentRow = self { return true }
      return false
    }

    var isPreceding: Bool {
      if case .preceding = self { return true }
      return false
    }

    var isFollowing: Bool {
      if case .following = self { return true }
      return false
    }

    fileprivate func isSame(as other: Bound) -> Bool {
      switch (self, other) {
      case (.unbounded, .unbounded), (.currentRow, .currentRow): true
      case (.preceding(let left), .preceding(let right)),
        (.following(let left), .following(let right)):
        left.isSame(as: right)
      default: false
      }
    }
  }

  let unit: WindowFrame.Unit
  let start: Bound, end: Bound
  var exclusion = WindowFrame.Exclusion.none

  fileprivate func isSame(as other: BoundFrame) -> Bool {
    unit == other.unit && exclusion == other.exclusion && start.isSame(as: other.start)
      && end.isSame(as: other.end)
  }
}

/// A call of a window function.
struct BoundWindowCall: BitwiseCopyable {
  private struct Node: BitwiseCopyable {
    unowned(unsafe) let function: AggregateFunction
    let arguments: BoundList<BoundExpression>
    let filter: BoundExpression?
    unowned(unsafe) let collation: Collation
    unowned(unsafe) let window: BoundWindow
    let memory: TreeMemory
    let height: Int32
    var selectID = -1
    var position = 0
  }

  private let node: UnsafeMutablePointer<Node>

  init(
    function: AggregateFunction, arguments: [BoundExpression], filter: BoundExpression?,
    collation: Collation, window: BoundWindow, height: Int32, in memory: TreeMemory
  ) {
    memory.keep(function)
    memory.keep(window)
    node = memory.node(
      Node(
        function: function, arguments: memory.list(arguments), filter: filter,
        collation: collation, window: window, memory: memory, height: height))
  }

  var function: AggregateFunction { node.pointee.function }
  var arguments: BoundList<BoundExpression> { node.pointee.arguments }
  var filter: BoundExpression? { node.pointee.filter }
  var collation: Collation { node.pointee.collation }
  var window: BoundWindow { node.pointee.window }
  var memory: TreeMemory { node.pointee.memory }
  /// Of the expression that it is, with its arguments.
  var height: Int32 { node.pointee.height }
  /// The SELECT that computes it, among whose calls it has `position`: known once windows have
  /// SELECTs of their own.
  var selectID: Int { node.pointee.selectID }
  var position: Int { node.pointee.position }

  func place(in selectID: Int, at position: Int) {
    node.pointee.selectID = selectID
    node.pointee.position = position
  }

  /// Another node for the same call.
  var copy: BoundWindowCall {
    BoundWindowCall(
      function: function, arguments: Array(arguments), filter: filter, collation: collation,
      window: window, height: height, in: memory)
  }

  func isSame(as other: BoundWindowCall) -> Bool {
    if node == other.node { return true }
    guard function === other.function, window.isSame(as: other.window),
      BoundExpression.areSame(arguments, other.arguments)
    else { return false }
    guard let filter, let otherFilter = other.filter else {
      return (filter == nil) == (other.filter == nil)
    }
    return filter.isSame(as: otherFilter)
  }

  /// Both are one node.
  static func === (left: BoundWindowCall, right: BoundWindowCall) -> Bool {
    left.node == right.node
  }
}

/// What a SELECT does that computes the functions of one window: its only source gives the rows,
/// sorted by the window's PARTITION BY and ORDER BY.
final class BoundWindowStep {
  struct Call {
    let call: BoundWindowCall
    /// Columns of the source.
    let arguments: [Int]
    /// Those of the arguments' subtypes, where they matter.
    let subtypes: [Int]
    let filter: Int?
  }

  let window: BoundWindow
  let calls: [Call]
  /// Columns of the source with the values of PARTITION BY and ORDER BY.
  let partitionColumns: [Int]
  let orderColumns: [Int]

  init(window: BoundWindow, calls: [Call], partitionColumns: [Int], orderColumns: [Int]) {
    self.window = window
    self.calls = calls
    self.partitionColumns = partitionColumns
    self.orderColumns = orderColumns
  }
}
