import Martlet
import Testing

/// The SQL of requests with associations is compared as text with what GRDB executes: see
/// `AssociationCase`.
@Suite struct AssociationSQLTests {
  static let hidden = ["SAVEPOINT", "TRANSACTION"]

  @Test(arguments: Library.cases.map { $0.rule })
  func `the SQL is that of GRDB`(rule: String) throws {
    let test = try #require(Library.cases.first { $0.rule == rule })
    let expected = try #require(Library.expectedSQL[rule])
    let texts = try inEmptyDatabase { db throws in
      try Library.make(db)
      return try executedSQL(db) { try test.run(db) }
    }
    #expect(texts.filter { text in !Self.hidden.contains { text.contains($0) } } == expected)
  }
}

extension Library {
  /// By the rules of the cases.
  static let expectedSQL = [
    joinsSQL, keysSQL, derivationsSQL, aliasesSQL, prefetchingSQL, aggregatesSQL, deedsSQL,
  ].reduce(into: [:]) { all, some in all.merge(some) { left, _ in left } }
}
