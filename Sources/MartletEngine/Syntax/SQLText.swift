/// The bytes of one SQL text, owned, and the memory of names that had to be unescaped.
///
/// Names and literals of a syntax tree point into it, so whoever keeps a tree keeps its `SQLText`.
/// The bytes are followed by `padding` zero bytes: the tokenizer looks ahead without checking.
final class SQLText: @unchecked Sendable {
  static let padding = 8

  let start: UnsafePointer<UInt8>
  let count: Int
  private let isOwned: Bool
  @exclusivity(unchecked) private var unescaped: [UnsafeMutableRawPointer] = []
  @exclusivity(unchecked) private var trees: [TreeStore] = []

  /// Copies `bytes`.
  init(copying bytes: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    let memory = try Memory.allocate(bytes.count + SQLText.padding)
    if let base = bytes.baseAddress { Memory.copy(from: base, to: memory, bytes.count) }
    (memory + bytes.count).initializeMemory(as: UInt8.self, repeating: 0, count: SQLText.padding)
    start = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    count = bytes.count
    isOwned = true
  }

  /// A text that is never tokenized: no bytes are behind it.
  init(_ text: StaticString) {
    start = text.utf8Start
    count = text.utf8CodeUnitCount
    isOwned = false
  }

  deinit {
    if isOwned { Memory.free(UnsafeMutableRawPointer(mutating: start)) }
    for memory in unescaped { Memory.free(memory) }
  }

  /// Lets the text end at `offset` with a blank, before anything refers to it.
  func end(at offset: Int) {
    assert(isOwned)
    let bytes = UnsafeMutablePointer(mutating: start)
    bytes[offset] = UInt8(ascii: " ")
    bytes[offset + 1] = 0
  }

  /// Memory that lives as long as the text, for names and strings with doubled quotes.
  func allocateUnescaped(_ byteCount: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    let memory = try Memory.allocate(byteCount)
    unescaped.append(memory)
    return memory.assumingMemoryBound(to: UInt8.self)
  }

  /// Keeps a tree that was made of the text as long as the text: those of the schema.
  func keep(_ trees: TreeStore) { self.trees.append(trees) }

  /// What stands between the quotes of a token, doubled quotes undone.
  func unquoted(_ token: Token) throws(SQLError) -> ByteSlice {
    let from = token.start &+ 1, end = token.end &- 1
    let quote = start[token.start]
    var doubledCount = 0
    if quote != UInt8(ascii: "[") {
      for offset in from..<end where start[offset] == quote { doubledCount &+= 1 }
    }
    let count = end &- from &- doubledCount / 2
    if doubledCount == 0 { return ByteSlice(start: start + from, count: count) }
    let copy = try allocateUnescaped(count)
    var source = from
    for target in 0..<count {
      copy[target] = start[source]
      source &+= start[source] == quote ? 2 : 1
    }
    return ByteSlice(start: UnsafePointer(copy), count: count)
  }

  /// All of its bytes, which live as long as the text.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// Whether another text has the same bytes.
  func isSame(as other: SQLText) -> Bool {
    count == other.count && Memory.compare(start, other.start, count) == 0
  }

  /// The text of a byte range, for error messages, column names and stored definitions: its bytes
  /// come back (`String.textBytes`).
  func string(_ range: ByteRange) -> String { String(text: bytes(range)) }

  /// The same for Swift's programs. Bytes that are not UTF-8 are replaced.
  func legible(_ range: ByteRange) -> String { String(decoding: bytes(range), as: UTF8.self) }

  func bytes(_ range: ByteRange) -> UnsafeBufferPointer<UInt8> {
    let lower = max(0, min(count, Int(range.start)))
    let upper = max(lower, min(count, Int(range.end)))
    return UnsafeBufferPointer(start: start + lower, count: upper - lower)
  }
}

extension SQLText {
  /// Copies the UTF-8 of a string of the program.
  static func copying(_ sql: String) throws(SQLError) -> SQLText {
    var sql = sql
    // `withUTF8` passes no typed errors on.
    let copy = sql.withUTF8 { bytes in
      Result { () throws(SQLError) in try SQLText(copying: bytes) }
    }
    return try copy.get()
  }

