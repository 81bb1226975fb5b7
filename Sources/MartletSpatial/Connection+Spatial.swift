import MartletEngine

extension Connection {
  /// Registers R-trees on this connection (rtree): the modules `rtree` and `rtree_i32`, and the
  /// functions `rtreecheck`, `rtreedepth` and `rtreenode`. `Martlet`, the shell and the C library
  /// do so on every connection that they open.
  ///
  /// - Throws: `busy` where the functions are replaced while statements run.
  public func registerSpatial() throws(SQLError) {
    try createFunctions(.spatial)
    createModules(.spatial)
    _ = SpatialOptions.areSaid
  }

  /// Makes a function that stands on the right of MATCH in queries of R-trees (rtree §6).
  ///
  /// - Throws: `misuse` for a wrong name; `busy` where a function would be replaced while
  ///   statements run.
  public func createSpatialFunction(
    _ name: String, _ function: any SpatialFunction
  ) throws(SQLError) {
    let body = MatchFunction(function)
    for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
      try createRawFunction(name, argumentCount: -1, encoding: encoding, options: [], body)
    }
  }

  /// Makes a function that says which boxes a shape overlaps, for queries as `SELECT id FROM index
  /// WHERE id MATCH circle(45.3, 22.9, 5.0)` (rtree §6.1). The tree is searched depth first.
  ///
  /// - Parameter overlaps: Called with the lower and the upper bound of each dimension of an entry
  ///   or a subtree, and with the function's arguments; false leaves it out.
  public func createGeometry(
    _ name: String,
    _ overlaps:
      @escaping @Sendable (_ bounds: UnsafeBufferPointer<Double>, _ arguments: [Double])
      throws(SQLError) -> Bool
  ) throws(SQLError) {
    try createSpatialFunction(
      name,
      ClosureFunction { match in GeometryQuery(match.numbers, overlaps) })
  }

  /// Makes a function that says how far boxes are inside a region, and in which order they come
  /// (rtree §6.2).
  ///
  /// - Parameter examine: Called with each entry and subtree that is met, and with the function's
  ///   arguments.
  public func createSpatialQuery(
    _ name: String,
    _ examine:
      @escaping @Sendable (_ box: inout SpatialBox, _ arguments: [Double]) throws(SQLError) -> Void
  ) throws(SQLError) {
    try createSpatialFunction(
      name,
      ClosureFunction { match in ClosureQuery(match.numbers, examine) })
  }
}

extension ModuleSet {
  fileprivate static let spatial = ModuleSet([
    "rtree": SpatialModule(.real), "rtree_i32": SpatialModule(.integer),
  ])
}

extension FunctionSet {
  fileprivate static let spatial = FunctionSet { set throws(SQLError) in
    try set.createFunction("rtreenode", argumentCount: 2) { call throws(SQLError) in
      try NodeText.write(call)
    }
    try set.createFunction("rtreedepth", argumentCount: 1) { call throws(SQLError) in
      try NodeText.writeDepth(call)
    }
    try set.createFunction("rtreecheck") { call throws(SQLError) in try TreeCheck.write(call) }
  }
}

/// A function whose queries a closure makes.
private final class ClosureFunction: SpatialFunction {
  private let make: @Sendable (SpatialMatch) -> SpatialQuery

  init(_ make: @escaping @Sendable (SpatialMatch) -> SpatialQuery) { self.make = make }

  func makeQuery(_ match: SpatialMatch) throws(SQLError) -> SpatialQuery { make(match) }
}

private final class GeometryQuery: SpatialQuery {
  typealias Body =
    @Sendable (UnsafeBufferPointer<Double>, [Double]) throws(SQLError) -> Bool

  private let arguments: [Double]
  private let overlaps: Body

  init(_ arguments: [Double], _ overlaps: @escaping Body) {
    self.arguments = arguments
    self.overlaps = overlaps
    super.init(isScored: false)
  }

  override func examine(_ box: inout SpatialBox) throws(SQLError) {
    box.visibility = try overlaps(box.bounds, arguments) ? .inside : .outside
  }
}

private final class ClosureQuery: SpatialQuery {
  typealias Body = @Sendable (inout SpatialBox, [Double]) throws(SQLError) -> Void

  private let arguments: [Double]
  private let body: Body

  init(_ arguments: [Double], _ body: @escaping Body) {
    self.arguments = arguments
    self.body = body
    super.init(isScored: true)
  }

  override func examine(_ box: inout SpatialBox) throws(SQLError) { try body(&box, arguments) }
}

/// What `PRAGMA compile_options` says of R-trees, from the first connection on.
private enum SpatialOptions {
  static let areSaid: Void = CompileOptions.add("ENABLE_RTREE")
}
