/// Matching of LIKE and GLOB (lang_expr §5).
///
/// A failed match goes back to the last `%` or `*` only: the part before it is matched as early as
/// possible, and a later place could not help the rest. Pattern and text end at their first NUL.
struct LikePattern {
  /// Any run of characters; 0 if there is none.
  var anyRun: UInt32
  /// Any one character; 0 if there is none.
  var anyOne: UInt32
  /// `[` of GLOB, or LIKE's escape character; 0 if there is none.
  var special: UInt32
  let hasSets: Bool
  let ignoresCase: Bool

  typealias Position = UnsafePointer<UInt8>

  static let glob = LikePattern(
    anyRun: 0x2a, anyOne: 0x3f, special: 0x5b, hasSets: true, ignoresCase: false)

  /// LIKE with an escape character, which loses any meaning of its own; 0 for none.
  static func like(escape: UInt32, ignoresCase: Bool) -> LikePattern {
    LikePattern(
      anyRun: escape == 0x25 ? 0 : 0x25, anyOne: escape == 0x5f ? 0 : 0x5f, special: escape,
      hasSets: false, ignoresCase: ignoresCase)
  }

  @inline(__always)
  private func read(_ position: inout Position, _ limit: Position) -> UInt32 {
    position < limit ? TextConversion.readUTF8(&position, limit) : 0
  }

  /// The bytes before the first NUL.
  private static func limit(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Position) -> Position {
    start + (Memory.firstZero(in: bytes) ?? bytes.count)
  }

  func matches(
    pattern: UnsafeBufferPointer<UInt8>, text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var patternAt = pattern.baseAddress ?? Register.emptyBytes
    var textAt = text.baseAddress ?? Register.emptyBytes
    let patternLimit = LikePattern.limit(pattern, patternAt)
    let textLimit = LikePattern.limit(text, textAt)
    // Where to go on behind the last run wildcard, and the character that has to follow the run,
    // 0 if a set has to; then the byte behind that.
    var resumePattern = patternAt, resumeText = textAt, first: UInt32 = 0, hasRun = false
    var second: UInt8 = 0
    while true {
      while true {
        var character = read(&patternAt, patternLimit)
        if character == 0 {
          if textAt == textLimit { return true }
          break
        }
        if character != anyRun {
          if matchOne(character, &patternAt, patternLimit, &textAt, textLimit) { continue }
          break
        }
        character = skipRun(&patternAt, patternLimit, &textAt, textLimit)
        if character == 0 { return true }
        if character == .max { return false }
        if character == special && hasSets {
          patternAt -= 1
          character = 0
        } else if character == special {
          character = read(&patternAt, patternLimit)
          if character == 0 { return false }
        }
        (resumePattern, resumeText, first, hasRun) = (patternAt, textAt, character, true)
        second = follower(patternAt, patternLimit)
        break
      }
      guard hasRun && resumeText < textLimit else { return false }
      patternAt = resumePattern
      if first == 0 {
        textAt = resumeText
        BuiltInFunctions.skipCharacter(&resumeText, textLimit)
      } else {
        guard find(first, second, &resumeText, textLimit) else { return false }
        textAt = resumeText
      }
    }
  }

  /// Joins the wildcards behind a run wildcard: each `anyOne` takes a character. Gives the next
  /// character of the pattern, 0 at its end, `.max` if the text is too short.
  private func skipRun(
    _ pattern: inout Position, _ patternLimit: Position, _ text: inout Position,
    _ textLimit: Position
  ) -> UInt32 {
    while true {
      let character = read(&pattern, patternLimit)
      if character == 0 { return 0 }
      if character == anyRun { continue }
      if character != anyOne { return character }
      if read(&text, textLimit) == 0 { return .max }
    }
  }

  /// The byte that has to follow in the text, in lower case where case does not matter; 0 where
  /// another may, too.
  @inline(__always)
  private func follower(_ pattern: Position, _ limit: Position) -> UInt8 {
    guard pattern < limit else { return 0 }
    let byte = pattern.pointee, character = UInt32(byte)
    if byte >= 0x80 || character == anyRun || character == anyOne || character == special { return 0 }
    return ignoresCase ? ASCII.lower(byte) : byte
  }

  @inline(__always)
  private func follows(_ follower: UInt8, _ text: Position, _ limit: Position) -> Bool {
    if follower == 0 { return true }
    guard text < limit else { return false }
    return (ignoresCase ? ASCII.lower(text.pointee) : text.pointee) == follower
  }

  /// Moves behind the next occurrence of a character with the byte that follows it; false if there
  /// is none.
  @inline(__always)
  private func find(
    _ character: UInt32, _ follower: UInt8, _ text: inout Position, _ limit: Position
  ) -> Bool {
    if character >= 0x80 {
      while text < limit { if TextConversion.readUTF8(&text, limit) == character { return true } }
      return false
    }
    let byte = UInt8(truncatingIfNeeded: character)
    if !ignoresCase || !ASCII.isLetter(byte) {
      while let found = Memory.first(
        byte, in: UnsafeBufferPointer(start: text, count: limit - text))
      {
        text += found + 1
        if follows(follower, text, limit) { return true }
      }
      return false
    }
    let folded = byte | 0x20
    // Eight bytes at once: a zero byte of `difference` is a match in either case.
    let wanted = UInt64(folded) &* 0x0101_0101_0101_0101
    while limit - text >= 8 {
      let word = UnsafeRawPointer(text).loadUnaligned(as: UInt64.self)
      let difference = (word | 0x2020_2020_2020_2020) ^ wanted
      let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      if zeros != 0 {
        text += UInt64(littleEndian: zeros).trailingZeroBitCount / 8 + 1
        if follows(follower, text, limit) { return true }
      } else {
        text += 8
      }
    }
    while text < limit {
      let candidate = text.pointee
      text += 1
      if candidate | 0x20 == folded, follows(follower, text, limit) { return true }
    }
    return false
  }

