// Comparing texts as SQL does (c3ref/stricmp, c3ref/strglob, c3ref/strlike).
import CSQLite3
import MartletEngine

@inline(__always)
private func lower(_ byte: CChar) -> Int32 {
  let byte = UInt8(bitPattern: byte)
  return Int32(byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)
}

/// The difference of the first characters, folded to lower case, that differ.
private func difference(
  _ left: UnsafePointer<CChar>, _ right: UnsafePointer<CChar>, _ limit: Int
) -> Int32 {
  var index = 0
  while index < limit {
    let difference = lower(left[index]) - lower(right[index])
    if difference != 0 || left[index] == 0 { return difference }
    index += 1
  }
  return 0
}

/// No text is before any.
private func order(
  _ left: UnsafePointer<CChar>?, _ right: UnsafePointer<CChar>?, _ limit: Int
) -> Int32 {
  guard let left else { return right == nil ? 0 : -1 }
  guard let right else { return 1 }
  return difference(left, right, limit)
}

@c @implementation
public func sqlite3_stricmp(
  _ left: UnsafePointer<CChar>!, _ right: UnsafePointer<CChar>!
) -> Int32 {
  order(left, right, .max)
}

@c @implementation
public func sqlite3_strnicmp(
  _ left: UnsafePointer<CChar>!, _ right: UnsafePointer<CChar>!, _ count: Int32
) -> Int32 {
  order(left, right, Int(count))
}

/// 0 where the text matches.
@c @implementation
public func sqlite3_strglob(
  _ pattern: UnsafePointer<CChar>!, _ text: UnsafePointer<CChar>!
) -> Int32 {
  guard let text else { return pattern == nil ? 0 : 1 }
  guard let pattern else { return 1 }
  return TextPattern.isGlob(bytes(text), bytes(pattern)) ? 0 : 1
}

/// 0 where the text matches.
@c @implementation
public func sqlite3_strlike(
  _ pattern: UnsafePointer<CChar>!, _ text: UnsafePointer<CChar>!, _ escape: UInt32
) -> Int32 {
  guard let text else { return pattern == nil ? 0 : 1 }
  guard let pattern else { return 1 }
  return TextPattern.isLike(bytes(text), bytes(pattern), escape: escape) ? 0 : 1
}
