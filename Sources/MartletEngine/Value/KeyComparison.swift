// Order of keys: an encoded record against values in registers (fileformat2 §2.4, datatype3 §4).
//
// NULL < numbers < text < blob. Integers and reals compare by exact value. Text compares by its
// column's collation, blobs by memcmp. A descending column turns the result around; NULLs of a
// column with `hasBigNulls` go to the other end.

/// A search key: values in registers with the order they are compared in (SQLite's
/// UnpackedRecord). Plain data; comparisons take it by pointer (`&key`).
struct UnpackedKey {
  /// How the first column is compared; found once per key, used for each record.
  enum Strategy: UInt8 { case generic, integer, binaryText }

  let fields: UnsafePointer<Register>
  /// How many columns the key has: at most as many as its key info.
  let fieldCount: Int
  let orders: UnsafePointer<ColumnOrder>
  let encoding: TextEncoding
  /// Result for a record that has all fields of the key. Negative puts the key behind all records
  /// that it is a prefix of, positive before them.
  let defaultResult: Int
  let strategy: Strategy
  /// Results for a first column that is smaller or larger than the key's.
  let smallerResult: Int
  let largerResult: Int
  /// The first 8 bytes of a text, zeros behind a shorter one: two texts whose prefixes differ are
  /// in the order of their prefixes.
  let prefix: UInt64
  /// A first column that has a strategy, and an ascending integer: a whole entry of an index of one
  /// column, with its rowid.
  let endsInInteger: Bool

  /// The registers and the key info must outlive the key; blobs have their zeros expanded.
  @inline(__always)
  init(
    _ fields: UnsafePointer<Register>, count: Int, keyInfo: KeyInfo, defaultResult: Int = 0
  ) {
    assert(count <= keyInfo.columns.count, "a key has at most the columns of its index")
    self.fields = fields
    fieldCount = count
    orders = UnsafePointer(keyInfo.orders)
    encoding = keyInfo.encoding
    self.defaultResult = defaultResult
    guard count > 0, keyInfo.columns.count <= 13, !keyInfo.orders[0].hasBigNulls else {
      strategy = .generic
      smallerResult = -1
      largerResult = 1
      prefix = 0
      endsInInteger = false
      return
    }
    let order = keyInfo.orders[0]
    smallerResult = order.isDescending ? 1 : -1
    largerResult = order.isDescending ? -1 : 1
    switch fields.pointee.tag {
    case .integer:
      strategy = .integer
      prefix = 0
    case .text where order.collationKind == .binary:
      strategy = .binaryText
      prefix = UnpackedKey.prefix(of: fields.pointee.byteBuffer)
    default:
      strategy = .generic
      prefix = 0
    }
    endsInInteger =
      count == 2 && strategy != .generic && fields[1].tag == .integer
      && !keyInfo.orders[1].isDescending && !keyInfo.orders[1].hasBigNulls
  }

  @inline(__always)
  private static func prefix(of text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let bytes = text.baseAddress else { return 0 }
    if text.count >= 8 { return bytes.bigEndianUInt64() }
    var prefix: UInt64 = 0
    for index in 0..<text.count { prefix |= UInt64(bytes[index]) &<< UInt64(56 &- 8 &* index) }
    return prefix
  }
}

enum KeyComparison {
  /// Bytes behind a record that `compare` may load (not use).
  static let slack = 8

  /// Negative, zero or positive as the record sorts before, with or after the key.
  ///
  /// Looks at no byte outside the record but `slack` ones behind it, whatever the record holds.
  @inline(__always)
  static func compare(
    record: UnsafePointer<UInt8>, byteCount: Int, with key: UnsafePointer<UnpackedKey>
  ) throws(SQLError) -> Int {
    let order = compareFirst(record, byteCount, key)
    if order != 0 { return order }
    if key.pointee.endsInInteger, let order = compareSecond(record, byteCount, key) { return order }
    return try compareFields(record, byteCount, key)
  }

  /// Compares the integer of a key of two columns where `compareFirst` was 0; nil if that was
  /// because of something unusual.
  @inline(__always)
  private static func compareSecond(
    _ record: UnsafePointer<UInt8>, _ byteCount: Int, _ key: UnsafePointer<UnpackedKey>
  ) -> Int? {
    let headerSize = Int(record[0]), first = UInt32(record[1]), second = UInt32(record[2])
    guard headerSize == 3, first < 0x80, second &- 1 < 9, second != SerialType.real else {
      return nil
    }
    switch key.pointee.strategy {
    case .generic: return nil
    case .integer: guard first &- 1 < 9, first != SerialType.real else { return nil }
    case .binaryText: guard first > SerialType.firstBlob, first & 1 == 1 else { return nil }
    }
    let offset = headerSize &+ Int(SerialType.shortSizes[Int(first)])
    guard offset &+ Int(SerialType.shortSizes[Int(second)]) <= byteCount else { return nil }
    let value =
      second >= SerialType.zero
      ? Int64(second & 1) : SerialType.integerWithSlack(second, at: record + offset)
    let sought = key.pointee.fields[1].integer
    if value == sought { return key.pointee.defaultResult }
    return value < sought ? -1 : 1
  }

