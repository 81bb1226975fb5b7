/// Order of keys by a key info, where they are not compared as normalized bytes.
enum KeyOrder {
  /// Negative, zero or positive; looks at the first `count` columns.
  static func compare(
    _ left: UnsafePointer<Register>, _ right: UnsafePointer<Register>, count: Int,
    by keyInfo: KeyInfo
  ) throws(SQLError) -> Int {
    for column in 0..<count {
      let order = try compare(left + column, right + column, column: column, of: keyInfo)
      if order != 0 { return order }
    }
    return 0
  }

  /// Compares two stored rows of the key columns.
  static func compare(
    rows left: UnsafeRawPointer, _ right: UnsafeRawPointer, by keyInfo: KeyInfo
  ) throws(SQLError) -> Int {
    let count = keyInfo.keyColumnCount
    let valuesOffset = StoredRow.valuesOffset(count)
    return try withUnsafeTemporaryAllocation(of: Register.self, capacity: 2) {
      values throws(SQLError) in
      let leftValue = values.baseAddress.unsafelyUnwrapped, rightValue = leftValue + 1
      values.initialize(repeating: Register())
      for column in 0..<count {
        StoredRow.read(column, of: left, valuesOffset: valuesOffset, into: leftValue)
        StoredRow.read(column, of: right, valuesOffset: valuesOffset, into: rightValue)
        let order = try compare(leftValue, rightValue, column: column, of: keyInfo)
        if order != 0 { return order }
      }
      return 0
    }
  }

  @inline(__always)
  private static func compare(
    _ left: UnsafePointer<Register>, _ right: UnsafePointer<Register>, column: Int,
    of keyInfo: KeyInfo
  ) throws(SQLError) -> Int {
    let order = keyInfo.orders + column
    let result = try order.pointee.collation.lend { (collation) throws(SQLError) in
      try Comparison.compare(left, right, collation, keyInfo.encoding)
    }
    if result == 0 { return 0 }
    let isTurned =
      order.pointee.hasBigNulls && (left.pointee.isNull || right.pointee.isNull)
      ? !order.pointee.isDescending : order.pointee.isDescending
    return isTurned ? 0 &- result : result
  }
}
