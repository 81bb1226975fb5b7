// Canonical forms of keys: two keys are equal exactly if their forms are.
//
// Numbers: an integer, or a real that has no equal integer. Texts by collation: BINARY as it is;
// NOCASE folded, behind a common NUL only the length counts; RTRIM without trailing spaces; one of
// the application by the class of equal texts that it belongs to. Several columns:
//
//     | kind (1) | number or class (8), or size (4) and bytes | … for each column

extension KeyTable {
  /// The general case of `canonicalKey`.
  @inline(never)
  func encodedKey(
    _ registers: UnsafePointer<Register>, isAdding: Bool
  ) throws(SQLError) -> CanonicalKey {
    let columnCount = keyInfo.keyColumnCount
    if columnCount > 1, let key = integerKey(registers, columnCount) { return key }
    try reserveScratch(try scratchSize(registers, columnCount))
    guard let scratch else { throw SQLError(.internal) }
    if columnCount == 1 {
      return try encode(registers, column: 0, to: scratch, isAdding: isAdding)
    }
    var end = 0
    var hasNull = false
    for column in 0..<columnCount {
      let bytes = scratch + end + 5
      let part = try encode(registers + column, column: column, to: bytes, isAdding: isAdding)
      scratch.storeBytes(of: part.kind.rawValue, toByteOffset: end, as: UInt8.self)
      if part.kind == .text || part.kind == .blob {
        scratch.storeBytes(of: part.byteCount, toByteOffset: end + 1, as: UInt32.self)
        if let source = part.bytes, source != UnsafeRawPointer(bytes) {
          Memory.copy(from: source, to: bytes, Int(part.byteCount))
        }
        end += 5 + Int(part.byteCount)
      } else {
        scratch.storeBytes(of: part.word, toByteOffset: end + 1, as: UInt64.self)
        end += 9
      }
      hasNull = hasNull || part.hasNull
    }
    return CanonicalKey(
      kind: .several, bytes: UnsafeRawPointer(scratch), byteCount: UInt32(end), hasNull: hasNull)
  }

  /// A key of several columns that are integers or NULL, as most are; nil if there is another value,
  /// or no memory yet.
  @inline(__always)
  private func integerKey(
    _ registers: UnsafePointer<Register>, _ columnCount: Int
  ) -> CanonicalKey? {
    guard let scratch, scratchCapacity >= columnCount &* 9 else { return nil }
    var part = scratch
    var hasNull = false
    for column in 0..<columnCount {
      var kind = CanonicalKey.Kind.integer, word = registers[column].bits
      if registers[column].tag != .integer {
        guard registers[column].tag == .null else { return nil }
        kind = .null
        word = 0
        hasNull = true
      }
      part.storeBytes(of: kind.rawValue, as: UInt8.self)
      part.storeBytes(of: word, toByteOffset: 1, as: UInt64.self)
      part += 9
    }
    return CanonicalKey(
      kind: .several, bytes: UnsafeRawPointer(scratch),
      byteCount: UInt32(truncatingIfNeeded: columnCount &* 9), hasNull: hasNull)
  }

  /// An upper bound of what the key takes. A UTF-16 text may grow by half when it becomes UTF-8.
  private func scratchSize(
    _ registers: UnsafePointer<Register>, _ columnCount: Int
  ) throws(SQLError) -> Int {
    var size = 0
    for column in 0..<columnCount {
      size += 24
      if registers[column].tag.rawValue >= StorageClass.text.rawValue {
        size += Int(registers[column].byteCount) * (keyInfo.encoding == .utf8 ? 1 : 2)
        size += Int(registers[column].zeroCount)
      }
    }
    guard size <= Int(Int32.max) else { throw .tooBig }
    return size
  }

  private func reserveScratch(_ byteCount: Int) throws(SQLError) {
    guard byteCount > scratchCapacity else { return }
    scratch = try Memory.reallocate(scratch, byteCount * 2)
    scratchCapacity = byteCount * 2
  }

  /// One column's canonical form. Bytes that have to be made are put to `target`.
  private func encode(
    _ register: UnsafePointer<Register>, column: Int, to target: UnsafeMutableRawPointer,
    isAdding: Bool
  ) throws(SQLError) -> CanonicalKey {
    switch register.pointee.tag {
    case .null: return CanonicalKey(kind: .null, hasNull: true)
    case .integer: return CanonicalKey(kind: .integer, word: register.pointee.bits)
    case .real:
      if let whole = Int64(exactly: register.pointee.real) {
        return CanonicalKey(kind: .integer, word: UInt64(bitPattern: whole))
      }
      return CanonicalKey(kind: .real, word: register.pointee.bits)
    case .text:
      return try encodeText(
        register.pointee.byteBuffer, column: column, to: target, isAdding: isAdding)
    case .blob: return encodeBlob(register, to: target)
    }
  }

