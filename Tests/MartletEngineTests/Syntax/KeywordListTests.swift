import Testing

@testable import MartletEngine

@Suite struct KeywordListTests {
  private func isKeyword(_ word: String) -> Bool {
    Array(word.utf8).withUnsafeBufferPointer { KeywordList.contains($0) }
  }

  @Test func `every listed word is a keyword in any case, and no other is`() {
    #expect(KeywordList.count == 147)
    for index in 0..<KeywordList.count {
      let word = "\(KeywordList.name(at: index))"
      #expect(isKeyword(word), "\(word)")
      #expect(isKeyword(word.lowercased()), "\(word)")
      #expect(!isKeyword(word + "x"), "\(word)")
    }
    for word in ["", "a", "rowid", "current\u{7f}date", "select ", "currenttimestampxyz"] {
      #expect(!isKeyword(word), "\(word)")
    }
  }
}
