// What the library was built with, and the texts of result codes (c3ref/compileoption_get,
// c3ref/errcode).
import CSQLite3
import MartletEngine

/// What the library has beside the engine. A program may ask before it opens a database.
enum LibraryOptions {
  private static let all: [StaticString] = [
    "ENABLE_FTS3", "ENABLE_FTS3_PARENTHESIS", "ENABLE_FTS4", "ENABLE_FTS5", "ENABLE_RTREE",
    "ENABLE_SESSION",
  ]

  static let areSaid: Void = { for option in all { CompileOptions.add(option) } }()
}

@c @implementation
public func sqlite3_compileoption_used(_ name: UnsafePointer<CChar>!) -> Int32 {
  guard let name else { return 0 }
  _ = LibraryOptions.areSaid
  return CompileOptions.isUsed(bytes(name)) ? 1 : 0
}

@c @implementation
public func sqlite3_compileoption_get(_ index: Int32) -> UnsafePointer<CChar>! {
  _ = LibraryOptions.areSaid
  guard index >= 0 && index < CompileOptions.count else { return nil }
  return permanentCString(CompileOptions.name(at: Int(index)))
}

/// The texts of the result codes, in memory that stays.
private nonisolated(unsafe) let codeTexts: [UnsafePointer<CChar>?] = (0...SQLITE_DONE).map {
  permanentCopy(ResultCode(rawValue: $0).description)
}
private nonisolated(unsafe) let rollbackText = permanentCopy(ResultCode.abortRollback.description)

private func permanentCopy(_ text: String) -> UnsafePointer<CChar>? {
  text.withCString { UnsafePointer(strdup($0)) }
}

@c @implementation
public func sqlite3_errstr(_ code: Int32) -> UnsafePointer<CChar>! {
  if code == SQLITE_ABORT | 2 << 8 { return rollbackText }
  // An extended code has the text of its primary one, of which these two have none.
  let primary = code & 0xff
  let isKnown = primary <= SQLITE_WARNING || code == SQLITE_ROW || code == SQLITE_DONE
  return isKnown ? codeTexts[Int(primary)] : permanentCString("unknown error")
}
