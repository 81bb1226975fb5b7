import MartletEngine

/// The modules `fts3` and `fts4`.
final class FTS4Module: VirtualTableModule {
  private let isFTS4: Bool

  init(isFTS4: Bool) { self.isFTS4 = isFTS4 }

  let abilities: VirtualTableAbilities = [
    .writing, .transactions, .savepoints, .renaming, .integrity,
  ]

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try FTS4Table(request, isFTS4: isFTS4, isNew: true)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try FTS4Table(request, isFTS4: isFTS4, isNew: false)
  }

  func isShadowName(_ suffix: String) -> Bool {
    ["content", "docsize", "segdir", "segments", "stat"].contains {
      ASCIILetters.areSame($0, suffix)
    }
  }
}

extension FunctionSet {
  /// The functions of FTS3 and FTS4 that are called outside their tables (fts3 §8.1). Pointers to
  /// tokenizers are the C library's: here they neither come in nor go out.
  func createTokenizerFunctions() throws(SQLError) {
    try createFunction("fts3_tokenizer", argumentCount: 1, options: .directOnly) {
      call throws(SQLError) in
      let name = try call.text(0) ?? ""
      if try FTS5Extension.of(call.connection).legacyTokenizers[name] == nil {
        throw .search("unknown tokenizer: \(name)")
      }
    }
    try createFunction("fts3_tokenizer", argumentCount: 2, options: .directOnly) {
      _ throws(SQLError) in throw .search("fts3tokenize disabled")
    }
  }
}