  private func encodeBlob(
    _ register: UnsafePointer<Register>, to target: UnsafeMutableRawPointer
  ) -> CanonicalKey {
    let bytes = register.pointee.byteBuffer, zeroCount = Int(register.pointee.zeroCount)
    guard zeroCount > 0 else { return CanonicalKey(kind: .blob, bytes) }
    if let source = bytes.baseAddress { Memory.copy(from: source, to: target, bytes.count) }
    (target + bytes.count).initializeMemory(as: UInt8.self, repeating: 0, count: zeroCount)
    return CanonicalKey(
      kind: .blob, bytes: UnsafeRawPointer(target), byteCount: UInt32(bytes.count + zeroCount))
  }

  private func encodeText(
    _ text: UnsafeBufferPointer<UInt8>, column: Int, to target: UnsafeMutableRawPointer,
    isAdding: Bool
  ) throws(SQLError) -> CanonicalKey {
    let kind = keyInfo.columns[column].collation.kind
    if kind == .binary { return CanonicalKey(kind: .text, text) }
    if kind == .custom {
      let number = try classes[column]?.number(of: text, isAdding: isAdding)
      return CanonicalKey(kind: .collationClass, word: UInt64(bitPattern: Int64(number ?? -1)))
    }
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    if keyInfo.encoding == .utf8 {
      if let source = text.baseAddress { Memory.copy(from: source, to: bytes, text.count) }
      return KeyTable.fold(bytes, text.count, kind)
    }
    let transcoded = try TranscodedText(text, from: keyInfo.encoding, to: .utf8)
    defer { transcoded.deallocate() }
    if let source = transcoded.bytes.baseAddress {
      Memory.copy(from: source, to: bytes, transcoded.bytes.count)
    }
    return KeyTable.fold(bytes, transcoded.bytes.count, kind)
  }

  /// Folds a UTF-8 text in place by NOCASE or RTRIM.
  private static func fold(
    _ bytes: UnsafeMutablePointer<UInt8>, _ byteCount: Int, _ kind: Collation.Kind
  ) -> CanonicalKey {
    var count = byteCount
    var index = 0
    if kind == .rightTrim {
      while count > 0, bytes[count - 1] == 0x20 { count -= 1 }
    } else {
      while index < count, bytes[index] != 0 {
        bytes[index] = Collation.fold(bytes[index])
        index += 1
      }
      while index < count {
        bytes[index] = 0
        index += 1
      }
    }
    return CanonicalKey(
      kind: .text, UnsafeBufferPointer(start: UnsafePointer(bytes), count: count))
  }
}

extension CanonicalKey {
  init(kind: Kind, _ bytes: UnsafeBufferPointer<UInt8>) {
    self.kind = kind
    self.bytes = bytes.baseAddress.map { UnsafeRawPointer($0) }
    byteCount = UInt32(truncatingIfNeeded: bytes.count)
  }
}

/// The classes of texts that a collation of the application takes as equal, numbered as they come.
final class CollationClasses {
  private struct Member {
    let bytes: UnsafeMutableRawPointer
    let byteCount: Int
    let number: Int
  }

  private let collation: Collation
  private let encoding: TextEncoding
  /// A text of each class, sorted by the collation.
  private var members: [Member] = []

  init(_ collation: Collation, _ encoding: TextEncoding) {
    self.collation = collation
    self.encoding = encoding
  }

  deinit {
    for member in members { Memory.free(member.bytes) }
  }

  /// The number of the text's class; without `isAdding`, -1 if no text of its class is known.
  func number(
    of text: UnsafeBufferPointer<UInt8>, isAdding: Bool
  ) throws(SQLError) -> Int {
    var low = 0, high = members.count
    while low < high {
      let middle = (low + high) / 2
      let member = UnsafeBufferPointer(
        start: UnsafePointer(members[middle].bytes.assumingMemoryBound(to: UInt8.self)),
        count: members[middle].byteCount)
      let order = try collation.compare(member, text, encoding: encoding)
      if order == 0 { return members[middle].number }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    guard isAdding else { return -1 }
    let copy = try Memory.allocate(text.count)
    if let source = text.baseAddress { Memory.copy(from: source, to: copy, text.count) }
    let number = members.count
    members.insert(Member(bytes: copy, byteCount: text.count, number: number), at: low)
    return number
  }
}
