/// Programs of INSERTs of one row of literals, found by the text before the first literal.
///
/// A dump is thousands of `INSERT INTO t VALUES(…)` that differ in their literals only. From the
/// second on they share a program that has parameters in place of the literals. What
/// follows the literals may only be the end of the statement.
struct InsertCache {
  private static let entryCount = 8
  private static let longestStart = 512

  final class Entry {
    /// The text up to the first literal, and where the statement begins in it.
    let start: [UInt8]
    let statementOffset: Int32
    let literalCount: Int
    /// The program with parameters, once there was a second statement.
    fileprivate(set) var program: Program?

    init(start: [UInt8], statementOffset: Int32, literalCount: Int) {
      self.start = start
      self.statementOffset = statementOffset
      self.literalCount = literalCount
    }

    /// The statement with parameters for the literals.
    fileprivate func makeText() throws(SQLError) -> SQLText {
      var bytes = start
      for index in 0..<literalCount {
        bytes.append(UInt8(ascii: "?"))
        bytes.append(UInt8(ascii: index == literalCount - 1 ? ")" : ","))
      }
      let text = bytes.withUnsafeBufferPointer { bytes in
        Result { () throws(SQLError) in try SQLText(copying: bytes) }
      }
      return try text.get()
    }
  }

  private var entries: [Entry] = []
  private var oldest = 0

  /// The entry whose start the text has.
  func find(_ text: UnsafeBufferPointer<UInt8>) -> Entry? {
    guard let bytes = text.baseAddress else { return nil }
    for entry in entries {
      let count = entry.start.count
      if count < text.count, Memory.compare(entry.start, bytes, count) == 0 { return entry }
    }
    return nil
  }

  /// Notes the start of an INSERT of literals.
  mutating func keep(_ parsed: ParsedStatement) {
    guard case .insert(let insert) = parsed.statement, parsed.explain == .none,
      parsed.parameterCount == 0, insert.with == nil, insert.upserts.isEmpty,
      insert.returning.isEmpty, let source = insert.source, source.with == nil,
      source.cores.count == 1, case .values(let rows) = source.cores[0], rows.count == 1,
      source.orderBy.isEmpty, source.limit == nil, let first = rows[0].first,
      rows[0].allSatisfy({ $0.isLiteral })
    else { return }
    let count = Int(first.range.start)
    let text = UnsafeBufferPointer(start: parsed.text.start, count: parsed.text.count)
    guard count <= InsertCache.longestStart, find(text) == nil else { return }
    let entry = Entry(
      start: Array(text[..<count]), statementOffset: parsed.range.start,
      literalCount: rows[0].count)
    if entries.count < InsertCache.entryCount {
      entries.append(entry)
    } else {
      entries[oldest] = entry
      oldest = (oldest + 1) % InsertCache.entryCount
    }
  }

  mutating func removeAll() {
    entries = []
    oldest = 0
  }
}

extension Expression {
  /// NULL, a string, a blob, or a number with or without a minus.
  fileprivate var isLiteral: Bool {
    switch kind {
    case .null, .number, .string, .blob: return true
    case .unary(.minus, let operand):
      if case .number = operand.kind { return true }
      return false
    default: return false
    }
  }
}

extension Connection {
  /// The statement that `sql` begins with, if the program of an earlier one does for it.
  func prepareInsert(
    _ sql: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) -> (statement: Statement?, consumed: Int)? {
    guard hooks.authorizer == nil, let entry = programs.inserts.find(sql),
      let program = insertProgram(entry)
    else {
      return nil
    }
    let text = try SQLText(copying: sql)
    let statement = try Statement(
      connection: self,
      source: StatementSource(
        text: text, offset: entry.statementOffset, literalCount: entry.literalCount),
      program: program)
    let reader = LiteralReader(text: text, encoding: program.encoding)
    let end = try reader.read(
      entry.literalCount, from: entry.start.count, into: statement.vm.parameters + 1)
    guard let end else { return nil }
    statement.source.range.end = Int32(truncatingIfNeeded: end)
    return (statement, Tokenizer.token(text.start, from: end).end)
  }

  /// The program with parameters; nil where it cannot be made: what is wrong, the statement itself
  /// says when it is compiled.
  private func insertProgram(_ entry: InsertCache.Entry) -> Program? {
    if let program = entry.program, program.catalog === catalog { return program }
    entry.program = nil
    do throws(SQLError) {
      guard let parsed = try Parser.parse(try entry.makeText()) else { return nil }
      entry.program = try compile(parsed)
    } catch {
      return nil
    }
    return entry.program
  }
}
