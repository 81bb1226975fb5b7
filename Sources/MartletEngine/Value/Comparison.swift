/// The order of values (datatype3 §4.1): NULL, numbers by value, texts by collation, blobs.
enum Comparison {
  /// Negative, zero or positive. NULLs are equal here.
  @inline(__always)
  static func compare(
    _ left: UnsafePointer<Register>, _ right: UnsafePointer<Register>, _ collation: Collation,
    _ encoding: TextEncoding
  ) throws(SQLError) -> Int {
    if left.pointee.tag == .integer && right.pointee.tag == .integer {
      return order(left.pointee.integer, right.pointee.integer)
    }
    return try compareSlow(left, right, collation, encoding)
  }

  @inline(__always)
  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : (left > right ? 1 : 0)
  }

  @inline(never)
  static func compareSlow(
    _ left: UnsafePointer<Register>, _ right: UnsafePointer<Register>, _ collation: Collation,
    _ encoding: TextEncoding
  ) throws(SQLError) -> Int {
    switch (left.pointee.tag, right.pointee.tag) {
    case (.text, .text):
      return try collation.compare(
        left.pointee.byteBuffer, right.pointee.byteBuffer, encoding: encoding)
    case (.real, .real):
      return order(left.pointee.real, right.pointee.real)
    case (.integer, .integer):
      return order(left.pointee.integer, right.pointee.integer)
    case (.integer, .real): return compare(left.pointee.integer, right.pointee.real)
    case (.real, .integer): return 0 &- compare(right.pointee.integer, left.pointee.real)
    case (.blob, .blob): return compareBlobs(left, right)
    default: return Int(left.pointee.tag.rawValue) &- Int(right.pointee.tag.rawValue)
    }
  }

  /// Exact order of an integer and a real.
  @inline(__always)
  static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real < -9_223_372_036_854_775_808.0 { return 1 }
    if real >= 9_223_372_036_854_775_808.0 { return -1 }
    let truncated = Int64(real)
    if integer != truncated { return integer < truncated ? -1 : 1 }
    // Only a real below 2^53 has a fraction, so the integer converts exactly.
    let exact = Double(integer)
    return exact < real ? -1 : (exact > real ? 1 : 0)
  }

  /// memcmp order, then the shorter first.
  @inline(__always)
  static func compareBytes(
    _ left: UnsafePointer<UInt8>, _ leftCount: Int, _ right: UnsafePointer<UInt8>,
    _ rightCount: Int
  ) -> Int {
    let order = Memory.compare(left, right, min(leftCount, rightCount))
    return order != 0 ? order : leftCount &- rightCount
  }

  private static func compareBlobs(
    _ left: UnsafePointer<Register>, _ right: UnsafePointer<Register>
  ) -> Int {
    let leftCount = Int(left.pointee.byteCount), rightCount = Int(right.pointee.byteCount)
    let leftBytes = left.pointee.bytes ?? Register.emptyBytes
    let rightBytes = right.pointee.bytes ?? Register.emptyBytes
    if left.pointee.zeroCount == 0 && right.pointee.zeroCount == 0 {
      return compareBytes(leftBytes, leftCount, rightBytes, rightCount)
    }
    let shared = min(leftCount, rightCount)
    let order = Memory.compare(leftBytes, rightBytes, shared)
    if order != 0 { return order }
    let leftTotal = leftCount &+ Int(left.pointee.zeroCount)
    let rightTotal = rightCount &+ Int(right.pointee.zeroCount)
    // What one side has as bytes, the other has as zeros, as far as it reaches.
    for index in shared..<max(shared, min(leftCount, rightTotal)) where leftBytes[index] != 0 {
      return 1
    }
    for index in shared..<max(shared, min(rightCount, leftTotal)) where rightBytes[index] != 0 {
      return -1
    }
    return leftTotal &- rightTotal
  }
}
