// Changesets and patchsets, as they are written (session, changeset format).
//
//     table   | 'T' or 'P' | varint columns | key u8 a column | name | 00 |
//     change  | 18 INSERT, 23 UPDATE, 9 DELETE | indirect u8 | records |
//
//                INSERT        UPDATE                 DELETE
//     'T'        new           old, new               old
//     'P'        new           key and new together   key fields alone
import MartletEngine

/// Takes a piece of a changeset.
public typealias ChunkOutput = (_ bytes: [UInt8]) throws(SQLError) -> Void

/// Collects changes, and passes them on in pieces where it was told to.
final class ChangeWriter {
  @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
  private let chunkSize: Int
  private let output: ChunkOutput?
  @exclusivity(unchecked) private var tableStart = 0
  /// The new values of an UPDATE.
  @exclusivity(unchecked) private var new: [UInt8] = []
  /// Where the table's first change begins; -1 once its header was passed on.
  @exclusivity(unchecked) private var headerEnd = 0

  /// Collects all.
  init() {
    chunkSize = .max
    output = nil
  }

  init(chunkSize: Int, _ output: @escaping ChunkOutput) {
    self.chunkSize = chunkSize
    self.output = output
  }

  func beginTable(_ name: [UInt8], _ key: [UInt8], isPatchset: Bool) {
    tableStart = bytes.count
    bytes.append(UInt8(ascii: isPatchset ? "P" : "T"))
    bytes.appendVarint(key.count)
    bytes.append(contentsOf: key)
    bytes.append(contentsOf: name)
    bytes.append(0)
    headerEnd = bytes.count
  }

  /// A table without changes leaves nothing.
  func endTable() {
    if bytes.count == headerEnd { bytes.removeLast(bytes.count - tableStart) }
  }

  func append(
    _ kind: Connection.ChangeKind, isIndirect: Bool, _ record: some Collection<UInt8>
  ) throws(SQLError) {
    try beginChange(kind, isIndirect: isIndirect)
    try append(record)
  }

  func beginChange(_ kind: Connection.ChangeKind, isIndirect: Bool) throws(SQLError) {
    try bytes.makeRoom(for: 2)
    bytes.append(UInt8(truncatingIfNeeded: kind.rawValue))
    bytes.append(isIndirect ? 1 : 0)
  }

  func append(_ field: some Collection<UInt8>) throws(SQLError) {
    try bytes.makeRoom(for: field.count)
    bytes.append(contentsOf: field)
  }

  func appendUndefined() throws(SQLError) {
    try bytes.makeRoom()
    bytes.append(.undefined)
  }

  func appendInsert(_ change: RecordedChange, _ row: ResultRow) throws(SQLError) {
    try beginChange(.insert, isIndirect: change.isIndirect)
    for column in 0..<row.columnCount {
      if let value = row.value(column) { try bytes.appendField(value) }
    }
  }

  /// What differs between a recorded row and what it is now; nothing if it is as it was.
  func appendUpdate(
    _ change: RecordedChange, _ row: ResultRow, _ key: [UInt8], isPatchset: Bool
  ) throws(SQLError) {
    let start = bytes.count
    try beginChange(.update, isIndirect: change.isIndirect)
    new.removeAll(keepingCapacity: true)
    var offset = 0, isChanged = false
    for column in key.indices {
      let count = Field.byteCount(change.record, at: offset)
      defer { offset += count }
      guard let value = row.value(column) else { continue }
      let isKey = key[column] != 0
      let differs = try !Field.isEqual(change.record, at: offset, to: value)
      if differs { isChanged = true }
      if !isPatchset {
        if differs || isKey {
          try append(change.record[offset..<(offset + count)])
        } else {
          try appendUndefined()
        }
      }
      if differs || isPatchset && isKey {
        try new.appendField(value)
      } else {
        new.append(.undefined)
      }
    }
    if isChanged {
      try append(new)
    } else {
      bytes.removeLast(bytes.count - start)
    }
  }

  func appendDelete(
    _ change: RecordedChange, _ key: [UInt8], isPatchset: Bool
  ) throws(SQLError) {
    guard isPatchset else {
      return try append(.delete, isIndirect: change.isIndirect, change.record)
    }
    try beginChange(.delete, isIndirect: change.isIndirect)
    var offset = 0
    for isKey in key {
      let count = Field.byteCount(change.record, at: offset)
      if isKey != 0 { try append(change.record[offset..<(offset + count)]) }
      offset += count
    }
  }

  // MARK: Pieces

  /// Passes on what there is, if it is enough for a piece and more than a header.
  func passOn() throws(SQLError) {
    guard let output, bytes.count > headerEnd, bytes.count > chunkSize else { return }
    try output(bytes)
    bytes.removeAll(keepingCapacity: true)
    headerEnd = -1
  }

  /// Passes on the rest.
  func finish() throws(SQLError) {
    guard let output, !bytes.isEmpty else { return }
    try output(bytes)
    bytes.removeAll()
  }
}
