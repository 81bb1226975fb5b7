/// One substitution of a format: `%[flags][width][.precision][length]type` (printf §2).
struct FormatSpecification {
  var isLeftJustified = false
  var isZeroPadded = false
  /// `+` or space in front of numbers that are not negative; 0 for neither.
  var signPrefix: UInt8 = 0
  /// The `#` flag.
  var isAlternate = false
  /// The `!` flag: texts by characters, more digits for reals.
  var isAlternate2 = false
  var hasThousands = false
  var width = 0
  /// -1 if none was given.
  var precision = -1
  /// How many `l` stand before the type, which counts for arguments of C only.
  var lengthCount = 0
  /// The character behind all that; 0 if the format ends before.
  var type: UInt8 = 0

  init() {}

  /// Nothing but a type.
  @inline(__always)
  init(type: UInt8) { self.type = type }

  /// Reads what follows a `%`; `index` is left behind the type. `nextSize` gives the argument that
  /// a `*` stands for.
  init(
    _ format: UnsafeBufferPointer<UInt8>, _ index: inout Int, nextSize: () -> Int32
  ) {
    while index < format.count {
      let character = format[index]
      switch character {
      case UInt8(ascii: "-"): isLeftJustified = true
      case UInt8(ascii: "+"), UInt8(ascii: " "): signPrefix = character
      case UInt8(ascii: "#"): isAlternate = true
      case UInt8(ascii: "!"): isAlternate2 = true
      case UInt8(ascii: "0"): isZeroPadded = true
      case UInt8(ascii: ","): hasThousands = true
      default:
        readSizes(format, &index, nextSize)
        return
      }
      index += 1
    }
  }

  private mutating func readSizes(
    _ format: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ nextSize: () -> Int32
  ) {
    func current() -> UInt8 { index < format.count ? format[index] : 0 }
    if current() == UInt8(ascii: "*") {
      let value = nextSize()
      isLeftJustified = isLeftJustified || value < 0
      width = value == .min ? 0 : Int(value.magnitude)
      index += 1
    } else {
      width = FormatSpecification.readNumber(format, &index)
    }
    if current() == UInt8(ascii: ".") {
      index += 1
      if current() == UInt8(ascii: "*") {
        let value = nextSize()
        precision = value == .min ? -1 : Int(value.magnitude)
        index += 1
      } else {
        precision = FormatSpecification.readNumber(format, &index)
      }
    }
    while current() == UInt8(ascii: "l") && lengthCount < 2 {
      index += 1
      lengthCount += 1
    }
    type = current()
    index += 1
  }

  private static func readNumber(
    _ format: UnsafeBufferPointer<UInt8>, _ index: inout Int
  ) -> Int {
    var value: UInt32 = 0
    while index < format.count && ASCII.isDigit(format[index]) {
      value = value &* 10 &+ UInt32(format[index] &- 0x30)
      index += 1
    }
    return Int(value & 0x7fff_ffff)
  }
}
