import MartletEngine

/// The module `fts3tokenize`: the tokens of a text (fts3 §8.2).
final class TokenModule: VirtualTableModule {
  let abilities: VirtualTableAbilities = .eponymous

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try request.declare("CREATE TABLE x(input, token, start, end, position)")
    let words = request.arguments.map { FTS4Word.dequoted(Array($0.utf8)) }
    let name = words.first ?? "simple"
    let tokenizers = try FTS5Extension.of(request.connection).legacyTokenizers
    guard let make = tokenizers[name] else { throw .search("unknown tokenizer: \(name)") }
    do { return TokenTable(try make(Array(words.dropFirst()))) } catch {
      throw SQLError((error as? SQLError)?.code ?? .error)
    }
  }
}

private final class TokenTable: VirtualTable {
  let tokenizer: any LegacyTokenizer

  init(_ tokenizer: any LegacyTokenizer) { self.tokenizer = tokenizer }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    plan.number = 0
    for (position, constraint) in plan.constraints.enumerated()
    where constraint.isUsable && constraint.column == 0 && constraint.operator == .equal {
      plan.number = 1
      plan.take(position, asArgument: 0, omittingTest: true)
      plan.estimatedCost = 1
      return
    }
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { TokenCursor(self) }
}

private final class TokenCursor: VirtualTableCursor {
  private let table: TokenTable
  private var input: [UInt8] = []
  private var tokens: [(text: [UInt8], start: Int, end: Int, position: Int)] = []
  private var index = 0
  /// What was thrown behind the tokens.
  private var failure: SQLError?

  init(_ table: TokenTable) { self.table = table }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    tokens = []
    index = 0
    failure = nil
    // There are no tokens without a text.
    guard scan.number == 1 else { throw SQLError(.error) }
    input = Array(try scan[0].bytes())
    do {
      try input.withUnsafeBytes { bytes in
        try table.tokenizer.tokenize(bytes, language: nil) { token, start, end, position in
          tokens.append((Array(token), start, end, position))
        }
      }
    } catch {
      failure = error as? SQLError ?? SQLError(.error)
    }
    try checkEnd()
  }

  private func checkEnd() throws(SQLError) { if let failure, isAtEnd { throw failure } }

  override func advance() throws(SQLError) {
    index += 1
    try checkEnd()
  }

  override var isAtEnd: Bool { index >= tokens.count }

  override func rowid() throws(SQLError) -> Int64 { Int64(index + 1) }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    guard index < tokens.count else { return }
    let token = tokens[index]
    switch column {
    case 0, 1:
      try (column == 0 ? input : token.text).withBytes { bytes throws(SQLError) in
        try value.place.set(text: bytes, encoding: .utf8)
      }
    case 2: value.set(token.start)
    case 3: value.set(token.end)
    default: value.set(token.position)
    }
  }
}
