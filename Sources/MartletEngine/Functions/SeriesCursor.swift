/// generate_series (series): integers from START to STOP by STEP.
final class SeriesCursor: TableFunctionCursor {
  /// The plan's bits: the values that are given, and the order that the rows shall have.
  static let startGiven = 1
  static let stopGiven = 2
  static let stepGiven = 4
  static let isDescending = 8
  static let isAscending = 16

  private let encoding: TextEncoding
  private var start: Int64 = 0
  private var stop: Int64 = 0
  private var step: Int64 = 1
  private var value: Int64 = 0
  private var last: Int64 = 0
  /// The step's size, and whether values go down.
  private var stride: UInt64 = 1
  private var goesDown = false

  private static let defaultStop: Int64 = 0xffff_ffff

  init(encoding: TextEncoding) { self.encoding = encoding }

  override func start(
    plan: Int, _ arguments: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    for position in 0..<3 where plan & 1 << position != 0 && arguments[position].isNull {
      return false
    }
    func argument(_ bit: Int, _ position: Int, otherwise: Int64) -> Int64 {
      plan & bit == 0 ? otherwise : Cast.integer(of: arguments + position, encoding)
    }
    start = argument(SeriesCursor.startGiven, 0, otherwise: 0)
    stop = argument(SeriesCursor.stopGiven, 1, otherwise: SeriesCursor.defaultStop)
    step = argument(SeriesCursor.stepGiven, 2, otherwise: 1)
    if step == 0 { step = 1 }
    goesDown = step < 0
    stride = step.magnitude
    if goesDown ? start < stop : start > stop { return false }
    value = start
    let span = UInt64(bitPattern: goesDown ? start &- stop : stop &- start)
    let distance = Int64(bitPattern: span - span % stride)
    last = goesDown ? start &- distance : start &+ distance
    let isTurned = plan & (goesDown ? SeriesCursor.isAscending : SeriesCursor.isDescending) != 0
    if isTurned {
      swap(&value, &last)
      goesDown.toggle()
    }
    return true
  }

  override func next() throws(SQLError) -> Bool {
    if value == last { return false }
    let distance = Int64(bitPattern: stride)
    value = goesDown ? value &- distance : value &+ distance
    return true
  }

  override func read(
    _ column: Int, into target: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    switch column {
    case 1: target.pointee.setInteger(start)
    case 2: target.pointee.setInteger(stop)
    case 3: target.pointee.setInteger(step)
    default: target.pointee.setInteger(value)
    }
  }
}
