// Nodes: the blobs of the shadow table `%_node` (rtree §7.1). All numbers are big-endian.
//
//     | depth of the tree u16 | cell count u16 | cells … | unused |   the root, number 1
//     | 0                 u16 | cell count u16 | cells … | unused |   other nodes
//
//     cell: | rowid or number of the child i64 | lower u32 | upper u32 | lower u32 | …
//
// A coordinate is an IEEE float of 32 bits, or a signed integer in tables of the kind `rtree_i32`.
//
// Invariants: (1) all nodes of a tree have one size; (2) a cell's box in an inner node is the
// smallest box around the child's cells, or larger; (3) nodes other than the root have at least a
// third of the cells that fit; (4) all leaves are `depth` levels below the root.

import MartletEngine

/// Single-precision reals, or integers.
enum CoordinateKind: Sendable { case real, integer }

/// Where a node has what, and how boxes are computed with. Coordinates are computed with as
/// doubles, which hold them exactly.
struct NodeLayout {
  static let mostDimensions = 5
  static let deepestTree = 40
  /// Bytes before the cells.
  static let headerSize = 4
  static let mostCells = 51

  let dimensionCount: Int
  /// Two for each dimension.
  let coordinateCount: Int
  let cellSize: Int
  let isInteger: Bool

  init(dimensionCount: Int, _ kind: CoordinateKind) {
    self.dimensionCount = dimensionCount
    coordinateCount = 2 * dimensionCount
    cellSize = 8 + 4 * coordinateCount
    isInteger = kind == .integer
  }

  /// The node size of new tables: as large as a page allows, and no more than 51 cells.
  func nodeSize(pageSize: Int) -> Int {
    min(pageSize - 64, NodeLayout.headerSize + cellSize * NodeLayout.mostCells)
  }

  // MARK: Numbers

  @inline(__always)
  static func readUInt16(_ place: UnsafeRawPointer) -> Int {
    Int(UInt16(bigEndian: place.loadUnaligned(as: UInt16.self)))
  }

  @inline(__always)
  static func writeUInt16(_ value: Int, _ place: UnsafeMutableRawPointer) {
    place.storeBytes(of: UInt16(truncatingIfNeeded: value).bigEndian, as: UInt16.self)
  }

  @inline(__always)
  static func readInt64(_ place: UnsafeRawPointer) -> Int64 {
    Int64(bigEndian: place.loadUnaligned(as: Int64.self))
  }

  @inline(__always)
  static func writeInt64(_ value: Int64, _ place: UnsafeMutableRawPointer) {
    place.storeBytes(of: value.bigEndian, as: Int64.self)
  }

  /// A coordinate of a cell whose coordinates begin at `place`.
  @inline(__always)
  func coordinate(_ place: UnsafeRawPointer, _ index: Int) -> Double {
    let bits = UInt32(bigEndian: place.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
    return isInteger ? Double(Int32(bitPattern: bits)) : Double(Float(bitPattern: bits))
  }

  @inline(__always)
  private func bits(_ coordinate: Double) -> UInt32 {
    // What was no integer of 32 bits cannot come here.
    isInteger
      ? UInt32(bitPattern: Int32(truncatingIfNeeded: Int64(coordinate)))
      : Float(coordinate).bitPattern
  }

  // MARK: Cells

  /// Copies a cell's coordinates.
  @inline(__always)
  func read(_ place: UnsafeRawPointer, into bounds: Bounds) {
    for index in 0..<coordinateCount { bounds[index] = coordinate(place, index) }
  }

  func write(_ bounds: Bounds, to place: UnsafeMutableRawPointer) {
    for index in 0..<coordinateCount {
      place.storeBytes(
        of: bits(bounds[index]).bigEndian, toByteOffset: 4 * index, as: UInt32.self)
    }
  }

  // MARK: Boxes

  /// Of single-precision reals, each length is rounded to single precision.
  @inline(__always)
  private func length(_ lower: Double, _ upper: Double) -> Double {
    isInteger ? upper - lower : Double(Float(upper) - Float(lower))
  }

  /// The area, volume and so on. The product begins with the last dimension: what is rounded
  /// decides which of two nodes grows.
  @inline(__always)
  func area(_ bounds: Bounds) -> Double {
    var index = coordinateCount &- 2
    var area = length(bounds[index], bounds[index &+ 1])
    while index > 0 {
      index &-= 2
      area *= length(bounds[index], bounds[index &+ 1])
    }
    return area
  }

  /// The sum of the edges.
  func margin(_ bounds: Bounds) -> Double {
    var margin = 0.0
    var index = coordinateCount - 2
    while index >= 0 {
      margin += bounds[index + 1] - bounds[index]
      index -= 2
    }
    return margin
  }

  /// The area that two boxes share.
  func overlap(_ left: Bounds, _ right: Bounds) -> Double {
    var overlap = 1.0
    for index in stride(from: 0, to: coordinateCount, by: 2) {
      let lower = max(left[index], right[index])
      let upper = min(left[index + 1], right[index + 1])
      if upper < lower { return 0 }
      overlap *= upper - lower
    }
    return overlap
  }

  @inline(__always)
  func contains(_ outer: Bounds, _ inner: Bounds) -> Bool {
    var index = 0
    while index < coordinateCount {
      if inner[index] < outer[index] || inner[index &+ 1] > outer[index &+ 1] { return false }
      index &+= 2
    }
    return true
  }

  /// Grows a box until it contains another.
  @inline(__always)
  func extend(_ bounds: Bounds, by other: Bounds) {
    var index = 0
    while index < coordinateCount {
      if !(bounds[index] < other[index]) { bounds[index] = other[index] }
      if !(bounds[index &+ 1] > other[index &+ 1]) { bounds[index &+ 1] = other[index &+ 1] }
      index &+= 2
    }
  }

  @inline(__always)
  func copy(_ bounds: Bounds, from other: Bounds) {
    bounds.update(from: other, count: coordinateCount)
  }
}

/// Lower and upper bound of each dimension.
typealias Bounds = UnsafeMutablePointer<Double>

/// Cells outside of nodes: their numbers, and their bounds one after the other.
///
/// It owns its memory and is freed by its owner. Its size is that of a node, which a file decides.
struct CellList {
  let numbers: UnsafeMutablePointer<Int64>
  private let memory: UnsafeMutableRawPointer
  private let bounds: UnsafeMutablePointer<Double>
  private let coordinateCount: Int

  init(_ count: Int, _ layout: NodeLayout) throws(SQLError) {
    coordinateCount = layout.coordinateCount
    let (byteCount, isTooLarge) = count.multipliedReportingOverflow(by: 8 * (1 + coordinateCount))
    guard !isTooLarge, let memory = MemoryUse.allocate(max(byteCount, 8)) else {
      throw SQLError(.outOfMemory)
    }
    self.memory = memory
    memory.initializeMemory(as: UInt64.self, repeating: 0, count: max(byteCount / 8, 1))
    numbers = memory.bindMemory(to: Int64.self, capacity: count)
    bounds = (memory + 8 * count).bindMemory(to: Double.self, capacity: count * coordinateCount)
  }

  func free() { MemoryUse.free(memory) }

  /// The bounds of a cell, in place.
  @inline(__always)
  subscript(index: Int) -> Bounds { bounds + index &* coordinateCount }
}
