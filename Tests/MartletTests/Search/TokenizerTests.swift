import Foundation
import Martlet
import Testing

/// Leaves out some words.
private final class StopWords: FTS5WrapperTokenizer {
  static let name = "stopwords"
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(
      arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments))
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    if token == "bomb" { throw DatabaseError(resultCode: .SQLITE_FULL) }
    if token == "trouble" { throw CancellationError() }
    if token != "the" { try tokenCallback(token, flags) }
  }
}

/// Says each number as a word too.
private final class Numbers: FTS5WrapperTokenizer {
  static let name = "numbers"
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(StopWords.tokenizerDescriptor())
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    try tokenCallback(token, flags)
    guard tokenization.contains(.document), token == "1st" else { return }
    try tokenCallback("first", flags.union(.colocated))
  }
}

/// Each byte is a token, as its arguments want it: with wrong places, or none.
private final class Bytes: FTS5CustomTokenizer {
  static let name = "bytes"
  private let arguments: [String]

  init(db: Database, arguments: [String]) throws {
    if arguments == ["refuse"] { throw DatabaseError(resultCode: .SQLITE_AUTH) }
    if arguments == ["fail"] { throw CancellationError() }
    self.arguments = arguments
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let pText else { return SQLITE_OK }
    if arguments == ["stop"] { return ResultCode.SQLITE_IOERR.rawValue }
    for index in 0..<nText {
      let places: (CInt, CInt) =
        switch arguments.first {
        case "wild": (index == 0 ? -5 : 1_000_000, index == 1 ? -1 : .max)
        case "backwards": (nText - index, nText - index - 1)
        default: (index, index + 1)
        }
      // What comes back is forgotten where the test wants it.
      let count: CInt = arguments == ["negative"] ? -1 : arguments == ["empty"] ? 0 : 1
      let code = tokenCallback(context, 0, pText + Int(index), count, places.0, places.1)
      if code != SQLITE_OK, arguments != ["deaf"] { return code }
    }
    return SQLITE_OK
  }
}

