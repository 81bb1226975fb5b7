// Reading some columns of one row after the other, as `RowReading` says: this is where scans spend
// their time. The loop over the header is in a function of its own, so that all that it needs is in
// the processor's registers.

extension Cursor {
  /// Reads columns of the current entry, and its rowid, into registers, in one pass over the
  /// record's header.
  ///
  /// False, with nothing done but registers set, if the entry is to be read in the usual way.
  ///
  /// - Parameter registers: register 0.
  @inline(__always)
  func readRow(
    _ reading: UnsafePointer<RowReading>, into registers: UnsafeMutablePointer<Register>
  ) -> Bool {
    guard leafCellCount > 0 else { return false }
    var record = cell(at: cellIndex)
    var byteCount = Int(record[0])
    record += 1
    if byteCount >= 0x80 {
      guard record[0] < 0x80 else { return false }
      byteCount = (byteCount & 0x7f) &<< 7 | Int(record[0])
      record += 1
    }
    if !isTable {
      if reading.pointee.rowidRegister != 0 { return false }
    } else if reading.pointee.needsRowid {
      let rowid = Varint.read(at: record)
      record += rowid.byteCount
      cellRowid = Int64(bitPattern: rowid.value)
      let register = reading.pointee.rowidRegister
      if register != 0 { registers[register].setInteger(cellRowid) }
    } else {
      record += Varint.byteCount(at: record)
    }
    guard byteCount <= maximumLocalSize, record + byteCount <= dataEnd else { return false }
    let headerSize = Int(record[0])
    guard headerSize &- 1 < 0x7f, headerSize <= byteCount else { return false }
    if reading.pointee.keepsPlaces {
      return Cursor.readKeeping(reading, record, byteCount, registers, decoder)
    }
    return Cursor.read(reading, record, byteCount, registers)
  }

  @inline(never)
  private static func read(
    _ reading: UnsafePointer<RowReading>, _ record: UnsafePointer<UInt8>, _ byteCount: Int,
    _ registers: UnsafeMutablePointer<Register>
  ) -> Bool {
    readColumns(reading, record, byteCount, registers, slots: nil) != nil
  }

  /// `read`, after which the decoder has the columns' places.
  @inline(never)
  private static func readKeeping(
    _ reading: UnsafePointer<RowReading>, _ record: UnsafePointer<UInt8>, _ byteCount: Int,
    _ registers: UnsafeMutablePointer<Register>, _ decoder: UnsafeMutablePointer<RecordDecoder>
  ) -> Bool {
    guard reading.pointee.columnCount <= decoder.pointee.slotCount,
      let position = readColumns(
        reading, record, byteCount, registers, slots: decoder.pointee.slots)
    else { return false }
    decoder.pointee.continueRecord(
      record, byteCount: byteCount, headerPosition: position,
      columnCount: reading.pointee.columnCount)
    return true
  }

  /// Reads the columns of a record whose header has one byte for its size. Returns the place in the
  /// header behind them, or nil if something is unusual.
  @inline(__always)
  private static func readColumns(
    _ reading: UnsafePointer<RowReading>, _ record: UnsafePointer<UInt8>, _ byteCount: Int,
    _ registers: UnsafeMutablePointer<Register>,
    slots: UnsafeMutablePointer<RecordDecoder.Slot>?
  ) -> Int? {
    let sizes = SerialType.shortSizes
    let headerEnd = record + Int(record[0]), end = record + byteCount
    var header = record + 1, content = headerEnd
    var register = reading.pointee.registers
    let lastRegister = register + (reading.pointee.columnCount &- 1)
    var slot = slots
    slot?.pointee.offset = UInt32(truncatingIfNeeded: headerEnd - record)
    while true {
      guard header < headerEnd else { return nil }
      var type = UInt32(header[0])
      header += 1
      let start = content
      if type < 0x80 {
        content += Int(sizes[Int(type)])
      } else {
        guard header < headerEnd else { return nil }
        guard SerialType.extend(&type, header[0]) else { return nil }
        header += 1
        content += Int((type &- SerialType.firstBlob) &>> 1)
      }
      if let place = slot {
        place.pointee.type = type
        slot = place + 1
        place[1].offset = UInt32(truncatingIfNeeded: content - record)
      }
      let number = register.pointee
      if number != 0 {
        guard content <= end else { return nil }
        if number > 0 {
          RecordDecoder.decodeWithSlack(type, at: start, into: registers + Int(number))
        } else {
          RecordDecoder.decodeReal(type, at: start, into: registers - Int(number))
        }
      }
      if register == lastRegister { break }
      register += 1
    }
    // The record must not go on behind the last column's content.
    guard header < headerEnd || content == end else { return nil }
    return header - record
  }
}
