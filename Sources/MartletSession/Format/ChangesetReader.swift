import MartletEngine

/// Goes through the changes of a changeset or patchset (`sqlite3changeset_start`).
///
/// Values are read where they lie: those of a change are there until `advance` is called again.
public final class ChangesetReader {
  /// Gives the next bytes, at least one and at most `count`; none at the end.
  public typealias Input = (_ count: Int) throws(SQLError) -> [UInt8]

  @exclusivity(unchecked) private(set) var bytes: [UInt8]
  private let input: Input?
  private let chunkSize: Int
  @exclusivity(unchecked) private var isAtEnd: Bool
  @exclusivity(unchecked) private var position = 0
  /// Where the current change begins, its operation first.
  @exclusivity(unchecked) private var changeStart = 0

  let inverts: Bool
  /// Updates that change nothing are passed over.
  private let skipsEmptyUpdates: Bool

  /// What stands in front of the changes of a table.
  struct TableHeader {
    var name: [UInt8]
    var key: [UInt8]
    var isPatchset: Bool
  }

  @exclusivity(unchecked) private(set) var header: TableHeader? {
    didSet {
      table = String(decoding: header?.name ?? [], as: UTF8.self)
      key = header?.key ?? []
    }
  }
  var tableName: [UInt8]? { header?.name }
  /// The table of the current change.
  @exclusivity(unchecked) public private(set) var table = ""
  /// One a column: its place in the primary key from 1 on, or 0.
  @exclusivity(unchecked) public private(set) var key: [UInt8] = []
  public var isPatchset: Bool { header?.isPatchset ?? false }
  /// The current change is the first behind the header of a table.
  @exclusivity(unchecked) private(set) var isFirstOfTable = false
  /// What the current change does.
  @exclusivity(unchecked) public private(set) var kind = Connection.ChangeKind.insert
  /// It was made by a trigger or foreign-key action, or marked by its session.
  @exclusivity(unchecked) public private(set) var isIndirect = false
  /// There is a current change.
  @exclusivity(unchecked) public private(set) var hasChange = false
  /// Offsets of the fields, -1 for those that are not there: old ones, then new ones.
  @exclusivity(unchecked) private var fields: [Int] = []
  @exclusivity(unchecked) private var failure: SQLError?

  /// - Parameter inverts: Each change is shown as the one that takes it back.
  public init(_ bytes: [UInt8], inverts: Bool = false, skipsEmptyUpdates: Bool = false) {
    self.bytes = bytes
    self.inverts = inverts
    self.skipsEmptyUpdates = skipsEmptyUpdates
    input = nil
    chunkSize = .max
    isAtEnd = true
  }

  /// Reads a changeset that comes in pieces (`sqlite3changeset_start_strm`).
  public init(
    chunkSize: Int = 1_024, inverts: Bool = false, skipsEmptyUpdates: Bool = false,
    _ input: @escaping Input
  ) {
    bytes = []
    self.inverts = inverts
    self.skipsEmptyUpdates = skipsEmptyUpdates
    self.input = input
    self.chunkSize = max(1, chunkSize)
    isAtEnd = false
  }

  /// Changes of a table whose header was read elsewhere.
  init(_ bytes: [UInt8], of header: TableHeader, inverts: Bool) {
    self.bytes = bytes
    self.inverts = inverts
    skipsEmptyUpdates = true
    input = nil
    chunkSize = .max
    isAtEnd = true
    self.header = header
    table = String(decoding: header.name, as: UTF8.self)
    key = header.key
  }

  public var columnCount: Int { key.count }

  // MARK: Changes

  /// Goes to the next change.
  ///
  /// - Returns: false at the end.
  /// - Throws: `corrupt` where the bytes are no changeset, and what the input throws; after that, the
  ///   same again.
  public func advance() throws(SQLError) -> Bool {
    repeat {
      guard try next() else { return false }
    } while skipsEmptyUpdates && kind == .update && isWithoutNewValues
    return true
  }

  private var isWithoutNewValues: Bool {
    !fields[columnCount...].contains { $0 >= 0 }
  }

