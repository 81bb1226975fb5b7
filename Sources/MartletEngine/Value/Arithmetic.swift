/// The arithmetic operators (datatype3 §5, lang_expr §2).
///
/// Each has a fast path for two integers or two reals, to be inlined where instructions are run,
/// which says whether it applied; and a complete path. The result may be one of the operands.
enum Arithmetic {
  typealias Cell = UnsafeMutablePointer<Register>

  enum Operation { case add, subtract, multiply, divide, remainder }

  @inline(__always)
  static func addFast(_ left: Cell, _ right: Cell, into result: Cell) -> Bool {
    if left.pointee.tag == .integer && right.pointee.tag == .integer {
      let (sum, overflow) = left.pointee.integer.addingReportingOverflow(right.pointee.integer)
      if overflow { return false }
      result.pointee.setInteger(sum)
      return true
    }
    guard left.pointee.tag == .real && right.pointee.tag == .real else { return false }
    result.pointee.setReal(left.pointee.real + right.pointee.real)
    return true
  }

  @inline(__always)
  static func subtractFast(_ left: Cell, _ right: Cell, into result: Cell) -> Bool {
    if left.pointee.tag == .integer && right.pointee.tag == .integer {
      let (difference, overflow) = left.pointee.integer.subtractingReportingOverflow(
        right.pointee.integer)
      if overflow { return false }
      result.pointee.setInteger(difference)
      return true
    }
    guard left.pointee.tag == .real && right.pointee.tag == .real else { return false }
    result.pointee.setReal(left.pointee.real - right.pointee.real)
    return true
  }

  @inline(__always)
  static func multiplyFast(_ left: Cell, _ right: Cell, into result: Cell) -> Bool {
    if left.pointee.tag == .integer && right.pointee.tag == .integer {
      let (product, overflow) = left.pointee.integer.multipliedReportingOverflow(
        by: right.pointee.integer)
      if overflow { return false }
      result.pointee.setInteger(product)
      return true
    }
    guard left.pointee.tag == .real && right.pointee.tag == .real else { return false }
    result.pointee.setReal(left.pointee.real * right.pointee.real)
    return true
  }

  @inline(__always)
  static func divideFast(_ left: Cell, _ right: Cell, into result: Cell) -> Bool {
    guard left.pointee.tag == .integer && right.pointee.tag == .integer,
      right.pointee.integer > 0
    else { return false }
    result.pointee.setInteger(left.pointee.integer / right.pointee.integer)
    return true
  }

  @inline(__always)
  static func remainderFast(_ left: Cell, _ right: Cell, into result: Cell) -> Bool {
    guard left.pointee.tag == .integer && right.pointee.tag == .integer,
      right.pointee.integer > 0
    else { return false }
    result.pointee.setInteger(left.pointee.integer % right.pointee.integer)
    return true
  }

  /// Any operands: NULL gives NULL, overflowing integers give a real, division by zero gives NULL.
  @inline(never)
  static func compute(
    _ operation: Operation, _ left: Cell, _ right: Cell, into result: Cell,
    encoding: TextEncoding
  ) {
    if left.pointee.isNull || right.pointee.isNull { return result.pointee.setNull() }
    let leftNumber = Cast.number(of: left, encoding)
    let rightNumber = Cast.number(of: right, encoding)
    if leftNumber.tag == .integer && rightNumber.tag == .integer {
      let isDone = computeIntegers(
        operation, leftNumber.integer, rightNumber.integer, &result.pointee)
      if isDone { return }
    }
    // A text that counts as an integer beside another one may be a real.
    let leftReal = Cast.real(of: left, encoding), rightReal = Cast.real(of: right, encoding)
    switch operation {
    case .add: result.pointee.setReal(leftReal + rightReal)
    case .subtract: result.pointee.setReal(leftReal - rightReal)
    case .multiply: result.pointee.setReal(leftReal * rightReal)
    case .divide:
      if rightReal == 0 { return result.pointee.setNull() }
      result.pointee.setReal(leftReal / rightReal)
    case .remainder:
      // Reals are cut to integers first; the result is a real again.
      let divisor = Cast.integer(of: right, encoding)
      let dividend = Cast.integer(of: left, encoding)
      if divisor == 0 { return result.pointee.setNull() }
      result.pointee.setReal(divisor == -1 ? 0 : Double(dividend % divisor))
    }
  }

  /// False where the result does not fit an integer.
  private static func computeIntegers(
    _ operation: Operation, _ left: Int64, _ right: Int64, _ result: inout Register
  ) -> Bool {
    let (value, overflow): (Int64, Bool)
    switch operation {
    case .add: (value, overflow) = left.addingReportingOverflow(right)
    case .subtract: (value, overflow) = left.subtractingReportingOverflow(right)
    case .multiply: (value, overflow) = left.multipliedReportingOverflow(by: right)
    case .divide, .remainder:
      if right == 0 {
        result.setNull()
        return true
      }
      if operation == .remainder {
        (value, overflow) = (right == -1 ? 0 : left % right, false)
      } else {
        (value, overflow) = left.dividedReportingOverflow(by: right)
      }
    }
    if !overflow { result.setInteger(value) }
    return !overflow
  }
}

extension Arithmetic {
  enum BitOperation { case and, or, shiftLeft, shiftRight }

