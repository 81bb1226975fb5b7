/// The arguments of a variadic function of C, of which only C can read the next one.
public struct VariadicArguments {
  public typealias List = UnsafeMutableRawPointer

  /// How the arguments of a list are read, one after the other.
  public struct Readers {
    let int: @convention(c) (List?) -> CInt
    let long: @convention(c) (List?) -> CLong
    let int64: @convention(c) (List?) -> Int64
    let double: @convention(c) (List?) -> Double
    let pointer: @convention(c) (List?) -> UnsafeMutableRawPointer?

    public init(
      int: @escaping @convention(c) (List?) -> CInt,
      long: @escaping @convention(c) (List?) -> CLong,
      int64: @escaping @convention(c) (List?) -> Int64,
      double: @escaping @convention(c) (List?) -> Double,
      pointer: @escaping @convention(c) (List?) -> UnsafeMutableRawPointer?
    ) {
      self.int = int
      self.long = long
      self.int64 = int64
      self.double = double
      self.pointer = pointer
    }
  }

  let list: List?
  let readers: Readers
  /// A text of `%z`, to be freed once it is copied.
  fileprivate var givenAway: UnsafeMutableRawPointer? = nil

  public init(_ list: List?, _ readers: Readers) {
    self.list = list
    self.readers = readers
  }
}

extension VariadicArguments: FormatArguments {
  mutating func size() -> Int32 { readers.int(list) }

  mutating func integer(_ specification: FormatSpecification) -> Int64 {
    switch specification.type {
    case UInt8(ascii: "p"):
      return Int64(bitPattern: UInt64(UInt(bitPattern: readers.pointer(list))))
    case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "r"):
      switch specification.lengthCount {
      case 0: return Int64(readers.int(list))
      case 1: return Int64(readers.long(list))
      default: return readers.int64(list)
      }
    default:
      switch specification.lengthCount {
      case 0: return Int64(CUnsignedInt(bitPattern: readers.int(list)))
      case 1: return Int64(bitPattern: UInt64(CUnsignedLong(bitPattern: readers.long(list))))
      default: return readers.int64(list)
      }
    }
  }

  mutating func real() -> Double { readers.double(list) }

  mutating func text(
    _ specification: FormatSpecification
  ) throws(SQLError) -> UnsafeBufferPointer<UInt8>? {
    freeGivenAway()
    guard let start = readers.pointer(list) else { return nil }
    if specification.type == UInt8(ascii: "z") { givenAway = start }
    let bytes = UnsafePointer(start.assumingMemoryBound(to: UInt8.self))
    return UnsafeBufferPointer(start: bytes, count: Self.length(bytes, specification))
  }

  /// The bytes that the precision allows, behind which no end need be.
  private static func length(
    _ bytes: UnsafePointer<UInt8>, _ specification: FormatSpecification
  ) -> Int {
    if specification.precision < 0 { return Memory.cStringCount(bytes) }
    var count = 0, left = specification.precision
    while left > 0 && bytes[count] != 0 {
      count += 1
      left -= 1
      guard specification.isAlternate2 && bytes[count - 1] >= 0xc0 else { continue }
      while bytes[count] & 0xc0 == 0x80 { count += 1 }
    }
    return count
  }

  /// A character is given by its number (Unicode).
  mutating func character(_ target: UnsafeMutablePointer<UInt8>) throws(SQLError) -> Int {
    let value = CUnsignedInt(bitPattern: readers.int(list))
    func low(_ shift: CUnsignedInt) -> UInt8 { 0x80 | UInt8(value >> shift & 0x3f) }
    switch value {
    case ..<0x80:
      target[0] = UInt8(value)
      return 1
    case ..<0x800:
      target[0] = 0xc0 | UInt8(value >> 6)
      target[1] = low(0)
      return 2
    case ..<0x10000:
      target[0] = 0xe0 | UInt8(value >> 12)
      target[1] = low(6)
      target[2] = low(0)
      return 3
    default:
      target[0] = 0xf0 | UInt8(value >> 18 & 7)
      target[1] = low(12)
      target[2] = low(6)
      target[3] = low(0)
      return 4
    }
  }

  mutating func store(count: Int) {
    readers.pointer(list)?.storeBytes(of: CInt(truncatingIfNeeded: count), as: CInt.self)
  }

  @inline(__always)
  fileprivate mutating func freeGivenAway() {
    guard givenAway != nil else { return }
    Memory.free(givenAway)
    givenAway = nil
  }
}

