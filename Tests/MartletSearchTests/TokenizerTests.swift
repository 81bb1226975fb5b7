import TestSupport
import Testing

@testable import MartletSearch

/// Tokenizers against C's, by `fts5vocab` and `fts3tokenize`.
struct TokenizerTests {
  /// One line a token: the text's number, the token in hexadecimal digits, for FTS3 where it is.
  private static func lines(
    _ texts: [[UInt8]], _ tokenizer: any Tokenizer
  ) throws -> [String] {
    var lines: [String] = []
    for (number, text) in texts.enumerated() {
      var index = 0
      try text.withUnsafeBytes { bytes in
        try tokenizer.tokenize(bytes, reason: .document, locale: nil) { token, _, _, _ in
          lines.append("\(number + 1)|\(index)|\(hex(token))")
          index += 1
        }
      }
    }
    return lines
  }

  /// Those of FTS3 and FTS4, with their places in the text.
  private static func lines(
    _ texts: [[UInt8]], _ tokenizer: any LegacyTokenizer
  ) throws -> [String] {
    var lines: [String] = []
    for (number, text) in texts.enumerated() {
      try text.withUnsafeBytes { bytes in
        try tokenizer.tokenize(bytes, language: nil) { token, start, end, position in
          lines.append("\(number + 1)|\(position)|\(hex(token))|\(start)|\(end)")
        }
      }
    }
    return lines
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// What C makes of the texts. They are inserted as blobs that are cast to text.
  private static func oracleLines(
    _ texts: [[UInt8]], fts5 options: String
  ) throws -> [String] {
    let oracle = try OracleShell(":memory:")
    var script = "CREATE VIRTUAL TABLE t USING fts5(x, content='', tokenize=\"\(options)\");"
    script += "BEGIN;\n"
    for (number, text) in texts.enumerated() {
      script += "INSERT INTO t(rowid,x) VALUES(\(number + 1),CAST(x'\(hex(text))' AS TEXT));\n"
    }
    script += """
      COMMIT;
      CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);
      SELECT doc, offset, hex(term) FROM v ORDER BY doc, offset;
      """
    return try oracle.run(script).split(separator: "\n").map(String.init)
  }

  private static func oracleLines(
    _ texts: [[UInt8]], fts3 arguments: String
  ) throws -> [String] {
    let oracle = try OracleShell(":memory:")
    var script = """
      CREATE VIRTUAL TABLE k USING fts3tokenize(\(arguments));
      CREATE TABLE s(i INTEGER PRIMARY KEY, x); BEGIN;

      """
    for (number, text) in texts.enumerated() {
      script += "INSERT INTO s VALUES(\(number + 1),CAST(x'\(hex(text))' AS TEXT));\n"
    }
    script += """
      COMMIT;
      SELECT i, position, hex(token), start, end FROM s, k WHERE k.input = s.x;
      """
    return try oracle.run(script).split(separator: "\n").map(String.init)
  }

  /// Texts that have each code point alone, and between letters.
  private static let everyScalar = scalars(below: 0x110000)
  private static let commonScalars = scalars(below: 0x3400)

  private static func scalars(below limit: Int) -> [[UInt8]] {
    stride(from: 1, to: limit, by: 512).map { first in scalars(first..<(first + 512)) }
  }

  private static func scalars(_ range: Range<Int>) -> [UInt8] {
    var text: [UInt8] = []
    for scalar in range {
      guard let scalar = Unicode.Scalar(UInt32(scalar)) else { continue }
      let bytes = Array(String(scalar).utf8)
      text += bytes + [0x20, 0x78] + bytes + [0x79, 0x20]
    }
    return text
  }

  private static func randomTexts(_ count: Int, seed: UInt64) -> [[UInt8]] {
    var random = SeededNumbers(seed: seed)
    let words = [
      "running", "hopping", "relational", "conditional", "happy", "sky", "agreed", "plastered",
      "bled", "motoring", "sing", "sized", "falling", "hissing", "failing", "filing", "probate",
      "controll", "roll", "cease", "generalizations", "oscillators", "caresses", "ponies", "ties",
      "x1234567", "1234567890", "abcdefghijklmnopqrstuvwxyz", "Ärger", "ÉTÉ", "e\u{301}te",
      "日本語", "1_000", "déjà", "ố", "Ⅷ", "\u{301}x", "İstanbul", "ΣΑΣ", "y", "by", "yes",
    ].map { Array($0.utf8) }
    let endings = [
      "ational", "tional", "enci", "izer", "ization", "ator", "alism", "iveness", "fulness",
      "aliti", "iviti", "biliti", "icate", "ative", "alize", "ical", "ness", "ance", "able",
      "ement", "ment", "ent", "ion", "sion", "tion", "ou", "ate", "iti", "ous", "ive", "ize", "eed",
      "ed", "ing", "sses", "ies", "s", "ss", "e", "ll", "y", "bli", "logi", "eli",
    ].map { Array($0.utf8) }
    return (0..<count).map { _ in
      var text: [UInt8] = []
      for _ in 0..<(1 + random.below(6)) {
        switch random.below(8) {
        case 0, 1: text += words[random.below(words.count)]
        case 2, 3:
          let letters = Array("aeioubcdfgklmnprstvwxyzAY".utf8)
          for _ in 0..<random.below(8) { text.append(letters[random.below(letters.count)]) }
          text += endings[random.below(endings.count)]
        case 4: for _ in 0..<random.below(6) { text.append(UInt8(1 + random.below(255))) }
        case 5: for _ in 0..<random.below(6) { text.append(UInt8(0xc0 + random.below(64))) }
        case 6: for _ in 0..<random.below(9) { text.append(UInt8(0x20 + random.below(0x5f))) }
        default:
          if let scalar = Unicode.Scalar(UInt32(random.below(0x3000))), scalar.value > 0 {
            text += Array(String(scalar).utf8)
          }
        }
        if random.below(3) > 0 { text.append(0x20) }
      }
      return text
    }
  }

  @Test(
    .enabled(if: OracleShell.isAvailable),
    arguments: [
      ["unicode61"], ["unicode61", "remove_diacritics", "0"],
      ["unicode61", "remove_diacritics", "2"],
      ["unicode61", "categories", "L* N* M* P* S* Z* C*", "remove_diacritics", "2"],
      ["unicode61", "categories", "LC Nd Mn"], ["unicode61", "categories", "Cc Lu\tSm Zlx"],
      ["unicode61", "tokenchars", ".-é", "separators", "xé\u{301}Δ"],
      ["ascii"], ["ascii", "tokenchars", "-_é", "separators", "xyz"],
      ["trigram"], ["trigram", "case_sensitive", "1"], ["trigram", "remove_diacritics", "1"],
      ["porter"], ["porter", "ascii"], ["porter", "unicode61", "remove_diacritics", "2"],
      ["porter", "trigram"],
    ])
  func `tokens are those of FTS5`(options: [String]) throws {
    let registry = TokenizerRegistry()
    let tokenizer = try registry.tokenizer(
      named: options[0], arguments: Array(options.dropFirst()))
    var texts = Self.randomTexts(1_500, seed: 5)
    if options == ["unicode61", "remove_diacritics", "2"] || options == ["trigram"] {
      texts += Self.everyScalar
    } else if options[0] != "porter" {
      texts += Self.commonScalars
    }
    let quoted = options.map { "'\($0)'" }.joined(separator: " ")
    let expected = try Self.oracleLines(texts, fts5: quoted)
    try compare(Self.lines(texts, tokenizer), expected, texts)
  }

  @Test(
    .enabled(if: OracleShell.isAvailable),
    arguments: [
      ["simple"], ["simple", "", " .x"], ["porter"], ["unicode61"],
      ["unicode61", "remove_diacritics=0"], ["unicode61", "remove_diacritics=2"],
      ["unicode61", "tokenchars=.-é ", "separators=xéΔ."],
      ["unicode61", "separators=aB", "tokenchars=aB=", "remove_diacritics=2"],
    ])
  func `tokens are those of FTS3`(options: [String]) throws {
    let make = try #require(LegacyTokenizerRegistry()[options[0]])
    let tokenizer = try make(Array(options.dropFirst()))
    let isWhole = options == ["unicode61"]
    let texts =
      Self.randomTexts(3_000, seed: 3) + (isWhole ? Self.everyScalar : Self.commonScalars)
    let arguments = options.map { "'\($0)'" }.joined(separator: ",")
    let expected = try Self.oracleLines(texts, fts3: arguments)
    try compare(Self.lines(texts, tokenizer), expected, texts)
  }

  private func compare(_ given: [String], _ expected: [String], _ texts: [[UInt8]]) throws {
    #expect(expected.count > texts.count / 2)
    for (one, other) in zip(given, expected) where one != other {
      let number = Int(other.prefix { $0 != "|" }) ?? 1
      Issue.record("\(one) for \(other) in \(Self.hex(texts[max(number, 1) - 1].prefix(200)))")
      return
    }
    #expect(given.count == expected.count)
  }

  @Test(arguments: [
    ["unicode61", "x"], ["unicode61", "x", "y"], ["unicode61", "remove_diacritics", "3"],
    ["unicode61", "remove_diacritics", "11"], ["unicode61", "categories", "Xx"],
    ["unicode61", "categories", "L"], ["ascii", "tokenchars"], ["ascii", "other", "x"],
    ["trigram", "case_sensitive", "2"],
    ["trigram", "case_sensitive", "1", "remove_diacritics", "1"],
    ["porter", "nothing"], ["porter", "ascii", "x"],
  ])
  func `wrong options are errors`(options: [String]) throws {
    let registry = TokenizerRegistry()
    #expect(throws: (any Error).self) {
      _ = try registry.tokenizer(named: options[0], arguments: Array(options.dropFirst()))
    }
  }
}

/// Numbers that a seed decides.
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return limit > 0 ? Int(state >> 11) % limit : 0
  }
}
