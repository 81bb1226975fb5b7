// Queries of R-trees by functions of the program (rtree §6).
import CSQLite3
import MartletEngine
import MartletSpatial

/// `xGeom`
public typealias GeometryPointer =
  @convention(c) (
    UnsafeMutablePointer<sqlite3_rtree_geometry>?, Int32, UnsafeMutablePointer<sqlite3_rtree_dbl>?,
    UnsafeMutablePointer<Int32>?
  ) -> Int32
/// `xQueryFunc`
public typealias SpatialQueryPointer =
  @convention(c) (UnsafeMutablePointer<sqlite3_rtree_query_info>?) -> Int32

@c @implementation
public func sqlite3_rtree_geometry_callback(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ geometry: GeometryPointer!,
  _ context: UnsafeMutableRawPointer!
) -> Int32 {
  create(database, name, geometry.map { .geometry($0) }, context, nil)
}

@c @implementation
public func sqlite3_rtree_query_callback(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ query: SpatialQueryPointer!,
  _ context: UnsafeMutableRawPointer!, _ destroy: Destructor!
) -> Int32 {
  create(database, name, query.map { .query($0) }, context, destroy)
}

private enum SpatialCallback: Sendable {
  case geometry(GeometryPointer)
  case query(SpatialQueryPointer)
}

private func create(
  _ database: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ callback: SpatialCallback?,
  _ context: UnsafeMutableRawPointer?, _ destroy: Destructor?
) -> Int32 {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine,
    let name = string(name), let callback, name.utf8.count <= 255
  else {
    destroy?(context)
    return SQLITE_MISUSE
  }
  engine.enter()
  defer { engine.leave() }
  let object = CFunction(handle, context, destroy)
  object.registrationBegins()
  defer { object.registrationEnds() }
  let function = CSpatialFunction(callback, object)
  do throws(SQLError) {
    try engine.createSpatialFunction(name, function)
  } catch {
    return handle.fail(error.code.rawValue, error.message)
  }
  for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
    let earlier = handle.core.functions.define(object, at: FunctionPlace(name, -1, encoding))
    earlier?.registrationEnds()
  }
  return SQLITE_OK
}

private final class CSpatialFunction: SpatialFunction, @unchecked Sendable {
  private let callback: SpatialCallback
  private let object: CFunction

  init(_ callback: SpatialCallback, _ object: CFunction) {
    self.callback = callback
    self.object = object
  }

  func makeQuery(_ match: SpatialMatch) throws(SQLError) -> SpatialQuery {
    try CSpatialQuery(callback, object.userData, match)
  }
}

/// One MATCH of a scan: what C's function is called with, whose first fields are those of both
/// kinds.
private final class CSpatialQuery: SpatialQuery {
  private let callback: SpatialCallback
  private let match: SpatialMatch
  private let info: UnsafeMutablePointer<sqlite3_rtree_query_info>
  private let numbers: UnsafeMutablePointer<sqlite3_rtree_dbl>
  /// The arguments as values, and the pointers to them.
  private let values: UnsafeMutablePointer<ValueState>
  private let pointers: UnsafeMutablePointer<OpaquePointer?>
  /// What C's function may change.
  private let bounds: UnsafeMutablePointer<sqlite3_rtree_dbl>

  private static let mostCoordinates = 10

  init(
    _ callback: SpatialCallback, _ context: UnsafeMutableRawPointer?, _ match: SpatialMatch
  ) throws(SQLError) {
    self.callback = callback
    self.match = match
    let count = match.numbers.count
    info = .allocate(capacity: 1)
    numbers = .allocate(capacity: max(count, 1))
    values = .allocate(capacity: max(count, 1))
    pointers = .allocate(capacity: max(count, 1))
    bounds = .allocate(capacity: CSpatialQuery.mostCoordinates)
    bounds.initialize(repeating: 0, count: CSpatialQuery.mostCoordinates)
    for index in 0..<count {
      (numbers + index).initialize(to: match.numbers[index])
      (values + index).initialize(to: ValueState(match.values[index]))
      (pointers + index).initialize(to: (values + index).opaque)
    }
    info.initialize(to: sqlite3_rtree_query_info())
    info.pointee.pContext = context
    info.pointee.nParam = Int32(truncatingIfNeeded: count)
    info.pointee.aParam = numbers
    info.pointee.apSqlParam = pointers
    if case .query = callback { super.init(isScored: true) } else { super.init(isScored: false) }
  }

  deinit {
    info.pointee.xDelUser?(info.pointee.pUser)
    for index in 0..<match.numbers.count { values[index].text.deallocate() }
    info.deallocate()
    numbers.deallocate()
    values.deallocate()
    pointers.deallocate()
    bounds.deallocate()
  }

  override func examine(_ box: inout SpatialBox) throws(SQLError) {
    let count = min(box.bounds.count, CSpatialQuery.mostCoordinates)
    for index in 0..<count { bounds[index] = box.bounds[index] }
    info.pointee.nCoord = Int32(truncatingIfNeeded: count)
    info.pointee.anQueue = box.waitingCounts
    info.pointee.mxLevel = Int32(truncatingIfNeeded: box.highestLevel)
    let code: Int32
    switch callback {
    case .geometry(let geometry):
      var isWithin: Int32 = 0
      code = info.withMemoryRebound(to: sqlite3_rtree_geometry.self, capacity: 1) {
        geometry($0, info.pointee.nCoord, bounds, &isWithin)
      }
      box.visibility = isWithin == 0 ? .outside : .inside
    case .query(let query):
      code = ask(query, &box)
    }
    if code != SQLITE_OK { throw SQLError(ResultCode(rawValue: code)) }
  }

  private func ask(_ query: SpatialQueryPointer, _ box: inout SpatialBox) -> Int32 {
    info.pointee.aCoord = bounds
    info.pointee.iLevel = Int32(truncatingIfNeeded: box.level)
    if box.level == 0 { info.pointee.iRowid = box.rowid }
    info.pointee.rParentScore = box.parentScore
    info.pointee.rScore = box.score
    info.pointee.eParentWithin = box.parentVisibility.rawValue
    info.pointee.eWithin = box.visibility.rawValue
    let code = query(info)
    box.visibility = SpatialVisibility(rawValue: info.pointee.eWithin)
    box.score = info.pointee.rScore
    return code
  }
}
