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
      var byte = pattern.start[position]
      if byte == 0 || LikePrefix.wildcard(byte, isGlob) != .none { break }
      if byte == escape, position + 1 < pattern.count {
        position += 1
        byte = pattern.start[position]
      }
      // Other encodings do not keep the order when the last byte is raised.
      if byte >= 0x80 && encoding != .utf8 { break }
      prefix.append(byte)
      position += 1
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
    upper[upper.count - 1] += 1
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

  private static func mayBeNumber(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 &- 0x30 <= 9 || $0 <= 0x20 || "+-.eE".utf8.contains($0) }
  }

  private static func copy(_ bytes: [UInt8], _ arena: SQLText) throws(SQLError) -> ByteSlice {
    let memory = try arena.allocateUnescaped(bytes.count)
    for (index, byte) in bytes.enumerated() { memory[index] = byte }
    return ByteSlice(start: UnsafePointer(memory), count: bytes.count)
  }
}