  private func next() throws(SQLError) -> Bool {
    if let failure { throw failure }
    hasChange = false
    isFirstOfTable = false
    do throws(SQLError) {
      guard try readOperation() else { return false }
      try readFields()
    } catch {
      failure = error
      throw error
    }
    hasChange = true
    return true
  }

  /// The bytes of the current change from its operation on.
  var changeBytes: ArraySlice<UInt8> { bytes[changeStart..<position] }
  /// The same without operation and mark.
  var recordBytes: ArraySlice<UInt8> { bytes[(changeStart + 2)..<position] }

  /// Reads headers and what is before the records; false at the end.
  private func readOperation() throws(SQLError) -> Bool {
    while true {
      try fill(2)
      guard position < bytes.count else { return false }
      discard()
      changeStart = position
      let operation = bytes[position]
      position += 1
      if operation == UInt8(ascii: "T") || operation == UInt8(ascii: "P") {
        try readHeader(isPatchset: operation == UInt8(ascii: "P"))
        isFirstOfTable = true
        continue
      }
      guard header != nil, !(isPatchset && inverts), position < bytes.count,
        let kind = Connection.ChangeKind(rawValue: Int32(operation))
      else { throw SQLError(.corrupt) }
      self.kind = kind
      isIndirect = bytes[position] != 0
      position += 1
      return true
    }
  }

  private func readHeader(isPatchset: Bool) throws(SQLError) {
    try fill(9)
    guard let count = Varint.read(bytes, at: position, end: bytes.count), count.value <= 65_536
    else { throw SQLError(.corrupt) }
    try fill(count.byteCount + count.value + 1)
    let keyStart = position + count.byteCount
    var end = keyStart + count.value
    guard end < bytes.count else { throw SQLError(.corrupt) }
    while bytes[end] != 0 {
      end += 1
      try fill(end - position + 1)
      guard end < bytes.count else { throw SQLError(.corrupt) }
    }
    header = TableHeader(
      name: Array(bytes[(keyStart + count.value)..<end]),
      key: Array(bytes[keyStart..<(keyStart + count.value)]), isPatchset: isPatchset)
    position = end + 1
  }

  private func readFields() throws(SQLError) {
    let count = columnCount
    if fields.count != count * 2 { fields = [Int](repeating: -1, count: count * 2) }
    for index in fields.indices { fields[index] = -1 }
    let old = inverts ? count : 0, new = inverts ? 0 : count
    if kind != .insert && !(isPatchset && kind == .update) {
      try readRecord(at: old, keyOnly: isPatchset)
    }
    if kind != .delete { try readRecord(at: new, keyOnly: false) }
    if kind == .update {
      try settleUpdate()
    } else if inverts {
      kind = kind == .insert ? .delete : .insert
    }
  }

  /// The key of an UPDATE stands with the old values.
  private func settleUpdate() throws(SQLError) {
    let count = columnCount
    if isPatchset || inverts {
      for column in 0..<count where key[column] != 0 {
        guard fields[count + column] >= 0 else { throw SQLError(.corrupt) }
        fields[column] = fields[count + column]
        fields[count + column] = -1
      }
    }
    // An old value without a new one means nothing.
    for column in 0..<count where key[column] == 0 && fields[count + column] < 0 {
      fields[column] = -1
    }
  }

  private func readRecord(at first: Int, keyOnly: Bool) throws(SQLError) {
    for column in key.indices where !keyOnly || key[column] != 0 {
      try fill(10)
      guard position < bytes.count, let type = FieldType(rawValue: bytes[position]),
        type != .replaced
      else { throw SQLError(.corrupt) }
      var count = 1
      switch type {
      case .undefined, .null, .replaced: break
      case .integer, .real: count = 9
      case .text, .blob:
        guard let size = Varint.read(bytes, at: position + 1, end: bytes.count) else {
          throw SQLError(.corrupt)
        }
        count += size.byteCount + size.value
      }
      try fill(count)
      guard count <= bytes.count - position else { throw SQLError(.corrupt) }
      if type != .undefined { fields[first + column] = position }
      position += count
    }
  }

  // MARK: Input

