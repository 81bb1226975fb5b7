// Two changes of one row as one (session, "Add A Changeset To A Changegroup").
//
//     first      INSERT             UPDATE              DELETE
//     then
//     INSERT     the first          the first           UPDATE, or nothing
//     UPDATE     INSERT             UPDATE, or nothing  the first
//     DELETE     nothing            DELETE              the first
import MartletEngine

/// Goes through the fields of a record.
struct FieldCursor {
  private let record: [UInt8]
  private(set) var offset = 0

  init(_ record: [UInt8], from offset: Int = 0) {
    self.record = record
    self.offset = offset
  }

  /// The next field; nil behind the last one.
  mutating func next() -> ArraySlice<UInt8>? {
    guard offset < record.count else { return nil }
    let count = Field.byteCount(record, at: offset)
    defer { offset += count }
    return record[offset..<min(record.count, offset + count)]
  }

  mutating func skip(_ count: Int) {
    for _ in 0..<count { _ = next() }
  }

  var rest: ArraySlice<UInt8> { record[min(offset, record.count)...] }
}

extension ArraySlice<UInt8> {
  /// The field has a value.
  var isDefined: Bool { (first ?? 0) != 0 }
  var isReplaced: Bool { first == FieldType.replaced.rawValue }
}

enum ChangeMerge {
  /// What both come to; nil where nothing is left.
  static func merge(
    _ first: RecordedChange, _ second: RecordedChange, _ key: [UInt8], isPatchset: Bool
  ) -> RecordedChange? {
    let isIndirect = first.isIndirect && second.isIndirect
    switch (first.kind, second.kind) {
    case (.insert, .insert), (.update, .insert), (.delete, .update), (.delete, .delete):
      return first
    case (.insert, .delete): return nil
    case (.insert, .update):
      var new = FieldCursor(second.record)
      if !isPatchset { new.skip(key.count) }
      let record = overlaid(first.record, new, key.count)
      return RecordedChange(.insert, isIndirect: isIndirect, record: record)
    case (.delete, .insert):
      let record: [UInt8]? =
        isPatchset
        ? second.record
        : first.record.withUnsafeBytes { old in
          second.record.withUnsafeBytes { new in
            update(key, old: LayeredFields(old), new: LayeredFields(new))
          }
        }
      return record.map { RecordedChange(.update, isIndirect: isIndirect, record: $0) }
    case (.update, .update):
      return updateTwice(first, second, key, isPatchset: isPatchset)
        .map { RecordedChange(.update, isIndirect: isIndirect, record: $0) }
    case (.update, .delete):
      let record =
        isPatchset
        ? second.record : overlaid(second.record, FieldCursor(first.record), key.count)
      return RecordedChange(.delete, isIndirect: isIndirect, record: record)
    }
  }

  /// A record with the defined fields of another over it.
  private static func overlaid(
    _ record: [UInt8], _ upper: FieldCursor, _ count: Int
  ) -> [UInt8] {
    made(record.count + upper.rest.count + count) { result in
      record.withUnsafeBytes { lower in
        upper.rest.withUnsafeBytes { upper in
          var fields = LayeredFields(lower, upper)
          for _ in 0..<count { result.append(fields.next()) }
        }
      }
    }
  }

  private static func updateTwice(
    _ first: RecordedChange, _ second: RecordedChange, _ key: [UInt8], isPatchset: Bool
  ) -> [UInt8]? {
    var firstNew = FieldCursor(first.record), secondNew = FieldCursor(second.record)
    if isPatchset { return overlaid(first.record, secondNew, key.count) }
    firstNew.skip(key.count)
    secondNew.skip(key.count)
    return first.record.withUnsafeBytes { first in
      second.record.withUnsafeBytes { second in
        update(
          key, old: LayeredFields(second, first),
          new: LayeredFields(
            UnsafeRawBufferPointer(rebasing: first[firstNew.offset...]),
            UnsafeRawBufferPointer(rebasing: second[secondNew.offset...])))
      }
    }
  }

  /// The record of an UPDATE; nil where it changes nothing.
  private static func update(
    _ key: [UInt8], old: LayeredFields, new: LayeredFields
  ) -> [UInt8]? {
    var isChanged = false
    let size = old.byteCount + new.byteCount + 2 * key.count
    let record = made(size) { result in
      var before = old, after = new
      for isKey in key {
        let old = before.next(), differs = !Field.areEqual(old, after.next())
        if isKey == 0 && differs { isChanged = true }
        if isKey != 0 || differs { result.append(old) } else { result.append(.undefined) }
      }
      before = old
      after = new
      for isKey in key {
        let old = before.next(), new = after.next()
        if isKey == 0 && !Field.areEqual(old, new) {
          result.append(new)
        } else {
          result.append(.undefined)
        }
      }
    }
    return isChanged ? record : nil
  }

  /// A record of at most so many bytes, which the function writes field by field.
  private static func made(
    _ capacity: Int, _ body: (inout RecordOutput) -> Void
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      var output = RecordOutput(memory: UnsafeMutableRawBufferPointer(memory))
      body(&output)
      count = output.count
    }
  }
}

/// Where a record is written; what does not fit is left out.
private struct RecordOutput {
  let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  mutating func append(_ field: UnsafeRawBufferPointer) {
    assert(field.count <= memory.count - count, "the record was measured")
    guard field.count <= memory.count - count, let start = field.baseAddress,
      let base = memory.baseAddress
    else { return }
    (base + count).copyMemory(from: start, byteCount: field.count)
    count += field.count
  }

  mutating func append(_ type: FieldType) {
    guard count < memory.count else { return }
    memory[count] = type.rawValue
    count += 1
  }
}

/// Fields of a record, or of another that lies over it where that has them.
private struct LayeredFields {
  private var lower: UnsafeRawBufferPointer
  private var upper: UnsafeRawBufferPointer
  /// What stands for a field behind the last one.
  private static let undefined: StaticString = "\0"

  init(
    _ lower: UnsafeRawBufferPointer,
    _ upper: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) {
    self.lower = lower
    self.upper = upper
  }

  var byteCount: Int { lower.count + upper.count }

  /// The next field, which may be undefined.
  mutating func next() -> UnsafeRawBufferPointer {
    let field = LayeredFields.take(&lower), over = LayeredFields.take(&upper)
    if let first = over.first, first != FieldType.undefined.rawValue { return over }
    if field.isEmpty {
      return UnsafeRawBufferPointer(start: LayeredFields.undefined.utf8Start, count: 1)
    }
    return field
  }

  private static func take(_ bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard !bytes.isEmpty else { return bytes }
    let count = min(bytes.count, Field.byteCount(bytes))
    let field = UnsafeRawBufferPointer(rebasing: bytes[..<count])
    bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    return field
  }
}
