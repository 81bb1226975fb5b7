// Records (fileformat2 §2.1).
//
//     | header size varint | serial type varint × columns | content × columns |
//
// Invariants of `RecordDecoder`: (1) `slots[i]` of a parsed column i holds its serial type and the
// offset of its content, `slots[parsedCount].offset` is where the last one's content ends. (2) The
// content of every parsed column lies inside the record's `recordSize` bytes; whether it lies in
// the first `localSize` bytes is to be compared. (3) A header is parsed only as far as columns were
// asked for, so that column k+1 after k costs one varint.

/// Finds the columns of one record. Lives behind a pointer and is reused row after row.
struct RecordDecoder {
  /// Type and place of one column. The last slot has an offset only.
  struct Slot {
    var type: UInt32
    var offset: UInt32
  }

  /// First byte of the record; `localSize` bytes can be read from here.
  var record: UnsafePointer<UInt8> = Register.emptyBytes
  var recordSize = 0
  var localSize = 0

  /// Columns whose slots are valid. Negative while the header is not opened; `Cursor` tells its
  /// reasons apart by the value.
  var parsedCount = RecordDecoder.unopened

  /// Where the header's bytes are: in the record, unless the header itself overflows its page.
  private var header: UnsafePointer<UInt8> = Register.emptyBytes
  private var headerSize = 0
  private var headerPosition = 0
  private(set) var slots: UnsafeMutablePointer<Slot>
  private var capacity = 0

  static let unopened = -1

  /// No header is larger than this: 32,767 columns of 3 bytes and the size itself.
  private static let maximumHeaderSize = 98_307

  init() { slots = UnsafeMutablePointer(bitPattern: 0x10).unsafelyUnwrapped }

  /// Frees the slots.
  mutating func deinitialize() {
    if capacity > 0 { Memory.free(slots) }
    capacity = 0
  }

  /// Starts on a record that lies in memory as a whole.
  mutating func begin(record: UnsafePointer<UInt8>, byteCount: Int) throws(SQLError) {
    self.record = record
    recordSize = byteCount
    localSize = byteCount
    guard try openHeader() else { throw .corrupt("record header is longer than the record") }
  }

  /// Reads the header's size. False if the header goes on behind the local bytes: the caller then
  /// fetches `declaredHeaderSize()` bytes and calls `openHeader(copiedTo:)`.
  @inline(__always)
  mutating func openHeader() throws(SQLError) -> Bool {
    let first = Int(record[0])
    guard first &- 1 < 0x7f, first <= localSize, capacity > 0 else {
      return try openUnusualHeader()
    }
    open(record, size: first, position: 1)
    return true
  }

  @inline(never)
  private mutating func openUnusualHeader() throws(SQLError) -> Bool {
    if capacity == 0 { try growSlots(toHold: 15) }
    let size = try declaredHeaderSize()
    guard size.value <= localSize else { return false }
    open(record, size: size.value, position: size.byteCount)
    return true
  }

  /// How many columns there are slots for.
  @inline(__always) var slotCount: Int { capacity }

  /// Goes on with a record that lies in memory as a whole and whose header's size has one byte,
  /// behind columns whose slots are set.
  @inline(__always)
  mutating func continueRecord(
    _ record: UnsafePointer<UInt8>, byteCount: Int, headerPosition: Int, columnCount: Int
  ) {
    self.record = record
    recordSize = byteCount
    localSize = byteCount
    header = record
    headerSize = Int(record[0])
    self.headerPosition = headerPosition
    parsedCount = columnCount
  }

  @inline(__always)
  private mutating func open(_ bytes: UnsafePointer<UInt8>, size: Int, position: Int) {
    header = bytes
    headerSize = size
    headerPosition = position
    parsedCount = 0
    slots[0].offset = UInt32(truncatingIfNeeded: size)
  }

  /// Takes a header from a copy of the record's first bytes.
  mutating func openHeader(copiedTo bytes: UnsafePointer<UInt8>) throws(SQLError) {
    let size = try declaredHeaderSize()
    open(bytes, size: size.value, position: size.byteCount)
  }

