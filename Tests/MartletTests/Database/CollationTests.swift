import Foundation
import Martlet
import Testing

/// The functions and collations that every connection has, and custom formats of dumps.
@Suite struct CollationTests {
  @Test func `texts are ordered as Swift and Foundation order them`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('z'), ('É'), ('e'), ('B'), ('a10'), ('a9')")
      func ordered(_ collation: DatabaseCollation) throws -> [String] {
        try Table("t").select(Column("a"), as: String.self)
          .order(Column("a").collating(collation)).fetchAll(db)
      }
      #expect(try ordered(.unicodeCompare) == ["B", "a10", "a9", "e", "z", "É"])
      #expect(try ordered(.caseInsensitiveCompare).prefix(3) == ["a10", "a9", "B"])
      #expect(try ordered(.localizedStandardCompare).prefix(2) == ["a9", "a10"])
      #expect(try ordered(.localizedCompare).count == 6)
      #expect(try ordered(.localizedCaseInsensitiveCompare).first == "a10")
    }
  }

  @Test func `a collation can be added and removed`() throws {
    try inEmptyDatabase { db throws in
      let reversed = DatabaseCollation("reversed") { left, right in
        left < right ? .orderedDescending : left == right ? .orderedSame : .orderedAscending
      }
      db.add(collation: reversed)
      let sql = "SELECT * FROM (VALUES ('a'), ('b')) ORDER BY 1 COLLATE reversed"
      #expect(try String.fetchAll(db, sql: sql) == ["b", "a"])
      db.remove(collation: reversed)
      db.releaseMemory()
      #expect(
        databaseError { try String.fetchAll(db, sql: sql) }?.message
          == "no such collation sequence: reversed")
    }
  }

  @Test func `Swift's functions of text are there under their names`() throws {
    try inEmptyDatabase { db throws in
      for (function, text) in [
        (DatabaseFunction.capitalize, "Élan Vital"), (.lowercase, "élan vital"),
        (.uppercase, "ÉLAN VITAL"), (.localizedCapitalize, "Élan Vital"),
        (.localizedLowercase, "élan vital"), (.localizedUppercase, "ÉLAN VITAL"),
      ] {
        let call = function("élan Vital".databaseValue)
        #expect(try String.fetchOne(db, SQLRequest<String>(literal: "SELECT \(call)")) == text)
      }
    }
  }

  @Test func `traced arguments are shown where the configuration says so`() throws {
    for isPublic in [false, true] {
      var configuration = Configuration()
      configuration.publicStatementArguments = isPublic
      try emptyDatabase(configuration).inDatabase { db throws in
        var texts: [String] = []
        db.trace { texts.append("\($0)") }
        try db.execute(sql: "SELECT ?", arguments: ["secret"])
        #expect(texts == [isPublic ? "SELECT 'secret'" : "SELECT ?"])
      }
    }
  }

  @Test func `an application has formats of its own`() throws {
    struct Counting: DumpFormat {
      var count = 0
      mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        count += 1
      }
      mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        stream.write("\(count) rows\n")
      }
    }
    final class Output: TextOutputStream {
      var text = ""
      func write(_ string: String) { text += string }
    }
    try inEmptyDatabase { db throws in
      let output = Output()
      try db.dumpSQL("VALUES (1), (2)", format: Counting(), to: output)
      #expect(output.text == "2 rows\n")
    }
  }
}
