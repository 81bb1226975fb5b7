// The changes of one table, found by the primary key.
//
//     buckets[hash of the key]  →  change → change → …      the newest in front
//
// The order of changes in a changeset is that of the buckets and their chains, so hash function and
// growth are those of SQLite: equal changes give equal bytes.
import MartletEngine

/// A row that has changed: what a session has noted of it, or a change of a group.
struct RecordedChange {
  var kind: Connection.ChangeKind
  var isIndirect: Bool
  /// Fields as in a changeset. A session notes all old values, of an inserted row only the key.
  var record: [UInt8]
  /// The highest number of bytes that it may take in a changeset, where that is counted.
  var maximumSize = 0
  /// The next of its bucket.
  fileprivate var next: Int32 = -1
  /// Of its key.
  fileprivate var hash: UInt32 = 0

  init(_ kind: Connection.ChangeKind, isIndirect: Bool, record: [UInt8]) {
    self.kind = kind
    self.isIndirect = isIndirect
    self.record = record
  }
}

final class ChangeTable {
  /// As it is written in a changeset.
  let name: [UInt8]
  var nameText: String { String(decoding: name, as: UTF8.self) }
  var hasKey: Bool { key.contains { $0 != 0 } }
  @exclusivity(unchecked) private(set) var columnCount: Int
  /// One a column: its place in the primary key from 1 on, or 0.
  @exclusivity(unchecked) private(set) var key: [UInt8]
  /// The first column is the rowid of a table without primary key.
  let hasRowIDKey: Bool
  /// What the database says of it, where there is one.
  @exclusivity(unchecked) var definition: TableDefinition? {
    didSet {
      positions = definition?.positions ?? []
      isStatistics = definition?.isStatistics ?? false
      totalCount = definition?.totalCount
    }
  }
  // What is asked of the definition for each value.
  @exclusivity(unchecked) private(set) var positions: [Int] = []
  @exclusivity(unchecked) private(set) var isStatistics = false
  @exclusivity(unchecked) private(set) var totalCount: Int?

  @exclusivity(unchecked) private var buckets: [Int32] = []
  @exclusivity(unchecked) private var changes: [RecordedChange] = []
  /// Places in `changes` that nothing uses.
  @exclusivity(unchecked) private var freePlaces: [Int32] = []
  @exclusivity(unchecked) private(set) var changeCount = 0

  init(name: [UInt8], key: [UInt8], hasRowIDKey: Bool = false) {
    self.name = name
    self.key = key
    columnCount = key.count
    self.hasRowIDKey = hasRowIDKey
  }

  convenience init(_ definition: TableDefinition) {
    self.init(
      name: Array(definition.name.utf8), key: definition.key,
      hasRowIDKey: definition.hasRowIDKey)
    self.definition = definition
  }

  /// The table has got columns at its end.
  func widen(_ definition: TableDefinition) {
    self.definition = definition
    key = definition.key
    columnCount = key.count
  }

  var byteCount: Int {
    changes.reduce(
      buckets.count * 4 + changes.capacity * MemoryLayout<RecordedChange>.stride + name.count
    ) { $0 + $1.record.count + 32 }
  }

  // MARK: Changes

  subscript(place: Int32) -> RecordedChange {
    @inline(__always) get { changes[Int(place)] }
    @inline(__always) set { changes[Int(place)] = newValue }
  }

  /// Doubles the buckets before they are half full. It has to be called before `find`.
  func reserveBucket() throws(SQLError) {
    guard buckets.isEmpty || changeCount >= buckets.count / 2 else { return }
    let count = buckets.isEmpty ? 256 : buckets.count * 2
    try MemoryUse.requireRoom(forArrayOf: count * MemoryLayout<Int32>.stride)
    var grown = [Int32](repeating: -1, count: count)
    for first in buckets {
      var place = first
      while place >= 0 {
        let next = changes[Int(place)].next
        let bucket = Int(changes[Int(place)].hash % UInt32(count))
        changes[Int(place)].next = grown[bucket]
        grown[bucket] = place
        place = next
      }
    }
    buckets = grown
  }

  /// The change with that hash that the function accepts.
  @inline(__always)
  func find<Failure: Error>(
    _ hash: UInt32, where isWanted: (RecordedChange) throws(Failure) -> Bool
  ) throws(Failure) -> Int32? {
    guard !buckets.isEmpty else { return nil }
    var place = buckets[Int(hash % UInt32(buckets.count))]
    while place >= 0 {
      if try isWanted(changes[Int(place)]) { return place }
      place = changes[Int(place)].next
    }
    return nil
  }

