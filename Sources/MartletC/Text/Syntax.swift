// Keywords and complete statements (c3ref/keyword_check, c3ref/complete).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_keyword_count() -> Int32 { Int32(KeywordList.count) }

@c @implementation
public func sqlite3_keyword_name(
  _ index: Int32, _ name: UnsafeMutablePointer<UnsafePointer<CChar>?>!,
  _ count: UnsafeMutablePointer<Int32>!
) -> Int32 {
  guard index >= 0 && index < KeywordList.count, let name, let count else { return SQLITE_ERROR }
  let keyword = KeywordList.name(at: Int(index))
  name.pointee = permanentCString(keyword)
  count.pointee = Int32(keyword.utf8CodeUnitCount)
  return SQLITE_OK
}

@c @implementation
public func sqlite3_keyword_check(_ word: UnsafePointer<CChar>!, _ count: Int32) -> Int32 {
  guard let word, count > 0 else { return 0 }
  let start = UnsafeRawPointer(word).assumingMemoryBound(to: UInt8.self)
  return KeywordList.contains(UnsafeBufferPointer(start: start, count: Int(count))) ? 1 : 0
}

@c @implementation
public func sqlite3_complete(_ sql: UnsafePointer<CChar>!) -> Int32 {
  guard let sql else { return SQLITE_MISUSE }
  return isComplete(bytes(sql))
}

@c @implementation
public func sqlite3_complete16(_ sql: UnsafeRawPointer!) -> Int32 {
  guard sqlite3_initialize() == SQLITE_OK else { return SQLITE_ERROR }
  guard let sql else { return SQLITE_MISUSE }
  var count = 0
  while sql.loadUnaligned(fromByteOffset: 2 * count, as: UInt16.self) != 0 { count += 1 }
  let units = (0..<count).lazy.map {
    sql.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)
  }
  var text = String(decoding: units, as: UTF16.self)
  return text.withUTF8(isComplete)
}

private func isComplete(_ sql: UnsafeBufferPointer<UInt8>) -> Int32 {
  do throws(SQLError) { return try CompleteStatement.isComplete(sql) ? 1 : 0 } catch {
    return error.code.rawValue
  }
}
