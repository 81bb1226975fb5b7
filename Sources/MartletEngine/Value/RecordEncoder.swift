/// Makes records of registers (fileformat2 §2.1; SQLite's MakeRecord).
///
/// Two passes: the first finds serial types and sizes, the second writes. Nothing is allocated but
/// the output register's buffer, which is reused.
enum RecordEncoder {
  /// Encodes `count` registers into `output`'s own buffer and makes it a blob.
  ///
  /// `output` must not be one of the inputs. Text is stored as its bytes are, so it has to be in
  /// the encoding of the database.
  static func encode(
    _ fields: UnsafePointer<Register>, count: Int, into output: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    try encode(fields, count, into: output, inOldFormat: false)
  }

  /// The same, for a record that goes into a table: of a last field that is a long `zeroblob` only
  /// `writtenZeroCount` zeros are written out. The output has the others as its `zeroCount`.
  static func encodeKeepingZeros(
    _ fields: UnsafePointer<Register>, count: Int, into output: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let zeroCount =
      endsInManyZeros(fields, count) ? Int(fields[count - 1].zeroCount) - writtenZeroCount : 0
    try encode(fields, count, into: output, inOldFormat: false, leavingOut: zeroCount)
    output.pointee.zeroCount = Int32(truncatingIfNeeded: zeroCount)
  }

  @inline(__always)
  static func endsInManyZeros(_ fields: UnsafePointer<Register>, _ count: Int) -> Bool {
    guard count > 0 else { return false }
    let last = fields + (count - 1)
    return last.pointee.tag == .blob && last.pointee.zeroCount > 2 * writtenZeroCount
  }

  /// More than a page has: what is not written out is on overflow pages.
  private static var writtenZeroCount: Int { 1 << 16 }

  /// The same for files of schema formats before 4, which have no types for 0 and 1
  /// (fileformat2 §1.3.9).
  @inline(never)
  static func encodeInOldFormat(
    _ fields: UnsafePointer<Register>, count: Int, into output: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    try encode(fields, count, into: output, inOldFormat: true)
  }

  @inline(__always)
  private static func encode(
    _ fields: UnsafePointer<Register>, _ count: Int, into output: UnsafeMutablePointer<Register>,
    inOldFormat isOld: Bool, leavingOut zeroCount: Int = 0
  ) throws(SQLError) {
    var typesSize = 0
    var contentSize = 0
    for index in 0..<count {
      let type = serialType(of: fields + index, inOldFormat: isOld)
      typesSize &+= Varint.byteCount(of: UInt64(type))
      contentSize &+= SerialType.byteCount(of: type)
    }
    let headerSize = headerSize(forTypesOf: typesSize)
    let recordSize = headerSize &+ contentSize
    guard recordSize <= Int(Int32.max) - 64 else { throw .tooBig }
    // Numbers are written as 8 bytes, of which the next value overwrites what is too much.
    let record = try output.pointee.reserveBuffer(recordSize &- zeroCount &+ 8)
    write(
      fields, count, headerSize: headerSize, to: record, inOldFormat: isOld, leavingOut: zeroCount)
    output.pointee.adoptBuffer(.blob, recordSize &- zeroCount)
  }

  /// The header states its own size, the bytes of that number included.
  @inline(__always)
  private static func headerSize(forTypesOf typesSize: Int) -> Int {
    let size = typesSize &+ 1
    if size < 0x80 { return size }
    let sizeOfSize = Varint.byteCount(of: UInt64(size &+ 1))
    let total = typesSize &+ sizeOfSize
    return Varint.byteCount(of: UInt64(total)) == sizeOfSize ? total : total &+ 1
  }

  @inline(__always)
  private static func write(
    _ fields: UnsafePointer<Register>, _ count: Int, headerSize: Int,
    to record: UnsafeMutablePointer<UInt8>, inOldFormat isOld: Bool, leavingOut zeroCount: Int
  ) {
    var header = record + Varint.write(UInt64(headerSize), to: record)
    var content = record + headerSize
    for index in 0..<count {
      let field = fields + index
      let type = serialType(of: field, inOldFormat: isOld)
      header += Varint.write(UInt64(type), to: header)
      let left = index == count &- 1 ? zeroCount : 0
      content = write(field, as: type, to: content, leavingOut: left)
    }
    assert(header == record + headerSize, "both passes see the same types")
  }

  @inline(__always)
  private static func serialType(
    of field: UnsafePointer<Register>, inOldFormat isOld: Bool
  ) -> UInt32 {
    let type = serialType(of: field)
    return isOld && (type == 8 || type == 9) ? 1 : type
  }

  /// The type that a value is stored as. An integer that stands for a real (SQLite's MEM_IntReal)
  /// is stored as integer unless that takes the 8 bytes that a real takes anyway.
  @inline(__always)
  static func serialType(of field: UnsafePointer<Register>) -> UInt32 {
    switch field.pointee.tag {
    case .null: return SerialType.null
    case .integer:
      let type = SerialType.ofInteger(field.pointee.integer)
      return type == 6 && field.pointee.flags.contains(.integerAsReal) ? SerialType.real : type
    case .real: return SerialType.real
    case .text: return UInt32(truncatingIfNeeded: field.pointee.byteCount) &* 2 &+ 13
    case .blob:
      let byteCount = UInt32(bitPattern: field.pointee.byteCount)
      return (byteCount &+ UInt32(bitPattern: field.pointee.zeroCount)) &* 2 &+ 12
    }
  }

  /// Writes a value's content and returns where it ends.
  @inline(__always)
  private static func write(
    _ field: UnsafePointer<Register>, as type: UInt32, to content: UnsafeMutablePointer<UInt8>,
    leavingOut zeroCount: Int
  ) -> UnsafeMutablePointer<UInt8> {
    if type >= SerialType.firstBlob { return writeBytes(field, to: content, leavingOut: zeroCount) }
    var bits = field.pointee.bits
    if type == SerialType.real && field.pointee.tag == .integer {
      bits = Double(field.pointee.integer).bitPattern
    }
    let size = Int(SerialType.shortSizes[Int(type)])
    UnsafeMutableRawPointer(content).storeBigEndian(bits &<< UInt64(64 &- 8 &* size))
    return content + size
  }

  @inline(__always)
  private static func writeBytes(
    _ field: UnsafePointer<Register>, to content: UnsafeMutablePointer<UInt8>,
    leavingOut leftCount: Int
  ) -> UnsafeMutablePointer<UInt8> {
    let byteCount = Int(field.pointee.byteCount)
    if byteCount > 0, let bytes = field.pointee.bytes {
      Memory.copy(from: bytes, to: content, byteCount)
    }
    guard field.pointee.tag == .blob, field.pointee.zeroCount > 0 else {
      return content + byteCount
    }
    let zeroCount = Int(field.pointee.zeroCount) &- leftCount
    (content + byteCount).update(repeating: 0, count: zeroCount)
    return content + byteCount + zeroCount
  }
}
