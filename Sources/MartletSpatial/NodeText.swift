import MartletEngine

/// The functions that show a node: `rtreenode` and `rtreedepth`.
enum NodeText {
  /// The cells of a node of so many dimensions, as `{rowid x1 x2 …} …`; NULL where it is none.
  static func write(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let dimensionCount = Int(UInt8(truncatingIfNeeded: call.int64(0)))
    guard (1...NodeLayout.mostDimensions).contains(dimensionCount) else { return }
    let layout = NodeLayout(dimensionCount: dimensionCount, .real)
    let node = try call.bytes(1)
    guard node.count >= NodeLayout.headerSize, let start = node.baseAddress else { return }
    let count = NodeLayout.readUInt16(start + 2)
    guard count > 0, node.count >= count * layout.cellSize, let connection = call.connection
    else { return }
    let format = try connection.prepare("SELECT format('%g', ?1)")
    var text = ""
    for index in 0..<count {
      // The function counts without the header, as C's does: what is missing at the end is 0.
      let offset = NodeLayout.headerSize + index * layout.cellSize
      text += (index > 0 ? " " : "") + "{\(Int64(bitPattern: number(node, offset, 8)))"
      for coordinate in 0..<layout.coordinateCount {
        let bits = number(node, offset + 8 + 4 * coordinate, 4)
        text += " " + (try formatted(Float(bitPattern: UInt32(bits)), format))
      }
      text += "}"
    }
    try call.setResult(text: text)
  }

  private static func number(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ count: Int
  ) -> UInt64 {
    var number: UInt64 = 0
    for index in offset..<(offset + count) {
      number = number << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
    }
    return number
  }

  /// As SQLite writes numbers by `%g`.
  private static func formatted(_ value: Float, _ format: Statement) throws(SQLError) -> String {
    if value.isNaN { return "NaN" }
    try format.bind(Double(value), at: 1)
    defer { format.clearBindings() }
    let text = try format.step() ? format.columnText(0) : ""
    try format.reset()
    return text
  }

  /// The depth that a root has.
  static func writeDepth(_ call: borrowing FunctionInvocation) throws(SQLError) {
    guard call.type(0) == .blob else { throw .spatial("Invalid argument to rtreedepth()") }
    let node = try call.bytes(0)
    guard node.count >= 2, let start = node.baseAddress else {
      throw .spatial("Invalid argument to rtreedepth()")
    }
    call.setResult(NodeLayout.readUInt16(start))
  }
}
