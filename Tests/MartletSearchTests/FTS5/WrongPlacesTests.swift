import MartletEngine
import MartletSearch
import TestSupport
import Testing

/// Tokenizers of programs that say that tokens stand where there is no text.
struct WrongPlacesTests {
  private final class Misplacing: Tokenizer {
    private let shift: Int

    init(_ shift: Int) { self.shift = shift }

    func tokenize(
      _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
      _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
    ) throws {
      for place in text.indices {
        let token = UnsafeRawBufferPointer(rebasing: text[place...place])
        try body(token, false, shift &+ place, shift &- place)
      }
    }
  }

  @Test(arguments: [-1_000, -2, 2, 1_000, Int.min, Int.max])
  func `are no reason to read outside of the text`(shift: Int) throws {
    let connection = try Connection(path: ":memory:")
    let search = try connection.registerSearch()
    search.tokenizers.register(TokenizerKind(name: "misplacing") { _ in Misplacing(shift) })
    try connection.execute(
      """
      CREATE VIRTUAL TABLE t USING fts5(a, tokenize='misplacing');
      INSERT INTO t VALUES('abcabcabcabcabcabc');
      """)
    for query in ["b", "b + c", "b NOT x", "c OR a"] {
      for function in [
        "highlight(t, 0, '<', '>')", "snippet(t, 0, '<', '>', '…', 3)", "bm25(t)",
      ] {
        let rows = try connection.printed("SELECT \(function) FROM t('\(query)')")
        #expect(rows.hasSuffix("\n"))
      }
    }
  }
}