  /// Copies a text that is made of names and pieces of SQL, with the bytes that they have there.
  static func copying(own text: String) throws(SQLError) -> SQLText {
    let copy = text.withTextBytes { bytes in
      Result { () throws(SQLError) in try SQLText(copying: bytes) }
    }
    return try copy.get()
  }
}

extension String {
  /// A name with the bytes of the string, which live as long as a text.
  func makeName(in text: SQLText) throws(SQLError) -> Name {
    let bytes = textBytes
    let memory = try text.allocateUnescaped(bytes.count)
    for index in bytes.indices { memory[index] = bytes[index] }
    return Name(start: UnsafePointer(memory), count: bytes.count)
  }
}

/// A half-open range of byte offsets in a `SQLText`.
struct ByteRange: Equatable {
  var start: Int32
  var end: Int32
}

/// Bytes inside a `SQLText`; valid while that text lives.
struct ByteSlice {
  let start: UnsafePointer<UInt8>
  let count: Int

  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
  var string: String { String(text: buffer) }
}

/// An identifier with its quotes removed; compares ASCII case-insensitively, as all SQL names do.
///
/// Plain data that points into a `SQLText` (or static memory).
struct Name: Hashable, @unchecked Sendable {
  let start: UnsafePointer<UInt8>
  let count: Int32
  /// Hash of the bytes folded to lower case: names with different hashes are different.
  let foldedHash: UInt32
  /// Offset of the token, its quote included, in its text.
  let offset: Int32
  /// The opening quote, or 0. A name in double quotes may turn out to be a string (quirks §8).
  let quote: UInt8

  init(
    start: UnsafePointer<UInt8>, count: Int, foldedHash: UInt32, offset: Int32 = -1,
    quote: UInt8 = 0
  ) {
    self.start = start
    self.count = Int32(truncatingIfNeeded: count)
    self.foldedHash = foldedHash
    self.offset = offset
    self.quote = quote
  }

  init(start: UnsafePointer<UInt8>, count: Int, offset: Int32 = -1, quote: UInt8 = 0) {
    self.init(
      start: start, count: count, foldedHash: Name.foldedHash(start, count), offset: offset,
      quote: quote)
  }

  init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }

  /// What columns are compared by where they say nothing else.
  static let binaryCollation = Name("BINARY")

  /// The name of something that is not named in the text.
  var withoutPlace: Name {
    Name(start: start, count: Int(count), foldedHash: foldedHash, quote: quote)
  }

  /// A copy with a zero byte behind it, which the caller deallocates.
  func makeCString() -> UnsafePointer<CChar> {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: Int(count) + 1, alignment: 1)
    Memory.copy(from: start, to: copy, Int(count))
    copy.storeBytes(of: 0, toByteOffset: Int(count), as: UInt8.self)
    return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
  }

  var rawBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: Int(count)) }

  @inline(__always)
  static func fold(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

  static func foldedHash(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for index in 0..<count { hash = (hash ^ UInt32(fold(start[index]))) &* 16_777_619 }
    return hash
  }

  @inline(__always)
  static func == (left: Name, right: Name) -> Bool {
    left.foldedHash == right.foldedHash && left.count == right.count
      && (left.start == right.start || left.hasSameFoldedBytes(as: right))
  }

  private func hasSameFoldedBytes(as other: Name) -> Bool {
    for index in 0..<Int(count) where Name.fold(start[index]) != Name.fold(other.start[index]) {
      return false
    }
    return true
  }

  func hash(into hasher: inout Hasher) { hasher.combine(foldedHash) }

  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: Int(count)) }
  /// It may turn out to be a string.
  var isInDoubleQuotes: Bool { quote == UInt8(ascii: "\"") }
  /// As messages show a column that there is not.
  var inMessage: String {
    guard isInDoubleQuotes else { return string }
    return "\"\(string)\" - should this be a string literal in single-quotes?"
  }
  /// The name as it was written, without quotes.
  var string: String { String(text: buffer) }
}