  /// The header size that the record states, checked against the record's size, and how many bytes
  /// state it.
  func declaredHeaderSize() throws(SQLError) -> (value: Int, byteCount: Int) {
    guard let size = Varint.read(at: record, end: record + localSize),
      size.value > 0, size.value <= UInt64(RecordDecoder.maximumHeaderSize),
      size.value <= UInt64(recordSize)
    else { throw .corrupt("record header size") }
    return (Int(size.value), size.byteCount)
  }

  /// Starts on a record that lies in memory as a whole and is to be read by `parseShort` first.
  /// False if `openHeader` has to look at it.
  @inline(__always)
  mutating func beginShort(record: UnsafePointer<UInt8>, byteCount: Int) -> Bool {
    self.record = record
    recordSize = byteCount
    localSize = byteCount
    let size = Int(record[0])
    guard size &- 1 < 0x7f, size <= byteCount, capacity > 0 else {
      parsedCount = RecordDecoder.unopened
      return false
    }
    open(record, size: size, position: 1)
    return true
  }

  /// Type and place of a parsed column.
  struct Column {
    let type: UInt32
    let offset: Int
    let end: Int
  }

  /// Parses the header up to column `index`, as `parse(through:)` does, while types have one or two
  /// bytes and nothing is wrong. Nil, with nothing done, if `parse(through:)` has to decide.
  ///
  /// There is no call in here, so that everything stays in the processor's registers.
  @inline(__always)
  mutating func parseShort(through index: Int) -> Column? {
    let header = self.header, headerSize = self.headerSize, slots = self.slots
    let sizes = SerialType.shortSizes
    var position = headerPosition, count = parsedCount
    var offset = Int(slots[count].offset)
    guard index < capacity else { return nil }
    while position < headerSize {
      var type = UInt32(header[position])
      let start = offset
      position &+= 1
      if type < 0x80 {
        offset &+= Int(sizes[Int(type)])
      } else {
        guard position < headerSize else { return nil }
        guard SerialType.extend(&type, header[position]) else { return nil }
        position &+= 1
        offset &+= Int((type &- SerialType.firstBlob) &>> 1)
      }
      slots[count].type = type
      slots[count &+ 1].offset = UInt32(truncatingIfNeeded: offset)
      if count == index {
        guard offset <= recordSize, position < headerSize || offset == recordSize else {
          return nil
        }
        headerPosition = position
        parsedCount = count &+ 1
        return Column(type: type, offset: start, end: offset)
      }
      count &+= 1
    }
    return nil
  }

  /// Parses columns and reads those from `first` on into registers behind each other, as
  /// `parseShort` and `decodeWithSlack` do one by one, as far as their content is in memory.
  /// Returns how many it has read; 0, with nothing done, also where something is wrong.
  @inline(__always)
  mutating func readShort(
    _ first: Int, _ count: Int, into registers: UnsafeMutablePointer<Register>
  ) -> Int {
    let header = self.header, headerSize = self.headerSize, slots = self.slots
    let record = self.record, localSize = self.localSize, sizes = SerialType.shortSizes
    let end = first &+ count
    guard parsedCount <= first, end <= capacity else { return 0 }
    var position = headerPosition, index = parsedCount
    var offset = Int(slots[index].offset)
    while index < end, position < headerSize {
      var type = UInt32(header[position]), width = 1
      let start = offset
      if type < 0x80 {
        offset &+= Int(sizes[Int(type)])
      } else {
        guard position &+ 1 < headerSize else { return 0 }
        guard SerialType.extend(&type, header[position &+ 1]) else { return 0 }
        width = 2
        offset &+= Int((type &- SerialType.firstBlob) &>> 1)
      }
      guard offset <= localSize else {
        offset = start
        break
      }
      position &+= width
      slots[index].type = type
      if index >= first {
        RecordDecoder.decodeWithSlack(type, at: record + start, into: registers + (index &- first))
      }
      index &+= 1
      slots[index].offset = UInt32(truncatingIfNeeded: offset)
    }
    guard position < headerSize || offset == recordSize else { return 0 }
    headerPosition = position
    parsedCount = index
    return max(0, index &- first)
  }

