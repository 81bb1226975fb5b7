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
      let record =
        isPatchset
        ? second.record
        : update(
          key, old: LayeredFields(FieldCursor(first.record)),
          new: LayeredFields(FieldCursor(second.record)))
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
    var lower = FieldCursor(record), upper = upper, result: [UInt8] = []
    for _ in 0..<count {
      let field = lower.next() ?? [0], over = upper.next() ?? [0]
      result.append(contentsOf: over.isDefined ? over : field)
    }
    return result
  }

  private static func updateTwice(
    _ first: RecordedChange, _ second: RecordedChange, _ key: [UInt8], isPatchset: Bool
  ) -> [UInt8]? {
    var firstNew = FieldCursor(first.record), secondNew = FieldCursor(second.record)
    if isPatchset { return overlaid(first.record, secondNew, key.count) }
    firstNew.skip(key.count)
    secondNew.skip(key.count)
    return update(
      key, old: LayeredFields(FieldCursor(second.record), FieldCursor(first.record)),
      new: LayeredFields(firstNew, secondNew))
  }

  /// The record of an UPDATE; nil where it changes nothing.
  private static func update(
    _ key: [UInt8], old: LayeredFields, new: LayeredFields
  ) -> [UInt8]? {
    var old = old, new = new
    var oldRecord: [UInt8] = [], newRecord: [UInt8] = []
    oldRecord.reserveCapacity(old.byteCount + new.byteCount)
    newRecord.reserveCapacity(new.byteCount)
    var isChanged = false
    for isKey in key {
      let before = old.next(), after = new.next()
      let differs = before != after
      if isKey == 0 && differs { isChanged = true }
      if isKey != 0 || differs {
        oldRecord.append(contentsOf: before)
      } else {
        oldRecord.append(.undefined)
      }
      if isKey != 0 || !differs {
        newRecord.append(.undefined)
      } else {
        newRecord.append(contentsOf: after)
      }
    }
    guard isChanged else { return nil }
    oldRecord.append(contentsOf: newRecord)
    return oldRecord
  }
}

/// Fields of a record, or of another that lies over it where that has them.
private struct LayeredFields {
  private var lower: FieldCursor
  private var upper: FieldCursor?

  init(_ lower: FieldCursor, _ upper: FieldCursor? = nil) {
    self.lower = lower
    self.upper = upper
  }

  var byteCount: Int { lower.rest.count + (upper?.rest.count ?? 0) }

  /// The next field, which may be undefined.
  mutating func next() -> ArraySlice<UInt8> {
    let field = lower.next()
    if let over = upper?.next(), over.isDefined { return over }
    return field ?? [0]
  }
}