  /// Compares an integer or a BINARY text with the first column of the record. 0 if that does not
  /// decide, or if the record has something unusual.
  ///
  /// Most comparisons of a search end here; there is no call in it.
  @inline(__always)
  private static func compareFirst(
    _ record: UnsafePointer<UInt8>, _ byteCount: Int, _ key: UnsafePointer<UnpackedKey>
  ) -> Int {
    let headerSize = Int(record[0]), type = UInt32(record[1])
    // A header of at most 127 bytes and a type of one byte.
    guard headerSize < 0x80, type < 0x80, byteCount > 1 else { return 0 }
    let content = record + headerSize
    let size = Int(SerialType.shortSizes[Int(type)])
    guard headerSize &+ size <= byteCount else { return 0 }
    switch key.pointee.strategy {
    case .generic: return 0
    case .integer: return compareInteger(type, content, key)
    case .binaryText: return compareText(type, content, size, key)
    }
  }

  /// Compares a first column with the integer that the key begins with. 0 if that does not decide.
  @inline(__always)
  static func compareInteger(
    _ type: UInt32, _ content: UnsafePointer<UInt8>, _ key: UnsafePointer<UnpackedKey>
  ) -> Int {
    guard type &- 1 < 9, type != SerialType.real else { return 0 }
    let value =
      type >= SerialType.zero
      ? Int64(type & 1) : SerialType.integerWithSlack(type, at: content)
    let sought = key.pointee.fields.pointee.integer
    if value == sought { return 0 }
    return value < sought ? key.pointee.smallerResult : key.pointee.largerResult
  }

  /// Compares a first column with the BINARY text that the key begins with. 0 if that does not
  /// decide.
  @inline(__always)
  static func compareText(
    _ type: UInt32, _ content: UnsafePointer<UInt8>, _ size: Int,
    _ key: UnsafePointer<UnpackedKey>
  ) -> Int {
    guard type > SerialType.firstBlob, type & 1 == 1 else { return 0 }
    var prefix = content.bigEndianUInt64()
    if size < 8 { prefix &= ~(UInt64.max &>> UInt64(8 &* size)) }
    if prefix == key.pointee.prefix { return compareRest(of: content, size, key) }
    return prefix < key.pointee.prefix ? key.pointee.smallerResult : key.pointee.largerResult
  }

  /// Compares two texts that begin with the same 8 bytes, or have fewer. 0 if they are equal.
  @inline(never)
  private static func compareRest(
    of text: UnsafePointer<UInt8>, _ size: Int, _ key: UnsafePointer<UnpackedKey>
  ) -> Int {
    let sought = key.pointee.fields.pointee.byteBuffer
    let common = min(size, sought.count)
    var order = 0
    if common > 8, let bytes = sought.baseAddress {
      order = Memory.compare(text + 8, bytes + 8, common &- 8)
    }
    if order == 0 { order = size &- sought.count }
    if order == 0 { return 0 }
    return order < 0 ? key.pointee.smallerResult : key.pointee.largerResult
  }

  /// Any key: compares column by column.
  ///
  /// The first column is read even where the header says that there is none, as SQLite does.
  @inline(never)
  static func compareFields(
    _ record: UnsafePointer<UInt8>, _ byteCount: Int, _ key: UnsafePointer<UnpackedKey>
  ) throws(SQLError) -> Int {
    if let order = try compareShortFields(record, byteCount, key) { return order }
    guard let header = Varint.read(at: record, end: record + byteCount),
      header.value <= UInt64(byteCount)
    else { throw .corrupt("index record header size") }
    let headerEnd = record + Int(header.value), end = record + byteCount
    var position = record + header.byteCount
    var content = Int(header.value)
    var index = 0
    while index < key.pointee.fieldCount {
      guard index == 0 ? position < end : position < headerEnd else {
        throw .corrupt("index record with too few columns")
      }
      var type = UInt32(position.pointee)
      if type < 0x80 {
        position += 1
      } else {
        guard let long = Varint.read(at: position, end: end) else {
          throw .corrupt("index record header is cut off")
        }
        position += long.byteCount
        type = UInt32(clamping: long.value)
      }
      let size = SerialType.byteCount(of: type)
      guard content &+ size <= byteCount else { throw .corrupt("index record content") }
      let order = try compareField(type, record + content, key, index)
      if order != 0 { return order }
      content &+= size
      index &+= 1
    }
    return key.pointee.defaultResult
  }

