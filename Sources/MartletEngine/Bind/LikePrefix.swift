/// What every text that matches a LIKE or GLOB pattern begins with: the part before the first
/// wildcard, as bounds of a range (optoverview §5).
struct LikePrefix {
  /// Where case is folded, upper case: the smaller bytes.
  let lower: ByteSlice
  /// The prefix with its last byte raised.
  let upper: ByteSlice
  let foldsCase: Bool
  /// Nothing but one wildcard for any text follows: the bounds say all.
  let isComplete: Bool
  /// A bound may be a number's text.
  let looksNumeric: Bool

  private enum Wildcard { case none, any, other }

  init?(
    _ call: BoundFunction, _ encoding: TextEncoding, _ arena: SQLText,
    _ parameters: PlanParameters?
  ) throws(SQLError) {
    guard call.arguments.count >= 2,
      let pattern = try LikePrefix.pattern(call, arena, parameters)
    else { return nil }
    let isGlob = call.function.name == "glob"
    var escape: UInt8?
    if call.arguments.count == 3 {
      guard case .text(let text) = call.arguments[2].kind, text.count == 1 else { return nil }
      escape = text.start[0]
      if LikePrefix.wildcard(text.start[0], isGlob) != .none { return nil }
    }
    var prefix: [UInt8] = []
    var position = 0
    while position < pattern.count {
      let byte = pattern.start[position]
      if byte == 0 || LikePrefix.wildcard(byte, isGlob) != .none { break }
      if byte == escape, position + 1 < pattern.count {
        prefix.append(pattern.start[position + 1])
        position += 2
        continue
      }
      let width = byte < 0x80 ? 1 : LikePrefix.characterWidth(pattern, at: position, encoding)
      if width == 0 { break }
      prefix += UnsafeBufferPointer(start: pattern.start + position, count: width)
      position += width
    }
    guard let last = prefix.last, last != 0xff else { return nil }
    let endsWithAny =
      position + 1 == pattern.count
      && LikePrefix.wildcard(pattern.start[position], isGlob) == .any
    foldsCase = !isGlob && !call.function.flags.contains(.tellsCase)
    var upper = prefix
    if foldsCase {
      upper = prefix.map(Name.fold)
      prefix = prefix.map { $0 &- 0x61 < 26 ? $0 &- 32 : $0 }
    }
    // Raised to 'A', a bound would fall among the letters, where case counts.
    isComplete =
      endsWithAny && encoding != .utf16LittleEndian && (!foldsCase || last != UInt8(ascii: "@"))
    // The next character, not only the next byte.
    var raised = upper.count - 1
    while raised > 0 && upper[raised] == 0xbf {
      upper[raised] = 0x80
      raised -= 1
    }
    // Nothing is behind a text of the highest bytes, which no encoding makes.
    if upper[raised] == 0xff { return nil }
    upper[raised] += 1
    looksNumeric = LikePrefix.mayBeNumber(prefix) || LikePrefix.mayBeNumber(upper)
    lower = try LikePrefix.copy(prefix, arena)
    self.upper = try LikePrefix.copy(upper, arena)
  }

  private static func pattern(
    _ call: BoundFunction, _ arena: SQLText, _ parameters: PlanParameters?
  ) throws(SQLError) -> ByteSlice? {
    switch call.arguments[0].withoutCollate.kind {
    case .text(let text): return text
    case .parameter(let number):
      guard case .column = call.arguments[1].kind else { return nil }
      return try parameters?.text(of: Int(number), in: arena)
    default: return nil
    }
  }

  private static func wildcard(_ byte: UInt8, _ isGlob: Bool) -> Wildcard {
    switch (byte, isGlob) {
    case (UInt8(ascii: "*"), true), (UInt8(ascii: "%"), false): .any
    case (UInt8(ascii: "?"), true), (UInt8(ascii: "["), true), (UInt8(ascii: "_"), false): .other
    default: .none
    }
  }

  /// The bytes of a character that is not ASCII; 0 if no bound can have it: it is none, or the
  /// encoding does not keep the order of bytes.
  private static func characterWidth(
    _ pattern: ByteSlice, at position: Int, _ encoding: TextEncoding
  ) -> Int {
    if encoding == .utf16LittleEndian { return 0 }
    let start = pattern.start + position
    var end = start
    let scalar = TextConversion.readUTF8(&end, pattern.start + pattern.count)
    return scalar == 0xfffd ? 0 : end - start
  }

  private static func mayBeNumber(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 &- 0x30 <= 9 || $0 <= 0x20 || "+-.eE".utf8.contains($0) }
  }

  private static func copy(_ bytes: [UInt8], _ arena: SQLText) throws(SQLError) -> ByteSlice {
    let memory = try arena.allocateUnescaped(bytes.count)
    for (index, byte) in bytes.enumerated() { memory[index] = byte }
    return ByteSlice(start: UnsafePointer(memory), count: bytes.count)
  }
}
