import MartletEngine

/// Functions that sqlite3's shell brings (cli §18): base64, base85, REGEXP, sha3, and the
/// collation UINT.
enum ShellFunctions {
  static func register(on connection: Connection) throws(SQLError) {
    try registerCodes(on: connection)
    try registerExpressions(on: connection)
    try connection.createFunction("sha3", options: hashing) { call throws(SQLError) in
      guard (1...2).contains(call.count) else {
        throw .said("wrong number of arguments to function sha3()")
      }
      let bits = call.count == 2 ? Int(clamping: call.int64(1)) : 256
      guard [224, 256, 384, 512].contains(bits) else {
        throw .said("SHA3 size should be one of: 224 256 384 512")
      }
      if call.type(0) == .null { return }
      var hash = SHA3(bits: bits)
      hash.update(try call.bytes(0))
      try call.setResult(blob: hash.finish())
    }
    try connection.createCollation("uint") { TextCodes.compareNumbers($0, $1) }
  }

  private static let hashing: FunctionOptions = [.deterministic, .innocuous]

  private static func registerCodes(on connection: Connection) throws(SQLError) {
    typealias Code = @Sendable (UnsafeRawBufferPointer) -> [UInt8]
    let codes: [(name: String, end: String, encode: Code, decode: Code)] = [
      ("base64", "", TextCodes.base64, TextCodes.fromBase64),
      ("base85", ".", TextCodes.base85, TextCodes.fromBase85),
    ]
    for (name, end, encode, decode) in codes {
      try connection.createFunction(name, argumentCount: 1, options: hashing) {
        call throws(SQLError) in
        let bytes = try call.bytes(0)
        switch call.type(0) {
        case .blob:
          try encode(bytes).withBytes { text throws(SQLError) in try call.setResult(text: text) }
        case .text: try call.setResult(blob: decode(bytes))
        default: throw .said("\(name) accepts only blob or text\(end)")
        }
      }
    }
    try connection.createFunction("is_base85", argumentCount: 1, options: hashing) {
      call throws(SQLError) in
      switch call.type(0) {
      case .null: break
      case .text: call.setResult(TextCodes.isBase85(try call.bytes(0)))
      default: throw .said("is_base85 accepts only text or NULL")
      }
    }
  }

  private static func registerExpressions(on connection: Connection) throws(SQLError) {
    for (name, ignoresCase) in [("regexp", false), ("regexpi", true)] {
      try connection.createFunction(name, argumentCount: 2, options: hashing) {
        call throws(SQLError) in
        guard call.type(0) != .null, call.type(1) != .null else { return }
        let kept = call.auxiliaryData(0) as? RegularExpression
        let expression: RegularExpression
        do {
          expression =
            try kept
            ?? RegularExpression(try call.text(0) ?? "", ignoresCase: ignoresCase)
        } catch let problem as RegularExpression.Problem {
          throw .said(problem.text)
        } catch let error as SQLError {
          throw error
        } catch {
          throw SQLError(.error)
        }
        if kept == nil { call.setAuxiliaryData(expression, at: 0) }
        call.setResult(expression.matches(try call.text(1) ?? ""))
      }
    }
  }
}
