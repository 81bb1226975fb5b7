import MartletEngine

/// The modules `fts3` and `fts4`.
final class FTS4Module: VirtualTableModule, @unchecked Sendable {
  private let isFTS4: Bool
  private let tokenizers: LegacyTokenizerRegistry

  init(isFTS4: Bool, _ tokenizers: LegacyTokenizerRegistry) {
    self.isFTS4 = isFTS4
    self.tokenizers = tokenizers
  }

  let abilities: VirtualTableAbilities = [
    .writing, .transactions, .savepoints, .renaming, .integrity,
  ]

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try FTS4Table(request, tokenizers, isFTS4: isFTS4, isNew: true)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try FTS4Table(request, tokenizers, isFTS4: isFTS4, isNew: false)
  }

  func isShadowName(_ suffix: String) -> Bool {
    ["content", "docsize", "segdir", "segments", "stat"].contains {
      ASCIILetters.areSame($0, suffix)
    }
  }
}

extension Connection {
  /// Registers FTS3 and FTS4 on this connection (fts3).
  func registerLegacySearch(_ tokenizers: LegacyTokenizerRegistry) throws(SQLError) {
    try createModule("fts3", FTS4Module(isFTS4: false, tokenizers))
    try createModule("fts4", FTS4Module(isFTS4: true, tokenizers))
    try createModule("fts4aux", TermModule())
    try createModule("fts3tokenize", TokenModule(tokenizers))
    // Pointers to tokenizers are the C library's: here they neither come in nor go out.
    try createFunction("fts3_tokenizer", argumentCount: 1, options: .directOnly) {
      call throws(SQLError) in
      let name = try call.text(0) ?? ""
      if tokenizers[name] == nil { throw .search("unknown tokenizer: \(name)") }
    }
    try createFunction("fts3_tokenizer", argumentCount: 2, options: .directOnly) {
      _ throws(SQLError) in throw .search("fts3tokenize disabled")
    }
  }
}