  /// As `compareFields`, for a record that has all columns of the key, with types of one byte; nil
  /// for another one.
  @inline(__always)
  private static func compareShortFields(
    _ record: UnsafePointer<UInt8>, _ byteCount: Int, _ key: UnsafePointer<UnpackedKey>
  ) throws(SQLError) -> Int? {
    var content = Int(record[0])
    guard content < 0x80, content > key.pointee.fieldCount, content <= byteCount else { return nil }
    for index in 0..<key.pointee.fieldCount {
      let type = UInt32(record[index &+ 1])
      guard type < 0x80 else { return nil }
      let size = Int(SerialType.shortSizes[Int(type)]), start = record + content
      content &+= size
      guard content <= byteCount else { return nil }
      let field = key.pointee.fields + index, order = key.pointee.orders + index
      let result: Int
      if type &- 1 < 9, type != SerialType.real, field.pointee.tag == .integer {
        let value =
          type >= SerialType.zero
          ? Int64(type & 1) : SerialType.integerWithSlack(type, at: start)
        result = self.order(value, field.pointee.integer)
      } else if type > SerialType.firstBlob, type & 1 == 1, field.pointee.tag == .text,
        order.pointee.collationKind == .binary
      {
        result = Collation.compareBinary(
          UnsafeBufferPointer(start: start, count: size), field.pointee.byteBuffer)
      } else {
        result = try compareOther(type, start, key, index)
        if result != 0 { return result }
      }
      if result != 0 { return order.pointee.isDescending ? 0 &- result : result }
    }
    return key.pointee.defaultResult
  }

  /// `compareField` apart from a loop that seldom needs it.
  @inline(never)
  private static func compareOther(
    _ type: UInt32, _ content: UnsafePointer<UInt8>, _ key: UnsafePointer<UnpackedKey>, _ index: Int
  ) throws(SQLError) -> Int {
    try compareField(type, content, key, index)
  }

  /// Compares one column and applies its direction.
  @inline(__always)
  private static func compareField(
    _ type: UInt32, _ content: UnsafePointer<UInt8>, _ key: UnsafePointer<UnpackedKey>, _ index: Int
  ) throws(SQLError) -> Int {
    let order = key.pointee.orders + index
    let field = key.pointee.fields + index
    let result = try compareValue(type, content, field, order, key.pointee.encoding)
    if result == 0 || !(order.pointee.isDescending || order.pointee.hasBigNulls) { return result }
    if order.pointee.hasBigNulls {
      let hasNull = SerialType.storageClass(of: type) == .null || field.pointee.isNull
      return order.pointee.isDescending != hasNull ? 0 &- result : result
    }
    return 0 &- result
  }

  /// Compares a stored value with a register, ascending.
  @inline(__always)
  private static func compareValue(
    _ type: UInt32, _ content: UnsafePointer<UInt8>, _ field: UnsafePointer<Register>,
    _ order: UnsafePointer<ColumnOrder>, _ encoding: TextEncoding
  ) throws(SQLError) -> Int {
    if type >= SerialType.firstBlob {
      let tag: StorageClass = type & 1 == 0 ? .blob : .text
      guard tag == field.pointee.tag else { return rank(of: tag) &- rank(of: field.pointee.tag) }
      let size = Int((type &- SerialType.firstBlob) &>> 1)
      let stored = UnsafeBufferPointer(start: content, count: size)
      if tag == .blob || order.pointee.collationKind == .binary {
        return Collation.compareBinary(stored, field.pointee.byteBuffer)
      }
      return try order.pointee.collation.lend { (collation) throws(SQLError) in
        try collation.compareFolded(stored, field.pointee.byteBuffer, encoding: encoding)
      }
    }
    return compareShort(type, content, field)
  }

  /// Compares a stored NULL or number with a register.
  @inline(__always)
  private static func compareShort(
    _ type: UInt32, _ content: UnsafePointer<UInt8>, _ field: UnsafePointer<Register>
  ) -> Int {
    let storedTag = SerialType.storageClass(of: type), tag = field.pointee.tag
    if storedTag == .integer {
      let value = type >= SerialType.zero ? Int64(type & 1) : SerialType.integer(type, at: content)
      if tag == .integer { return order(value, field.pointee.integer) }
      if tag == .real { return Comparison.compare(value, field.pointee.real) }
    } else if storedTag == .real {
      let value = Double(bitPattern: content.bigEndianUInt64())
      // NaN is never stored by SQLite; a file that has one gets NULL.
      guard value == value else { return rank(of: .null) &- rank(of: tag) }
      if tag == .real { return order(value, field.pointee.real) }
      if tag == .integer { return 0 &- Comparison.compare(field.pointee.integer, value) }
    }
    return rank(of: storedTag) &- rank(of: tag)
  }

  /// Order of storage classes, INTEGER and REAL being one.
  @inline(__always)
  static func rank(of tag: StorageClass) -> Int {
    tag == .real ? Int(StorageClass.integer.rawValue) : Int(tag.rawValue)
  }

  @inline(__always)
  static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }
}
