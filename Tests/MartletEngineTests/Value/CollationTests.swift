import Testing

@testable import MartletEngine

@Suite struct CollationTests {
  private func bytes(_ text: String, _ encoding: TextEncoding) -> [UInt8] {
    switch encoding {
    case .utf8: return Array(text.utf8)
    case .utf16LittleEndian: return text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    case .utf16BigEndian: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    }
  }

  private func compare(
    _ collation: Collation, _ left: [UInt8], _ right: [UInt8], _ encoding: TextEncoding
  ) throws -> Int {
    try left.withUnsafeBufferPointer { left in
      try right.withUnsafeBufferPointer { right in
        try collation.compare(left, right, encoding: encoding).signum()
      }
    }
  }

  private static let encodings: [TextEncoding] = [.utf8, .utf16LittleEndian, .utf16BigEndian]

  @Test(arguments: encodings)
  func `NOCASE folds the 26 letters of ASCII only`(encoding: TextEncoding) throws {
    let cases: [(String, String, Int)] = [
      ("", "", 0), ("", "a", -1), ("ABC", "abc", 0), ("abcdefghIJKLMNOPq", "ABCDEFGHijklmnopQ", 0),
      ("abcdefghijkA", "ABCDEFGHIJKb", -1), ("É", "é", -1), ("[", "a", -1), ("@", "`", -1),
      ("Z", "[", 1), ("z", "{", -1), ("a😀", "A\u{ffff}", 1), ("abc", "ABCD", -1),
      ("_", "A", -1),
    ]
    for (left, right, order) in cases {
      let result = try compare(
        .noCase, bytes(left, encoding), bytes(right, encoding), encoding)
      #expect(result == order, "\(left) \(right)")
      let reverse = try compare(
        .noCase, bytes(right, encoding), bytes(left, encoding), encoding)
      #expect(reverse == -order, "\(right) \(left)")
    }
  }

  @Test(arguments: encodings)
  func `a NUL that two texts share ends NOCASE's comparison of bytes`(
    encoding: TextEncoding
  ) throws {
    #expect(
      try compare(.noCase, bytes("ab\0x", encoding), bytes("AB\0y", encoding), encoding) == 0)
    #expect(
      try compare(.noCase, bytes("ab\0z", encoding), bytes("AB\0yy", encoding), encoding) == -1)
    #expect(
      try compare(
        .noCase, bytes("12345\0xxxxx", encoding), bytes("12345\0yyyyy", encoding), encoding) == 0)
  }

  @Test(arguments: encodings)
  func `RTRIM ignores trailing spaces only`(encoding: TextEncoding) throws {
    let cases: [(String, String, Int)] = [
      ("a", "a   ", 0), ("   ", "", 0), (" a", "a", -1), ("a b", "a", 1), ("a\t", "a", 1),
      ("A", "a", -1), ("a  ", "a\u{1}", -1),
    ]
    for (left, right, order) in cases {
      let result = try compare(
        .rightTrim, bytes(left, encoding), bytes(right, encoding), encoding)
      #expect(result == order, "\(left) \(right)")
    }
  }

  @Test func `a custom collation gets its own encoding, whatever the database's is`() throws {
    let texts = ["", "abc", "é漢😀"]
    for wanted in Self.encodings {
      for stored in Self.encodings {
        for text in texts {
          let expected = bytes(text, wanted)
          let collation = Collation(name: "c", encoding: wanted) { left, right in
            Array(left) == expected && Array(right).isEmpty ? 7 : -99
          }
          let text = bytes(text, stored)
          let result = try text.withUnsafeBufferPointer { left in
            try [UInt8]().withUnsafeBufferPointer { right in
              try collation.compare(left, right, encoding: stored)
            }
          }
          #expect(result == 7, "\(stored) to \(wanted)")
        }
      }
    }
  }
}
