// Rows in the memory of sorters, row stores and hash tables: every column is found without parsing
// the ones before it.
//
//     | storage class of each column (1), padded to 8 | value of each column (8) | texts, blobs |
//
// A value is an integer, the bits of a real, or offset and size (UInt32 each) of the bytes of a
// text or blob, counted from the row's start. A row is aligned to 8 and its size a multiple of 8.
// Subtypes are lost, as they are in SQLite's records; a NULL that stands for a column that UPDATE
// leaves as it is stays one, as it does there (serial type 10).

/// Functions on rows of the layout above; a row is just a pointer.
enum StoredRow {
  /// Offset of the 8-byte values in a row of that many columns.
  @inline(__always)
  static func valuesOffset(_ columnCount: Int) -> Int { (columnCount &+ 7) & ~7 }

  /// How many bytes a row of these registers takes.
  @inline(__always)
  static func byteCount(
    of registers: UnsafePointer<Register>, _ columnCount: Int
  ) throws(SQLError) -> Int {
    var size = valuesOffset(columnCount) &+ columnCount &* 8
    for column in 0..<columnCount {
      let register = registers + column
      guard register.pointee.tag.rawValue >= StorageClass.text.rawValue else { continue }
      size &+= Int(register.pointee.byteCount)
      if register.pointee.tag == .blob { size &+= Int(register.pointee.zeroCount) }
    }
    // The largest value that SQL may have is smaller by far.
    guard size <= Int(Int32.max) else { throw .tooBig }
    return (size &+ 7) & ~7
  }

  /// Writes the registers to `row`, which has room for what `byteCount` said.
  @inline(__always)
  static func write(
    _ registers: UnsafePointer<Register>, _ columnCount: Int, to row: UnsafeMutableRawPointer
  ) {
    let values = row + valuesOffset(columnCount)
    var end = valuesOffset(columnCount) &+ columnCount &* 8
    for column in 0..<columnCount {
      let tag = registers[column].tag
      row.storeBytes(of: tag.rawValue, toByteOffset: column, as: UInt8.self)
      var bits = registers[column].bits
      if tag.rawValue >= StorageClass.text.rawValue {
        bits = writeBytes(of: registers + column, to: row, &end)
      } else if tag == .null {
        bits = UInt64(registers[column].flags.intersection(.noChange).rawValue)
      }
      values.storeBytes(of: bits, toByteOffset: column &* 8, as: UInt64.self)
    }
  }

  private static func writeBytes(
    of register: UnsafePointer<Register>, to row: UnsafeMutableRawPointer, _ end: inout Int
  ) -> UInt64 {
    let start = end
    let byteCount = Int(register.pointee.byteCount)
    if byteCount > 0, let bytes = register.pointee.bytes {
      Memory.copy(from: bytes, to: row + end, byteCount)
    }
    end &+= byteCount
    if register.pointee.tag == .blob, register.pointee.zeroCount > 0 {
      let zeroCount = Int(register.pointee.zeroCount)
      (row + end).initializeMemory(as: UInt8.self, repeating: 0, count: zeroCount)
      end &+= zeroCount
    }
    return UInt64(start) | UInt64(end &- start) &<< 32
  }

  /// Lends a column's value; the row must outlive its use.
  @inline(__always)
  static func read(
    _ column: Int, of row: UnsafeRawPointer, valuesOffset: Int,
    into target: UnsafeMutablePointer<Register>
  ) {
    let tag = row.load(fromByteOffset: column, as: StorageClass.self)
    let bits = row.load(fromByteOffset: valuesOffset &+ column &* 8, as: UInt64.self)
    if tag.rawValue < StorageClass.text.rawValue {
      target.pointee.bits = bits
      target.pointee.tag = tag
      target.pointee.flags =
        tag == .null ? Register.Flags(rawValue: UInt8(truncatingIfNeeded: bits)) : .none
    } else {
      let bytes = (row + Int(bits & 0xffff_ffff)).assumingMemoryBound(to: UInt8.self)
      target.pointee.setBorrowed(tag, bytes, Int(bits &>> 32))
      target.pointee.flags = .loan
    }
  }

  /// Lends all columns to consecutive registers.
  static func read(
    _ row: UnsafeRawPointer, columnCount: Int, into registers: UnsafeMutablePointer<Register>
  ) {
    let valuesOffset = valuesOffset(columnCount)
    for column in 0..<columnCount {
      read(column, of: row, valuesOffset: valuesOffset, into: registers + column)
    }
  }
}

/// Registers of a structure's own, zeroed, freed with their buffers.
struct RegisterBlock {
  let base: UnsafeMutablePointer<Register>
  let count: Int

  init(count: Int) throws(SQLError) {
    let memory = try Memory.allocateZeroed(max(1, count) * MemoryLayout<Register>.stride)
    base = memory.bindMemory(to: Register.self, capacity: max(1, count))
    self.count = count
  }

  /// Registers of another block.
  init(borrowing base: UnsafeMutablePointer<Register>, count: Int) {
    self.base = base
    self.count = count
  }

  func deallocate() {
    for index in 0..<count { base[index].deinitialize() }
    Memory.free(base)
  }
}