/// Tokenizers of FTS5.
@Suite struct FTS5TokenizerTests {
  private func inDatabase(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      db.add(tokenizer: StopWords.self)
      db.add(tokenizer: Numbers.self)
      db.add(tokenizer: Bytes.self)
      try body(db)
    }
  }

  private func makeTable(_ db: Database, _ tokenizer: FTS5TokenizerDescriptor) throws {
    try db.create(virtualTable: "d", using: FTS5()) { t in
      t.tokenizer = tokenizer
      t.column("content")
    }
  }

  private func count(_ db: Database, _ pattern: String) throws -> Int? {
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM d WHERE d MATCH ?", arguments: [pattern])
  }

  @Test func `tokens of the engine's tokenizers`() throws {
    try inDatabase { db throws in
      func tokens(_ tokenizer: FTS5TokenizerDescriptor) throws -> [String] {
        try db.makeTokenizer(tokenizer).tokenize(query: "Jérôme's databases").map { $0.token }
      }
      #expect(try tokens(.ascii()) == ["jérôme", "s", "databases"])
      #expect(try tokens(.unicode61()) == ["jerome", "s", "databases"])
      #expect(try tokens(.porter()) == ["jerom", "s", "databas"])
      let split = FTS5TokenizerDescriptor.porter(wrapping: .ascii(separators: ["b"]))
      #expect(try tokens(split) == ["jérôme", "s", "data", "as"])
      #expect(
        try tokens(.unicode61(diacritics: .keep, tokenCharacters: ["'"]))
          == ["jérôme's", "databases"])
      let trigram = FTS5TokenizerDescriptor(components: ["trigram"])
      let threes = try db.makeTokenizer(trigram).tokenize(document: "abcd")
      #expect(threes.map { $0.token } == ["abc", "bcd"])
      #expect(try db.makeTokenizer(.ascii()).tokenize(document: "").isEmpty)
    }
  }

  @Test func `a wrapper leaves tokens out, in rows and in queries`() throws {
    try inDatabase { db throws in
      try makeTable(db, StopWords.tokenizerDescriptor(arguments: ["porter", "ascii"]))
      try db.execute(sql: "INSERT INTO d VALUES ('the databases'), ('of the past')")
      #expect(try count(db, "the") == 0)
      #expect(try count(db, "database") == 1)
      #expect(try count(db, "\"of the the past\"") == 1)
    }
  }

  @Test func `a wrapper of a wrapper says synonyms`() throws {
    try inDatabase { db throws in
      try makeTable(db, Numbers.tokenizerDescriptor())
      try db.execute(sql: "INSERT INTO d VALUES ('the 1st row'), ('the first column')")
      #expect(try count(db, "first") == 2)
      #expect(try count(db, "1st") == 1)
      #expect(try count(db, "\"first row\"") == 1)
      let tokens = try db.makeTokenizer(Numbers.tokenizerDescriptor())
        .tokenize(document: "the 1st row")
      #expect(tokens.map { $0.token } == ["1st", "first", "row"])
      #expect(tokens.map { $0.flags } == [[], .colocated, []])
      #expect(
        try String.fetchOne(
          db, sql: "SELECT highlight(d, 0, '[', ']') FROM d WHERE d MATCH 'first' ORDER BY rowid")
          == "the [1st] row")
    }
  }

  @Test func `what a tokenizer throws ends the statement with its code`() throws {
    try inDatabase { db throws in
      try makeTable(db, Numbers.tokenizerDescriptor())
      let full = databaseError { try db.execute(sql: "INSERT INTO d VALUES ('a bomb')") }
      #expect(full?.resultCode == .SQLITE_FULL)
      let other = databaseError { try db.execute(sql: "INSERT INTO d VALUES ('trouble')") }
      #expect(other?.resultCode == .SQLITE_ERROR)
      #expect(databaseError { try count(db, "bomb") }?.resultCode == .SQLITE_FULL)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM d") == 0)
      let tokenizer = try db.makeTokenizer(StopWords.tokenizerDescriptor())
      #expect(databaseError { try tokenizer.tokenize(query: "bomb") }?.resultCode == .SQLITE_FULL)
    }
  }

  @Test func `a tokenizer that cannot be made is an error`() throws {
    try inDatabase { db throws in
      let refusal = databaseError {
        try makeTable(db, Bytes.tokenizerDescriptor(arguments: ["refuse"]))
      }
      #expect(refusal?.message == "error in tokenizer constructor")
      let failure = databaseError {
        try db.makeTokenizer(Bytes.tokenizerDescriptor(arguments: ["fail"]))
      }
      #expect(failure?.message == "error in tokenizer constructor")
      let missing = FTS5TokenizerDescriptor(components: ["missing"])
      let messages = [
        databaseError { try db.makeTokenizer(missing) }?.message,
        databaseError { try makeTable(db, missing) }?.message,
      ]
      #expect(messages == ["no such tokenizer: missing", "no such tokenizer: missing"])
      let odd = FTS5TokenizerDescriptor(components: ["ascii", "odd"])
      #expect(databaseError { try db.makeTokenizer(odd) } != nil)
    }
  }

  @Test(arguments: ["plain", "wild", "backwards", "negative", "empty", "stop", "deaf"])
  func `no tokenizer of the program stops it`(behaviour: String) throws {
    try inDatabase { db throws in
      try makeTable(db, Bytes.tokenizerDescriptor(arguments: [behaviour]))
      for value in [
        "'abc'", "x'ff00fe'", "CAST(x'ff00fe' AS TEXT)", "'é' || char(0) || 'a'", "NULL", "1",
      ] {
        _ = databaseError { try db.execute(sql: "INSERT INTO d VALUES (\(value))") }
      }
      for function in ["highlight(d, 0, '[', ']')", "snippet(d, 0, '[', ']', '…', 3)", "bm25(d)"] {
        for pattern in ["a", "abc", "a*", "\"a b\""] {
          _ = databaseError {
            try Row.fetchAll(
              db, sql: "SELECT \(function) FROM d WHERE d MATCH ?", arguments: [pattern])
          }
        }
      }
      if behaviour == "plain" {
        #expect(try count(db, "b") == 1)
        #expect(
          try String.fetchOne(db, sql: "SELECT highlight(d, 0, '[', ']') FROM d WHERE d MATCH 'b'")
            == "a[b]c")
      }
    }
  }

  @Test func `tokens that are no UTF-8 are left out`() throws {
    try inDatabase { db throws in
      let tokenizer = try db.makeTokenizer(Bytes.tokenizerDescriptor())
      #expect(try tokenizer.tokenize(document: "aéb").map { $0.token } == ["a", "b"])
      let wrapper = try db.makeTokenizer(
        StopWords.tokenizerDescriptor(arguments: ["bytes"]))
      #expect(try wrapper.tokenize(query: "aéb").map { $0.token } == ["a", "b"])
    }
  }

  @Test func `a connection with tokenizers is released`() throws {
    weak var released: Database?
    try {
      let queue = try emptyDatabase()
      try queue.inDatabase { db throws in
        released = db
        db.add(tokenizer: Numbers.self)
        db.add(tokenizer: StopWords.self)
        try makeTable(db, Numbers.tokenizerDescriptor())
        try db.execute(sql: "INSERT INTO d VALUES ('a')")
      }
    }()
    #expect(released == nil)
  }

  @Test func `every connection of a pool has its tokenizers`() throws {
    try withTemporaryPath { path in
      var configuration = Configuration()
      configuration.prepareDatabase { $0.add(tokenizer: StopWords.self) }
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.write { db throws in
        try makeTable(db, StopWords.tokenizerDescriptor())
        try db.execute(sql: "INSERT INTO d VALUES ('the end')")
      }
      #expect(try pool.read { try count($0, "end") } == 1)
      let other = try DatabaseQueue(path: path)
      let error = databaseError { try other.read { try count($0, "end") } }
      #expect(error?.message?.contains("stopwords") == true)
      #expect(try other.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM d_content") } == 1)
    }
  }
}