/// A text that grows at its end, in memory that can be given to C (c3ref/str_append).
public struct GrowingText {
  private var builder: TextBuilder
  /// SQLite's limit counts the zero byte at the end.
  private let limit: Int
  /// `tooBig` or `outOfMemory` once the text could not grow; it is then empty and stays so.
  public private(set) var failure: ResultCode? = nil

  public init(limit: Int) {
    self.limit = limit
    builder = TextBuilder(limit: limit)
  }

  public var count: Int { builder.count }

  /// The bytes, which a zero byte follows; nil while nothing, be it empty, was appended.
  public var start: UnsafeMutablePointer<UInt8>? { builder.memory }

  private mutating func append(
    _ body: (inout TextBuilder) throws(SQLError) -> Void
  ) {
    guard failure == nil else { return }
    do {
      try body(&builder)
      try builder.reserve(1).pointee = 0
    } catch {
      failure = error.code
      builder.deallocate()
    }
  }

  public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    append { builder throws(SQLError) in try builder.append(bytes) }
  }

  public mutating func append(repeating byte: UInt8, _ repeatCount: Int) {
    append { builder throws(SQLError) in try builder.append(repeating: byte, repeatCount) }
  }

  /// Appends what a format makes of its arguments (printf).
  public mutating func append(
    format: UnsafeBufferPointer<UInt8>, _ arguments: VariadicArguments
  ) {
    guard !format.isEmpty else { return }
    let pieceLimit = limit
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FunctionMemory.digitsSize) { digits in
      guard let digits = digits.baseAddress else { return }
      append { builder throws(SQLError) in
        var writer = FormatWriter(
          arguments, output: builder, digits: digits, pieceLimit: pieceLimit)
        defer {
          builder = writer.output
          writer.finish { arguments, _ in arguments.freeGivenAway() }
        }
        try writer.write(format)
        if writer.isCut { throw .tooBig }
      }
    }
  }

  /// Writes what a format makes of its arguments into a buffer, as far as it fits, and a zero byte
  /// behind it. The text ends before a piece that SQLite could not make in as many bytes.
  public static func print(
    format: UnsafeBufferPointer<UInt8>, _ arguments: VariadicArguments,
    into buffer: UnsafeMutableBufferPointer<UInt8>, limit: Int
  ) {
    guard let target = buffer.baseAddress, buffer.count > 0 else { return }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FunctionMemory.digitsSize) { digits in
      guard let digits = digits.baseAddress else { return }
      // What is longer goes on elsewhere, and what fits is copied back.
      var writer = FormatWriter(
        arguments, output: TextBuilder(lent: buffer, limit: limit), digits: digits,
        pieceLimit: buffer.count)
      var count = 0
      do throws(SQLError) {
        try writer.write(format)
        count = min(writer.output.count, buffer.count &- 1)
      } catch {
        count = 0
      }
      if let start = writer.output.memory, start != target {
        target.update(from: start, count: count)
        writer.finish { _, output in output.deallocate() }
      }
      target[count] = 0
      writer.finish { arguments, _ in arguments.freeGivenAway() }
    }
  }

  /// Takes everything off from `newCount` on.
  public mutating func truncate(_ newCount: Int) {
    guard newCount < builder.count else { return }
    builder.truncate(newCount)
    builder.memory?[newCount] = 0
  }

  /// Frees the memory.
  public mutating func reset() {
    builder.deallocate()
  }

  /// Gives the memory away, which `MemoryUse.free` frees; the text is empty then.
  public mutating func take() -> UnsafeMutablePointer<UInt8>? {
    let memory = builder.memory
    builder = TextBuilder(limit: limit)
    return memory
  }
}