  @discardableResult
  func insert(_ change: RecordedChange, _ hash: UInt32) throws(SQLError) -> Int32 {
    if freePlaces.isEmpty { try changes.makeRoom() }
    var change = change
    let bucket = Int(hash % UInt32(buckets.count))
    change.next = buckets[bucket]
    change.hash = hash
    let place: Int32
    if let free = freePlaces.popLast() {
      place = free
      changes[Int(free)] = change
    } else {
      place = Int32(truncatingIfNeeded: changes.count)
      changes.append(change)
    }
    buckets[bucket] = place
    changeCount += 1
    return place
  }

  /// Takes a change out.
  func remove(_ place: Int32, _ hash: UInt32) throws(SQLError) -> RecordedChange {
    try freePlaces.makeRoom()
    let bucket = Int(hash % UInt32(buckets.count))
    let removed = changes[Int(place)]
    if buckets[bucket] == place {
      buckets[bucket] = removed.next
    } else {
      var before = buckets[bucket]
      while changes[Int(before)].next != place { before = changes[Int(before)].next }
      changes[Int(before)].next = removed.next
    }
    changes[Int(place)].record = []
    freePlaces.append(place)
    changeCount -= 1
    return removed
  }

  /// All changes in the order in which a changeset has them.
  func forEach(
    _ body: (RecordedChange) throws(SQLError) -> Void
  ) throws(SQLError) {
    for first in buckets {
      var place = first
      while place >= 0 {
        try body(changes[Int(place)])
        place = changes[Int(place)].next
      }
    }
  }

  func appendToRecords(_ fields: [UInt8]) {
    for index in changes.indices {
      changes[index].record += fields
      changes[index].maximumSize += fields.count
    }
  }

  // MARK: Hashing

  /// The hash of the key in a record.
  func hash(ofRecord record: [UInt8]) -> UInt32 {
    var hash = KeyHash()
    var offset = 0
    for isKey in key {
      guard offset < record.count else { break }
      if isKey != 0 { hash.appendField(record, at: offset, withType: !hasRowIDKey) }
      offset += Field.byteCount(record, at: offset)
    }
    return hash.value
  }

  /// Whether the keys of two records are the same. In a record of a patchset's deletion there is
  /// nothing but the key.
  func haveEqualKeys(
    _ left: [UInt8], keyOnly leftIsKey: Bool, _ right: [UInt8], keyOnly rightIsKey: Bool
  ) -> Bool {
    var place = 0, other = 0
    for isKey in key {
      let isKey = isKey != 0
      let count = isKey || !leftIsKey ? Field.byteCount(left, at: place) : 0
      let otherCount = isKey || !rightIsKey ? Field.byteCount(right, at: other) : 0
      if isKey {
        guard left[place..<(place + count)] == right[other..<(other + otherCount)] else {
          return false
        }
      }
      place += count
      other += otherCount
    }
    return true
  }

  /// The same where a deletion of a patchset has its key fields only.
  func hash(ofRecord record: [UInt8], keyOnly: Bool) -> UInt32 {
    guard keyOnly else { return hash(ofRecord: record) }
    var hash = KeyHash()
    var offset = 0
    while offset < record.count {
      hash.appendField(record, at: offset, withType: !hasRowIDKey)
      offset += Field.byteCount(record, at: offset)
    }
    return hash.value
  }
}

/// The hash of a primary key: the bytes of its values, each mixed in by shift and exclusive or.
struct KeyHash {
  private(set) var value: UInt32 = 0

  @inline(__always)
  mutating func append(_ part: UInt32) { value = (value << 3) ^ value ^ part }

  @inline(__always)
  mutating func append(bits: UInt64) {
    append(UInt32(truncatingIfNeeded: bits))
    append(UInt32(truncatingIfNeeded: bits >> 32))
  }

  mutating func append(_ content: UnsafeRawBufferPointer) {
    for byte in content { append(UInt32(byte)) }
  }

  mutating func appendField(_ record: [UInt8], at offset: Int, withType: Bool) {
    if withType { append(UInt32(record[offset])) }
    switch FieldType(rawValue: record[offset]) {
    case .integer, .real: append(bits: Field.bits(record, at: offset))
    case .text, .blob:
      record.withUnsafeBytes { bytes in
        append(UnsafeRawBufferPointer(rebasing: bytes[Field.content(record, at: offset)]))
      }
    case .null, .undefined, .replaced, nil: break
    }
  }

  /// Returns false for NULL: such rows are not recorded.
  mutating func append(_ column: ValueReference) throws(SQLError) -> Bool {
    let type = FieldType(column)
    append(UInt32(type.rawValue))
    switch type {
    case .integer: append(bits: UInt64(bitPattern: column.int64))
    case .real: append(bits: column.double.bitPattern)
    case .text, .blob:
      var hash = self
      try Field.withBytes(of: column) { hash.append($0) }
      self = hash
    case .null, .undefined, .replaced: return false
    }
    return true
  }
}
