import MartletEngine

/// What a function on the right of MATCH is made of: it makes a query of its arguments each time
/// that a scan begins.
public protocol SpatialFunction: AnyObject, Sendable {
  /// - Throws: What the statement fails with.
  func makeQuery(_ match: SpatialMatch) throws(SQLError) -> SpatialQuery
}

/// The arguments of a function on the right of MATCH.
public final class SpatialMatch {
  let function: any SpatialFunction
  /// As reals, converted as CAST does.
  public let numbers: [Double]
  /// As they are, while the object lives.
  public private(set) var values: [ValueReference] = []

  init(
    _ function: any SpatialFunction, _ call: UnsafePointer<RawInvocation>
  ) throws(SQLError) {
    self.function = function
    numbers = (0..<call.pointee.count).map { call.pointee.argument($0).double }
    for index in 0..<call.pointee.count {
      values.append(try call.pointee.argument(index).copy())
    }
  }

  deinit { for value in values { value.deallocate() } }

  /// The type of the pointer that the function gives MATCH.
  static let pointerType = "RtreeMatchArg"
}

/// One MATCH of one scan. Subclass it; what is kept in it ends with the scan.
open class SpatialQuery {
  /// The query gives scores (rtree §6.2). Without them, any visibility but `outside` is the same,
  /// and the search is depth first (rtree §6.1).
  final let isScored: Bool

  public init(isScored: Bool) { self.isScored = isScored }

  /// Looks at an entry or a subtree, and says whether it is in the region and when it is its turn.
  ///
  /// - Throws: What the statement fails with.
  open func examine(_ box: inout SpatialBox) throws(SQLError) {}
}

@available(*, unavailable)
extension SpatialQuery: Sendable {}

/// How far a box is inside of a region. The numbers are C's.
public struct SpatialVisibility: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `NOT_WITHIN`
  public static let outside = SpatialVisibility(rawValue: 0)
  /// `PARTLY_WITHIN`
  public static let partly = SpatialVisibility(rawValue: 1)
  /// `FULLY_WITHIN`
  public static let inside = SpatialVisibility(rawValue: 2)
}

/// What a query looks at: an entry of the tree, or the box around a subtree
/// (`sqlite3_rtree_query_info`).
public struct SpatialBox {
  /// The lower and the upper bound of each dimension, valid for the call.
  public let bounds: UnsafeBufferPointer<Double>
  /// 0 for entries, 1 for the nodes that hold them, and so on.
  public let level: Int
  /// That of the root.
  public let highestLevel: Int
  /// That of the entry; only where `level` is 0.
  public let rowid: Int64
  /// How many boxes of each level wait for their turn, from level 0 on.
  public let waitingCounts: UnsafeMutablePointer<UInt32>
  public let parentScore: Double
  public let parentVisibility: SpatialVisibility
  /// What the query decides: at first that of the parent.
  public var visibility: SpatialVisibility
  /// Boxes with lower scores have their turn first: at first that of the parent.
  public var score: Double
}

@available(*, unavailable)
extension SpatialBox: Sendable {}

/// The SQL function: its result is NULL for all but the MATCH of an R-tree.
final class MatchFunction: RawFunction, @unchecked Sendable {
  private let function: any SpatialFunction

  init(_ function: any SpatialFunction) { self.function = function }

  override func call(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    let match = try SpatialMatch(function, invocation)
    invocation.pointee.setResult(pointer: match, type: SpatialMatch.pointerType)
  }
}
