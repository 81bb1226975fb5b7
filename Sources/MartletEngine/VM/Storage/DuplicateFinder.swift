/// Finds rows with equal keys among those that a sorter gives.
struct DuplicateFinder {
  /// What is to be found.
  enum Wish {
    case nothing
    /// Keys with a NULL are never equal, as UNIQUE takes them (lang_createtable §3.6).
    case violations
    /// NULLs are equal, as in compound queries (lang_select §3).
    case duplicates
  }

  private let nullsAreEqual: Bool
  private var nullKeyCount: UInt64 = 0
  /// A copy of the key of the current row, where entries do not stay in memory.
  private var lastKey: UnsafeMutableRawPointer?
  private var lastSize = -1
  private var capacity = 0
  /// The row that was looked at last has the key of the one before.
  private(set) var isEqual = false

  init(_ wish: Wish) { nullsAreEqual = wish == .duplicates }

  mutating func deallocate() {
    Memory.free(lastKey)
    self = DuplicateFinder(nullsAreEqual ? .duplicates : .violations)
  }

  /// The row that is looked at next is the first one.
  mutating func restart() {
    lastSize = -1
    isEqual = false
  }

  /// Numbers a normalized key that has a NULL.
  @inline(__always)
  mutating func tellNullsApart(
    _ keys: UnsafePointer<Register>, _ keyInfo: KeyInfo, _ key: inout SortKeyBuffer
  ) throws(SQLError) {
    if nullsAreEqual { return }
    for column in 0..<keyInfo.keyColumnCount where keys[column].isNull {
      nullKeyCount &+= 1
      return try key.append(sequenceNumber: nullKeyCount)
    }
  }

  /// Compares an entry with the last one, and keeps its key.
  mutating func look(at entry: SortEntry, _ order: SortKeyOrder) throws(SQLError) {
    let size = entry.keySize
    isEqual = false
    if let lastKey, lastSize >= 0 {
      isEqual = try isEqual(lastKey, lastSize, entry.key, size, order)
    }
    if size > capacity {
      lastKey = try Memory.reallocate(lastKey, 2 * size)
      capacity = 2 * size
    }
    if let lastKey { Memory.copy(from: entry.key, to: lastKey, size) }
    lastSize = size
  }

  @inline(__always)
  func isEqual(
    _ left: SortEntry, _ right: SortEntry, _ order: SortKeyOrder
  ) throws(SQLError) -> Bool {
    try isEqual(left.key, left.keySize, right.key, right.keySize, order)
  }

  @inline(__always)
  private func isEqual(
    _ left: UnsafeRawPointer, _ leftSize: Int, _ right: UnsafeRawPointer, _ rightSize: Int,
    _ order: SortKeyOrder
  ) throws(SQLError) -> Bool {
    if order.isNormalized {
      return leftSize == rightSize && Memory.compare(left, right, leftSize) == 0
    }
    guard try order.compare(left, leftSize, right, rightSize) == 0 else { return false }
    if nullsAreEqual { return true }
    // A row of key columns begins with the kinds of its values.
    for column in 0..<order.keyInfo.keyColumnCount
    where left.load(fromByteOffset: column, as: StorageClass.self) == .null { return false }
    return true
  }
}