  /// Parses the header up to column `index`, which is not parsed. False if the record has fewer
  /// columns: it is older than the column, which then has its default.
  @inline(never)
  mutating func parse(through index: Int) throws(SQLError) -> Bool {
    guard headerPosition < headerSize else {
      if parsedCount == 0 { throw .corrupt("record without columns") }
      return false
    }
    if index >= capacity { try growSlots(toHold: index) }
    var position = headerPosition, count = parsedCount
    var offset = Int(slots[count].offset)
    while position < headerSize, count <= index {
      guard let type = Varint.read(at: header + position, end: header + headerSize) else {
        throw .corrupt("record header is cut off")
      }
      position += type.byteCount
      // A type that does not fit is as good as the largest: no record can hold its content.
      slots[count].type = UInt32(clamping: type.value)
      offset += SerialType.byteCount(of: slots[count].type)
      count += 1
      slots[count].offset = UInt32(truncatingIfNeeded: offset)
    }
    // Content must not end behind the record, nor the record behind the last column's content.
    guard offset <= recordSize, position < headerSize || offset == recordSize else {
      throw .corrupt("record content and header disagree")
    }
    headerPosition = position
    parsedCount = count
    return count > index
  }

  /// The type and place of a parsed column.
  @inline(__always)
  func column(at index: Int) -> Column {
    let slot = slots + index
    return Column(
      type: slot.pointee.type, offset: Int(slot.pointee.offset), end: Int(slot[1].offset))
  }

  @inline(never)
  private mutating func growSlots(toHold index: Int) throws(SQLError) {
    let newCapacity = max(index + 1, 16, capacity * 2)
    let bytes = (newCapacity + 1) * MemoryLayout<Slot>.stride
    let memory = try Memory.reallocate(capacity > 0 ? UnsafeMutableRawPointer(slots) : nil, bytes)
    slots = memory.assumingMemoryBound(to: Slot.self)
    capacity = newCapacity
  }
}

extension RecordDecoder {
  /// Reads a column of a record begun with `begin(record:byteCount:)`; text and blob are borrowed
  /// from the record. False, leaving the register alone, if the record has no such column.
  @inline(__always)
  mutating func column(
    _ index: Int, into register: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    let column: Column
    if index < parsedCount {
      column = self.column(at: index)
    } else if let parsed = parseShort(through: index) {
      column = parsed
    } else {
      guard try parse(through: index) else { return false }
      column = self.column(at: index)
    }
    let content = record + column.offset
    if SerialType.isStoredInteger(column.type) {
      register.pointee.setInteger(SerialType.integer(column.type, at: content))
    } else {
      RecordDecoder.decodeOther(column.type, at: content, into: register)
    }
    return true
  }

  /// Serial type of a column, or nil if the record has no such column.
  @inline(__always)
  mutating func serialType(_ index: Int) throws(SQLError) -> UInt32? {
    if index >= parsedCount, try !parse(through: index) { return nil }
    return slots[index].type
  }

  /// Sets `register` from content of which 8 bytes more than its own can be read.
  @inline(__always)
  static func decodeWithSlack(
    _ type: UInt32, at content: UnsafePointer<UInt8>, into register: UnsafeMutablePointer<Register>
  ) {
    if SerialType.isStoredInteger(type) {
      register.pointee.setInteger(SerialType.integerWithSlack(type, at: content))
    } else {
      decodeOther(type, at: content, into: register)
    }
  }

  /// `decodeWithSlack`, then makes an integer a real.
  @inline(__always)
  static func decodeReal(
    _ type: UInt32, at content: UnsafePointer<UInt8>, into register: UnsafeMutablePointer<Register>
  ) {
    decodeWithSlack(type, at: content, into: register)
    if register.pointee.tag == .integer {
      register.pointee.setReal(Double(register.pointee.integer))
    }
  }

  /// All types but the integers that have bytes.
  @inline(__always)
  static func decodeOther(
    _ type: UInt32, at content: UnsafePointer<UInt8>, into register: UnsafeMutablePointer<Register>
  ) {
    if type >= SerialType.firstBlob {
      let byteCount = Int((type &- SerialType.firstBlob) &>> 1)
      register.pointee.setBorrowed(type & 1 == 0 ? .blob : .text, content, byteCount)
    } else if type & ~1 == SerialType.zero {
      register.pointee.setInteger(Int64(type & 1))
    } else if type == SerialType.real {
      register.pointee.setReal(Double(bitPattern: content.bigEndianUInt64()))
    } else {
      register.pointee.setNull()
    }
  }
}
