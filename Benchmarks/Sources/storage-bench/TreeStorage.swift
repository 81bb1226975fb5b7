/// Martlet's pager and B-trees, called as the virtual machine calls them.
final class TreeStorage: StorageEngine {
  private let pager: Pager
  private let tree: BTree
  private let cursors: [Cursor]
  private let keyInfo: KeyInfo
  private let fields: UnsafeMutablePointer<Register>
  private let record: UnsafeMutablePointer<Register>

  init(path: String, cacheSize: Int) throws {
    let location = try DatabaseLocation.parse(path, flags: [.readWrite, .create])
    pager = try Pager.open(location, cacheSize: cacheSize)
    pager.synchronous = .off
    tree = BTree(pager: pager)
    let column = KeyInfo.Column(collation: .binary, isDescending: false, hasBigNulls: false)
    keyInfo = KeyInfo(columns: [column, column], encoding: .utf8)
    fields = .allocate(capacity: 2)
    fields.initialize(repeating: Register(), count: 2)
    record = .allocate(capacity: 1)
    record.initialize(to: Register())
    try pager.beginRead()
    try tree.beginWrite()
    let roots = [
      try tree.createTree(.table), try tree.createTree(.table), try tree.createTree(.index),
      try tree.createTree(.index),
    ]
    try tree.commit()
    pager.endRead()
    let tree = tree, keyInfo = keyInfo
    cursors = roots.enumerated().map { index, root in
      Cursor(tree: tree, root: root, keyInfo: index < 2 ? nil : keyInfo)
    }
  }

  deinit {
    for index in 0..<2 { fields[index].deinitialize() }
    record.pointee.deinitialize()
    fields.deallocate()
    record.deallocate()
  }

  func close() {
    for cursor in cursors { cursor.close() }
    pager.close()
  }

  func run(_ phase: StoragePhase, rows: Int) throws -> UInt64 {
    switch phase {
    case .insertInOrder:
      return try write { try insertRows(cursors[0], rows) { Int64($0) } }
    case .insertAtRandom:
      return try write { try insertRows(cursors[1], rows) { StorageRows.shuffled($0, rows) } }
    case .appendToIndex:
      return try write { try insertKeys(cursors[2], rows) { Int64($0) } }
    case .insertIntoIndex:
      return try write { try insertKeys(cursors[3], rows) { StorageRows.shuffled($0, rows) } }
    case .seekRows: return try read { try seekRows(cursors[1], rows) }
    case .seekIndex: return try read { try seekKeys(cursors[3], rows) }
    case .scanRows: return try read { try scan(cursors[0]) }
    case .scanIndex: return try read { try scan(cursors[3]) }
    case .deleteRows: return try write { try deleteRows(cursors[1], rows) }
    case .deleteFromIndex: return try write { try deleteKeys(cursors[3], rows) }
    case .commits:
      for step in 0..<StorageRows.commitCount(rows) {
        try write { try insertRow(cursors[0], Int64(rows + step)) }
      }
      return UInt64(StorageRows.commitCount(rows))
    }
  }

  private func write<Result>(_ body: () throws -> Result) throws -> Result {
    try pager.beginReadAndWrite(exclusive: false)
    defer { pager.endRead() }
    try tree.beginWrite()
    let result = try body()
    for cursor in cursors { cursor.reset() }
    try tree.commit()
    return result
  }

  private func read<Result>(_ body: () throws -> Result) throws -> Result {
    try pager.beginRead()
    defer { pager.endRead() }
    defer { for cursor in cursors { cursor.reset() } }
    return try body()
  }

  @inline(__always)
  private func insertRow(_ cursor: Cursor, _ rowid: Int64) throws(SQLError) {
    fields[0].setInteger(rowid &* 7)
    StorageRows.text.withUnsafeBufferPointer {
      fields[1].setBorrowed(.text, $0.baseAddress.unsafelyUnwrapped, $0.count)
    }
    try RecordEncoder.encode(fields, count: 2, into: record)
    let bytes = record.pointee.byteBuffer
    try cursor.insert(
      rowid: rowid, record: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
  }

  private func insertRows(
    _ cursor: Cursor, _ rows: Int, _ rowid: (Int) -> Int64
  ) throws(SQLError) -> UInt64 {
    for step in 0..<rows { try insertRow(cursor, rowid(step)) }
    return UInt64(rows)
  }

  private func setKey(_ value: Int64) {
    fields[0].setInteger(value)
    fields[1].setInteger(value &* 3)
  }

  private func insertKeys(
    _ cursor: Cursor, _ rows: Int, _ value: (Int) -> Int64
  ) throws(SQLError) -> UInt64 {
    for step in 0..<rows {
      setKey(value(step))
      try RecordEncoder.encode(fields, count: 2, into: record)
      var key = UnpackedKey(fields, count: 2, keyInfo: keyInfo)
      let bytes = record.pointee.byteBuffer
      try cursor.insert(
        key: &key, record: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    }
    return UInt64(rows)
  }

  private func seekRows(_ cursor: Cursor, _ rows: Int) throws(SQLError) -> UInt64 {
    var sum: UInt64 = 0
    for step in 0..<rows where try cursor.seek(rowid: StorageRows.shuffled(step &* 3, rows)) == 0 {
      try cursor.column(0, into: fields)
      sum &+= UInt64(bitPattern: fields[0].integer)
    }
    return sum
  }

  private func seekKeys(_ cursor: Cursor, _ rows: Int) throws(SQLError) -> UInt64 {
    var sum: UInt64 = 0
    for step in 0..<rows {
      setKey(StorageRows.shuffled(step &* 3, rows))
      var key = UnpackedKey(fields, count: 2, keyInfo: keyInfo)
      guard try cursor.seek(key: &key) == 0 else { continue }
      try cursor.column(1, into: fields)
      sum &+= UInt64(bitPattern: fields[0].integer)
    }
    return sum
  }

  private func scan(_ cursor: Cursor) throws(SQLError) -> UInt64 {
    guard try cursor.moveToFirst() else { return 0 }
    var sum: UInt64 = 0
    repeat {
      try cursor.column(0, into: fields)
      sum &+= UInt64(bitPattern: fields[0].integer)
    } while try cursor.next()
    return sum
  }

  private func deleteRows(_ cursor: Cursor, _ rows: Int) throws(SQLError) -> UInt64 {
    var count: UInt64 = 0
    for step in 0..<rows / 2
    where try cursor.seek(rowid: StorageRows.shuffled(step &* 3, rows)) == 0 {
      try cursor.delete()
      count += 1
    }
    return count
  }

  private func deleteKeys(_ cursor: Cursor, _ rows: Int) throws(SQLError) -> UInt64 {
    var count: UInt64 = 0
    for step in 0..<rows / 2 {
      setKey(StorageRows.shuffled(step &* 3, rows))
      var key = UnpackedKey(fields, count: 2, keyInfo: keyInfo)
      guard try cursor.seek(key: &key) == 0 else { continue }
      try cursor.delete()
      count += 1
    }
    return count
  }
}