  static func compute(
    _ operation: BitOperation, _ left: Cell, _ right: Cell, into result: Cell,
    encoding: TextEncoding
  ) {
    if left.pointee.isNull || right.pointee.isNull { return result.pointee.setNull() }
    let leftValue = Cast.integer(of: left, encoding)
    let rightValue = Cast.integer(of: right, encoding)
    // Swift's smart shifts do what SQL asks for: negative counts reverse, large ones run out.
    switch operation {
    case .and: result.pointee.setInteger(leftValue & rightValue)
    case .or: result.pointee.setInteger(leftValue | rightValue)
    case .shiftLeft: result.pointee.setInteger(leftValue << rightValue)
    case .shiftRight: result.pointee.setInteger(leftValue >> rightValue)
    }
  }

  /// `~`: the bits of the value as an integer, inverted.
  static func invertBits(_ operand: Cell, into result: Cell, encoding: TextEncoding) {
    if operand.pointee.isNull { return result.pointee.setNull() }
    result.pointee.setInteger(~Cast.integer(of: operand, encoding))
  }

  /// Unary minus of a value that is not a literal: zero minus the value.
  static func negate(_ operand: Cell, into result: Cell, encoding: TextEncoding) {
    if operand.pointee.tag == .integer && operand.pointee.integer != .min {
      return result.pointee.setInteger(0 &- operand.pointee.integer)
    }
    var zero = Register()
    zero.setInteger(0)
    withUnsafeMutablePointer(to: &zero) {
      compute(.subtract, $0, operand, into: result, encoding: encoding)
    }
  }

  /// `||`: the operands' texts joined; blobs give their bytes. The result is text.
  static func concatenate(
    _ left: Cell, _ right: Cell, into result: Cell, encoding: TextEncoding, lengthLimit: Int
  ) throws(SQLError) {
    if left.pointee.isNull || right.pointee.isNull { return result.pointee.setNull() }
    if encoding == .utf8, result != left, result != right,
      left.pointee.isNumber || right.pointee.isNumber
    {
      return try join(left, right, into: &result.pointee, lengthLimit)
    }
    var leftText = Register(), rightText = Register()
    defer {
      leftText.deinitialize()
      rightText.deinitialize()
    }
    let leftBytes = try bytes(of: left, &leftText, encoding)
    let rightBytes = try bytes(of: right, &rightText, encoding)
    let total = leftBytes.count &+ rightBytes.count
    guard total <= lengthLimit else { throw .tooBig }
    if result != left && result != right {
      return try join(leftBytes, rightBytes, into: &result.pointee, encoding)
    }
    // The bytes are put together outside, as the result is an operand.
    var joined = Register()
    try join(leftBytes, rightBytes, into: &joined, encoding)
    Memory.free(result.pointee.buffer)
    result.pointee = joined
  }

  /// Joins texts in UTF-8, of which some are numbers: their digits are written where they belong.
  private static func join(
    _ left: Cell, _ right: Cell, into result: inout Register, _ lengthLimit: Int
  ) throws(SQLError) {
    let room = try mostBytes(of: left) &+ mostBytes(of: right)
    let target = try result.reserveBuffer(room)
    var count = put(left, target)
    count &+= put(right, target + count)
    guard count <= lengthLimit else {
      // What it referred to is written over.
      result.setNull()
      throw .tooBig
    }
    result.adoptBuffer(.text, count)
  }

  private static func mostBytes(of value: Cell) throws(SQLError) -> Int {
    if value.pointee.isNumber { return NumberText.bufferSize }
    try value.pointee.expandZeros()
    return Int(value.pointee.byteCount)
  }

  private static func put(_ value: Cell, _ target: UnsafeMutablePointer<UInt8>) -> Int {
    switch value.pointee.tag {
    case .integer: return NumberText.write(value.pointee.integer, to: target)
    case .real: return NumberText.writeShown(value.pointee.real, to: target)
    default:
      let bytes = value.pointee.byteBuffer
      Memory.copy(from: bytes.baseAddress ?? Register.emptyBytes, to: target, bytes.count)
      return bytes.count
    }
  }

  private static func join(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>,
    into result: inout Register, _ encoding: TextEncoding
  ) throws(SQLError) {
    let total = left.count &+ right.count
    let target = try result.reserveBuffer(total)
    Memory.copy(from: left.baseAddress ?? Register.emptyBytes, to: target, left.count)
    Memory.copy(
      from: right.baseAddress ?? Register.emptyBytes, to: target + left.count, right.count)
    // Half a UTF-16 character, which the blob at the end may leave, cannot be text.
    result.adoptBuffer(.text, encoding == .utf8 ? total : total & ~1)
  }

  private static func bytes(
    of value: Cell, _ scratch: inout Register, _ encoding: TextEncoding
  ) throws(SQLError) -> UnsafeBufferPointer<UInt8> {
    switch value.pointee.tag {
    case .integer, .real:
      scratch.bits = value.pointee.bits
      scratch.tag = value.pointee.tag
      try scratch.convertNumberToText(encoding)
      return scratch.byteBuffer
    default:
      try value.pointee.expandZeros()
      return value.pointee.byteBuffer
    }
  }
}

extension Register {
  fileprivate var isNumber: Bool { tag == .integer || tag == .real }
}
