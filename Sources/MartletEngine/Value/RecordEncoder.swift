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
    if zeroCount == 0, try encodeShort(fields, count, into: output, inOldFormat: isOld) { return }
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

  /// A record of at most 16 columns whose types have one byte each, as most have: these wait in two
  /// words until the sizes are known. False if the record is another one.
  @inline(__always)
  private static func encodeShort(
    _ fields: UnsafePointer<Register>, _ count: Int, into output: UnsafeMutablePointer<Register>,
    inOldFormat isOld: Bool
  ) throws(SQLError) -> Bool {
    guard count <= 16 else { return false }
    var firstTypes: UInt64 = 0, lastTypes: UInt64 = 0, contentSize = 0
    for index in 0..<count {
      let field = fields + index
      let type = serialType(of: field, inOldFormat: isOld)
      guard type < 0x80, field.pointee.tag != .blob || field.pointee.zeroCount == 0 else {
        return false
      }
      contentSize &+= Int(SerialType.shortSizes[Int(type)])
      let bits = UInt64(type) &<< UInt64(truncatingIfNeeded: (index & 7) &* 8)
      if index < 8 { firstTypes |= bits } else { lastTypes |= bits }
    }
    let headerSize = count &+ 1, size = headerSize &+ contentSize
    // Words are written whole, of which what follows overwrites what is too much.
    let record = try output.pointee.reserveBuffer(size &+ 8)
    let raw = UnsafeMutableRawPointer(record)
    record[0] = UInt8(truncatingIfNeeded: headerSize)
    raw.storeBytes(of: firstTypes.littleEndian, toByteOffset: 1, as: UInt64.self)
    if count > 8 { raw.storeBytes(of: lastTypes.littleEndian, toByteOffset: 9, as: UInt64.self) }
    var content = record + headerSize
    for index in 0..<count {
      let types = index < 8 ? firstTypes : lastTypes
      let type = UInt32(
        truncatingIfNeeded: types &>> UInt64(truncatingIfNeeded: (index & 7) &* 8) & 0x7f)
      content = writeShort(fields + index, as: type, to: content)
    }
    output.pointee.adoptBuffer(.blob, size)
    return true
  }

  /// As `write`, for a type of one byte.
  @inline(__always)
  private static func writeShort(
    _ field: UnsafePointer<Register>, as type: UInt32, to content: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let size = Int(SerialType.shortSizes[Int(type)])
    if type < SerialType.firstBlob {
      var bits = field.pointee.bits
      if type == SerialType.real && field.pointee.tag == .integer {
        bits = Double(field.pointee.integer).bitPattern
      }
      UnsafeMutableRawPointer(content).storeBigEndian(bits &<< UInt64(64 &- 8 &* size))
    } else if let bytes = field.pointee.bytes {
      copy(bytes, size, to: content)
    }
    return content + size
  }

  /// A few bytes, without a call.
  @inline(__always)
  private static func copy(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>
  ) {
    let source = UnsafeRawPointer(bytes), raw = UnsafeMutableRawPointer(target)
    func word(_ offset: Int) {
      let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      raw.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
    }
    if count >= 8 {
      var offset = 0
      while offset < count &- 8 {
        word(offset)
        offset &+= 8
      }
      word(count &- 8)
    } else if count >= 4 {
      let first = source.loadUnaligned(as: UInt32.self)
      let last = source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      raw.storeBytes(of: first, as: UInt32.self)
      raw.storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
    } else if count > 0 {
      target[0] = bytes[0]
      target[count &>> 1] = bytes[count &>> 1]
      target[count &- 1] = bytes[count &- 1]
    }
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