  /// Sees to it that so many bytes are there, or all that come.
  @inline(__always)
  private func fill(_ count: Int) throws(SQLError) {
    if !isAtEnd && bytes.count - position < count { try readMore(count) }
  }

  @inline(never)
  private func readMore(_ count: Int) throws(SQLError) {
    guard let input else { return }
    while bytes.count - position < count {
      let piece = try input(chunkSize)
      if piece.isEmpty {
        isAtEnd = true
        return
      }
      try bytes.makeRoom(for: piece.count)
      bytes.append(contentsOf: piece)
    }
  }

  /// Forgets what was read, once it is a piece.
  private func discard() {
    guard input != nil, position >= chunkSize else { return }
    bytes.removeFirst(position)
    position = 0
  }

  // MARK: Values

  /// An old value: of a DELETE all, of an UPDATE the key and what changes; nil for others
  /// (`sqlite3changeset_old`).
  ///
  /// - Throws: `misuse` for an INSERT, `range` for a column that is not there.
  public func oldValue(_ column: Int) throws(SQLError) -> Value? {
    try oldField(column).flatMap { Field.value(bytes, at: $0) }
  }

  /// A new value: of an INSERT all, of an UPDATE what changes; nil for others
  /// (`sqlite3changeset_new`).
  ///
  /// - Throws: `misuse` for a DELETE, `range` for a column that is not there.
  public func newValue(_ column: Int) throws(SQLError) -> Value? {
    try newField(column).flatMap { Field.value(bytes, at: $0) }
  }

  /// The same as `oldValue`, as a copy that lives until `deallocate()`.
  public func oldReference(_ column: Int) throws(SQLError) -> ValueReference? {
    try reference(oldField(column))
  }

  /// The same as `newValue`, as a copy that lives until `deallocate()`.
  public func newReference(_ column: Int) throws(SQLError) -> ValueReference? {
    try reference(newField(column))
  }

  private func reference(_ field: Int?) throws(SQLError) -> ValueReference? {
    guard let field else { return nil }
    return try .make(bytes, field)
  }

  func oldField(_ column: Int) throws(SQLError) -> Int? {
    guard hasChange, kind != .insert else { throw SQLError(.misuse) }
    return try field(column, 0)
  }

  func newField(_ column: Int) throws(SQLError) -> Int? {
    guard hasChange, kind != .delete else { throw SQLError(.misuse) }
    return try field(column, columnCount)
  }

  private func field(_ column: Int, _ first: Int) throws(SQLError) -> Int? {
    guard column >= 0 && column < columnCount else { throw SQLError(.range) }
    let offset = fields[first + column]
    return offset < 0 ? nil : offset
  }

  /// The value that identifies the row, where the column is one of the key; what the row becomes in
  /// an INSERT.
  func keyField(_ column: Int) throws(SQLError) -> Int? {
    try kind == .insert ? newField(column) : oldField(column)
  }

  /// The current change with its values; without one, it has none.
  public var change: Change {
    let columns = 0..<(hasChange ? columnCount : 0)
    func values(_ first: Int) -> [Value?] {
      columns.map { fields[first + $0] < 0 ? nil : Field.value(bytes, at: fields[first + $0]) }
    }
    return Change(
      table: table, kind: kind, isIndirect: isIndirect, primaryKey: key.map { $0 != 0 },
      old: kind == .insert ? [] : values(0), new: kind == .delete ? [] : values(columnCount))
  }
}

extension ValueReference {
  /// A copy of a field.
  fileprivate static func make(_ bytes: [UInt8], _ field: Int) throws(SQLError) -> ValueReference {
    let range: Range<Int>
    switch FieldType(rawValue: bytes[field]) {
    case .text, .blob: range = Field.content(bytes, at: field)
    default: return try make(Field.value(bytes, at: field) ?? .null)
    }
    let isText = bytes[field] == FieldType.text.rawValue
    let result = bytes.withUnsafeBytes { all in
      Result { () throws(SQLError) in
        try make(copying: UnsafeRawBufferPointer(rebasing: all[range]), isText: isText)
      }
    }
    return try result.get()
  }
}
