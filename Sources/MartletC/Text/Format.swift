// Formatted text (c3ref/mprintf, printf). The variadic functions themselves are in variadic.c.
import CSQLite3
import MartletEngine

/// SQLite's bound of a text's length.
let largestText = 1_000_000_000

extension VariadicArguments {
  /// Arguments that a variadic function has handed over.
  init(_ list: UnsafeMutableRawPointer?) {
    self.init(
      list,
      Readers(
        int: martlet_next_int, long: martlet_next_long, int64: martlet_next_int64,
        double: martlet_next_double, pointer: martlet_next_pointer))
  }
}

/// The bytes of a text of C without its zero byte.
func bytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
  let start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
  return UnsafeBufferPointer(start: start, count: strlen(text))
}

@c @implementation
public func martlet_mprintf(
  _ format: UnsafePointer<CChar>!, _ arguments: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<CChar>! {
  guard let format, sqlite3_initialize() == SQLITE_OK else { return nil }
  var text = GrowingText(limit: largestText)
  text.append(format: bytes(format), VariadicArguments(arguments))
  // Of no bytes, too, there is a text.
  text.append(repeating: 0, 0)
  return text.take().map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self) }
}

/// Writes what fits into the buffer, and always a zero byte.
@c @implementation
public func martlet_snprintf(
  _ size: Int32, _ buffer: UnsafeMutablePointer<CChar>!, _ format: UnsafePointer<CChar>!,
  _ arguments: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<CChar>! {
  guard let buffer, size > 0 else { return buffer }
  buffer.pointee = 0
  guard let format else { return buffer }
  let target = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: UInt8.self)
  GrowingText.print(
    format: bytes(format), VariadicArguments(arguments),
    into: UnsafeMutableBufferPointer(start: target, count: Int(size)), limit: largestText)
  return buffer
}