  /// Matches one character of the text with a character, set or escape of the pattern.
  @inline(__always)
  private func matchOne(
    _ character: UInt32, _ pattern: inout Position, _ patternLimit: Position,
    _ text: inout Position, _ textLimit: Position
  ) -> Bool {
    var wanted = character, isEscaped = false
    if wanted == special {
      if hasSets { return matchSet(&pattern, patternLimit, &text, textLimit) }
      wanted = read(&pattern, patternLimit)
      if wanted == 0 { return false }
      isEscaped = true
    }
    let actual = read(&text, textLimit)
    if wanted == actual { return true }
    if ignoresCase && wanted < 0x80 && actual < 0x80 {
      let folded = ASCII.lower(UInt8(truncatingIfNeeded: wanted))
      if folded == ASCII.lower(UInt8(truncatingIfNeeded: actual)) { return true }
    }
    return wanted == anyOne && !isEscaped && actual != 0
  }

  /// GLOB's `[...]`: characters and ranges, inverted by `^`; a `]` in first place is meant itself.
  private func matchSet(
    _ pattern: inout Position, _ patternLimit: Position, _ text: inout Position,
    _ textLimit: Position
  ) -> Bool {
    let actual = read(&text, textLimit)
    if actual == 0 { return false }
    var isSeen = false, isInverted = false, previous: UInt32 = 0
    var member = read(&pattern, patternLimit)
    if member == 0x5e {
      isInverted = true
      member = read(&pattern, patternLimit)
    }
    if member == 0x5d {
      isSeen = actual == 0x5d
      member = read(&pattern, patternLimit)
    }
    while member != 0 && member != 0x5d {
      if member == 0x2d && previous > 0 && pattern < patternLimit && pattern.pointee != 0x5d {
        member = read(&pattern, patternLimit)
        if actual >= previous && actual <= member { isSeen = true }
        previous = 0
      } else {
        if actual == member { isSeen = true }
        previous = member
      }
      member = read(&pattern, patternLimit)
    }
    return member != 0 && isSeen != isInverted
  }
}

extension BuiltInFunctions {
  /// What PRAGMA case_sensitive_like puts in the place of LIKE. SQLite registers it as one of the
  /// application's, so that it is not taken for deterministic, whichever way it is switched.
  static func likes(areCaseSensitive: Bool) -> [ScalarFunction] {
    [2, 3].map { count in
      areCaseSensitive
        ? ScalarFunction(
          "like", .exactly(count), [.innocuous, .like, .tellsCase], body: likeTellingCase)
        : ScalarFunction("like", .exactly(count), [.innocuous, .like], body: likeIgnoringCase)
    }
  }

  /// `like(pattern, text, escape)`, which is `text LIKE pattern ESCAPE escape`.
  @Sendable static func likeIgnoringCase(_ call: FunctionContext) throws(SQLError) {
    try match(call) { LikePattern.like(escape: $0, ignoresCase: true) }
  }

  @Sendable private static func likeTellingCase(_ call: FunctionContext) throws(SQLError) {
    try match(call) { LikePattern.like(escape: $0, ignoresCase: false) }
  }

  @Sendable static func glob(_ call: FunctionContext) throws(SQLError) {
    try match(call) { _ in LikePattern.glob }
  }

  @inline(__always)
  private static func match(
    _ call: FunctionContext, _ matcher: (_ escape: UInt32) -> LikePattern
  ) throws(SQLError) {
    let pattern = try call.text(0), text = try call.text(1)
    guard pattern?.count ?? 0 <= call.host.likePatternLimit else {
      throw .sql("LIKE or GLOB pattern too complex")
    }
    var escape: UInt32 = 0
    if call.count == 3 {
      guard let escapeText = try call.text(2) else { return call.setNull() }
      guard characterCount(escapeText) == 1, var position = escapeText.baseAddress else {
        throw .sql("ESCAPE expression must be a single character")
      }
      escape = TextConversion.readUTF8(&position, position + escapeText.count)
    }
    guard let pattern, let text else { return call.setNull() }
    call.setInteger(matcher(escape).matches(pattern: pattern, text: text) ? 1 : 0)
  }
}

/// LIKE and GLOB for texts outside of SQL (c3ref/strlike, c3ref/strglob).
public enum TextPattern {
  public static func isLike(
    _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>, escape: UInt32
  ) -> Bool {
    // `%` remains a wildcard here, as the run is looked for before the escape character.
    var matcher = LikePattern.like(escape: escape, ignoresCase: true)
    matcher.anyRun = 0x25
    return matcher.matches(pattern: pattern, text: text)
  }

  public static func isGlob(
    _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    LikePattern.glob.matches(pattern: pattern, text: text)
  }
}
