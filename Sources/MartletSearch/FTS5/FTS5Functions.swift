import MartletEngine

extension FunctionSet {
  /// The functions of full-text search but `fts3_tokenizer`, and the names that its tables give a
  /// meaning.
  static let search = FunctionSet { set throws(SQLError) in
    let overloads = [
      ("bm25", -1), ("fts5_get_locale", -1), ("highlight", -1), ("matchinfo", 1),
      ("matchinfo", 2), ("offsets", 1), ("optimize", 1), ("snippet", -1),
    ]
    for (name, count) in overloads { try set.overloadFunction(name, argumentCount: count) }
    try set.createFunction(
      "fts5_source_id", argumentCount: 0, options: [.innocuous, .deterministic]
    ) { call throws(SQLError) in try call.setResult(text: FTS5Functions.sourceID) }
    try set.createRawFunction(
      "fts5_locale", argumentCount: 2, options: [.innocuous, .subtype, .resultSubtype],
      LocaleFunction())
    try set.createRawFunction(
      "fts5_insttoken", argumentCount: 1, options: [.innocuous, .resultSubtype],
      TokenInstanceFunction())
    try set.createTokenizerFunctions()
  }
}

enum FTS5Functions {
  /// That of the release whose formats and rules these are.
  static let sourceID =
    "fts5: 2026-07-24 19:02:57 bf7c7f30031888f4e796e429ab3978879485813aaca6f641c7b33e4e09459bcc"
}

/// `fts5_locale(locale, text)` (fts5 §4.8).
private final class LocaleFunction: RawFunction, @unchecked Sendable {
  override func call(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    let locale = try MarkText.bytes(invocation.pointee.argument(0))
    let source = ValueBytes()
    let text = try source.bytes(invocation.pointee.argument(1))
    let result = invocation.pointee.result
    guard !locale.isEmpty else { return try result.set(invocation.pointee.argument(1)) }
    let bytes = withExtendedLifetime(source) { LocaleValue.mark + locale + [0] + Array(text) }
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(SQLError) in try result.set(blob: buffer) }
    }.get()
    result.setSubtype(LocaleValue.subtype)
  }
}

/// `fts5_insttoken(query)` (fts5 §5.1.5): the query, marked.
final class TokenInstanceFunction: RawFunction, @unchecked Sendable {
  /// Of a query whose tokens are kept.
  static let subtype: UInt8 = 73

  override func call(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
    try invocation.pointee.result.set(invocation.pointee.argument(0))
    invocation.pointee.result.setSubtype(TokenInstanceFunction.subtype)
  }
}

/// `fts5_get_locale(table, column)` (fts5 §5.1.4).
final class GetLocaleFunction: AuxiliaryFunction {
  func call(
    _ match: FTS5Cursor, _ arguments: [ValueReference], _ result: ResultPlace
  ) throws(SQLError) {
    guard arguments.count == 1 else {
      throw SQLError(.error, "wrong number of arguments to function fts5_get_locale()")
    }
    guard arguments[0].numericType == .integer else {
      throw SQLError(.error, "non-integer argument passed to function fts5_get_locale()")
    }
    let column = arguments[0].int64
    guard (0..<Int64(match.columnCount)).contains(column) else { throw SQLError(.range) }
    try match.withText(ofColumn: Int(column)) { _, locale throws(SQLError) in
      if let locale { try result.set(text: locale, encoding: .utf8) }
    }
  }
}
