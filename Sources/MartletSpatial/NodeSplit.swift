// The R*-tree's split. For each dimension the cells are sorted, and each division of them in two is
// looked at that leaves both sides a third of a full node. The dimension is that whose divisions
// have the smallest margins in sum; of its divisions, the one whose boxes overlap least is taken,
// and of those the one with the smallest areas.
import MartletEngine

/// How the cells of a full node, and one more, are divided.
struct NodeSplit {
  /// The cells as they were, the new one last; behind them the boxes around both sides, and what is
  /// computed with.
  private let cells: CellList
  private let count: Int
  /// Indexes of cells in the order of each dimension, and room for one order more.
  private let orders: UnsafeMutablePointer<Int32>
  private let bestDimension: Int
  /// How many cells are on the left.
  private let bestCount: Int

  /// The boxes around both sides.
  var leftBox: Bounds { cells[count] }
  var rightBox: Bounds { cells[count + 1] }

  init(
    _ table: RTree, _ node: Node, adding number: Int64, _ bounds: Bounds
  ) throws(SQLError) {
    let layout = table.layout
    count = node.cellCount + 1
    cells = try CellList(2 * count + 3, layout)
    let orderSize = MemoryLayout<Int32>.stride * count
    guard let memory = MemoryUse.allocate(orderSize * (layout.dimensionCount + 1)) else {
      cells.free()
      throw SQLError(.outOfMemory)
    }
    orders = memory.bindMemory(to: Int32.self, capacity: count * (layout.dimensionCount + 1))
    for index in 0..<(count - 1) {
      cells.numbers[index] = table.cellNumber(index, of: node)
      table.readCell(index, of: node, into: cells[index])
    }
    cells.numbers[count - 1] = number
    layout.copy(cells[count - 1], from: bounds)
    var best = (dimension: 0, count: 0, margin: 0.0)
    for dimension in 0..<layout.dimensionCount {
      let order = orders + dimension * count
      for index in 0..<count { order[index] = Int32(index) }
      NodeSplit.sort(
        order, count, spare: orders + layout.dimensionCount * count, cells, dimension)
      let division = NodeSplit.bestDivision(order, count, minimum: table.minimum, cells, layout)
      if dimension == 0 || division.margin < best.margin {
        best = (dimension, division.count, division.margin)
      }
    }
    bestDimension = best.dimension
    bestCount = best.count
  }

  func free() {
    cells.free()
    MemoryUse.free(orders)
  }

  /// Sorts by lower, then by upper bound. Of equal cells, the later one comes first, as in C: the
  /// order of the cells in a node is part of the file.
  private static func sort(
    _ order: UnsafeMutablePointer<Int32>, _ count: Int, spare: UnsafeMutablePointer<Int32>,
    _ cells: CellList, _ dimension: Int
  ) {
    guard count > 1 else { return }
    let leftCount = count / 2, rightCount = count - leftCount
    let right = order + leftCount
    sort(order, leftCount, spare: spare, cells, dimension)
    sort(right, rightCount, spare: spare, cells, dimension)
    spare.update(from: order, count: leftCount)
    var fromLeft = 0, fromRight = 0
    while fromLeft < leftCount {
      // What is left on the right is in its place.
      var takesLeft = fromRight == rightCount
      if !takesLeft {
        let a = cells[Int(spare[fromLeft])] + 2 * dimension
        let b = cells[Int(right[fromRight])] + 2 * dimension
        takesLeft = a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
      }
      if takesLeft {
        order[fromLeft + fromRight] = spare[fromLeft]
        fromLeft += 1
      } else {
        order[fromLeft + fromRight] = right[fromRight]
        fromRight += 1
      }
    }
  }

  /// The best division of cells in one order, and the sum of all margins.
  private static func bestDivision(
    _ order: UnsafeMutablePointer<Int32>, _ count: Int, minimum: Int, _ cells: CellList,
    _ layout: NodeLayout
  ) -> (count: Int, margin: Double) {
    // Boxes of all right sides, from the last cell on.
    let sides = count + 2
    layout.copy(cells[sides + count - 1], from: cells[Int(order[count - 1])])
    for index in stride(from: count - 2, through: minimum, by: -1) {
      layout.copy(cells[sides + index], from: cells[sides + index + 1])
      layout.extend(cells[sides + index], by: cells[Int(order[index])])
    }
    let left = cells[sides + count]
    layout.copy(left, from: cells[Int(order[0])])
    for index in 1..<max(minimum, 1) { layout.extend(left, by: cells[Int(order[index])]) }
    var margin = 0.0, bestOverlap = 0.0, bestArea = 0.0, bestCount = 0
    for leftCount in minimum...max(minimum, count - minimum) {
      if leftCount > minimum { layout.extend(left, by: cells[Int(order[leftCount - 1])]) }
      let right = cells[sides + leftCount]
      margin += layout.margin(left)
      margin += layout.margin(right)
      let overlap = layout.overlap(left, right)
      let area = layout.area(left) + layout.area(right)
      if leftCount == minimum || overlap < bestOverlap
        || overlap == bestOverlap && area < bestArea
      {
        bestCount = leftCount
        bestOverlap = overlap
        bestArea = area
      }
    }
    return (bestCount, margin)
  }

  /// Writes the cells into two empty nodes, and computes the boxes around them.
  func distribute(to left: Node, _ right: Node, of table: RTree) {
    let layout = table.layout
    let order = orders + bestDimension * count
    layout.copy(leftBox, from: cells[Int(order[0])])
    layout.copy(rightBox, from: cells[Int(order[bestCount])])
    for index in 0..<count {
      let cell = Int(order[index])
      let isLeft = index < bestCount
      let isAdded = table.append(cells.numbers[cell], cells[cell], to: isLeft ? left : right)
      assert(isAdded, "both sides are smaller than a node")
      layout.extend(isLeft ? leftBox : rightBox, by: cells[cell])
    }
  }
}
